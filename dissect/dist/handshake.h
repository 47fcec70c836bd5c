/*
 * handshake.h - the messages of the distribution handshake, one at a time.
 */
#ifndef DISSECT_HANDSHAKE_H
#define DISSECT_HANDSHAKE_H

#include "conn/conn.h"

/* The node that sends; the initiator opened the TCP connection. */
enum handshake_from { HANDSHAKE_INITIATOR, HANDSHAKE_ACCEPTOR };

/* handshake_length_len returns the size of a message's length field: 4 bytes inside TLS, as later
 * for frames. */
static inline unsigned handshake_length_len(const struct conn *conn)
{
    return conn->view.tls != NULL ? 4 : 2;
}

/* handshake_read_length reads that field. */
CURSOR_CHECKED bool handshake_read_length(const struct conn *conn, struct cursor *at, uint32_t *len)
{
    uint16_t short_len;
    if (conn->view.tls != NULL)
        return cursor_read_u32(at, len);
    if (!cursor_read_u16(at, &short_len))
        return false;
    *len = short_len;
    return true;
}

/* handshake_is_step says whether from sends messages that begin with tag. */
bool handshake_is_step(uint8_t tag, enum handshake_from from);

/* handshake_parse parses one message without its length. out is complete as far as the message is.
 * fault is set if the message makes no sense; its offset counts from the length field on. */
void handshake_parse(const struct conn *conn, struct cursor message, enum handshake_from from,
                     struct ds_handshake *out, struct ds_fault *fault);

/* handshake_probe says whether bytes begin with a consistent handshake message, and which end sends
 * such messages. anywhere: accept any message, not only the first of a direction. */
enum proto_guess handshake_probe(const struct conn *conn, struct cursor bytes, bool anywhere,
                                 enum handshake_from *from);

#endif
