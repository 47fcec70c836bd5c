/*
 * dist_stream.h - one direction of an established distribution connection: frames with a 4-byte
 * length that contain ticks, pass-through messages, messages with a distribution header, and
 * fragments (erl_dist_protocol, "Protocol between connected nodes"; erl_ext_dist, "Distribution
 * Header").
 */
#ifndef DISSECT_DIST_STREAM_H
#define DISSECT_DIST_STREAM_H

#include "conn/conn.h"
#include "dist/decoder_state_export.h"

struct dist_stream;

/* dist_stream_new returns the channel for what end dir sends. NULL if memory ran out. joined_late:
 * the capture began after the connection was up, so the stream begins somewhere inside a frame and
 * the atom cache has unknown entries. */
struct dist_stream *dist_stream_new(struct dissect_ctx *env, struct conn *conn, int dir,
                                    bool joined_late);

/* dist_stream_use_latin1 sets that UTF8_ATOMS was not negotiated: atoms in headers are latin-1. By
 * default they are UTF-8. */
void dist_stream_use_latin1(struct dist_stream *channel);

/* dist_stream_agree sets the flags that both nodes have: a node reads no other forms of frames. By
 * default any form is accepted. */
void dist_stream_agree(struct dist_stream *channel, uint64_t flags);

/* dist_stream_feed processes the next bytes of the direction and emits what they complete. A frame
 * that lies wholly within data is not copied. */
void dist_stream_feed(struct dist_stream *channel, struct cursor data);

/* dist_stream_progress reports the length of the current unfinished frame and how much of it has
 * come. Writes nothing between two frames. */
void dist_stream_progress(const struct dist_stream *channel, uint64_t *size, uint64_t *passed);

/* dist_stream_gap records that len bytes are missing here. */
void dist_stream_gap(struct dist_stream *channel, uint64_t len, enum tcp_gap why);

/* dist_stream_end reports what is unfinished (a partial frame, open fragments) as cut off by the
 * end of the stream. */
void dist_stream_end(struct dist_stream *channel);

/* dist_stream_is_inside says whether the stream is in the middle of a frame. */
bool dist_stream_is_inside(const struct dist_stream *channel);

void dist_stream_free(struct dist_stream *channel);

/* dist_stream_read_alone processes a whole frame from outside the stream. */
void dist_stream_read_alone(struct dist_stream *channel, struct cursor frame);

/* dist_stream_get_rest returns the buffered bytes of an incomplete frame, or the bytes being
 * searched for one; before these, one lost byte represents all lost ones. */
struct decoder_state_rest dist_stream_get_rest(const struct dist_stream *channel);

/* dist_stream_probe says whether bytes from somewhere inside a stream have the framing of a
 * distribution channel, and if so at which offset the first frame begins. It needs at least one
 * whole frame that decodes (a tick alone proves nothing); if the bytes begin inside a larger frame,
 * it finds the next one. */
enum proto_guess dist_stream_probe(struct cursor bytes, size_t *skip);

#endif
