/*
 * record_id.c - see record_id.h.
 */
#include "send/nats/record_id.h"

#include <distsniff/dissect.h>

#define XXH_INLINE_ALL
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

/* digest is a hash that all processes compute alike. */
struct digest {
    XXH3_state_t state;
};

static void begin(struct digest *digest)
{
    XXH3_128bits_reset(&digest->state);
}

static void add(struct digest *digest, const void *bytes, size_t len)
{
    XXH3_128bits_update(&digest->state, &len, sizeof len); /* "ab" "c" is not "a" "bc" */
    if (len != 0)
        XXH3_128bits_update(&digest->state, bytes, len);
}

static void add_number(struct digest *digest, uint64_t number)
{
    add(digest, &number, sizeof number);
}

static void add_string(struct digest *digest, const char *text)
{
    add(digest, text, text != NULL ? strlen(text) : 0);
}

/* add_pid adds the numbers of a pid. Other facts of a process, its node and names, may be unknown
 * to hosts that began to capture later. */
static void add_pid(struct digest *digest, const struct party *party)
{
    add_number(digest, party->has_pid);
    add_number(digest, party->has_pid ? (uint64_t)party->id << 32 | party->serial : 0);
}

/* PART ends the id of a record that could not be read completely: it never replaces a complete one. */
#define PART ".part"

static void end(struct digest *digest, const char *prefix, bool is_part, char id[SEND_MAX_ID + 1])
{
    const XXH128_hash_t hash = XXH3_128bits_digest(&digest->state);
    snprintf(id, SEND_MAX_ID + 1, "%s.%016" PRIx64 "%016" PRIx64 "%s", prefix, (uint64_t)hash.high64,
             (uint64_t)hash.low64, is_part ? PART : "");
}

/* print_ends writes "10.0.0.1:4369>10.0.0.2:50000": the sender comes first. */
static void print_ends(const struct ds_event *event, char *out, size_t size)
{
    const struct ds_endpoint *from = &event->conn->end[event->dir];
    const struct ds_endpoint *to = &event->conn->end[!event->dir];
    char addr[2][DS_ADDR_LEN];
    ds_addr_print(&from->addr, addr[0]);
    ds_addr_print(&to->addr, addr[1]);
    snprintf(out, size, "%s:%u>%s:%u", addr[0], from->port, addr[1], to->port);
}

/* add_place distinguishes equal records: by the position of the stream after the message that began
 * it, or, if that was not seen, by when this host thinks that it began. */
static void add_place(struct digest *digest, bool has_seq, uint32_t seq, const char *host,
                      int64_t start_ns)
{
    if (has_seq) {
        add_number(digest, seq);
    } else {
        add_string(digest, host);
        add_number(digest, (uint64_t)start_ns);
    }
}

static void call_id(const struct call *call, const char *host, char id[SEND_MAX_ID + 1])
{
    struct digest digest;
    begin(&digest);
    add_pid(&digest, &call->caller);
    add_number(&digest, (uint64_t)call->outcome);
    add_place(&digest, call->has_start_seq, call->start_seq, host, call->start_ns);
    end(&digest, "c", call->is_part, id);
}

static void monitor_id(const struct monitor_end *monitor, const char *host, char id[SEND_MAX_ID + 1])
{
    struct digest digest;
    begin(&digest);
    add_pid(&digest, &monitor->watcher);
    add_pid(&digest, &monitor->target);
    add(&digest, monitor->ref, monitor->num_ref_words * sizeof monitor->ref[0]);
    add_number(&digest, (uint64_t)monitor->outcome);
    add_place(&digest, monitor->has_start_seq, monitor->start_seq, host, monitor->start_ns);
    end(&digest, monitor->is_link ? "b" : "w", monitor->is_part, id);
}

/* own_id writes the id of a record that this host found out itself. */
static void own_id(const char *prefix, const char *host, const char *what, int64_t from_ns,
                   int64_t to_ns, uint64_t number, char id[SEND_MAX_ID + 1])
{
    snprintf(id, SEND_MAX_ID + 1, "%s.%s.%s.%" PRIx64 ".%" PRIx64 ".%" PRIu64, prefix, host, what,
             (uint64_t)from_ns, (uint64_t)to_ns, number);
}

/* is_seen_alike says whether all capture points see it alike. */
static bool is_seen_alike(const struct ds_event *event)
{
    switch (event->type) {
    case DS_EVENT_EPMD:
    case DS_EVENT_HANDSHAKE:
        return event->has_seq && event->bytes != NULL && event->fault.kind == DS_FAULT_NONE;
    case DS_EVENT_CONN:
        return event->has_seq &&
               (event->change.state == DS_CONN_OPEN || event->change.state == DS_CONN_UP ||
                event->change.state == DS_CONN_FAILED || event->change.state == DS_CONN_CLOSED);
    default:
        return false;
    }
}

static void event_id(const struct ds_event *event, const char *host, char id[SEND_MAX_ID + 1])
{
    static const char letters[] = "emnmtgsr"; /* by enum ds_event_type; types that share a letter
                                               * never share a position */
    char text[2 * DS_ADDR_LEN + 16];
    char type[] = {letters[event->type], '\0'};
    struct digest digest;
    print_ends(event, text, sizeof text);
    if (event->has_seq && (event->type == DS_EVENT_MESSAGE || event->type == DS_EVENT_TICK ||
                           event->type == DS_EVENT_STREAM)) {
        snprintf(id, SEND_MAX_ID + 1, "%s.%s.%" PRIu32 "%s", type, text, event->end_seq,
                 event_is_read_whole(event) ? "" : PART);
    } else if (is_seen_alike(event)) {
        begin(&digest);
        add_number(&digest, event->type);
        add_number(&digest, event->type == DS_EVENT_CONN ? (uint64_t)event->change.state : 0);
        add_string(&digest, text);
        add_number(&digest, event->end_seq);
        add(&digest, event->bytes, event->bytes_len);
        end(&digest, type, false, id);
    } else {
        own_id(type, host, text, event->ts_ns, 0, event->frame, id);
    }
}

void record_id(const struct record *record, const char *host, char id[SEND_MAX_ID + 1])
{
    if (record->finding != NULL)
        own_id("f", host, record->finding->kind->code, record->finding->first_ns,
               record->finding->last_ns, record->finding->count, id);
    else if (record->call != NULL)
        call_id(record->call, host, id);
    else if (record->monitor != NULL)
        monitor_id(record->monitor, host, id);
    else if (record->link_facts)
        own_id("k", host, "", record->event->ts_ns, 0, record->event->conn->number, id);
    else
        event_id(record->event, host, id);
}
