/*
 * past.c - see past.h.
 */
#include "past.h"

#include <stdlib.h>

enum {
    LENGTH_LEN = 4,
    MAX_KEPT = 64 * 1024,    /* of a frame that is kept for its atoms; headers are smaller */
    FRAGMENT_AT = 4 + 2 + 8, /* LENGTH, 131 69, SEQUENCE: where the fragment's number is */
    MAX_HANDSHAKE = 32,      /* messages; nodes send up to seven */
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

static struct past_open **find_open(struct past *past, int dir, uint64_t sequence)
{
    struct past_open **at =
        &past->open[dir][sequence * UINT64_C(0x9e3779b97f4a7c15) >> 58 & (PAST_BUCKETS - 1)];
    while (*at != NULL && (*at)->sequence != sequence)
        at = &(*at)->chain;
    return at;
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
    return piece->pinned || piece->num_slots != 0 || piece->is_open;
}

/* settle drops a piece that is not needed. The first fragment of a message that is finished
 * becomes a message of its own, which is cut off: its atoms are still needed. */
static void settle(struct past *past, struct env *env, struct past_piece *piece)
{
    if (!is_needed(piece)) {
        drop(past, env, piece);
    } else if (piece->is_first && !piece->is_open && piece->len >= FRAGMENT_AT + 8) {
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

static void unuse(struct past *past, struct env *env, struct past_piece *piece)
{
    if (--piece->num_slots == 0)
        settle(past, env, piece);
}

static void release(struct past *past, struct env *env, int dir, uint32_t slot)
{
    struct past_piece *piece = past->slot[dir][slot];
    past->slot[dir][slot] = NULL;
    if (piece != NULL)
        unuse(past, env, piece);
}

static uint64_t open_cost(const struct past_open *open)
{
    return sizeof *open + open->max_used * sizeof open->used[0];
}

static void unuse_all(struct past *past, struct env *env, struct past_open *open)
{
    while (open->num_used != 0)
        unuse(past, env, open->used[--open->num_used]);
}

static void drop_open(struct past *past, struct env *env, struct past_open **at)
{
    struct past_open *open = *at;
    *at = open->chain;
    unuse_all(past, env, open);
    meter_give(&env->meter, open_cost(open));
    free(open);
}

/* used_of returns the piece that gave a slot what a reference means; NULL for one that is not
 * known, or that the frame itself gives. */
static struct past_piece *used_of(const struct past *past, int dir, const struct ds_atom *ref)
{
    return ref->state != DS_ATOM_KNOWN ? past->slot[dir][ref->slot] : NULL;
}

/* add_open makes an entry at the end of a chain. NULL, counted, without memory. */
static struct past_open *add_open(struct past *past, struct env *env, int dir,
                                  const struct dist_header *header)
{
    struct past_open **at = find_open(past, dir, header->sequence);
    struct past_open made = {.sequence = header->sequence};
    for (uint32_t i = 0; i < header->num_refs; i++)
        made.max_used += used_of(past, dir, &header->refs[i]) != NULL;
    if (!meter_take(&env->meter, open_cost(&made)))
        return NULL;
    struct past_open *open = malloc(open_cost(&made));
    if (open == NULL) {
        meter_give(&env->meter, open_cost(&made));
        env->stats.no_memory++;
        return NULL;
    }
    *open = made;
    for (uint32_t i = 0; i < header->num_refs; i++) {
        struct past_piece *piece = used_of(past, dir, &header->refs[i]);
        if (piece != NULL) {
            piece->num_slots++;
            open->used[open->num_used++] = piece;
        }
    }
    *at = open;
    return open;
}

void past_free(struct past *past, struct env *env)
{
    if (past == NULL)
        return;
    for (int i = 0; i < 2 * PAST_BUCKETS; i++) {
        while (past->open[i / PAST_BUCKETS][i % PAST_BUCKETS] != NULL)
            drop_open(past, env, &past->open[i / PAST_BUCKETS][i % PAST_BUCKETS]);
    }
    while (past->oldest != NULL)
        drop(past, env, past->oldest);
    meter_give(&env->meter, sizeof *past);
    free(past);
}

void past_add_handshake(struct past *past, struct env *env, int64_t ts_ns, int dir,
                        struct cursor message)
{
    if (past == NULL || past->num_handshake == MAX_HANDSHAKE)
        return;
    struct past_piece *piece = add(past, env, ts_ns, dir, message, 0);
    if (piece == NULL)
        return;
    piece->pinned = true;
    past->num_handshake++;
}

/* begin_open returns the message that a fragment is of, if its beginning is here. */
static struct past_open *begin_open(struct past *past, struct env *env, int dir,
                                    const struct dist_header *header)
{
    if (header->type != HEADER_FIRST)
        return *find_open(past, dir, header->sequence);
    past_finish(past, env, dir, header->sequence); /* one that nobody followed to its end */
    return add_open(past, env, dir, header);
}

void past_add_frame(struct past *past, struct env *env, int64_t ts_ns, int dir, struct cursor frame,
                    uint64_t frame_len, const struct dist_header *header)
{
    uint32_t num_new = 0;
    if (past == NULL)
        return;
    for (uint32_t i = 0; i < header->num_refs; i++)
        num_new += header->refs[i].state == DS_ATOM_KNOWN;
    struct past_open *open = NULL;
    if (header->type != HEADER_PLAIN && header->fragment > 1)
        open = begin_open(past, env, dir, header);
    else if (header->type == HEADER_FURTHER)
        past_finish(past, env, dir, header->sequence);
    if (num_new == 0 && open == NULL)
        return;
    if (open == NULL && cursor_left(&frame) > MAX_KEPT)
        frame = cursor_first(frame, MAX_KEPT);
    struct past_piece *piece = add(past, env, ts_ns, dir, frame, frame_len - cursor_left(&frame));
    if (piece != NULL && open != NULL) {
        piece->is_open = true;
        piece->is_first = open->newest == NULL;
        piece->before = open->newest;
        open->newest = piece;
    } else if (open != NULL && open->newest == NULL) {
        drop_open(past, env, find_open(past, dir, header->sequence));
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
    struct past_open **open = past != NULL ? find_open(past, dir, sequence) : NULL;
    if (open == NULL || *open == NULL)
        return;
    struct past_piece *before;
    for (struct past_piece *piece = (*open)->newest; piece != NULL; piece = before) {
        before = piece->before;
        piece->is_open = false;
        settle(past, env, piece);
    }
    drop_open(past, env, open);
}

void past_forget_slots(struct past *past, struct env *env, int dir, unsigned mask)
{
    for (int i = 0; past != NULL && mask != 0 && i < PAST_BUCKETS; i++) {
        for (struct past_open *open = past->open[dir][i]; open != NULL; open = open->chain)
            unuse_all(past, env, open);
    }
    for (uint32_t slot = 0; past != NULL && slot < ATOM_SEGMENTS * ATOM_SEGMENT_SLOTS; slot++) {
        if ((mask >> (slot / ATOM_SEGMENT_SLOTS) & 1) != 0)
            release(past, env, dir, slot);
    }
}
