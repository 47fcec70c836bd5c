/*
 * made_packet.c - see made_packet.h.
 *
 *   IPv4 (RFC 791)    version and length 1, 0, total length 2, id 2, don't fragment 2, hops 1,
 *                     protocol 1, checksum 2, source 4, destination 4
 *   IPv6 (RFC 8200)   version 4, payload length 2, next header 1, hops 1, addresses 16 each
 *   TCP (RFC 9293)    ports 2 each, seq 4, ack 4, words 1, flags 1, window 2, checksum 2, 0
 */
#include "made_packet.h"

#include <string.h>

enum { IP4_LEN = 20, IP6_LEN = 40, TCP_LEN = 20, PROTOCOL_TCP = 6, HOPS = 64 };

/* link_header is what stands before IP: len bytes, zero but for what is said here. */
struct link_header {
    uint32_t link_type;
    uint8_t len;
    int8_t ether_type_at; /* -1: there is none */
    int8_t hardware_at;   /* where the type of hardware says Ethernet */
    uint8_t only_family;  /* 4 or 6 where nothing tells the two apart; 0: both */
};

/* Of BSD null the family of addresses may be in either byte order; here in that of OpenBSD's
 * loop, the network's. */
static const struct link_header link_headers[] = {
    {1, 14, 12, -1, 0},  /* Ethernet */
    {113, 16, 14, 2, 0}, /* Linux cooked v1 */
    {276, 20, 0, 8, 0},  /* Linux cooked v2 */
    {0, 4, -1, -1, 0},   /* BSD null */
    {108, 4, -1, -1, 0}, /* OpenBSD loop */
    {101, 0, -1, -1, 0}, /* raw */
    {12, 0, -1, -1, 0},
    {14, 0, -1, -1, 0},
    {228, 0, -1, -1, 4},
    {229, 0, -1, -1, 6},
};

static void put_u16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static void put_u32(uint8_t *at, uint32_t value)
{
    put_u16(at, value >> 16);
    put_u16(at + 2, value);
}

static size_t put_link(const struct link_header *link, bool is_ip6, uint8_t *out)
{
    if (link->ether_type_at >= 0)
        put_u16(out + link->ether_type_at, is_ip6 ? 0x86dd : 0x0800);
    else if (link->len != 0)
        put_u32(out, is_ip6 ? 24 : 2); /* which others read as well */
    if (link->hardware_at >= 0)
        put_u16(out + link->hardware_at, 1);
    return link->len;
}

static size_t put_ip(const struct ds_segment *segment, uint32_t len, uint8_t *out)
{
    if (segment->src.family == 6) {
        out[0] = 6 << 4;
        put_u16(out + 4, TCP_LEN + len);
        out[6] = PROTOCOL_TCP;
        out[7] = HOPS;
        memcpy(out + 8, segment->src.bytes, 16);
        memcpy(out + 24, segment->dst.bytes, 16);
        return IP6_LEN;
    }
    out[0] = 4 << 4 | IP4_LEN / 4;
    put_u16(out + 2, IP4_LEN + TCP_LEN + len);
    put_u16(out + 6, 0x4000);
    out[8] = HOPS;
    out[9] = PROTOCOL_TCP;
    memcpy(out + 12, segment->src.bytes, 4);
    memcpy(out + 16, segment->dst.bytes, 4);
    uint32_t sum = 0;
    for (int i = 0; i < IP4_LEN; i += 2)
        sum += (uint32_t)out[i] << 8 | out[i + 1];
    sum = (sum & 0xffff) + (sum >> 16);
    put_u16(out + 10, ~((sum & 0xffff) + (sum >> 16)));
    return IP4_LEN;
}

static void put_tcp(const struct ds_segment *segment, uint8_t *out)
{
    put_u16(out, segment->src_port);
    put_u16(out + 2, segment->dst_port);
    put_u32(out + 4, segment->seq);
    put_u32(out + 8, segment->ack);
    out[12] = TCP_LEN / 4 << 4;
    out[13] = segment->flags;
    put_u16(out + 14, segment->window);
}

bool made_packet(const struct ds_segment *segment, int64_t ts_ns, uint32_t link_type,
                 struct ds_buffer *out, struct ds_packet *packet)
{
    uint8_t headers[32 + IP6_LEN + TCP_LEN] = {0};
    const struct link_header *link = link_headers;
    const struct link_header *end = link + sizeof link_headers / sizeof link_headers[0];
    while (link != end && link->link_type != link_type)
        link++;
    if (link == end || (link->only_family != 0 && link->only_family != segment->src.family))
        return false;
    const uint32_t len = segment->payload_len + segment->cut_len;
    size_t at = put_link(link, segment->src.family == 6, headers);
    at += put_ip(segment, len, headers + at);
    put_tcp(segment, headers + at);
    at += TCP_LEN;
    out->len = 0;
    ds_buffer_add(out, headers, at);
    ds_buffer_add(out, segment->payload, segment->payload_len);
    *packet = (struct ds_packet){
        .ts_ns = ts_ns,
        .link_type = link_type,
        .data = (const uint8_t *)out->data,
        .cap_len = (uint32_t)at + segment->payload_len,
        .len = (uint32_t)at + len,
    };
    return !out->failed;
}
