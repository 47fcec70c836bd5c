/*
 * decoder_state.c - see decoder_state.h.
 */
#include "dist/decoder_state.h"

#include <stdlib.h>

enum {
    LENGTH_LEN = 4,
    MAX_KEPT = 64 * 1024,    /* bytes of a frame that is kept for its atoms; headers are smaller */
    FRAGMENT_AT = 4 + 2 + 8, /* LENGTH, 131 69, SEQUENCE: the offset of the fragment's number */
    MAX_HANDSHAKE = 32,      /* messages; nodes send at most seven */
};
_Static_assert(MAX_KEPT > LENGTH_LEN + 20 + HEADER_MAX_REFS * (3 + ATOM_MAX_LEN) / 8,
               "room for the headers that nodes write");

struct decoder_state *decoder_state_new(struct dissect_ctx *env)
{
    if (!memcap_reserve(&env->memcap, sizeof(struct decoder_state)))
        return NULL;
    struct decoder_state *state = calloc(1, sizeof *state);
    if (state == NULL) {
        memcap_release(&env->memcap, sizeof(struct decoder_state));
        env->stats.no_memory++;
    }
    return state;
}

static uint64_t cost(const struct state_piece *piece)
{
    return sizeof *piece + piece->len;
}

static void drop(struct decoder_state *state, struct dissect_ctx *env, struct state_piece *piece)
{
    *(piece->older != NULL ? &piece->older->newer : &state->oldest) = piece->newer;
    *(piece->newer != NULL ? &piece->newer->older : &state->newest) = piece->older;
    memcap_release(&env->memcap, cost(piece));
    free(piece);
}

static struct unfinished_message **find_open(struct decoder_state *state, int dir, uint64_t sequence)
{
    struct unfinished_message **at =
        &state->open[dir][sequence * UINT64_C(0x9e3779b97f4a7c15) >> 58 & (SNAPSHOT_BUCKETS - 1)];
    while (*at != NULL && (*at)->sequence != sequence)
        at = &(*at)->chain;
    return at;
}

static struct state_piece *add(struct decoder_state *state, struct dissect_ctx *env, int64_t ts_ns,
                               int dir, struct cursor bytes, uint64_t truncated_len)
{
    const size_t len = cursor_left(&bytes);
    if (truncated_len > UINT32_MAX || !memcap_reserve(&env->memcap, sizeof(struct state_piece) + len))
        return NULL;
    struct state_piece *piece = malloc(sizeof *piece + len);
    if (piece == NULL) {
        memcap_release(&env->memcap, sizeof *piece + len);
        env->stats.no_memory++;
        return NULL;
    }
    *piece = (struct state_piece){
        .older = state->newest,
        .ts_ns = ts_ns,
        .len = (uint32_t)len,
        .truncated_len = (uint32_t)truncated_len,
        .dir = (uint8_t)dir,
    };
    if (!cursor_read_bytes(&bytes, piece->bytes, len))
        piece->len = 0;
    *(state->newest != NULL ? &state->newest->newer : &state->oldest) = piece;
    state->newest = piece;
    return piece;
}

static bool is_needed(const struct state_piece *piece)
{
    return piece->pinned || piece->num_slots != 0 || piece->is_open;
}

/* settle drops a piece that is not needed. The first fragment of a finished message becomes a
 * truncated message of one fragment: its atoms are still needed. */
static void settle(struct decoder_state *state, struct dissect_ctx *env, struct state_piece *piece)
{
    if (!is_needed(piece)) {
        drop(state, env, piece);
    } else if (piece->is_first && !piece->is_open && piece->len >= FRAGMENT_AT + 8) {
        for (int i = 0; i < 8; i++)
            piece->bytes[FRAGMENT_AT + i] = i == 7;
        if (piece->truncated_len == 0) {
            piece->len--;
            piece->truncated_len = 1;
            memcap_release(&env->memcap, 1);
        }
        piece->is_first = false;
    }
}

static void unuse(struct decoder_state *state, struct dissect_ctx *env, struct state_piece *piece)
{
    if (--piece->num_slots == 0)
        settle(state, env, piece);
}

static void release(struct decoder_state *state, struct dissect_ctx *env, int dir, uint32_t slot)
{
    struct state_piece *piece = state->slot[dir][slot];
    state->slot[dir][slot] = NULL;
    if (piece != NULL)
        unuse(state, env, piece);
}

static uint64_t open_cost(const struct unfinished_message *open)
{
    return sizeof *open + open->max_used * sizeof open->used[0];
}

static void unuse_all(struct decoder_state *state, struct dissect_ctx *env,
                      struct unfinished_message *open)
{
    while (open->num_used != 0)
        unuse(state, env, open->used[--open->num_used]);
}

static void drop_open(struct decoder_state *state, struct dissect_ctx *env,
                      struct unfinished_message **at)
{
    struct unfinished_message *open = *at;
    *at = open->chain;
    unuse_all(state, env, open);
    memcap_release(&env->memcap, open_cost(open));
    free(open);
}

/* used_of returns the piece that gave a slot its atom. NULL for a slot that is unknown, or that the
 * same frame sets. */
static struct state_piece *used_of(const struct decoder_state *state, int dir,
                                   const struct ds_atom *ref)
{
    return !ref->is_new ? state->slot[dir][ref->slot] : NULL;
}

/* add_open adds an entry at the end of a chain. NULL, counted, if memory ran out. */
static struct unfinished_message *add_open(struct decoder_state *state, struct dissect_ctx *env,
                                           int dir, const struct dist_header *header)
{
    struct unfinished_message **at = find_open(state, dir, header->sequence);
    struct unfinished_message made = {.sequence = header->sequence};
    for (uint32_t i = 0; i < header->num_refs; i++)
        made.max_used += used_of(state, dir, &header->refs[i]) != NULL;
    if (!memcap_reserve(&env->memcap, open_cost(&made)))
        return NULL;
    struct unfinished_message *open = malloc(open_cost(&made));
    if (open == NULL) {
        memcap_release(&env->memcap, open_cost(&made));
        env->stats.no_memory++;
        return NULL;
    }
    *open = made;
    for (uint32_t i = 0; i < header->num_refs; i++) {
        struct state_piece *piece = used_of(state, dir, &header->refs[i]);
        if (piece != NULL) {
            piece->num_slots++;
            open->used[open->num_used++] = piece;
        }
    }
    *at = open;
    return open;
}

void decoder_state_free(struct decoder_state *state, struct dissect_ctx *env)
{
    if (state == NULL)
        return;
    for (int i = 0; i < 2 * SNAPSHOT_BUCKETS; i++) {
        while (state->open[i / SNAPSHOT_BUCKETS][i % SNAPSHOT_BUCKETS] != NULL)
            drop_open(state, env, &state->open[i / SNAPSHOT_BUCKETS][i % SNAPSHOT_BUCKETS]);
    }
    while (state->oldest != NULL)
        drop(state, env, state->oldest);
    memcap_release(&env->memcap, sizeof *state);
    free(state);
}

void decoder_state_add_handshake(struct decoder_state *state, struct dissect_ctx *env, int64_t ts_ns,
                                 int dir, struct cursor message)
{
    if (state == NULL || state->num_handshake == MAX_HANDSHAKE)
        return;
    struct state_piece *piece = add(state, env, ts_ns, dir, message, 0);
    if (piece == NULL)
        return;
    piece->pinned = true;
    state->num_handshake++;
}

/* begin_open returns the message that a fragment belongs to, or NULL if its beginning is not kept. */
static struct unfinished_message *begin_open(struct decoder_state *state, struct dissect_ctx *env,
                                             int dir, const struct dist_header *header)
{
    if (header->type != HEADER_FIRST)
        return *find_open(state, dir, header->sequence);
    decoder_state_finish(state, env, dir,
                         header->sequence); /* an earlier message that was never completed */
    return add_open(state, env, dir, header);
}

void decoder_state_add_frame(struct decoder_state *state, struct dissect_ctx *env, int64_t ts_ns,
                             int dir, struct cursor frame, uint64_t frame_len,
                             const struct dist_header *header)
{
    if (state == NULL)
        return;
    struct unfinished_message *open = NULL;
    if (header->type != HEADER_PLAIN && header->fragment > 1)
        open = begin_open(state, env, dir, header);
    else if (header->type == HEADER_FURTHER)
        decoder_state_finish(state, env, dir, header->sequence);
    if (header->num_new == 0 && open == NULL)
        return;
    if (open == NULL && cursor_left(&frame) > MAX_KEPT)
        frame = cursor_first(frame, MAX_KEPT);
    struct state_piece *piece = add(state, env, ts_ns, dir, frame, frame_len - cursor_left(&frame));
    if (piece != NULL && open != NULL) {
        piece->is_open = true;
        piece->is_first = open->newest == NULL;
        piece->before = open->newest;
        open->newest = piece;
    } else if (open != NULL && open->newest == NULL) {
        drop_open(state, env, find_open(state, dir, header->sequence));
    }
    for (uint32_t i = 0; i < header->num_refs; i++) {
        if (!header->refs[i].is_new)
            continue;
        if (piece != NULL)
            piece->num_slots++; /* before release(): a header may name a slot twice */
        release(state, env, dir, header->refs[i].slot);
        state->slot[dir][header->refs[i].slot] = piece;
    }
}

void decoder_state_finish(struct decoder_state *state, struct dissect_ctx *env, int dir,
                          uint64_t sequence)
{
    struct unfinished_message **open = state != NULL ? find_open(state, dir, sequence) : NULL;
    if (open == NULL || *open == NULL)
        return;
    struct state_piece *before;
    for (struct state_piece *piece = (*open)->newest; piece != NULL; piece = before) {
        before = piece->before;
        piece->is_open = false;
        settle(state, env, piece);
    }
    drop_open(state, env, open);
}

void decoder_state_forget_slots(struct decoder_state *state, struct dissect_ctx *env, int dir,
                                unsigned mask)
{
    for (int i = 0; state != NULL && mask != 0 && i < SNAPSHOT_BUCKETS; i++) {
        for (struct unfinished_message *open = state->open[dir][i]; open != NULL;
             open = open->chain)
            unuse_all(state, env, open);
    }
    for (uint32_t slot = 0; state != NULL && slot < ATOM_SEGMENTS * ATOM_SEGMENT_SLOTS; slot++) {
        if ((mask >> (slot / ATOM_SEGMENT_SLOTS) & 1) != 0)
            release(state, env, dir, slot);
    }
}
