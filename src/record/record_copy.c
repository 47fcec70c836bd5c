/*
 * record_copy.c - see record_copy.h. The terms of a message mostly lie in one range of bytes, its
 * frame. The frame is copied once, and the copied terms point into the copy. The atoms, which all terms
 * of a message share, are also copied once.
 */
#include "record/compact_message.h"
#include "record/copier.h"
#include "record/paused.h"

#include <stdlib.h>

enum { KEEP_TIMES = 4 };

static const char *copy_string(struct copier *c, const char *string)
{
    return string != NULL ? copier_add(c, string, strlen(string) + 1) : NULL;
}

/* copy_span copies bytes that may contain terms, or finds the copy that they are part of. */
static const unsigned char *copy_span(struct copier *c, const void *bytes, size_t len)
{
    const uintptr_t from = (uintptr_t)bytes;
    for (size_t i = 0; i < c->num_spans; i++) {
        const struct copied_span *span = &c->spans[i];
        if (from >= span->from && from - span->from <= span->len &&
            len <= span->len - (from - span->from))
            return span->copy + (from - span->from);
    }
    unsigned char *copy = copier_add(c, bytes, len);
    if (copy != NULL && c->num_spans < COPIER_SPANS)
        c->spans[c->num_spans++] = (struct copied_span){from, len, copy};
    return copy;
}

/* copy_other_term copies a term that is not in the first span, or has other atoms. */
static __attribute__((noinline)) void copy_other_term(struct copier *c, struct ds_term *term)
{
    term->data = copy_span(c, term->data, term->len);
    if (term->num_atoms == 0) {
        term->atoms = NULL;
        return;
    }
    if (term->atoms != c->atoms) {
        c->atoms_copy = copier_add_atoms(c, term->atoms, term->num_atoms);
        c->atoms = term->atoms;
    }
    term->atoms = c->atoms_copy;
}

/* Most terms of a record are absent; nearly all others are in its frame. */
static inline void copy_term(struct copier *c, struct ds_term *term)
{
    if (term->data == NULL)
        return;
    const struct copied_span *first = &c->spans[0];
    const uintptr_t at = (uintptr_t)term->data - first->from; /* wraps to a large value if the term is
                                                                 before the span */
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
        copier_add(c, message->guesses, message->num_guesses * sizeof *message->guesses);
    for (uint32_t i = 0; guesses != NULL && i < message->num_guesses; i++) {
        for (unsigned a = 0; a < guesses[i].num; a++)
            copier_add_text(c, &guesses[i].atom[a].text);
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
    copier_add_text(c, &epmd->name);
    copier_add_text(c, &epmd->extra);
    copier_add_text(c, &epmd->raw);
    struct ds_epmd_node *nodes = copier_add(c, epmd->nodes, epmd->num_nodes * sizeof *epmd->nodes);
    for (size_t i = 0; nodes != NULL && i < epmd->num_nodes; i++)
        copier_add_text(c, &nodes[i].name);
    epmd->nodes = nodes;
}

const struct record *copied_record_get(const struct copied_record *copy, struct record_view *view)
{
    const struct ds_event *event =
        copy->packed != NULL ? compact_message_get(copy->packed, view) : copy->event;
    struct record *record = copy->record != NULL ? copy->record : &view->record;
    record->event = event;
    return record;
}

static void copy_event(struct copier *c, struct ds_event *event, bool has_link_facts)
{
    const enum ds_event_type type = event->type;
    if (event->bytes != NULL)
        event->bytes = copy_span(c, event->bytes, event->bytes_len);
    /* Connections of lookups all have the number 0, so it cannot distinguish them. */
    const bool is_looked_at = has_link_facts || type == DS_EVENT_CONN || type == DS_EVENT_STALL ||
                              type == DS_EVENT_LOOKUP ||
                              (type == DS_EVENT_MESSAGE && paused_before(event));
    event->conn = copier_add_conn(c, event->conn, is_looked_at);
    switch (event->type) {
    case DS_EVENT_EPMD:
        copy_epmd(c, &event->epmd);
        break;
    case DS_EVENT_HANDSHAKE:
        copier_add_text(c, &event->handshake.name);
        copier_add_text(c, &event->handshake.status);
        event->handshake.cookie_note = copy_string(c, event->handshake.cookie_note);
        break;
    case DS_EVENT_CONN:
        event->change.reason = copy_string(c, event->change.reason);
        break;
    case DS_EVENT_MESSAGE:
        copy_message(c, &event->message);
        break;
    case DS_EVENT_LOOKUP:
        copier_add_text(c, &event->lookup.name);
        break;
    case DS_EVENT_PART:
    case DS_EVENT_TICK:
    case DS_EVENT_GAP:
    case DS_EVENT_STALL:
    case DS_EVENT_STREAM:
    case DS_EVENT_DATA:
    case DS_EVENT_FRAME:
        break;
    }
}

static const struct titles *copy_titles(struct copier *c, const struct titles *titles)
{
    if (titles == NULL)
        return NULL;
    struct titles *copy = copier_add(c, titles, sizeof *titles);
    for (size_t i = 0; copy != NULL && i < copy->num; i++) {
        copier_add_text(c, &copy->text[i]);
        copier_add_text(c, &copy->elixir[i]);
    }
    return copy;
}

static inline void copy_note(struct copier *c, struct note *note)
{
    copy_term(c, &note->body);
    copy_term(c, &note->mod);
    copy_term(c, &note->fun);
    copy_term(c, &note->args);
    copier_add_text(c, &note->from_name);
    copier_add_text(c, &note->to_name);
    note->from_titles = copy_titles(c, note->from_titles);
    note->to_titles = copy_titles(c, note->to_titles);
    if (note->held != NULL)
        note->held = copier_add(c, note->held, sizeof *note->held);
}

static void copy_party(struct copier *c, struct party *party)
{
    copier_add_text(c, &party->node);
    copier_add_text(c, &party->name);
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
    copier_add_text(c, &call->mfa);
    copier_add_text(c, &call->mfa_elixir);
    copy_term(c, &call->request);
    copy_term(c, &call->mod);
    copy_term(c, &call->fun);
    copy_term(c, &call->args);
    copy_term(c, &call->result);
    copy_term(c, &call->reason);
    call->error_class = copy_string(c, call->error_class);
    call->children = copier_add(c, call->children, call->num_children * sizeof *call->children);
}

/* copy_whole copies an event without packing it. */
static const struct ds_event *copy_whole(struct copier *c, const struct ds_event *event,
                                         bool has_link_facts)
{
    struct ds_event *copy = copier_add(c, event, sizeof *event);
    if (copy != NULL)
        copy_event(c, copy, has_link_facts);
    return copy;
}

/* add_event copies an event. A message is packed if possible. */
static inline void add_event(struct copier *c, struct copied_record *copy, const struct ds_event *event,
                             bool has_link_facts)
{
    if (event->type == DS_EVENT_MESSAGE && !has_link_facts)
        copy->packed = compact_message_add(c, event);
    if (copy->packed == NULL && !c->full)
        copy->event = copy_whole(c, event, has_link_facts);
}

/* refer_to makes the note and other data beside an event point into the existing copy of the event. */
static void refer_to(struct copier *c, const struct ds_event *event, struct copied_record *copy,
                     const struct copied_record *source)
{
    copy->packed = source->packed;
    copy->event = source->event;
    if (event->bytes != NULL) {
        c->spans[0] = (struct copied_span){(uintptr_t)event->bytes, event->bytes_len,
                                           event->bytes};
        c->num_spans = 1;
    }
    if (event->type == DS_EVENT_MESSAGE)
        c->atoms = c->atoms_copy = event->message.control.atoms;
}

/* copy_end copies the part of a record that is not its event. */
static __attribute__((noinline)) void copy_end(struct copier *c, struct copied_record *copy)
{
    struct record *record = copy->record;
    if (record->call != NULL) {
        copy->call = copier_add(c, record->call, sizeof *record->call);
        if (copy->call != NULL)
            copy_call(c, copy->call);
        record->call = copy->call;
    }
    if (record->monitor != NULL) {
        struct monitor_end *monitor = copier_add(c, record->monitor, sizeof *monitor);
        if (monitor != NULL)
            copy_monitor(c, monitor);
        record->monitor = monitor;
    }
    if (record->finding != NULL)
        record->finding = copier_add(c, record->finding, sizeof *record->finding);
}

/* finish keeps the copy, unless there was no room for part of it. */
static inline bool finish(struct copier *c, struct copied_record *copy)
{
    struct record_block *block = c->block;
    if (c->full) {
        copier_undo(c);
        return false;
    }
    *(block->last != NULL ? &block->last->next : &block->first) = copy;
    block->last = copy;
    return true;
}

/* add_record copies a record with its event, if it has one, unless source has a copy of the event
 * already. The whole record is copied, even unused parts. */
static inline bool add_record(struct record_block *block, const struct record *record,
                              const struct copied_record *source)
{
    struct whole_record {
        struct copied_record copy;
        struct record record;
    };
    struct copier c;
    copier_begin(&c, block);
    struct whole_record *whole = copier_allocate(&c, sizeof *whole);
    if (whole == NULL)
        return finish(&c, NULL);
    whole->copy = (struct copied_record){.record = &whole->record};
    whole->record = *record;
    if (source != NULL)
        refer_to(&c, record->event, &whole->copy, source);
    else if (record->event != NULL)
        add_event(&c, &whole->copy, record->event, record->link_facts);
    whole->record.event = whole->copy.event;
    copy_note(&c, &whole->record.note);
    if (record->call != NULL || record->monitor != NULL || record->finding != NULL)
        copy_end(&c, &whole->copy);
    return finish(&c, &whole->copy);
}

static inline bool add_event_alone(struct record_block *block, const struct ds_event *event)
{
    struct copier c;
    copier_begin(&c, block);
    struct copied_record *copy = copier_allocate(&c, sizeof *copy);
    if (copy != NULL) {
        *copy = (struct copied_record){0};
        add_event(&c, copy, event, false);
    }
    return finish(&c, copy);
}

static size_t first_cap(const struct record_block *block)
{
    return block->first_cap != 0 ? block->first_cap : RECORD_BLOCK_LEN;
}

/* grow makes an empty block larger. */
static bool grow(struct record_block *block)
{
    const size_t cap = block->cap != 0 ? block->cap * 2 : first_cap(block);
    free(block->data);
    block->cap = 0;
    block->data = malloc(cap);
    if (block->data != NULL)
        block->cap = cap;
    return block->data != NULL;
}

/* make_room provides more room: only an empty block grows, a full one is handed on. */
static enum copy_status make_room(struct record_block *block)
{
    if (block->len != 0)
        return COPY_FULL;
    return grow(block) ? COPY_OK : COPY_NO_MEMORY;
}

enum copy_status record_block_refer(struct record_block *block, const struct record *record,
                                    const struct copied_record *source)
{
    enum copy_status status = COPY_OK;
    while (status == COPY_OK && (block->data == NULL || !add_record(block, record, source)))
        status = make_room(block);
    return status;
}

enum copy_status record_block_add(struct record_block *block, const struct record *record)
{
    return record_block_refer(block, record, NULL);
}

enum copy_status record_block_add_event(struct record_block *block, const struct ds_event *event)
{
    enum copy_status status = COPY_OK;
    while (status == COPY_OK && (block->data == NULL || !add_event_alone(block, event)))
        status = make_room(block);
    return status;
}

void record_block_clear(struct record_block *block)
{
    if (block->cap / KEEP_TIMES > first_cap(block)) {
        free(block->data);
        block->data = NULL;
        block->cap = 0;
    }
    block->len = 0;
    block->first = block->last = NULL;
    block->conn = NULL;
    block->shared = NULL;
}

void record_block_swap(struct record_block *a, struct record_block *b)
{
    const struct record_block before = *a;
    *a = *b;
    a->first_cap = before.first_cap;
    a->shares_atoms = before.shares_atoms;
    const struct record_block other = *b;
    *b = before;
    b->first_cap = other.first_cap;
    b->shares_atoms = other.shares_atoms;
}

void record_block_free(struct record_block *block)
{
    free(block->data);
    *block = (struct record_block){.shares_atoms = block->shares_atoms};
}
