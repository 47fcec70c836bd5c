/*
 * channel.h - one direction of an established distribution connection: frames of a 4-byte
 * length each, in them ticks, pass-through messages, messages with a distribution header,
 * and fragments (erl_dist_protocol, "Protocol between connected nodes"; erl_ext_dist,
 * "Distribution Header").
 */
#ifndef DISSECT_CHANNEL_H
#define DISSECT_CHANNEL_H

#include "conn.h"
#include "decoder_state_give.h"

struct channel;

/* channel_new returns the channel for what end dir sends, or NULL when memory ran out.
 * joined_late: the capture began after the connection was up, so the stream begins
 * somewhere inside a frame and the atom cache has a past. */
struct channel *channel_new(struct env *env, struct conn *conn, int dir, bool joined_late);

/* channel_use_latin1 says that UTF8_ATOMS was not negotiated: atoms of the headers are
 * latin-1. Without it they are UTF-8. */
void channel_use_latin1(struct channel *channel);

/* channel_agree says which flags both nodes have: a node reads no frames of other forms than these
 * say. What it would read is not known without that. */
void channel_agree(struct channel *channel, uint64_t flags);

/* channel_feed takes the next bytes of the direction and emits what they complete. In a
 * frame that lies wholly within data nothing is copied. */
void channel_feed(struct channel *channel, struct cursor data);

/* channel_progress tells how long the frame is in whose middle the direction stands, and how much of
 * it has come. Nothing is written where it stands between two. */
void channel_progress(const struct channel *channel, uint64_t *size, uint64_t *passed);

/* channel_gap tells that len bytes are missing here. */
void channel_gap(struct channel *channel, uint64_t len, enum tcp_gap why);

/* channel_end reports what is left unfinished (a partial frame, open fragments): why is
 * what the records say about it, GAP when bytes were lost, JOINED_LATE ... */
void channel_end(struct channel *channel);

/* channel_is_inside says whether it stands in the middle of a frame. */
bool channel_is_inside(const struct channel *channel);

void channel_free(struct channel *channel);

/* channel_take_alone takes a whole frame that stands outside of the stream. */
void channel_take_alone(struct channel *channel, struct cursor frame);

/* channel_get_rest returns what is held of a frame that is not complete, or of the bytes that
 * are being searched for one; before these, one lost byte stands for all. */
struct decoder_state_rest channel_get_rest(const struct channel *channel);

/* channel_probe says whether bytes, taken from somewhere inside a stream, hold the framing
 * of a distribution channel, and if so how far in the first frame begins. It asks for at
 * least one whole frame that decodes (a tick alone proves nothing) or, where the bytes
 * begin inside a larger frame, finds the next one that does. */
enum proto_guess channel_probe(struct cursor bytes, size_t *skip);

#endif
