/*
 * pending_messages.c - see pending_messages.h. A separate call correlation finds out which message
 * opens a call and when the call ends. A monitor comes just before the request that it belongs to: it
 * waits for that request among the latest monitors.
 */
#include "keep/pending_messages.h"

#include "core/hash.h"
#include "core/message_frame.h"

#include <stdlib.h>

enum { SET_UP_NS = 100000000 }; /* maximum time between a monitor and its request */

static void drop_frame(struct pending_messages *o, struct pending_message *opening)
{
    o->used -= opening->len;
    free(opening->frame);
    opening->frame = NULL;
    opening->len = 0;
}

static void drop(struct pending_messages *o, struct pending_message *opening)
{
    drop_frame(o, opening);
    table_remove(&o->table, opening);
}

static uint32_t hash_call(uint64_t call)
{
    return hash_key(&call, sizeof call);
}

static void drop_call(struct pending_messages *o, uint64_t call)
{
    struct pending_message *next;
    for (struct pending_message *at = table_first(&o->table, hash_call(call)); at != NULL;
         at = next) {
        next = table_next(&o->table, at);
        if (at->call == call)
            drop(o, at);
    }
}

/* keep_frame makes the frame of a message. A message with uncertain atoms gets none: in the frame they
 * would be certain. */
static void keep_frame(struct pending_messages *o, struct pending_message *opening,
                       const struct ds_event *event)
{
    const struct ds_conn *conn = event->conn;
    for (int i = 0; i < 2; i++) {
        const struct ds_endpoint *end = &conn->end[i == 0 ? event->dir : !event->dir];
        opening->ends[i] = (struct ds_endpoint){.addr = end->addr, .port = end->port};
    }
    opening->conn = conn->number;
    opening->ns = event->ts_ns;
    if ((event->unknown_atoms | event->likely_atoms | event->address_atoms) != 0)
        return;
    o->scratch.len = 0;
    const bool is_made = message_frame(event, message_frame_is_pass_through(event), &o->scratch);
    if (o->scratch.failed) {
        ds_buffer_free(&o->scratch);
        o->no_memory++;
        return;
    }
    if (!is_made || o->scratch.len > OPENING_LEN)
        return;
    opening->frame = malloc(o->scratch.len);
    if (opening->frame == NULL) {
        o->no_memory++;
        return;
    }
    memcpy(opening->frame, o->scratch.data, o->scratch.len);
    opening->len = o->scratch.len;
    o->used += opening->len;
}

static struct pending_message *add(struct pending_messages *o, uint64_t call)
{
    while (table_oldest(&o->table) != NULL &&
           (table_is_full(&o->table) || o->used > PENDING_MESSAGES_BYTES - OPENING_LEN)) {
        drop(o, table_oldest(&o->table));
        o->num_dropped++;
    }
    struct pending_message *opening = table_add(&o->table, hash_call(call));
    if (opening == NULL)
        o->no_memory++;
    else
        opening->call = call;
    return opening;
}

static uint64_t hash_sender(const struct ds_event *event)
{
    struct ds_identity pid;
    if (!ds_term_get_identity(&event->message.role[DS_ROLE_FROM], &pid))
        return 0;
    uint64_t key[4] = {hash_text(pid.node), pid.creation, 0, 1};
    for (uint32_t i = 0; i < pid.num_words && i < 2; i++)
        key[2] = key[2] << 32 | pid.word[i];
    return (uint64_t)hash_key(key, sizeof key) | (uint64_t)1 << 32;
}

/* on_monitor assigns to a call the monitor that its caller has just set up. */
static void on_monitor(struct pending_messages *o, uint64_t call, const struct ds_event *event)
{
    const uint64_t watcher = hash_sender(event);
    const uint64_t num = o->num_pending < MONITORS_PENDING ? o->num_pending : MONITORS_PENDING;
    for (uint64_t i = 1; watcher != 0 && i <= num; i++) {
        struct pending_message *at = &o->pending[(o->num_pending - i) % MONITORS_PENDING];
        if (at->watcher != watcher || at->conn != event->conn->number ||
            event->ts_ns - at->ns > SET_UP_NS)
            continue;
        struct pending_message *kept = add(o, call);
        if (kept == NULL)
            return;
        const struct table_entry entry = kept->entry;
        *kept = *at;
        kept->entry = entry;
        kept->call = call;
        *at = (struct pending_message){.call = 0};
        return;
    }
}

static void on_record(void *context, const struct record *record)
{
    struct pending_messages *o = context;
    const struct note *note = &record->note;
    if (record->call != NULL) {
        drop_call(o, record->call->number);
        return;
    }
    if (record->monitor != NULL || record->event->type != DS_EVENT_MESSAGE)
        return;
    if (note->role == NOTE_MONITOR) {
        struct pending_message *at = &o->pending[o->num_pending++ % MONITORS_PENDING];
        drop_frame(o, at);
        *at = (struct pending_message){.watcher = hash_sender(record->event)};
        keep_frame(o, at, record->event);
        return;
    }
    if (note->call == 0 || note->has_latency ||
        (note->role != NOTE_REQUEST && note->role != NOTE_FORWARD && note->role != NOTE_SPAWNED))
        return;
    if (note->role == NOTE_REQUEST)
        on_monitor(o, note->call, record->event);
    struct pending_message *opening = add(o, note->call);
    if (opening != NULL)
        keep_frame(o, opening, record->event);
}

bool pending_messages_init(struct pending_messages *o, const struct own_labels *own,
                           const uint64_t limits[DS_LIMIT_COUNT])
{
    struct correlate_config config = {.emit = on_record, .context = o, .labels = own};
    memcpy(config.limits, limits, sizeof config.limits);
    *o = (struct pending_messages){.num_pending = 0};
    table_init(&o->table, sizeof(struct pending_message), PENDING_MESSAGES_MAX);
    o->correlate = correlate_new(&config);
    return o->correlate != NULL;
}

void pending_messages_free(struct pending_messages *o)
{
    correlate_free(o->correlate);
    while (table_oldest(&o->table) != NULL)
        drop(o, table_oldest(&o->table));
    for (size_t i = 0; i < MONITORS_PENDING; i++)
        drop_frame(o, &o->pending[i]);
    table_free(&o->table);
    ds_buffer_free(&o->scratch);
}

void pending_messages_event(struct pending_messages *o, const struct ds_event *event)
{
    if (o->correlate != NULL)
        correlate_event(o->correlate, event);
}

static bool is_end(const struct ds_endpoint *a, const struct ds_endpoint *b)
{
    return a->port == b->port && memcmp(&a->addr, &b->addr, sizeof a->addr) == 0;
}

static bool is_between(const struct pending_message *opening, const struct ds_endpoint *ends)
{
    return (is_end(&opening->ends[0], &ends[0]) && is_end(&opening->ends[1], &ends[1])) ||
           (is_end(&opening->ends[0], &ends[1]) && is_end(&opening->ends[1], &ends[0]));
}

void pending_messages_write(const struct pending_messages *o, const struct ds_endpoint *ends,
                            int64_t since_ns, opening_fn give, void *context)
{
    for (const struct pending_message *at = table_oldest(&o->table); at != NULL;
         at = table_newer(&o->table, at)) {
        if (is_between(at, ends))
            give(context, at);
    }
    for (uint64_t i = 0; i < MONITORS_PENDING; i++) {
        const struct pending_message *at = &o->pending[(o->num_pending + i) % MONITORS_PENDING];
        if (at->frame != NULL && at->ns >= since_ns && is_between(at, ends))
            give(context, at);
    }
}
