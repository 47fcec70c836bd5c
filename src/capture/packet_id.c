/*
 * packet_id.c - see packet_id.h.
 */
#include "capture/packet_id.h"

#include <string.h>

uint64_t hash_bytes(uint64_t hash, const uint8_t *bytes, size_t len)
{
    while (len != 0) {
        uint64_t word = 0;
        size_t num = len < sizeof word ? len : sizeof word;
        memcpy(&word, bytes, num);
        hash = hash_mix(hash, word);
        bytes += num;
        len -= num;
    }
    return hash;
}

static uint64_t hash_addr(const struct ds_addr *addr)
{
    return hash_bytes(addr->family, addr->bytes, sizeof addr->bytes);
}

/* hash_pair hashes two values, regardless of their order. */
static uint64_t hash_pair(uint64_t a, uint64_t b)
{
    return a < b ? hash_mix(a, b) : hash_mix(b, a);
}

bool packet_id_read(const struct ds_packet *packet, struct packet_id *id)
{
    struct ds_segment s;
    if (!ds_packet_segment(packet, &s))
        return false;
    uint64_t src = hash_addr(&s.src), dst = hash_addr(&s.dst);
    bool same_host = src == dst;
    uint64_t from = hash_mix(src, s.src_port), to = hash_mix(dst, s.dst_port);
    uint32_t len = s.payload_len + s.truncated_len;

    id->flow = hash_pair(from, to);
    id->hosts = (uint32_t)(same_host ? id->flow : hash_pair(src, dst));
    id->reverse = same_host ? from > to : src > dst;
    id->has_ack = (s.flags & 0x10) != 0;
    id->cut = s.truncated_len != 0;
    id->seq = s.seq;
    id->end = s.seq + len + (s.flags & 0x01) + ((s.flags & 0x02) >> 1);
    id->ack = s.ack;
    id->payload = s.payload;
    id->payload_len = s.payload_len;
    uint64_t hash = hash_mix(from, to);
    hash = hash_mix(hash, (uint64_t)s.seq << 32 | s.ack);
    id->header = hash_mix(hash, (uint64_t)len << 32 | (uint32_t)s.window << 8 | s.flags);
    return true;
}

uint64_t packet_id_content(const struct packet_id *id)
{
    return hash_bytes(id->header, id->payload, id->payload_len);
}
