/*
 * record_copy.c - see record_copy.h. The terms of a message mostly lie in one stretch of
 * bytes, its frame: that is copied once, and the terms point into the copy as they pointed
 * into the frame. So do the atoms, which all terms of a message share.
 */
#include "record_copy.h"

#include "copy_short.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

enum { KEEP_AT_MOST = 4 * RECORD_BLOCK_LEN, MAX_SPANS = 8 };

/* span is a stretch of bytes that has been copied. */
struct copied_span {
    uintptr_t from;
    size_t len;
    unsigned char *copy;
};

struct copier {
    struct record_block *block;
    struct copied_span spans[MAX_SPANS];
    size_t num_spans;
    const struct ds_atom *atoms; /* the last ones copied */
    struct ds_atom *atoms_copy;
    bool full;
};

static void *take(struct copier *c, size_t len)
{
    struct record_block *block = c->block;
    enum { ALIGN = alignof(max_align_t) }; /* a power of two */
    const size_t at = (block->len + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (c->full || at > block->cap || block->cap - at < len) {
        c->full = true;
        return NULL;
    }
    block->len = at + len;
    return block->data + at;
}

static void *copy_bytes(struct copier *c, const void *bytes, size_t len)
{
    void *copy = bytes != NULL ? take(c, len) : NULL;
    if (copy != NULL)
        memcpy(copy, bytes, len);
    return copy;
}

static void copy_text(struct copier *c, struct ds_text *text)
{
    if (text->data != NULL)
        text->data = copy_bytes(c, text->data, text->len);
}

static const char *copy_string(struct copier *c, const char *string)
{
    return string != NULL ? copy_bytes(c, string, strlen(string) + 1) : NULL;
}

/* copy_span copies bytes that terms may lie in, or finds the copy they are part of. */
static const unsigned char *copy_span(struct copier *c, const void *bytes, size_t len)
{
    const uintptr_t from = (uintptr_t)bytes;
    for (size_t i = 0; i < c->num_spans; i++) {
        const struct copied_span *span = &c->spans[i];
        if (from >= span->from && from - span->from <= span->len &&
            len <= span->len - (from - span->from))
            return span->copy + (from - span->from);
    }
    unsigned char *copy = copy_bytes(c, bytes, len);
    if (copy != NULL && c->num_spans < MAX_SPANS)
        c->spans[c->num_spans++] = (struct copied_span){from, len, copy};
    return copy;
}

/* The atoms, and behind them their texts. */
static struct ds_atom *copy_all_atoms(struct copier *c, const struct ds_atom *atoms, uint32_t num)
{
    struct ds_atom *copy = take(c, num * sizeof *atoms);
    if (copy == NULL)
        return NULL;
    uint8_t *text = (uint8_t *)(copy + num);
    const uint8_t *end = c->block->data + c->block->cap;
    for (uint32_t i = 0; i < num; i++) {
        copy[i] = atoms[i];
        if (atoms[i].text == NULL)
            continue;
        if ((size_t)(end - text) < atoms[i].len) {
            c->full = true;
            return NULL;
        }
        copy_short(text, atoms[i].text, atoms[i].len);
        copy[i].text = text;
        text += atoms[i].len;
    }
    c->block->len = (size_t)(text - c->block->data);
    return copy;
}

/* copy_other_term copies a term that lies elsewhere than the first span, or has other atoms. */
static __attribute__((noinline)) void copy_other_term(struct copier *c, struct ds_term *term)
{
    term->data = copy_span(c, term->data, term->len);
    if (term->num_atoms == 0) {
        term->atoms = NULL;
        return;
    }
    if (term->atoms != c->atoms) {
        c->atoms_copy = copy_all_atoms(c, term->atoms, term->num_atoms);
        c->atoms = term->atoms;
    }
    term->atoms = c->atoms_copy;
}

/* Most of the terms that a record has room for are absent; nearly all others are parts of its frame. */
static inline void copy_term(struct copier *c, struct ds_term *term)
{
    if (term->data == NULL)
        return;
    const struct copied_span *first = &c->spans[0];
    const uintptr_t at = (uintptr_t)term->data - first->from; /* large where it is before it */
    if (at <= first->len && term->len <= first->len - at && term->atoms == c->atoms &&
        term->num_atoms != 0) {
        term->data = first->copy + at;
        term->atoms = c->atoms_copy;
    } else {
        copy_other_term(c, term);
    }
}

static void copy_guesses(struct copier *c, struct ds_message *message)
{
    struct ds_guess *guesses =
        copy_bytes(c, message->guesses, message->num_guesses * sizeof *message->guesses);
    for (uint32_t i = 0; guesses != NULL && i < message->num_guesses; i++) {
        for (unsigned a = 0; a < guesses[i].num; a++)
            copy_text(c, &guesses[i].atom[a].text);
    }
    message->guesses = guesses;
}

static void copy_message(struct copier *c, struct ds_message *message)
{
    if (message->guesses != NULL)
        copy_guesses(c, message);
    copy_term(c, &message->control);
    copy_term(c, &message->payload);
    for (size_t role = 0; role < DS_ROLE_COUNT; role++)
        copy_term(c, &message->role[role]);
    if (message->token.present) {
        copy_term(c, &message->token.label);
        copy_term(c, &message->token.from);
    }
}

static void copy_epmd(struct copier *c, struct ds_epmd *epmd)
{
    copy_text(c, &epmd->name);
    copy_text(c, &epmd->extra);
    copy_text(c, &epmd->raw);
    struct ds_epmd_node *nodes = copy_bytes(c, epmd->nodes, epmd->num_nodes * sizeof *epmd->nodes);
    for (size_t i = 0; nodes != NULL && i < epmd->num_nodes; i++)
        copy_text(c, &nodes[i].name);
    epmd->nodes = nodes;
}

static inline bool same_text(struct ds_text a, struct ds_text b)
{
    return a.len == b.len && (a.data == NULL) == (b.data == NULL) &&
           (a.len == 0 || same_short(a.data, b.data, a.len));
}

/* same_conn says whether a copy still says who talks to whom, and what was lost. */
static bool same_conn(const struct ds_conn *copy, const struct ds_conn *conn)
{
    if (copy == NULL || copy->number != conn->number || (copy->tls == NULL) != (conn->tls == NULL))
        return false;
    uint64_t differs = 0;
    for (int end = 0; end < 2; end++) {
        const struct ds_endpoint *a = &copy->end[end], *b = &conn->end[end];
        differs |= (a->creation ^ b->creation) | (uint64_t)(a->node_inferred ^ b->node_inferred) |
                   (copy->counters[end].gaps ^ conn->counters[end].gaps) |
                   (copy->counters[end].faults ^ conn->counters[end].faults);
    }
    return differs == 0 && same_text(copy->end[0].node, conn->end[0].node) &&
           same_text(copy->end[1].node, conn->end[1].node);
}

static const struct ds_tls *copy_tls(struct copier *c, const struct ds_tls *tls)
{
    struct ds_tls *copy = tls != NULL ? copy_bytes(c, tls, sizeof *tls) : NULL;
    if (copy == NULL)
        return NULL;
    copy_text(c, &copy->sni);
    copy_text(c, &copy->certificate[0]);
    copy_text(c, &copy->certificate[1]);
    return copy;
}

/* The other counters of a connection, and the facts of its link, are only of interest where one is
 * reported. */
static const struct ds_conn *copy_conn(struct copier *c, const struct ds_conn *conn,
                                       bool is_looked_at)
{
    if (is_looked_at || !same_conn(c->block->conn, conn)) {
        struct ds_conn *copy = copy_bytes(c, conn, sizeof *conn);
        if (copy != NULL) {
            copy->link = is_looked_at ? copy_bytes(c, conn->link, sizeof *conn->link) : NULL;
            copy_text(c, &copy->end[0].node);
            copy_text(c, &copy->end[1].node);
            copy->tls = copy_tls(c, conn->tls);
        }
        c->block->conn = c->full ? NULL : copy;
    }
    return c->block->conn;
}

static void copy_event(struct copier *c, struct ds_event *event, bool has_link_facts)
{
    const enum ds_event_type type = event->type;
    if (event->bytes != NULL)
        event->bytes = copy_span(c, event->bytes, event->bytes_len);
    /* Connections of lookups have no number to tell them apart by. */
    event->conn = copy_conn(c, event->conn, has_link_facts || type == DS_EVENT_CONN ||
                                                type == DS_EVENT_STALL || type == DS_EVENT_LOOKUP);
    switch (event->type) {
    case DS_EVENT_EPMD:
        copy_epmd(c, &event->epmd);
        break;
    case DS_EVENT_HANDSHAKE:
        copy_text(c, &event->handshake.name);
        copy_text(c, &event->handshake.status);
        event->handshake.cookie_note = copy_string(c, event->handshake.cookie_note);
        break;
    case DS_EVENT_CONN:
        event->change.reason = copy_string(c, event->change.reason);
        break;
    case DS_EVENT_MESSAGE:
        copy_message(c, &event->message);
        break;
    case DS_EVENT_LOOKUP:
        copy_text(c, &event->lookup.name);
        break;
    case DS_EVENT_PART:
    case DS_EVENT_TICK:
    case DS_EVENT_GAP:
    case DS_EVENT_STALL:
    case DS_EVENT_DATA:
    case DS_EVENT_FRAME:
        break;
    }
}

static const struct titles *copy_titles(struct copier *c, const struct titles *titles)
{
    struct titles *copy = copy_bytes(c, titles, sizeof *titles);
    for (size_t i = 0; copy != NULL && i < copy->num; i++) {
        copy_text(c, &copy->text[i]);
        copy_text(c, &copy->elixir[i]);
    }
    return copy;
}

static void copy_note(struct copier *c, struct note *note)
{
    copy_term(c, &note->body);
    copy_term(c, &note->mod);
    copy_term(c, &note->fun);
    copy_term(c, &note->args);
    copy_text(c, &note->from_name);
    copy_text(c, &note->to_name);
    note->from_titles = copy_titles(c, note->from_titles);
    note->to_titles = copy_titles(c, note->to_titles);
    note->held = copy_bytes(c, note->held, sizeof *note->held);
}

static void copy_party(struct copier *c, struct party *party)
{
    copy_text(c, &party->node);
    copy_text(c, &party->name);
    party->titles = copy_titles(c, party->titles);
}

static void copy_monitor(struct copier *c, struct monitor_end *monitor)
{
    copy_party(c, &monitor->watcher);
    copy_party(c, &monitor->target);
    copy_term(c, &monitor->reason);
}

static void copy_call(struct copier *c, struct call *call)
{
    copy_party(c, &call->caller);
    copy_party(c, &call->callee);
    copy_text(c, &call->mfa);
    copy_text(c, &call->mfa_elixir);
    copy_term(c, &call->request);
    copy_term(c, &call->mod);
    copy_term(c, &call->fun);
    copy_term(c, &call->args);
    copy_term(c, &call->result);
    copy_term(c, &call->reason);
    call->error_class = copy_string(c, call->error_class);
    call->children = copy_bytes(c, call->children, call->num_children * sizeof *call->children);
}

/* take_record makes room for an event and a record of it, each if there is one, whose texts and terms
 * are still those of the original. All of both is copied, whatever is in use of it: that is done before
 * it is known what is, and they are read where they lie. */
static struct copied_record *take_record(struct copier *c, const struct ds_event *event,
                                         const struct record *record)
{
    struct copied_record *copy = take(c, sizeof *copy + (event != NULL ? sizeof *event : 0));
    if (copy == NULL)
        return NULL;
    copy->next = NULL;
    copy->call = NULL;
    copy->record = record != NULL ? copy_bytes(c, record, sizeof *record) : NULL;
    if (event != NULL)
        copy->event[0] = *event;
    if (copy->record != NULL)
        copy->record->event = event != NULL ? copy->event : NULL;
    return copy;
}

/* copy_end copies what a record is about beside an event. */
static void copy_end(struct copier *c, struct copied_record *copy)
{
    struct record *record = copy->record;
    if (record->call != NULL) {
        copy->call = copy_bytes(c, record->call, sizeof *record->call);
        if (copy->call != NULL)
            copy_call(c, copy->call);
        record->call = copy->call;
    }
    if (record->monitor != NULL) {
        struct monitor_end *monitor = copy_bytes(c, record->monitor, sizeof *monitor);
        if (monitor != NULL)
            copy_monitor(c, monitor);
        record->monitor = monitor;
    }
    if (record->finding != NULL)
        record->finding = copy_bytes(c, record->finding, sizeof *record->finding);
}

/* copy_known copies what is known beside the event. */
static void copy_known(struct copier *c, struct copied_record *copy)
{
    const struct record *record = copy->record;
    copy_note(c, &copy->record->note);
    if (record->call != NULL || record->monitor != NULL || record->finding != NULL)
        copy_end(c, copy);
}

/* add copies an event, or a record with its event if it has one, if there is room for it. */
static inline bool add(struct record_block *block, const struct ds_event *event,
                       const struct record *record)
{
    struct copier c; /* spans are set as they are needed */
    c.block = block;
    c.num_spans = 0;
    c.spans[0].from = UINTPTR_MAX; /* no term lies there */
    c.spans[0].len = 0;
    c.atoms = c.atoms_copy = NULL;
    c.full = false;
    const size_t len = block->len;
    struct ds_conn *conn = block->conn;
    struct copied_record *copy = take_record(&c, event, record);
    if (copy != NULL && event != NULL)
        copy_event(&c, copy->event, record != NULL && record->link_facts);
    if (copy != NULL && copy->record != NULL)
        copy_known(&c, copy);
    if (c.full) {
        block->len = len;
        block->conn = conn;
        return false;
    }
    *(block->last != NULL ? &block->last->next : &block->first) = copy;
    block->last = copy;
    return true;
}

/* grow makes an empty block larger than it was. */
static bool grow(struct record_block *block)
{
    const size_t first_cap = block->first_cap != 0 ? block->first_cap : RECORD_BLOCK_LEN;
    const size_t cap = block->cap != 0 ? block->cap * 2 : first_cap;
    free(block->data);
    block->cap = 0;
    block->data = malloc(cap);
    if (block->data != NULL)
        block->cap = cap;
    return block->data != NULL;
}

enum copy_status record_block_add(struct record_block *block, const struct record *record)
{
    while (block->data == NULL || !add(block, record->event, record)) {
        if (block->len != 0)
            return COPY_FULL;
        if (!grow(block))
            return COPY_NO_MEMORY;
    }
    return COPY_OK;
}

enum copy_status record_block_add_event(struct record_block *block, const struct ds_event *event)
{
    while (block->data == NULL || !add(block, event, NULL)) {
        if (block->len != 0)
            return COPY_FULL;
        if (!grow(block))
            return COPY_NO_MEMORY;
    }
    return COPY_OK;
}

void record_block_clear(struct record_block *block)
{
    if (block->cap > KEEP_AT_MOST && block->cap > block->first_cap) {
        free(block->data);
        block->data = NULL;
        block->cap = 0;
    }
    block->len = 0;
    block->first = block->last = NULL;
    block->conn = NULL;
}

void record_block_free(struct record_block *block)
{
    free(block->data);
    *block = (struct record_block){0};
}
