/*
 * resync.h - finds the next frame in a direction whose framing was lost or never known.
 */
#ifndef DISSECT_RESYNC_H
#define DISSECT_RESYNC_H

#include "conn/conn.h"

/* The number of bytes after which a search decides with what it has: room for two of the BEAM's
 * fragments. */
enum { RESYNC_WINDOW_LEN = 256 * 1024 };

/* resync is a search over a window of bytes that grows at its end and is cut at its start.
 * Zero-initialise it for each search. */
struct resync {
    size_t tried;    /* no frame begins before this offset of the window */
    size_t enough;   /* the window length at which to search again */
    uint64_t credit; /* bytes that may be walked: linear in the bytes received */
    uint64_t paid;   /* window length that was credited */
};

/* resync_search searches the window for a frame. YES: one begins at *where. MORE: none begins
 * before *where; more bytes are needed. NO: there is none. final: the window gets no more bytes, so
 * the result is never MORE. */
enum proto_guess resync_search(struct resync *search, struct cursor window, bool final, size_t *where);

/* resync_cut records that the first len bytes were removed from the window. */
void resync_cut(struct resync *search, size_t len);

/* resync_begins_frame checks the beginning of a frame: false if no node reads that length or type.
 * Fewer than 6 bytes pass unless they already rule it out. */
bool resync_begins_frame(struct cursor bytes);

/* resync_is_legal checks all bytes so far of an incomplete frame: false if its header, control
 * message or payload is malformed, or these end before the frame does. */
bool resync_is_legal(struct cursor bytes);

/* resync_still_fits checks the first bytes of a frame, whole or not, more closely: false if its
 * header or control message is malformed. */
bool resync_still_fits(struct cursor bytes);

#endif
