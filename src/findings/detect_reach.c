/*
 * detect_reach.c - what is said of names and ports by EPMD, and connections that never came about:
 * EPMD or a node cannot be reached, or EPMD does not know it.
 */
#include "detect_parts.h"

#include "hash.h"

#include <stdio.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
#define EPMD_PATIENCE_NS (2 * SECOND) /* a node that finds no EPMD starts one */
#define ASKED_NS (60 * SECOND)        /* an answer of EPMD is used at once, or soon */

static bool is_same_addr(const struct ds_addr *a, const struct ds_addr *b)
{
    return a->family == b->family && memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

/* --- what EPMD says --- */

static uint32_t hash_port(uint16_t port)
{
    const uint64_t key = port;
    return hash_key(&key, sizeof key);
}

static void note_asked(struct detect *d, const struct ds_event *event)
{
    const struct ds_epmd *epmd = &event->epmd;
    const int server = event->dir; /* it answers */
    if (epmd->name.data == NULL || epmd->name.len > sizeof((struct asked *)NULL)->name)
        return;
    struct asked *a = table_add_forgetting(&d->asked, hash_port(epmd->port));
    if (a == NULL) {
        d->no_memory++;
        return;
    }
    a->client = event->conn->end[!server].addr;
    a->server = event->conn->end[server].addr;
    a->port = epmd->port;
    a->ts_ns = event->ts_ns;
    a->frame = event->frame;
    a->conn = event->conn->number;
    a->name_len = epmd->name.len;
    memcpy(a->name, epmd->name.data, epmd->name.len);
}

/* find_asked finds the latest answer of EPMD that led to this connection. */
const struct asked *detect_find_asked(const struct detect *d, const struct ds_conn *conn,
                                      int64_t ts_ns, bool other_family)
{
    const struct ds_endpoint *to = &conn->end[1];
    const struct asked *best = NULL;
    for (struct asked *a = table_first(&d->asked, hash_port(to->port)); a != NULL;
         a = table_next(&d->asked, a)) {
        const bool fits = other_family ? a->server.family != to->addr.family
                                       : is_same_addr(&a->server, &to->addr) &&
                                             is_same_addr(&a->client, &conn->end[0].addr);
        if (a->port == to->port && fits && ts_ns - a->ts_ns < ASKED_NS &&
            (best == NULL || a->ts_ns > best->ts_ns))
            best = a;
    }
    return best;
}

const struct asked *detect_find_told(const struct detect *d, const struct ds_endpoint *end)
{
    const struct asked *best = NULL;
    for (struct asked *a = table_first(&d->asked, hash_port(end->port)); a != NULL;
         a = table_next(&d->asked, a)) {
        if (a->port == end->port && is_same_addr(&a->server, &end->addr) &&
            (best == NULL || a->ts_ns > best->ts_ns))
            best = a;
    }
    return best;
}

void detect_epmd(struct detect *d, const struct ds_event *event)
{
    const struct ds_epmd *epmd = &event->epmd;
    struct watched *w = detect_watch(d, event->conn);
    struct finding *f;
    if (w == NULL)
        return;
    switch (epmd->op) {
    case DS_EPMD_PORT_PLEASE2_REQ:
    case DS_EPMD_ALIVE2_REQ:
        w->asked_len = epmd->name.len < sizeof w->asked ? epmd->name.len : sizeof w->asked;
        if (w->asked_len != 0)
            memcpy(w->asked, epmd->name.data, w->asked_len);
        w->step_frame[0] = event->frame;
        break;
    case DS_EPMD_PORT2_RESP:
        if (epmd->result == 0) {
            note_asked(d, event);
            break;
        }
        f = detect_begin(d, FINDING_DS107, event);
        if (w->asked_len == 0) {
            wording_add(&f->sentence, "a node whose name was not captured is not registered at EPMD of ");
        } else {
            wording_add(&f->sentence, "no node ");
            wording_put(&f->sentence, WORD_NODE, text_of(w->asked, w->asked_len));
            wording_add(&f->sentence, " is registered at EPMD of ");
        }
        wording_addr(&f->sentence, &event->conn->end[event->dir].addr);
        wording_add(&f->detail, "asked by ");
        wording_addr(&f->detail, &event->conn->end[!event->dir].addr);
        detect_frame(f, w->step_frame[0], "port_please2_req");
        detect_frame(f, event->frame, "port2_resp");
        detect_commit(d);
        break;
    case DS_EPMD_ALIVE2_RESP:
    case DS_EPMD_ALIVE2_X_RESP:
        if (epmd->result == 0)
            break;
        f = detect_begin(d, FINDING_DS108, event);
        wording_add(&f->sentence, "EPMD of ");
        wording_addr(&f->sentence, &event->conn->end[event->dir].addr);
        wording_add(&f->sentence, " has another node by the name ");
        wording_put(&f->sentence, WORD_NODE, text_of(w->asked, w->asked_len));
        detect_frame(f, w->step_frame[0], "alive2_req");
        detect_frame(f, event->frame, "alive2_resp");
        detect_commit(d);
        break;
    default:
        break;
    }
    /* It can be reached, after all. */
    for (size_t i = 0; i < MAX_REFUSED; i++) {
        if (is_same_addr(&d->refused[i].server, &event->conn->end[1].addr))
            d->refused[i] = (struct refused){0};
    }
}

/* detect_epmd_left is of one that waited for EPMD, which accepted its connection, or the kernel for it, and
 * then did not answer. */
void detect_epmd_left(struct detect *d, const struct ds_event *event)
{
    const enum ds_conn_state state = event->change.state;
    const struct ds_link *link = event->conn->link;
    const struct ds_endpoint *end = event->conn->end;
    struct watched *w = detect_find_watched(d, event->conn->number);
    if (w == NULL || w->is_explained || link == NULL || link->closer != 0 ||
        link->side[1].segments == 0 || event->conn->counters[1].bytes != 0 ||
        (state != DS_CONN_OPEN_AT_END && state != DS_CONN_CLOSED && state != DS_CONN_FAILED))
        return;
    const int64_t waited_ns = link->side[0].last_ns - w->opened_ns; /* the close is its last word */
    if (waited_ns < STALLED_NS)
        return;
    w->is_explained = true;
    struct finding *f = detect_begin(d, FINDING_DS106, event);
    wording_add(&f->sentence, "EPMD of ");
    wording_addr(&f->sentence, &end[1].addr);
    wording_add(&f->sentence, " accepts connections and does not answer");
    wording_addr(&f->detail, &end[0].addr);
    wording_add(&f->detail, " waited ");
    wording_span(&f->detail, waited_ns);
    wording_add(&f->detail, ", and closed the connection then");
    detect_frame(f, w->step_frame[0], "the question");
    detect_commit(d);
}

static const char *failure_text(const struct ds_conn *conn, char *out, size_t size)
{
    const struct ds_link *link = conn->link;
    switch (link != NULL ? link->close : DS_CLOSE_NOT) {
    case DS_CLOSE_RESET:
        return "is refused";
    case DS_CLOSE_ICMP:
        snprintf(out, size, "is answered by ICMP: %s", link->icmp != NULL ? link->icmp : "an error");
        return out;
    default:
        return "goes unanswered";
    }
}

static void take_no_epmd(struct detect *d, const struct ds_event *event)
{
    const struct ds_conn *conn = event->conn;
    struct refused *r = &d->refused[0];
    for (size_t i = 0; i < MAX_REFUSED; i++) {
        if (!d->refused[i].is_used) {
            r = &d->refused[i];
            break;
        }
    }
    char text[sizeof r->why];
    d->has_refused = true;
    *r = (struct refused){.is_used = true,
                          .client = conn->end[0].addr,
                          .server = conn->end[1].addr,
                          .port = conn->end[1].port,
                          .ts_ns = event->ts_ns,
                          .frame = event->frame,
                          .conn = conn->number};
    snprintf(r->why, sizeof r->why, "%s", failure_text(conn, text, sizeof text));
}

static void report_no_epmd(struct detect *d, struct refused *r)
{
    struct finding *f = detect_begin(d, FINDING_DS106, NULL);
    r->is_used = false;
    f->evidence[0].conn = r->conn;
    f->evidence[0].ts_ns = r->ts_ns;
    wording_add(&f->sentence, "a connection to EPMD of ");
    wording_addr(&f->sentence, &r->server);
    wording_printf(&f->sentence, " %s", r->why);
    wording_add(&f->detail, "tried by ");
    wording_addr(&f->detail, &r->client);
    detect_frame(f, r->frame, "the end of the attempt");
    detect_commit(d);
}

/* --- connections that never came about --- */

static void take_unreachable(struct detect *d, const struct ds_event *event)
{
    const struct ds_conn *conn = event->conn;
    const struct asked *asked = detect_find_asked(d, conn, event->ts_ns, false);
    const struct asked *other = asked == NULL ? detect_find_asked(d, conn, event->ts_ns, true) : NULL;
    /* A node that listens over IPv6 does so over IPv4 as well, but not the other way. */
    const bool is_v4_only = asked != NULL && conn->end[1].addr.family == 6 && conn->link != NULL &&
                            conn->link->close == DS_CLOSE_RESET;
    char text[120];
    struct finding *f =
        detect_begin(d, other != NULL || is_v4_only ? FINDING_DS110 : FINDING_DS105, event);
    const struct asked *by = asked != NULL ? asked : other;
    wording_add(&f->sentence, "a connection from ");
    wording_addr(&f->sentence, &conn->end[0].addr);
    wording_add(&f->sentence, " to ");
    if (by != NULL) {
        wording_put(&f->sentence, WORD_NODE, text_of(by->name, by->name_len));
        wording_add(&f->sentence, ", ");
    }
    wording_addr(&f->sentence, &conn->end[1].addr);
    wording_printf(&f->sentence, " port %u %s", (unsigned)conn->end[1].port,
                 failure_text(conn, text, sizeof text));
    if (other != NULL) {
        wording_add(&f->detail, "EPMD told that port over the other version of IP");
        detect_unsure(f, CERTAINTY_LIKELY, "what the node listens on: ss -ltn on its host");
    } else if (is_v4_only) {
        wording_add(&f->detail, "EPMD had told that port; a node with -proto_dist inet_tcp listens on "
                                "IPv4 alone");
        detect_unsure(f, CERTAINTY_LIKELY, "what the node listens on: ss -ltn on its host");
    } else if (asked != NULL) {
        wording_add(&f->detail, "EPMD had told that port");
    } else {
        detect_unsure(f, CERTAINTY_LIKELY, "the answer of EPMD: port 4369 in the capture");
    }
    if (conn->link != NULL && conn->link->side[0].syns > 1)
        wording_printf(&f->detail, "%s%u SYNs", f->detail.len != 0 ? "; " : "",
                     (unsigned)conn->link->side[0].syns);
    if (by != NULL)
        detect_frame(f, by->frame, "port2_resp");
    detect_frame(f, event->frame, "the end of the attempt");
    detect_commit(d);
}

void detect_unreachable(struct detect *d, const struct ds_event *event)
{
    if (event->conn->end[1].port == d->config.epmd_port)
        take_no_epmd(d, event);
    else
        take_unreachable(d, event);
}

void detect_reach_time(struct detect *d, bool at_end)
{
    if (!d->has_refused)
        return;
    d->has_refused = false;
    for (size_t i = 0; i < MAX_REFUSED; i++) {
        struct refused *r = &d->refused[i];
        if (r->is_used && (at_end || d->now_ns - r->ts_ns >= EPMD_PATIENCE_NS))
            report_no_epmd(d, r);
        d->has_refused |= r->is_used;
    }
}
