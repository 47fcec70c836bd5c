/*
 * tls_record.c - see tls_record.h (RFC 5246, 6.2; RFC 8446, 5.1): type:1 version:2 length:2 body.
 */
#include "tls/tls_record.h"

#include "tls/tls.h"
#include "tls/tls_hello.h"

bool tls_record_read(struct cursor *at, struct tls_record *record)
{
    const struct cursor start = *at;
    uint16_t len;
    if (cursor_read_u8(at, &record->type) && cursor_read_u16(at, &record->version) &&
        cursor_read_u16(at, &len) && cursor_child(at, len, &record->body))
        return true;
    *at = start;
    return false;
}

bool tls_record_may_begin(struct cursor at)
{
    uint8_t type, major;
    uint16_t len;
    if (!cursor_read_u8(&at, &type))
        return true;
    if (type < TLS_CHANGE_CIPHER || type > TLS_HEARTBEAT)
        return false;
    if (!cursor_read_u8(&at, &major))
        return true;
    if (major != 3)
        return false;
    return !cursor_skip(&at, 1) || !cursor_read_u16(&at, &len) ||
           (len != 0 && len <= TLS_RECORD_MAX);
}

bool tls_probe(struct cursor bytes, bool is_late)
{
    struct cursor at = bytes;
    struct tls_record record;
    uint8_t type, message;
    if (cursor_read_u8(&at, &type) && type == TLS_HANDSHAKE && tls_record_may_begin(bytes) &&
        (!cursor_skip(&at, TLS_HEADER_LEN - 1) || !cursor_read_u8(&at, &message) ||
         message == TLS_CLIENT_HELLO || message == TLS_SERVER_HELLO))
        return true;
    if (!is_late || cursor_left(&bytes) == 0)
        return false;
    while (tls_record_may_begin(bytes) && tls_record_read(&bytes, &record)) {
        if (record.version != TLS_1_2)
            return false;
        if (cursor_left(&bytes) == 0)
            return true;
    }
    return false;
}

bool tls_record_find(struct cursor *at)
{
    while (cursor_left(at) >= TLS_HEADER_LEN) {
        struct cursor next = *at;
        struct tls_record record;
        if (tls_record_may_begin(*at)) {
            if (!tls_record_read(&next, &record))
                return true; /* incomplete: wait for more */
            if (record.version == TLS_1_2 && tls_record_may_begin(next))
                return true;
        }
        if (!cursor_skip(at, 1))
            return false;
    }
    return false;
}
