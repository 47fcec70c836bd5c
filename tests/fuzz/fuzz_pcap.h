/*
 * fuzz_pcap.h - the input as a pcap file: either byte order (a magic number that is none is
 * taken for little-endian), and as much of it as makes sense.
 *
 *   file header   magic:4 major:2 minor:2 zone:4 accuracy:4 snap_len:4 link_type:4
 *   packet        seconds:4 fraction:4 cap_len:4 len:4, then cap_len bytes
 */
#ifndef FUZZ_PCAP_H
#define FUZZ_PCAP_H

#include "fuzz_conn.h"

static inline bool fuzz_read_number(struct cursor *c, bool big, uint32_t *out)
{
    if (!cursor_read_u32(c, out))
        return false;
    if (!big)
        *out = __builtin_bswap32(*out);
    return true;
}

/* fuzz_read_header reads the header of the file; it stores the link type in packet. */
static inline bool fuzz_read_header(struct cursor *c, bool *big, struct ds_packet *packet)
{
    enum { MAGIC = 0xa1b2c3d4, REST_LEN = 16 };
    uint32_t magic;
    if (!cursor_read_u32(c, &magic) || !cursor_skip(c, REST_LEN))
        return false;
    *big = magic == MAGIC;
    return fuzz_read_number(c, *big, &packet->link_type);
}

/* fuzz_read_packet reads the next packet. Its data is a copy, so that the sanitizer notices a read
 * beyond its end. The caller frees it. */
static inline bool fuzz_read_packet(struct cursor *c, bool big, struct ds_packet *packet)
{
    uint32_t seconds, fraction, cap_len, len;
    struct cursor bytes;
    if (!fuzz_read_number(c, big, &seconds) || !fuzz_read_number(c, big, &fraction) ||
        !fuzz_read_number(c, big, &cap_len) || !fuzz_read_number(c, big, &len))
        return false;
    if (!cursor_child(c, cap_len, &bytes)) {
        bytes = *c;
        c->at = c->end;
    }
    packet->ts_ns = (int64_t)seconds * 1000000000 + (int64_t)fraction * 1000;
    packet->frame++;
    packet->cap_len = (uint32_t)cursor_left(&bytes);
    packet->len = len > packet->cap_len ? len : packet->cap_len;
    uint8_t *copy = malloc(packet->cap_len);
    packet->data = copy;
    if (packet->cap_len != 0 && copy == NULL)
        return false;
    return packet->cap_len == 0 || cursor_read_bytes(&bytes, copy, packet->cap_len);
}

static inline void fuzz_free_packet(struct ds_packet *packet)
{
    free((void *)(uintptr_t)packet->data);
    packet->data = NULL;
}

#endif
