/*
 * record_copy.c - see record_copy.h. The terms of a message mostly lie in one stretch of
 * bytes, its frame: that is copied once, and the terms point into the copy as they pointed
 * into the frame. So do the atoms, which all terms of a message share, and many messages:
 * where these say that the texts still are what they were, the atoms are copied once a block.
 *
 * A packed message is the event up to its roles, and the roles that it has; all that lies elsewhere
 * or is rare is copied as it is.
 */
#include "record_copy.h"

#include "copy_short.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { KEEP_AT_MOST = 4 * RECORD_BLOCK_LEN, MAX_SPANS = 8, NUM_SHARED = 64 };

/* shared_atoms are atoms that a message referred to, as they were given and as they were copied. */
struct shared_atoms {
    uint64_t texts; /* ds_message.atom_texts; 0: none */
    uint32_t num;
    const struct ds_atom *given;
    struct ds_atom *copy;
};

/* packed_message is a message whose terms all lie in its frame and have the same atoms: its event up to the
 * roles, and those roles that it has; all of it refers to what was copied. */
enum { HEAD_LEN = offsetof(struct ds_event, message.role) };

struct packed_message {
    alignas(struct ds_event) unsigned char head[HEAD_LEN];
    uint32_t roles;        /* 1 << DS_ROLE_FROM and so on */
    struct ds_term term[]; /* of these, in their order */
};

/* span is a stretch of bytes that has been copied. */
struct copied_span {
    uintptr_t from;
    size_t len;
    const unsigned char *copy;
};

struct copier {
    struct record_block *block;
    struct copied_span spans[MAX_SPANS];
    size_t num_spans;
    const struct ds_atom *atoms; /* the last ones copied */
    const struct ds_atom *atoms_copy;
    struct shared_atoms *just_shared; /* in what is taken back where there is no room; NULL: none */
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

static size_t hash_atoms(const struct ds_atom *atoms, uint32_t num)
{
    const uintptr_t first = (uintptr_t)atoms[0].text, last = (uintptr_t)atoms[num - 1].text;
    return (size_t)((first >> 4) + (last >> 4) * 5 + num * 11);
}

/* begin_sharing makes room for what is shared in a block. */
static bool begin_sharing(struct copier *c)
{
    struct shared_atoms *shared = take(c, NUM_SHARED * sizeof *shared);
    if (shared == NULL)
        return false;
    memset(shared, 0, NUM_SHARED * sizeof *shared);
    c->block->shared = shared;
    return true;
}

/* share_atoms finds the copy of atoms that mean the same, or makes one to be found. Their texts are not
 * looked at: texts says that where they lay they still are what they were. */
static struct ds_atom *share_atoms(struct copier *c, const struct ds_atom *atoms, uint32_t num,
                                   uint64_t texts)
{
    if (c->block->shared == NULL && !begin_sharing(c))
        return NULL;
    struct shared_atoms *shared = &c->block->shared[hash_atoms(atoms, num) % NUM_SHARED];
    if (shared->texts == texts && shared->num == num &&
        memcmp(shared->given, atoms, num * sizeof *atoms) == 0)
        return shared->copy;
    struct ds_atom *copy = copy_all_atoms(c, atoms, num);
    const struct ds_atom *given = copy != NULL ? copy_bytes(c, atoms, num * sizeof *atoms) : NULL;
    if (given == NULL)
        return NULL;
    *shared = (struct shared_atoms){texts, num, given, copy};
    c->just_shared = shared;
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

/* same_ends says whether a copy still says who talks to whom, and what was lost. */
static __attribute__((noinline)) bool same_ends(const struct ds_conn *copy, const struct ds_conn *conn)
{
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

/* same_conn says so, mostly by how often that has changed. */
static inline bool same_conn(const struct ds_conn *copy, const struct ds_conn *conn)
{
    return copy != NULL && copy->number == conn->number && (copy->tls == NULL) == (conn->tls == NULL) &&
           ((copy->changes == conn->changes && conn->changes != 0) || same_ends(copy, conn));
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

static __attribute__((noinline)) const struct ds_conn *copy_other_conn(struct copier *c,
                                                                       const struct ds_conn *conn,
                                                                       bool is_looked_at)
{
    struct ds_conn *copy = copy_bytes(c, conn, sizeof *conn);
    if (copy != NULL) {
        copy->link = is_looked_at ? copy_bytes(c, conn->link, sizeof *conn->link) : NULL;
        copy_text(c, &copy->end[0].node);
        copy_text(c, &copy->end[1].node);
        copy->tls = copy_tls(c, conn->tls);
    }
    c->block->conn = c->full ? NULL : copy;
    return c->block->conn;
}

/* The other counters of a connection, and the facts of its link, are only of interest where one is
 * reported. */
static inline const struct ds_conn *copy_conn(struct copier *c, const struct ds_conn *conn,
                                              bool is_looked_at)
{
    const bool is_known = !is_looked_at && same_conn(c->block->conn, conn);
    return is_known ? c->block->conn : copy_other_conn(c, conn, is_looked_at);
}

static inline bool lies_in_frame(const struct ds_event *event, const struct ds_term *term)
{
    const uintptr_t at = (uintptr_t)term->data - (uintptr_t)event->bytes;
    return at <= event->bytes_len && term->len <= event->bytes_len - at;
}

static inline bool is_alike(const struct ds_event *event, const struct ds_term *term)
{
    const struct ds_term *control = &event->message.control;
    return lies_in_frame(event, term) && term->atoms == control->atoms &&
           term->num_atoms == control->num_atoms;
}

/* may_pack says whether a message is one that can be packed, but for its roles. */
static bool may_pack(const struct ds_event *event)
{
    const struct ds_message *message = &event->message;
    const struct ds_term *control = &message->control, *payload = &message->payload;
    return event->bytes != NULL && control->data != NULL && !message->token.present &&
           message->guesses == NULL && lies_in_frame(event, control) &&
           (payload->data == NULL || is_alike(event, payload));
}

/* moved is a term that lies in the frame, as it lies in the copy. */
static inline struct ds_term moved(const struct copier *c, const struct ds_term *term)
{
    const struct copied_span *frame = &c->spans[0];
    struct ds_term copy = *term;
    copy.data = frame->copy + ((uintptr_t)term->data - frame->from);
    copy.atoms = c->atoms_copy;
    return copy;
}

/* pack_roles packs the roles of a message behind its head, and returns where they end. NULL when one of
 * them is not in the frame, or has other atoms. */
static inline struct ds_term *pack_roles(const struct copier *c, const struct ds_event *event,
                                         struct packed_message *packed)
{
    struct ds_term *next = packed->term;
    uint32_t roles = 0;
    for (uint32_t left = ds_message_roles(&event->message); left != 0; left &= left - 1) {
        const struct ds_term *term = &event->message.role[__builtin_ctz(left)];
        if (term->data == NULL)
            continue;
        if (!is_alike(event, term))
            return NULL;
        roles |= left & -left;
        *next++ = moved(c, term);
    }
    packed->roles = roles;
    return next;
}

/* copy_frame copies the bytes of a message, and the atoms that its terms have. False when there is no
 * room. */
static inline bool copy_frame(struct copier *c, const struct ds_event *event)
{
    const struct ds_term *control = &event->message.control;
    const unsigned char *bytes = copy_bytes(c, event->bytes, event->bytes_len);
    c->spans[0] = (struct copied_span){(uintptr_t)event->bytes, event->bytes_len, bytes};
    c->num_spans = 1;
    c->atoms = control->atoms;
    if (control->num_atoms == 0)
        c->atoms_copy = NULL;
    else if (c->block->shares_atoms && event->message.atom_texts != 0)
        c->atoms_copy = share_atoms(c, control->atoms, control->num_atoms, event->message.atom_texts);
    else
        c->atoms_copy = copy_all_atoms(c, control->atoms, control->num_atoms);
    return !c->full;
}

/* pack_message packs a message, with what it refers to; NULL when it cannot be, or there is no room. The
 * copy of the frame serves the message in either case. */
static const struct packed_message *pack_message(struct copier *c, const struct ds_event *event)
{
    const struct ds_message *message = &event->message;
    struct packed_message *packed = NULL;
    if (copy_frame(c, event))
        packed = take(c, sizeof *packed + DS_ROLE_COUNT * sizeof packed->term[0]);
    if (packed == NULL)
        return NULL;
    struct ds_term *end = pack_roles(c, event, packed);
    c->block->len = (size_t)((unsigned char *)(end != NULL ? (void *)end : packed) - c->block->data);
    if (end == NULL)
        return NULL;
    memcpy(packed->head, event, HEAD_LEN);
    struct ds_event *head = (struct ds_event *)packed->head; /* nothing behind it is touched */
    head->bytes = c->spans[0].copy;
    head->conn = copy_conn(c, event->conn, false);
    head->message.atom_texts = 0; /* they lie elsewhere, and not for long */
    head->message.role_set = packed->roles;
    head->message.control = moved(c, &message->control);
    if (message->payload.data != NULL)
        head->message.payload = moved(c, &message->payload);
    return packed;
}

static const struct ds_event *unpack_message(const struct packed_message *packed,
                                             struct record_view *view)
{
    struct ds_event *event = &view->event;
    struct ds_term *role = event->message.role;
    const struct ds_term *term = packed->term;
    for (uint32_t left = view->roles & ~packed->roles; left != 0; left &= left - 1)
        role[__builtin_ctz(left)] = (struct ds_term){0};
    memcpy(event, packed->head, HEAD_LEN);
    for (uint32_t left = packed->roles; left != 0; left &= left - 1)
        role[__builtin_ctz(left)] = *term++;
    view->roles = packed->roles;
    return event;
}

const struct record *copied_record_get(const struct copied_record *copy, struct record_view *view)
{
    const struct ds_event *event =
        copy->packed != NULL ? unpack_message(copy->packed, view) : copy->event;
    struct record *record = copy->record != NULL ? copy->record : &view->record;
    record->event = event;
    return record;
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
    if (titles == NULL)
        return NULL;
    struct titles *copy = copy_bytes(c, titles, sizeof *titles);
    for (size_t i = 0; copy != NULL && i < copy->num; i++) {
        copy_text(c, &copy->text[i]);
        copy_text(c, &copy->elixir[i]);
    }
    return copy;
}

static inline void copy_note(struct copier *c, struct note *note)
{
    copy_term(c, &note->body);
    copy_term(c, &note->mod);
    copy_term(c, &note->fun);
    copy_term(c, &note->args);
    copy_text(c, &note->from_name);
    copy_text(c, &note->to_name);
    note->from_titles = copy_titles(c, note->from_titles);
    note->to_titles = copy_titles(c, note->to_titles);
    if (note->held != NULL)
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

/* copy_whole copies an event as it is. */
static const struct ds_event *copy_whole(struct copier *c, const struct ds_event *event,
                                         bool has_link_facts)
{
    struct ds_event *copy = copy_bytes(c, event, sizeof *event);
    if (copy != NULL)
        copy_event(c, copy, has_link_facts);
    return copy;
}

/* refer_to has what is known beside an event point into the copy of it that is there already. */
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

/* take_record makes room for a record, if there is one, whose texts and terms are still those of the
 * original, and copies the event, if there is one. All of a record is copied, whatever is in use of it. */
static struct copied_record *take_record(struct copier *c, const struct ds_event *event,
                                         const struct record *record,
                                         const struct copied_record *source)
{
    struct copied_record *copy = take(c, sizeof *copy);
    if (copy == NULL)
        return NULL;
    *copy = (struct copied_record){
        .record = record != NULL ? copy_bytes(c, record, sizeof *record) : NULL,
    };
    const bool has_link_facts = record != NULL && record->link_facts;
    if (source != NULL)
        refer_to(c, event, copy, source);
    else if (event != NULL && event->type == DS_EVENT_MESSAGE && !has_link_facts && may_pack(event))
        copy->packed = pack_message(c, event);
    if (event != NULL && copy->packed == NULL && copy->event == NULL && !c->full)
        copy->event = copy_whole(c, event, has_link_facts);
    if (copy->record != NULL)
        copy->record->event = copy->event;
    return copy;
}

/* copy_end copies what a record is about beside an event. */
static __attribute__((noinline)) void copy_end(struct copier *c, struct copied_record *copy)
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
static inline void copy_known(struct copier *c, struct copied_record *copy)
{
    const struct record *record = copy->record;
    copy_note(c, &copy->record->note);
    if (record->call != NULL || record->monitor != NULL || record->finding != NULL)
        copy_end(c, copy);
}

/* add copies an event, or a record with its event if it has one, if there is room for it. */
static inline bool add(struct record_block *block, const struct ds_event *event,
                       const struct record *record, const struct copied_record *source)
{
    struct copier c; /* spans are set as they are needed */
    c.block = block;
    c.num_spans = 0;
    c.spans[0].from = UINTPTR_MAX; /* no term lies there */
    c.spans[0].len = 0;
    c.atoms = c.atoms_copy = NULL;
    c.just_shared = NULL;
    c.full = false;
    const size_t len = block->len;
    struct ds_conn *conn = block->conn;
    struct shared_atoms *shared = block->shared;
    struct copied_record *copy = take_record(&c, event, record, source);
    if (copy != NULL && copy->record != NULL)
        copy_known(&c, copy);
    if (c.full) {
        block->len = len;
        block->conn = conn;
        block->shared = shared;
        if (shared != NULL && c.just_shared != NULL)
            c.just_shared->texts = 0;
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

static inline enum copy_status add_or_grow(struct record_block *block, const struct ds_event *event,
                                           const struct record *record,
                                           const struct copied_record *source)
{
    while (block->data == NULL || !add(block, event, record, source)) {
        if (block->len != 0)
            return COPY_FULL;
        if (!grow(block))
            return COPY_NO_MEMORY;
    }
    return COPY_OK;
}

enum copy_status record_block_add(struct record_block *block, const struct record *record)
{
    return add_or_grow(block, record->event, record, NULL);
}

enum copy_status record_block_add_event(struct record_block *block, const struct ds_event *event)
{
    return add_or_grow(block, event, NULL, NULL);
}

enum copy_status record_block_refer(struct record_block *block, const struct record *record,
                                    const struct copied_record *source)
{
    return add_or_grow(block, record->event, record, source);
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
    block->shared = NULL;
}

void record_block_swap(struct record_block *a, struct record_block *b)
{
    const struct record_block before = *a;
    *a = *b;
    a->first_cap = before.first_cap;
    a->shares_atoms = before.shares_atoms;
    const size_t first_cap = b->first_cap;
    const bool shares_atoms = b->shares_atoms;
    *b = before;
    b->first_cap = first_cap;
    b->shares_atoms = shares_atoms;
}

void record_block_free(struct record_block *block)
{
    free(block->data);
    *block = (struct record_block){.shares_atoms = block->shares_atoms};
}
