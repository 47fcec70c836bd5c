/*
 * packed_message.c - see packed_message.h.
 */
#include "packed_message.h"

enum { HEAD_LEN = offsetof(struct ds_event, message.role) };

struct packed_message {
    alignas(struct ds_event) unsigned char head[HEAD_LEN];
    uint32_t roles;        /* 1 << DS_ROLE_FROM and so on */
    struct ds_term term[]; /* of these, in their order */
};

/* frame is where the terms of a message lie, and the atoms that they have: as they came, and copied. */
struct frame {
    uintptr_t from;
    size_t len;
    const struct ds_atom *atoms;
    uint32_t num_atoms;
    const unsigned char *copy;
    const struct ds_atom *atoms_copy;
};

static inline bool has(struct frame frame, const struct ds_term *term)
{
    const uintptr_t at = (uintptr_t)term->data - frame.from;
    return at <= frame.len && term->len <= frame.len - at && term->atoms == frame.atoms &&
           term->num_atoms == frame.num_atoms;
}

/* moved is a term of a frame as it is in the copy. */
static inline struct ds_term moved(struct frame frame, const struct ds_term *term)
{
    struct ds_term copy = *term;
    copy.data = frame.copy + ((uintptr_t)term->data - frame.from);
    copy.atoms = frame.atoms_copy;
    return copy;
}

/* may_pack says whether a message is one that can be packed, but for its roles. */
static inline bool may_pack(struct frame frame, const struct ds_message *message)
{
    const struct ds_term *control = &message->control, *payload = &message->payload;
    return control->data != NULL && !message->token.present &&
           message->guesses == NULL && has(frame, control) &&
           (payload->data == NULL || has(frame, payload));
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

/* pack_roles packs the roles of a message behind its head, and returns where they end. NULL when one of
 * them is not in the frame, or has other atoms. */
static inline struct ds_term *pack_roles(struct frame frame, const struct ds_message *message,
                                         struct packed_message *packed)
{
    struct ds_term *next = packed->term;
    uint32_t roles = 0;
    for (uint32_t left = ds_message_roles(message); left != 0; left &= left - 1) {
        const struct ds_term *term = &message->role[__builtin_ctz(left)];
        if (term->data == NULL)
            continue;
        if (!has(frame, term))
            return NULL;
        roles |= left & -left;
        *next++ = moved(frame, term);
    }
    packed->roles = roles;
    return next;
}

const struct packed_message *packed_message_add(struct copier *c, const struct ds_event *event)
{
    const struct ds_message *message = &event->message;
    struct frame frame = {
        .from = (uintptr_t)event->bytes,
        .len = event->bytes_len,
        .atoms = message->control.atoms,
        .num_atoms = message->control.num_atoms,
    };
    if (!may_pack(frame, message))
        return NULL;
    frame.atoms_copy = add_atoms(c, message);
    const size_t bytes_room = copier_aligned(frame.len);
    struct packed_message *packed;
    unsigned char *bytes =
        copier_take(c, bytes_room + sizeof *packed + DS_ROLE_COUNT * sizeof packed->term[0]);
    if (bytes == NULL)
        return NULL;
    memcpy(bytes, event->bytes, frame.len);
    packed = (struct packed_message *)(void *)(bytes + bytes_room);
    frame.copy = bytes;
    c->spans[0] = (struct copied_span){frame.from, frame.len, bytes};
    c->num_spans = 1;
    c->atoms = frame.atoms;
    c->atoms_copy = frame.atoms_copy;
    struct ds_term *end = pack_roles(frame, message, packed);
    c->block->len = (size_t)((unsigned char *)(end != NULL ? (void *)end : packed) - c->block->data);
    if (end == NULL)
        return NULL;
    memcpy(packed->head, event, HEAD_LEN);
    struct ds_event *head = (struct ds_event *)packed->head; /* nothing behind it is touched */
    head->bytes = bytes;
    head->conn = copier_add_conn(c, event->conn, false);
    head->message.atom_texts = 0; /* they lie elsewhere, and not for long */
    head->message.role_set = packed->roles;
    head->message.control = moved(frame, &message->control);
    if (message->payload.data != NULL)
        head->message.payload = moved(frame, &message->payload);
    return packed;
}

const struct ds_event *packed_message_get(const struct packed_message *packed,
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
