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
    const unsigned char *bytes = copier_add(c, event->bytes, event->bytes_len);
    c->spans[0] = (struct copied_span){(uintptr_t)event->bytes, event->bytes_len, bytes};
    c->num_spans = 1;
    c->atoms = control->atoms;
    if (control->num_atoms == 0)
        c->atoms_copy = NULL;
    else if (c->block->shares_atoms && event->message.atom_texts != 0)
        c->atoms_copy = copier_share_atoms(c, control->atoms, control->num_atoms,
                                           event->message.atom_texts);
    else
        c->atoms_copy = copier_add_atoms(c, control->atoms, control->num_atoms);
    return !c->full;
}

const struct packed_message *packed_message_add(struct copier *c, const struct ds_event *event)
{
    const struct ds_message *message = &event->message;
    struct packed_message *packed = NULL;
    if (may_pack(event) && copy_frame(c, event))
        packed = copier_take(c, sizeof *packed + DS_ROLE_COUNT * sizeof packed->term[0]);
    if (packed == NULL)
        return NULL;
    struct ds_term *end = pack_roles(c, event, packed);
    c->block->len = (size_t)((unsigned char *)(end != NULL ? (void *)end : packed) - c->block->data);
    if (end == NULL)
        return NULL;
    memcpy(packed->head, event, HEAD_LEN);
    struct ds_event *head = (struct ds_event *)packed->head; /* nothing behind it is touched */
    head->bytes = c->spans[0].copy;
    head->conn = copier_add_conn(c, event->conn, false);
    head->message.atom_texts = 0; /* they lie elsewhere, and not for long */
    head->message.role_set = packed->roles;
    head->message.control = moved(c, &message->control);
    if (message->payload.data != NULL)
        head->message.payload = moved(c, &message->payload);
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
