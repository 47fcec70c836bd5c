/*
 * decoder_state.h - the past of a connection that is needed to decode its future: the handshake,
 * the frames that gave the slots of the atom cache their current atoms, and the frames of
 * fragmented messages that are not finished. Kept only if ds_config.remember is set.
 *
 * A frame is dropped when all its slots have got other atoms, unless an unfinished message refers
 * to them; so there are hardly more frames than the cache has slots. They count against the
 * session's memory cap.
 */
#ifndef DISSECT_DECODER_STATE_H
#define DISSECT_DECODER_STATE_H

#include "atoms/atom_cache.h"
#include "dist/dist_header.h"

/* state_piece is a handshake message or a frame of one direction. */
struct state_piece {
    struct state_piece *older, *newer;
    struct state_piece *before; /* the one before it in the same unfinished message */
    int64_t ts_ns;
    bool is_open;       /* a fragment of an unfinished message */
    uint32_t num_slots; /* slots, and unfinished messages, that still use its atoms */
    uint32_t len;       /* of bytes */
    uint32_t truncated_len; /* further bytes that were not kept */
    uint8_t dir;
    bool pinned;   /* part of the handshake */
    bool is_first; /* the first fragment of several */
    uint8_t bytes[];
};

/* unfinished_message is a fragmented message that is not finished. Its references mean what the
 * slots contained before its first fragment, whatever the slots get later. */
struct unfinished_message {
    struct unfinished_message *chain; /* the next one in the same bucket */
    uint64_t sequence;
    struct state_piece *newest;
    uint32_t num_used, max_used;
    struct state_piece *used[]; /* the pieces that gave the slots it refers to their atoms */
};

enum { SNAPSHOT_BUCKETS = 64 };

struct decoder_state {
    struct state_piece *oldest, *newest;
    struct unfinished_message *open[2][SNAPSHOT_BUCKETS];
    unsigned num_handshake; /* messages of the handshake */
    struct state_piece *slot[2][ATOM_SEGMENTS * ATOM_SEGMENT_SLOTS];
};

/* decoder_state_new returns an empty state. NULL, counted, if memory or the memory cap ran out. */
struct decoder_state *decoder_state_new(struct dissect_ctx *env);
void decoder_state_free(struct decoder_state *state, struct dissect_ctx *env); /* NULL is allowed */

/* In all functions below, state may be NULL: then nothing is kept. */

/* decoder_state_add_handshake keeps a message of the handshake, which consists of few. */
void decoder_state_add_handshake(struct decoder_state *state, struct dissect_ctx *env, int64_t ts_ns,
                                 int dir, struct cursor message);

/* decoder_state_add_frame keeps a frame if its header, as read but not yet applied, makes new
 * entries, or if it is a fragment but not the last one. frame_len includes missing bytes. */
void decoder_state_add_frame(struct decoder_state *state, struct dissect_ctx *env, int64_t ts_ns,
                             int dir, struct cursor frame, uint64_t frame_len,
                             const struct dist_header *header);

/* decoder_state_finish records that a fragmented message is finished. */
void decoder_state_finish(struct decoder_state *state, struct dissect_ctx *env, int dir,
                          uint64_t sequence);

/* decoder_state_forget_slots records that the slots of the segments in mask are unknown now. It
 * also drops the pieces that an unfinished message refers to, because a session that reads the
 * snapshot would mistake them for the current content of the slots. */
void decoder_state_forget_slots(struct decoder_state *state, struct dissect_ctx *env, int dir,
                                unsigned mask);

#endif
