/*
 * handshake.h - the messages of the distribution handshake, one at a time.
 */
#ifndef DISSECT_HANDSHAKE_H
#define DISSECT_HANDSHAKE_H

#include "conn.h"

/* Which node sends: the initiator opened the TCP connection. */
enum handshake_from { HANDSHAKE_INITIATOR, HANDSHAKE_ACCEPTOR };

enum { HANDSHAKE_LENGTH_LEN = 2 };

/* handshake_is_step says whether from sends messages that begin with tag. */
bool handshake_is_step(uint8_t tag, enum handshake_from from);

/* handshake_parse reads one message, message without its length. out is complete as far as
 * the message is; fault is set when it makes no sense, its offset counted from the length
 * on. */
void handshake_parse(struct cursor message, enum handshake_from from, struct ds_handshake *out,
                     struct ds_fault *fault);

/* handshake_probe says whether bytes begin with a handshake message that is consistent in
 * itself, and who sends such. anywhere: any message is meant, not only the first of a
 * direction. */
enum proto_guess handshake_probe(struct cursor bytes, bool anywhere, enum handshake_from *from);

#endif
