/*
 * detect_exposure.c - findings of family 4: what others can see or do.
 */
#include "detect.h"

#include <string.h>

enum scope { SCOPE_LOCAL, SCOPE_PRIVATE, SCOPE_PUBLIC };

/* scope_of says who can reach an address (RFC 6890). What is mapped into IPv6 is of IPv4. */
static enum scope scope_of(const struct ds_addr *addr)
{
    static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    static const uint8_t loopback6[16] = {[15] = 1};
    const uint8_t *b = addr->bytes;
    if (addr->family == 6) {
        if (memcmp(b, loopback6, sizeof loopback6) == 0)
            return SCOPE_LOCAL;
        if (memcmp(b, mapped, sizeof mapped) != 0)
            return (b[0] & 0xfe) == 0xfc || (b[0] == 0xfe && (b[1] & 0xc0) == 0x80) ||
                           (b[0] == 0x20 && b[1] == 0x01 && b[2] == 0x0d && b[3] == 0xb8)
                       ? SCOPE_PRIVATE
                       : SCOPE_PUBLIC;
        b += sizeof mapped;
    }
    if (b[0] == 127)
        return SCOPE_LOCAL;
    if (b[0] == 10 || (b[0] == 172 && (b[1] & 0xf0) == 16) || (b[0] == 192 && b[1] == 168) ||
        (b[0] == 169 && b[1] == 254) || (b[0] == 100 && (b[1] & 0xc0) == 64) || b[0] >= 224 ||
        (b[0] == 192 && b[1] == 0 && b[2] == 2) || (b[0] == 198 && (b[1] & 0xfe) == 18) ||
        (b[0] == 198 && b[1] == 51 && b[2] == 100) || (b[0] == 203 && b[1] == 0 && b[2] == 113))
        return SCOPE_PRIVATE;
    return SCOPE_PUBLIC;
}

static void take_up(struct detect *d, const struct ds_event *event)
{
    const struct ds_conn *conn = event->conn;
    const enum scope scope[2] = {scope_of(&conn->end[0].addr), scope_of(&conn->end[1].addr)};
    if (scope[0] == SCOPE_LOCAL || scope[1] == SCOPE_LOCAL || conn->tls != NULL ||
        memcmp(conn->end[0].addr.bytes, conn->end[1].addr.bytes, sizeof conn->end[0].addr.bytes) == 0)
        return;
    struct finding *f = detect_begin(d, FINDING_DS401, event);
    const bool is_public = scope[0] == SCOPE_PUBLIC || scope[1] == SCOPE_PUBLIC;
    wording_printf(&f->sentence, "what nodes say goes %s, unencrypted",
                   is_public ? "over public addresses" : "over a network");
    if (is_public)
        f->severity = SEVERITY_WARNING;
    wording_end(&f->detail, &conn->end[0]);
    wording_add(&f->detail, " and ");
    wording_end(&f->detail, &conn->end[1]);
    wording_add(&f->detail, " first, ");
    wording_addr(&f->detail, &conn->end[0].addr);
    wording_add(&f->detail, " and ");
    wording_addr(&f->detail, &conn->end[1].addr);
    detect_frame(f, event->frame, "up");
    detect_commit(d);
}

static void take_names(struct detect *d, const struct ds_event *event)
{
    const struct ds_addr *to = &event->conn->end[!event->dir].addr;
    if (scope_of(to) != SCOPE_PUBLIC || event->epmd.num_nodes == 0)
        return;
    struct finding *f = detect_begin(d, FINDING_DS402, event);
    wording_add(&f->sentence, "EPMD of ");
    wording_addr(&f->sentence, &event->conn->end[event->dir].addr);
    wording_add(&f->sentence, " told its nodes to ");
    wording_addr(&f->sentence, to);
    detect_frame(f, event->frame, "names_resp");
    detect_commit(d);
}

static void take_handshake(struct detect *d, const struct ds_event *event)
{
    if (event->handshake.step != DS_STEP_SEND_NAME || event->handshake.version != 5)
        return;
    struct finding *f = detect_begin(d, FINDING_DS405, event);
    wording_end(&f->sentence, &event->conn->end[event->dir]);
    wording_add(&f->sentence, " begins with the old handshake, version 5");
    detect_frame(f, event->frame, "send_name");
    detect_commit(d);
}

void detect_exposure(struct detect *d, const struct record *record)
{
    const struct ds_event *event = record->event;
    if (event == NULL || record->call != NULL || record->monitor != NULL)
        return;
    if (event->type == DS_EVENT_CONN &&
        (event->change.state == DS_CONN_UP || event->change.state == DS_CONN_JOINED_LATE))
        take_up(d, event);
    else if (event->type == DS_EVENT_EPMD && event->epmd.op == DS_EPMD_NAMES_RESP)
        take_names(d, event);
    else if (event->type == DS_EVENT_HANDSHAKE)
        take_handshake(d, event);
}
