/*
 * frames.h - what the frames of one direction of a distribution connection hold: ticks,
 * pass-through messages, messages with a distribution header, and fragments of such
 * (erl_dist_protocol, "Protocol between connected nodes"; erl_ext_dist, "Distribution
 * Header"). Where a frame begins and ends is for dist_stream.c to find.
 */
#ifndef DISSECT_FRAMES_H
#define DISSECT_FRAMES_H

#include "atoms/atom_cache.h"
#include "conn/conn.h"
#include "dist/control.h"
#include "dist/fragments.h"
#include "dist/likely.h"

enum { FRAME_LENGTH_LEN = 4 }; /* bytes of the length that a frame begins with */

/* What a frame is, and may not be unless both nodes have said so. */
enum frame_form { FRAME_HAS_HEADER = 1, FRAME_IS_FRAGMENT = 2, FRAME_HAS_ATOMS = 4 };

/* frames is what outlives a frame. */
struct frames {
    struct dissect_ctx *env;
    struct conn *conn;
    uint8_t dir;
    bool latin1;         /* UTF8_ATOMS was not negotiated: atoms of the headers are latin-1 */
    bool headed;         /* each frame has to have a header */
    uint8_t unread;      /* frames with one that no node reads here: some of enum frame_form */
    uint8_t doubt;       /* messages that must fit yet; until then nothing is inferred */
    bool is_next;        /* those begin where the bytes went on after a loss: none were skipped */
    int64_t began_ns;    /* when the first byte of the frame at hand came */
    uint64_t lost_total; /* bytes missing or skipped, of the whole direction */
    uint64_t seen_total; /* bytes of frames that were seen */

    struct atom_cache atoms;
    struct likely likely;
    bool lacks_atoms; /* some were unknown or only likely, */
    bool has_told;    /* until it was told that all are known */
    struct fragments fragments;
    struct damage orphan; /* why a further fragment may come without a first one */
    bool completed;       /* the frame at hand brought a message to its end */
};

/* frames_init begins. late is why the direction was not seen from its beginning, or NONE. */
void frames_init(struct frames *frames, struct dissect_ctx *env, struct conn *conn, int dir,
                 struct damage late);

/* frames_take takes a frame of which len bytes went by, its length included, and emits what it
 * completes; of those bytes, frame holds what was kept, and damage says why that is not all. What is
 * missing costs the atom cache the slots that the missing part of the header may have
 * overwritten. */
void frames_take(struct frames *frames, struct cursor frame, uint64_t len, struct damage damage);

/* frames_give_up tells of a frame that cannot be read, of which no more than these bytes, its
 * beginning, are taken for one; what says why. */
void frames_give_up(struct frames *frames, struct cursor beginning, const char *what);

/* frames_lose tells that frames may have gone by unseen: the whole atom cache is unknown. */
void frames_lose(struct frames *frames, struct damage loss);

/* frames_miss tells how many bytes went by like that. */
void frames_miss(struct frames *frames, uint64_t bytes);

/* frames_end reports the messages of which fragments are still to come. */
void frames_end(struct frames *frames, struct damage damage);

void frames_free(struct frames *frames);

#endif
