/*
 * decoder_state.h - what of a connection's past is needed to decode what comes next: its handshake,
 * the frames that gave the slots of the atom cache the atoms they hold now, and those of
 * fragmented messages that are not finished. Kept only where ds_config.remember asks for it.
 *
 * A frame whose slots have all been given other atoms is dropped, unless an unfinished message
 * refers to them; so hardly more frames are kept than the cache has slots. What is kept counts
 * at the session's meter.
 */
#ifndef DISSECT_DECODER_STATE_H
#define DISSECT_DECODER_STATE_H

#include "atoms/atom_cache.h"
#include "dist/dist_header.h"

/* past_piece is bytes of one direction. */
struct state_piece {
    struct state_piece *older, *newer;
    struct state_piece *before; /* of the same unfinished message */
    int64_t ts_ns;
    bool is_open;       /* a fragment of an unfinished message */
    uint32_t num_slots; /* that still hold what this frame gave them, or did for one that is open */
    uint32_t len;       /* of bytes */
    uint32_t truncated_len; /* further bytes that were not kept */
    uint8_t dir;
    bool pinned;   /* of the handshake */
    bool is_first; /* the first fragment of several */
    uint8_t bytes[];
};

/* past_open is a fragmented message that is not finished. What its references mean was said
 * before its first fragment, whatever the slots get meanwhile. */
struct unfinished_message {
    struct unfinished_message *chain; /* others in the same bucket */
    uint64_t sequence;
    struct state_piece *newest;
    uint32_t num_used, max_used;
    struct state_piece *used[]; /* that gave the slots referred to what they held then */
};

enum { SNAPSHOT_BUCKETS = 64 };

struct decoder_state {
    struct state_piece *oldest, *newest;
    struct unfinished_message *open[2][SNAPSHOT_BUCKETS];
    unsigned num_handshake; /* messages of it */
    struct state_piece *slot[2][ATOM_SEGMENTS * ATOM_SEGMENT_SLOTS];
};

/* decoder_state_new returns an empty state, or NULL, counted, when memory or the meter ran out. */
struct decoder_state *decoder_state_new(struct dissect_ctx *env);
void decoder_state_free(struct decoder_state *state, struct dissect_ctx *env); /* NULL is allowed */

/* In all of the following past may be NULL: then nothing is kept. */

/* decoder_state_add_handshake keeps a message of the handshake, which has few. */
void decoder_state_add_handshake(struct decoder_state *state, struct dissect_ctx *env, int64_t ts_ns,
                                 int dir, struct cursor message);

/* decoder_state_add_frame keeps a frame if the header, as read but not applied, makes new entries,
 * or if it is a fragment and not the last one. frame_len: with what is missing of it. */
void decoder_state_add_frame(struct decoder_state *state, struct dissect_ctx *env, int64_t ts_ns,
                             int dir, struct cursor frame, uint64_t frame_len,
                             const struct dist_header *header);

/* decoder_state_finish tells that a fragmented message is finished. */
void decoder_state_finish(struct decoder_state *state, struct dissect_ctx *env, int dir,
                          uint64_t sequence);

/* decoder_state_forget_slots tells that the slots of the segments in mask are unknown now. What an
 * unfinished message refers to goes as well: who reads it would take it for what the slots hold
 * now. */
void decoder_state_forget_slots(struct decoder_state *state, struct dissect_ctx *env, int dir,
                                unsigned mask);

#endif
