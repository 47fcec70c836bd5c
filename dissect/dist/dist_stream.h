/*
 * dist_stream.h - one direction of an established distribution connection: frames of a 4-byte
 * length each, in them ticks, pass-through messages, messages with a distribution header,
 * and fragments (erl_dist_protocol, "Protocol between connected nodes"; erl_ext_dist,
 * "Distribution Header").
 */
#ifndef DISSECT_DIST_STREAM_H
#define DISSECT_DIST_STREAM_H

#include "conn/conn.h"
#include "dist/decoder_state_give.h"

struct dist_stream;

/* dist_stream_new returns the channel for what end dir sends, or NULL when memory ran out.
 * joined_late: the capture began after the connection was up, so the stream begins
 * somewhere inside a frame and the atom cache has a past. */
struct dist_stream *dist_stream_new(struct dissect_ctx *env, struct conn *conn, int dir,
                                    bool joined_late);

/* dist_stream_use_latin1 says that UTF8_ATOMS was not negotiated: atoms of the headers are
 * latin-1. Without it they are UTF-8. */
void dist_stream_use_latin1(struct dist_stream *channel);

/* dist_stream_agree says which flags both nodes have: a node reads no frames of other forms than these
 * say. What it would read is not known without that. */
void dist_stream_agree(struct dist_stream *channel, uint64_t flags);

/* dist_stream_feed takes the next bytes of the direction and emits what they complete. In a
 * frame that lies wholly within data nothing is copied. */
void dist_stream_feed(struct dist_stream *channel, struct cursor data);

/* dist_stream_progress tells how long the frame is in whose middle the direction stands, and how much of
 * it has come. Nothing is written where it stands between two. */
void dist_stream_progress(const struct dist_stream *channel, uint64_t *size, uint64_t *passed);

/* dist_stream_gap tells that len bytes are missing here. */
void dist_stream_gap(struct dist_stream *channel, uint64_t len, enum tcp_gap why);

/* dist_stream_end reports what is left unfinished (a partial frame, open fragments): why is
 * what the records say about it, GAP when bytes were lost, JOINED_LATE ... */
void dist_stream_end(struct dist_stream *channel);

/* dist_stream_is_inside says whether it stands in the middle of a frame. */
bool dist_stream_is_inside(const struct dist_stream *channel);

void dist_stream_free(struct dist_stream *channel);

/* dist_stream_take_alone takes a whole frame that stands outside of the stream. */
void dist_stream_take_alone(struct dist_stream *channel, struct cursor frame);

/* dist_stream_get_rest returns what is held of a frame that is not complete, or of the bytes that
 * are being searched for one; before these, one lost byte stands for all. */
struct decoder_state_rest dist_stream_get_rest(const struct dist_stream *channel);

/* dist_stream_probe says whether bytes, taken from somewhere inside a stream, hold the framing
 * of a distribution channel, and if so how far in the first frame begins. It asks for at
 * least one whole frame that decodes (a tick alone proves nothing) or, where the bytes
 * begin inside a larger frame, finds the next one that does. */
enum proto_guess dist_stream_probe(struct cursor bytes, size_t *skip);

#endif
