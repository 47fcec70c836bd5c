/*
 * resync.h - finds the next frame in a direction whose framing was lost or never known.
 */
#ifndef DISSECT_RESYNC_H
#define DISSECT_RESYNC_H

#include "conn/conn.h"

/* The bytes a search looks at before it decides with what it has: room for two of the
 * BEAM's fragments. */
enum { RESYNC_WINDOW_LEN = 256 * 1024 };

/* resync is a search over a window of bytes that grows at its end and is cut at its
 * start. Zero-initialise it for each search. */
struct resync {
    size_t tried;    /* no frame begins before this offset of the window */
    size_t enough;   /* the window length at which looking again makes sense */
    uint64_t credit; /* bytes that may be walked: linear in the bytes that came */
    uint64_t paid;   /* window length for which credit was given */
};

/* resync_search looks for a frame in the window. YES: one begins at *where. MORE: none
 * begins before *where; more bytes are needed. final: no more bytes join this window; the
 * answer is never MORE. NO: none. */
enum proto_guess resync_search(struct resync *search, struct cursor window, bool final, size_t *where);

/* resync_cut tells that the first len bytes were taken off the window. */
void resync_cut(struct resync *search, size_t len);

/* resync_begins_frame looks at the beginning of a frame: false when no node reads one with such
 * a length or type. True for fewer than 6 bytes that do not speak against it. */
bool resync_begins_frame(struct cursor bytes);

/* resync_is_legal looks at all that has come of a frame of which more is to come: false when its
 * header, control message or payload is nonsense, or these end before the frame does. */
bool resync_is_legal(struct cursor bytes);

/* resync_still_fits looks closer at the first bytes of a frame, whole or not: false when
 * its header or control message is nonsense. */
bool resync_still_fits(struct cursor bytes);

#endif
