/*
 * past.h - what of a connection's past is needed to decode what comes next: its handshake,
 * the frames that gave the slots of the atom cache the atoms they hold now, and those of
 * fragmented messages that are not finished. Kept only where ds_config.remember asks for it.
 *
 * A frame whose slots have all been given other atoms is dropped, unless an unfinished message
 * refers to them; so hardly more frames are kept than the cache has slots. What is kept counts
 * at the session's meter.
 */
#ifndef DISSECT_PAST_H
#define DISSECT_PAST_H

#include "atoms.h"
#include "dist_header.h"

/* past_piece is bytes of one direction. */
struct past_piece {
    struct past_piece *older, *newer;
    struct past_piece *before; /* of the same unfinished message */
    int64_t ts_ns;
    bool is_open; /* a fragment of an unfinished message */
    uint32_t num_slots; /* that still hold what this frame gave them, or did for one that is open */
    uint32_t len;       /* of bytes */
    uint32_t cut_len;   /* further bytes that were not kept */
    uint8_t dir;
    bool pinned;        /* of the handshake */
    bool is_first;      /* the first fragment of several */
    uint8_t bytes[];
};

/* past_open is a fragmented message that is not finished. What its references mean was said
 * before its first fragment, whatever the slots get meanwhile. */
struct past_open {
    struct past_open *chain; /* others in the same bucket */
    uint64_t sequence;
    struct past_piece *newest;
    uint32_t num_used, max_used;
    struct past_piece *used[]; /* that gave the slots referred to what they held then */
};

enum { PAST_BUCKETS = 64 };

struct past {
    struct past_piece *oldest, *newest;
    struct past_open *open[2][PAST_BUCKETS];
    unsigned num_handshake; /* messages of it */
    struct past_piece *slot[2][ATOM_SEGMENTS * ATOM_SEGMENT_SLOTS];
};

/* past_new returns an empty past, or NULL, counted, when memory or the meter ran out. */
struct past *past_new(struct env *env);
void past_free(struct past *past, struct env *env); /* NULL is allowed */

/* In all of the following past may be NULL: then nothing is kept. */

/* past_add_handshake keeps a message of the handshake, which has few. */
void past_add_handshake(struct past *past, struct env *env, int64_t ts_ns, int dir,
                        struct cursor message);

/* past_add_frame keeps a frame if the header, as read but not applied, makes new entries, or
 * if it is a fragment and not the last one. frame_len: with what is missing of it. */
void past_add_frame(struct past *past, struct env *env, int64_t ts_ns, int dir,
                    struct cursor frame, uint64_t frame_len, const struct dist_header *header);

/* past_finish tells that a fragmented message is finished. */
void past_finish(struct past *past, struct env *env, int dir, uint64_t sequence);

/* past_forget_slots tells that the slots of the segments in mask are unknown now. What an
 * unfinished message refers to goes as well: who reads it would take it for what the slots hold
 * now. */
void past_forget_slots(struct past *past, struct env *env, int dir, unsigned mask);

#endif
