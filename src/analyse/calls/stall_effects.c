/*
 * stall_effects.c - see stall_effects.h.
 */
#include "analyse/calls/stall_effects.h"

#include <stdlib.h>
#include <string.h>

#define PATIENCE_NS INT64_C(1000000000)

enum { MAX_KEPT = 16, NODE_LEN = 255 };

/* kept_stall is the end of a stall, with copies of everything its event points to. */
struct kept_stall {
    bool is_used;
    int64_t latest_ns; /* when the stall ended, or its latest message came */
    struct ds_event event;
    struct ds_conn conn;
    struct ds_tcp_stats link;
    struct waited held;
    char node[2][NODE_LEN];
};

struct stall_effects {
    record_fn emit;
    void *context;
    unsigned num; /* entries in use */
    struct kept_stall kept[MAX_KEPT];
};

struct stall_effects *stall_effects_new(record_fn emit, void *context)
{
    struct stall_effects *h = calloc(1, sizeof *h);
    if (h == NULL)
        return NULL;
    h->emit = emit;
    h->context = context;
    return h;
}

void stall_effects_free(struct stall_effects *h)
{
    free(h);
}

static void give_out(struct stall_effects *h, struct kept_stall *kept)
{
    const struct record record = {.event = &kept->event, .note = {.held = &kept->held}};
    kept->is_used = false;
    h->num--;
    h->emit(h->context, &record);
}

static void give_out_of(struct stall_effects *h, uint64_t conn, int dir)
{
    for (unsigned i = 0; i < MAX_KEPT; i++) {
        struct kept_stall *kept = &h->kept[i];
        if (kept->is_used && kept->conn.number == conn && (dir < 0 || kept->event.dir == dir))
            give_out(h, kept);
    }
}

static void keep(struct stall_effects *h, const struct ds_event *event)
{
    struct kept_stall *kept = &h->kept[0];
    for (unsigned i = 0; i < MAX_KEPT && kept->is_used; i++) {
        if (!h->kept[i].is_used || h->kept[i].latest_ns < kept->latest_ns)
            kept = &h->kept[i];
    }
    if (kept->is_used)
        give_out(h, kept);
    h->num++;
    kept->is_used = true;
    kept->latest_ns = event->ts_ns;
    memset(&kept->held, 0, sizeof kept->held);
    kept->event = *event;
    kept->conn = *event->conn;
    kept->event.conn = &kept->conn;
    kept->conn.tls = NULL;
    if (kept->conn.link != NULL) {
        kept->link = *kept->conn.link;
        kept->conn.link = &kept->link;
    }
    for (int end = 0; end < 2; end++) {
        struct ds_text *node = &kept->conn.end[end].node;
        if (node->data == NULL || node->len > NODE_LEN)
            continue;
        memcpy(kept->node[end], node->data, node->len);
        node->data = kept->node[end];
    }
}

/* is_of_call says whether a call waits for a message: its request or its answer. */
static bool is_of_call(const struct note *note)
{
    return note->call != 0 &&
           (note->role == NOTE_REQUEST || note->role == NOTE_REPLY || note->role == NOTE_DOWN);
}

static void add_message(struct kept_stall *kept, const struct record *record)
{
    const struct ds_event *event = record->event;
    const struct ds_message *m = &event->message;
    struct waited *held = &kept->held;
    kept->latest_ns = event->ts_ns;
    held->has_head |= held->num_messages == 0 && kept->event.stall.message_size != 0;
    held->num_messages++;
    held->num_bytes += m->size;
    held->num_calls += is_of_call(&record->note);
    if (held->num == HELD_SHOWN)
        return;
    held->message[held->num++] = (struct waited_message){
        .frame = event->frame,
        .size = m->size,
        .call = is_of_call(&record->note) ? record->note.call : 0,
        .role = record->note.role,
        .label = record->note.label,
        .op = m->op != NULL ? m->op->name : NULL,
    };
}

static void on_message(struct stall_effects *h, const struct record *record)
{
    const struct ds_event *event = record->event;
    for (unsigned i = 0; i < MAX_KEPT; i++) {
        struct kept_stall *kept = &h->kept[i];
        if (!kept->is_used || kept->conn.number != event->conn->number ||
            kept->event.dir != event->dir)
            continue;
        if (event->message.stalled_ns != 0)
            add_message(kept, record);
        else
            give_out(h, kept);
        return;
    }
}

bool stall_effects_on_record(struct stall_effects *h, const struct record *record)
{
    const struct ds_event *event = record->event;
    if (event == NULL || event->past || record->call != NULL || record->monitor != NULL)
        return false;
    if (h->num != 0)
        stall_effects_time(h, event->ts_ns);
    if (event->type == DS_EVENT_STALL && event->stall.is_over) {
        give_out_of(h, event->conn->number, event->dir);
        keep(h, event);
        return true;
    }
    if (h->num != 0 && event->type == DS_EVENT_MESSAGE)
        on_message(h, record);
    else if (h->num != 0 && event->type == DS_EVENT_CONN && event->change.final)
        give_out_of(h, event->conn->number, -1);
    return false;
}

void stall_effects_time(struct stall_effects *h, int64_t now_ns)
{
    for (unsigned i = 0; h->num != 0 && i < MAX_KEPT; i++) {
        if (h->kept[i].is_used && now_ns - h->kept[i].latest_ns >= PATIENCE_NS)
            give_out(h, &h->kept[i]);
    }
}

void stall_effects_end(struct stall_effects *h)
{
    for (unsigned i = 0; i < MAX_KEPT; i++) {
        if (h->kept[i].is_used)
            give_out(h, &h->kept[i]);
    }
}
