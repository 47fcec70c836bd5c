/*
 * compact_message.c - see compact_message.h.
 */
#include "record/compact_message.h"

#include "record/paused.h"

enum { HEAD_LEN = offsetof(struct ds_event, message.control) }; /* the part of an event before its terms */

/* packed_term is a term as a position in its frame; its atoms are the message's. */
struct packed_term {
    uint32_t at, len;
};

/* The parts of a message's event that are not terms. The bytes of the frame precede it. */
struct compact_message {
    alignas(struct ds_event) unsigned char head[HEAD_LEN];
    const struct ds_atom *atoms;
    uint32_t num_atoms;
    uint32_t fragments;
    uint64_t size, atom_bytes;
    int64_t wire_ns, stalled_ns;
    uint32_t roles; /* a bit 1 << DS_ROLE_FROM and so on for each role that is present */
    struct packed_term control, payload; /* length 0: no payload */
    struct packed_term role[]; /* those in roles, in order */
};

/* frame is the bytes that contain the terms of a message, and the atoms of these terms. */
struct frame {
    uintptr_t from;
    size_t len;
    const struct ds_atom *atoms;
    uint32_t num_atoms;
};

static inline bool has(struct frame frame, const struct ds_term *term)
{
    const uintptr_t at = (uintptr_t)term->data - frame.from;
    return at <= frame.len && term->len <= frame.len - at && term->atoms == frame.atoms &&
           term->num_atoms == frame.num_atoms && !term->damaged;
}

static inline struct packed_term pack(struct frame frame, const struct ds_term *term)
{
    return (struct packed_term){(uint32_t)((uintptr_t)term->data - frame.from), (uint32_t)term->len};
}

static inline struct ds_term unpack(const struct compact_message *packed, const uint8_t *bytes,
                                    struct packed_term term)
{
    return (struct ds_term){
        .data = bytes + term.at,
        .len = term.len,
        .atoms = packed->atoms,
        .num_atoms = packed->num_atoms,
    };
}

/* may_pack says whether a message can be packed; roles are not checked. */
static inline bool may_pack(struct frame frame, const struct ds_message *message)
{
    const struct ds_term *control = &message->control, *payload = &message->payload;
    return control->data != NULL && frame.len <= UINT32_MAX && !message->token.present &&
           message->guesses == NULL && has(frame, control) &&
           (payload->data == NULL || (payload->len != 0 && has(frame, payload)));
}

static inline const struct ds_atom *add_atoms(struct copier *c, const struct ds_message *message)
{
    const struct ds_term *control = &message->control;
    if (control->num_atoms == 0)
        return NULL;
    return c->block->shares_atoms && message->atom_texts != 0
               ? copier_share_atoms(c, control->atoms, control->num_atoms, message->atom_texts)
               : copier_add_atoms(c, control->atoms, control->num_atoms);
}

/* pack_roles packs the roles of a message after its head, and returns the end of them. NULL if a role
 * is not in the frame, or has other atoms. */
static inline struct packed_term *pack_roles(struct frame frame, const struct ds_message *message,
                                             struct compact_message *packed)
{
    struct packed_term *next = packed->role;
    uint32_t roles = 0;
    for (uint32_t left = ds_message_roles(message); left != 0; left &= left - 1) {
        const struct ds_term *term = &message->role[__builtin_ctz(left)];
        if (term->data == NULL)
            continue;
        if (!has(frame, term))
            return NULL;
        roles |= left & -left;
        *next++ = pack(frame, term);
    }
    packed->roles = roles;
    return next;
}

const struct compact_message *compact_message_add(struct copier *c, const struct ds_event *event)
{
    const struct ds_message *message = &event->message;
    const struct frame frame = {
        .from = (uintptr_t)event->bytes,
        .len = event->bytes_len,
        .atoms = message->control.atoms,
        .num_atoms = message->control.num_atoms,
    };
    if (!may_pack(frame, message))
        return NULL;
    const struct ds_atom *atoms = add_atoms(c, message);
    const size_t bytes_room = copier_aligned(frame.len);
    struct compact_message *packed;
    unsigned char *bytes =
        copier_allocate(c, bytes_room + sizeof *packed + DS_ROLE_COUNT * sizeof packed->role[0]);
    if (bytes == NULL)
        return NULL;
    memcpy(bytes, event->bytes, frame.len);
    packed = (struct compact_message *)(void *)(bytes + bytes_room);
    c->spans[0] = (struct copied_span){frame.from, frame.len, bytes};
    c->num_spans = 1;
    c->atoms = frame.atoms;
    c->atoms_copy = atoms;
    struct packed_term *end = pack_roles(frame, message, packed);
    c->block->len = (size_t)((unsigned char *)(end != NULL ? (void *)end : packed) - c->block->data);
    if (end == NULL)
        return NULL;
    memcpy(packed->head, event, HEAD_LEN);
    struct ds_event *head = (struct ds_event *)packed->head; /* nothing after the head is accessed */
    head->bytes = bytes;
    head->conn = copier_add_conn(c, event->conn, paused_before(event));
    packed->atoms = atoms;
    packed->num_atoms = frame.num_atoms;
    packed->fragments = message->fragments;
    packed->size = message->size;
    packed->atom_bytes = message->atom_bytes;
    packed->wire_ns = message->wire_ns;
    packed->stalled_ns = message->stalled_ns;
    packed->control = pack(frame, &message->control);
    packed->payload = (struct packed_term){0};
    if (message->payload.data != NULL)
        packed->payload = pack(frame, &message->payload);
    return packed;
}

const struct ds_event *compact_message_get(const struct compact_message *packed,
                                           struct record_view *view)
{
    struct ds_event *event = &view->event;
    struct ds_message *message = &event->message;
    const struct packed_term *term = packed->role;
    memcpy(event, packed->head, HEAD_LEN);
    const uint8_t *bytes = event->bytes;
    message->control = unpack(packed, bytes, packed->control);
    message->payload = (struct ds_term){0};
    if (packed->payload.len != 0)
        message->payload = unpack(packed, bytes, packed->payload);
    message->size = packed->size;
    message->atom_bytes = packed->atom_bytes;
    message->fragments = packed->fragments;
    message->wire_ns = packed->wire_ns;
    message->stalled_ns = packed->stalled_ns;
    for (uint32_t left = view->roles & ~packed->roles; left != 0; left &= left - 1)
        message->role[__builtin_ctz(left)] = (struct ds_term){0};
    for (uint32_t left = packed->roles; left != 0; left &= left - 1)
        message->role[__builtin_ctz(left)] = unpack(packed, bytes, *term++);
    message->role_set = view->roles = packed->roles;
    return event;
}
