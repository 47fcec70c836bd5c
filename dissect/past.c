/*
 * past.c - see past.h.
 */
#include "past.h"

#include <stdlib.h>

enum {
    LENGTH_LEN = 4,
    MAX_KEPT = 64 * 1024,    /* of a frame that is kept for its atoms; headers are smaller */
    FRAGMENT_AT = 4 + 2 + 8, /* LENGTH, 131 69, SEQUENCE: where the fragment's number is */
};
_Static_assert(MAX_KEPT > LENGTH_LEN + 20 + HEADER_MAX_REFS * (3 + ATOM_MAX_LEN) / 8,
               "room for the headers that nodes write");

struct past *past_new(struct env *env)
{
    if (!meter_take(&env->meter, sizeof(struct past)))
        return NULL;
    struct past *past = calloc(1, sizeof *past);
    if (past == NULL) {
        meter_give(&env->meter, sizeof(struct past));
        env->stats.no_memory++;
    }
    return past;
}

static uint64_t cost(const struct past_piece *piece)
{
    return sizeof *piece + piece->len;
}

static void drop(struct past *past, struct env *env, struct past_piece *piece)
{
    *(piece->older != NULL ? &piece->older->newer : &past->oldest) = piece->newer;
    *(piece->newer != NULL ? &piece->newer->older : &past->newest) = piece->older;
    meter_give(&env->meter, cost(piece));
    free(piece);
}

void past_free(struct past *past, struct env *env)
{
    if (past == NULL)
        return;
    while (past->oldest != NULL)
        drop(past, env, past->oldest);
    meter_give(&env->meter, sizeof *past);
    free(past);
}

static struct past_piece *add(struct past *past, struct env *env, int64_t ts_ns, int dir,
                              struct cursor bytes, uint64_t cut_len)
{
    const size_t len = cursor_left(&bytes);
    if (cut_len > UINT32_MAX || !meter_take(&env->meter, sizeof(struct past_piece) + len))
        return NULL;
    struct past_piece *piece = malloc(sizeof *piece + len);
    if (piece == NULL) {
        meter_give(&env->meter, sizeof *piece + len);
        env->stats.no_memory++;
        return NULL;
    }
    *piece = (struct past_piece){
        .older = past->newest,
        .ts_ns = ts_ns,
        .len = (uint32_t)len,
        .cut_len = (uint32_t)cut_len,
        .dir = (uint8_t)dir,
    };
    if (!cursor_read_bytes(&bytes, piece->bytes, len))
        piece->len = 0;
    *(past->newest != NULL ? &past->newest->newer : &past->oldest) = piece;
    past->newest = piece;
    return piece;
}

static bool is_needed(const struct past_piece *piece)
{
    return piece->pinned || piece->num_slots != 0 || piece->sequence != 0;
}

/* settle drops a piece that is not needed. The first fragment of a message that is finished
 * becomes a message of its own, which is cut off: its atoms are still needed. */
static void settle(struct past *past, struct env *env, struct past_piece *piece)
{
    if (!is_needed(piece)) {
        drop(past, env, piece);
    } else if (piece->is_first && piece->sequence == 0 && piece->len >= FRAGMENT_AT + 8) {
        for (int i = 0; i < 8; i++)
            piece->bytes[FRAGMENT_AT + i] = i == 7;
        if (piece->cut_len == 0) {
            piece->len--;
            piece->cut_len = 1;
            meter_give(&env->meter, 1);
        }
        piece->is_first = false;
    }
}

static void release(struct past *past, struct env *env, int dir, uint32_t slot)
{
    struct past_piece *piece = past->slot[dir][slot];
    past->slot[dir][slot] = NULL;
    if (piece != NULL && --piece->num_slots == 0)
        settle(past, env, piece);
}

void past_add_handshake(struct past *past, struct env *env, int64_t ts_ns, int dir,
                        struct cursor message)
{
    struct past_piece *piece = past != NULL ? add(past, env, ts_ns, dir, message, 0) : NULL;
    if (piece != NULL)
        piece->pinned = true;
}

void past_add_frame(struct past *past, struct env *env, int64_t ts_ns, int dir,
                    struct cursor frame, uint64_t frame_len, const struct dist_header *header)
{
    const bool is_open = header->type != HEADER_PLAIN && header->fragment > 1;
    uint32_t num_new = 0;
    if (past == NULL)
        return;
    for (uint32_t i = 0; i < header->num_refs; i++)
        num_new += header->refs[i].state == DS_ATOM_KNOWN;
    struct past_piece *open = NULL;
    for (struct past_piece *p = past->newest; header->type == HEADER_FURTHER && p != NULL;
         p = p->older) {
        if (p->dir == dir && p->sequence == header->sequence) {
            open = p; /* and so the message's beginning is here */
            break;
        }
    }
    if (num_new == 0 && !(is_open && (header->type == HEADER_FIRST || open != NULL)))
        return;
    if (!is_open && cursor_left(&frame) > MAX_KEPT)
        frame = cursor_first(frame, MAX_KEPT);
    struct past_piece *piece =
        add(past, env, ts_ns, dir, frame, frame_len - cursor_left(&frame));
    if (piece != NULL && is_open) {
        piece->sequence = header->sequence;
        piece->is_first = header->type == HEADER_FIRST;
    }
    for (uint32_t i = 0; i < header->num_refs; i++) {
        if (header->refs[i].state != DS_ATOM_KNOWN)
            continue;
        if (piece != NULL)
            piece->num_slots++; /* first: a header may name a slot twice */
        release(past, env, dir, header->refs[i].slot);
        past->slot[dir][header->refs[i].slot] = piece;
    }
}

void past_finish(struct past *past, struct env *env, int dir, uint64_t sequence)
{
    struct past_piece *older;
    for (struct past_piece *p = past != NULL ? past->newest : NULL; p != NULL; p = older) {
        older = p->older;
        if (p->dir != dir || p->sequence != sequence)
            continue;
        p->sequence = 0;
        const bool was_first = p->is_first;
        settle(past, env, p);
        if (was_first)
            return;
    }
}

void past_forget_slots(struct past *past, struct env *env, int dir, unsigned mask)
{
    for (uint32_t slot = 0; past != NULL && slot < ATOM_SEGMENTS * ATOM_SEGMENT_SLOTS; slot++) {
        if ((mask >> (slot / ATOM_SEGMENT_SLOTS) & 1) != 0)
            release(past, env, dir, slot);
    }
}
