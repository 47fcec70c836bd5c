/*
 * frames.h - the frames of one direction of a distribution connection: ticks, pass-through
 * messages, messages with a distribution header, and fragments of those (erl_dist_protocol,
 * "Protocol between connected nodes"; erl_ext_dist, "Distribution Header"). dist_stream.c finds
 * where a frame begins and ends.
 */
#ifndef DISSECT_FRAMES_H
#define DISSECT_FRAMES_H

#include "atoms/atom_cache.h"
#include "conn/conn.h"
#include "dist/control.h"
#include "dist/fragments.h"
#include "dist/likely.h"

enum { FRAME_LENGTH_LEN = 4 }; /* bytes of the length at the start of a frame */

/* Properties of a frame that are only allowed if both nodes support them. */
enum frame_form { FRAME_HAS_HEADER = 1, FRAME_IS_FRAGMENT = 2, FRAME_HAS_ATOMS = 4 };

/* frames is the state that is kept between frames. */
struct frames {
    struct dissect_ctx *env;
    struct conn *conn;
    uint8_t dir;
    bool latin1;         /* UTF8_ATOMS was not negotiated: atoms of the headers are latin-1 */
    bool headed;         /* each frame must have a header */
    uint8_t unread;      /* forms of frames with a header that no node reads here: of enum frame_form */
    uint8_t doubt;       /* messages that must still fit; until then nothing is inferred */
    bool is_next;        /* no bytes were skipped between the loss and the doubted messages */
    int64_t began_ns;    /* when the first byte of the current frame came */
    uint64_t lost_total; /* bytes missing or skipped in the whole direction */
    uint64_t seen_total; /* bytes of the frames seen */

    struct atom_cache atoms;
    struct likely likely;
    bool lacks_atoms; /* some atoms were unknown or only likely, */
    bool has_told;    /* until all were reported as known */
    struct fragments fragments;
    struct damage orphan; /* why a further fragment may come without a first one */
    bool completed;       /* the current frame completed a message */
};

/* frames_init initialises frames. late is why the direction was not seen from its beginning, or
 * NONE. */
void frames_init(struct frames *frames, struct dissect_ctx *env, struct conn *conn, int dir,
                 struct damage late);

/* frames_read processes a frame of len bytes, its length included, and emits what it completes.
 * frame contains the bytes that were kept; damage says why some are missing. If part of the header
 * is missing, the slots that it may have overwritten are forgotten. */
void frames_read(struct frames *frames, struct cursor frame, uint64_t len, struct damage damage);

/* frames_abandon reports a frame that cannot be read; beginning is the part reported as its bytes,
 * what is the reason. */
void frames_abandon(struct frames *frames, struct cursor beginning, const char *what);

/* frames_on_loss records that frames may be missing: the whole atom cache is unknown. */
void frames_on_loss(struct frames *frames, struct damage loss);

/* frames_miss counts bytes that are missing. */
void frames_miss(struct frames *frames, uint64_t bytes);

/* frames_end reports the messages whose fragments have not all come. */
void frames_end(struct frames *frames, struct damage damage);

void frames_free(struct frames *frames);

#endif
