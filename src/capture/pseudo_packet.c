/*
 * pseudo_packet.c - see pseudo_packet.h.
 *
 *   IPv4 (RFC 791)    version and length 1, 0, total length 2, id 2, don't fragment 2, hops 1,
 *                     protocol 1, checksum 2, source 4, destination 4
 *   IPv6 (RFC 8200)   version 4, payload length 2, next header 1, hops 1, addresses 16 each
 *   TCP (RFC 9293)    ports 2 each, seq 4, ack 4, words 1, flags 1, window 2, checksum 2, 0
 *   the mark          253, 32, "ds" (RFC 6994: kind, length, which experiment), number of the file
 *                     4, kind 1, bits 1 (1 begins, 2 and 4 the points are known), 0 2, time sent 8,
 *                     points 4 each, "past"
 */
#include "capture/pseudo_packet.h"

#include <string.h>

enum { IP4_LEN = 20, IP6_LEN = 40, TCP_LEN = 20, PROTOCOL_TCP = 6, HOPS = 64 };
enum { MARK_LEN = 32, MARK_KIND = 253, KEY_AT = 4, KEY_LEN = 4 };
enum { BEGINS = 1, KNOWS_OWN = 2, KNOWS_OTHER = 4 };

/* The words of link_types.def, as in dissect/net/link.c, which reads such headers. test_pseudo_packet
 * makes it read the headers that this file writes. */
enum header_network { NETWORK_ETHER_TYPE, NETWORK_FAMILY, NETWORK_VERSION, NETWORK_IP4, NETWORK_IP6 };

/* link_header is the header before IP: len bytes, zero except the following. */
struct link_header {
    uint32_t link_type;
    uint8_t len, network;
    int8_t ether_type_at; /* -1: there is none */
    int8_t hardware_at;   /* where the hardware type is set to Ethernet */
};

static const struct link_header link_headers[] = {
#define LINK_TYPE(id, number, len, network, ether_type_at, hardware_at)                            \
    {number, len, NETWORK_##network, ether_type_at, hardware_at},
#include <distsniff/link_types.def>
#undef LINK_TYPE
};

enum { MAX_LINK_LEN = 32 };
#define LINK_TYPE(id, number, len, network, ether_type_at, hardware_at)                            \
    _Static_assert(len <= MAX_LINK_LEN, #id " is longer than there is room for");
#include <distsniff/link_types.def>
#undef LINK_TYPE

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
    switch ((enum header_network)link->network) { /* without default, as in link.c */
    case NETWORK_ETHER_TYPE:
        put_u16(out + link->ether_type_at, is_ip6 ? 0x86dd : 0x0800);
        break;
    case NETWORK_FAMILY:
        put_u32(out, is_ip6 ? 24 : 2); /* in network byte order, as OpenBSD's loop: others accept it, too */
        break;
    case NETWORK_VERSION:
    case NETWORK_IP4:
    case NETWORK_IP6:
        break;
    }
    if (link->hardware_at >= 0)
        put_u16(out + link->hardware_at, 1);
    return link->len;
}

/* put_ip writes an IP header. len is the length of its payload. */
static size_t put_ip(const struct ds_segment *segment, uint32_t len, uint8_t *out)
{
    if (segment->src.family == 6) {
        out[0] = 6 << 4;
        put_u16(out + 4, len);
        out[6] = PROTOCOL_TCP;
        out[7] = HOPS;
        memcpy(out + 8, segment->src.bytes, 16);
        memcpy(out + 24, segment->dst.bytes, 16);
        return IP6_LEN;
    }
    out[0] = 4 << 4 | IP4_LEN / 4;
    put_u16(out + 2, IP4_LEN + len);
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

static void put_tcp(const struct ds_segment *segment, size_t len, uint8_t *out)
{
    put_u16(out, segment->src_port);
    put_u16(out + 2, segment->dst_port);
    put_u32(out + 4, segment->seq);
    put_u32(out + 8, segment->ack);
    out[12] = (uint8_t)(len / 4 << 4);
    out[13] = segment->flags;
    put_u16(out + 14, segment->window);
}

static void put_u64(uint8_t *at, uint64_t value)
{
    put_u32(at, (uint32_t)(value >> 32));
    put_u32(at + 4, (uint32_t)value);
}

static void put_mark(const struct ds_snapshot *past, uint8_t *out)
{
    out[0] = MARK_KIND;
    out[1] = MARK_LEN;
    memcpy(out + 2, "ds", 2);
    out[8] = past->kind;
    out[9] = (uint8_t)((past->begins ? BEGINS : 0) | (past->knows[0] ? KNOWS_OWN : 0) |
                       (past->knows[1] ? KNOWS_OTHER : 0));
    put_u64(out + 12, (uint64_t)past->sent_ns);
    put_u32(out + 20, past->point[0]);
    put_u32(out + 24, past->point[1]);
    memcpy(out + 28, "past", 4);
}

static const struct link_header *find_link(uint32_t link_type)
{
    for (size_t i = 0; i < sizeof link_headers / sizeof link_headers[0]; i++) {
        if (link_headers[i].link_type == link_type)
            return &link_headers[i];
    }
    return NULL;
}

bool pseudo_packet(const struct ds_segment *segment, int64_t ts_ns, uint32_t link_type,
                   struct ds_buffer *out, struct ds_packet *packet)
{
    uint8_t headers[MAX_LINK_LEN + IP6_LEN + TCP_LEN + MARK_LEN] = {0};
    const struct link_header *link = find_link(link_type);
    const bool is_ip6 = segment->src.family == 6;
    if (link == NULL || (link->network == NETWORK_IP4 && is_ip6) ||
        (link->network == NETWORK_IP6 && !is_ip6))
        return false;
    const bool is_past = segment->past.kind != DS_SNAPSHOT_NONE;
    const size_t tcp_len = TCP_LEN + (is_past ? (size_t)MARK_LEN : 0);
    const uint32_t len = segment->payload_len + segment->truncated_len;
    size_t at = put_link(link, is_ip6, headers);
    at += put_ip(segment, (uint32_t)tcp_len + len, headers + at);
    put_tcp(segment, tcp_len, headers + at);
    if (is_past)
        put_mark(&segment->past, headers + at + TCP_LEN);
    at += tcp_len;
    out->len = 0;
    ds_buffer_add(out, headers, at);
    ds_buffer_add(out, segment->payload, segment->payload_len);
    *packet = (struct ds_packet){
        .ts_ns = ts_ns,
        .link_type = link_type,
        .data = (const uint8_t *)out->data,
        .cap_len = (uint32_t)at + segment->payload_len,
        .len = (uint32_t)at + len,
        .past = segment->past,
    };
    return !out->failed;
}

static uint32_t get_u32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* find_mark returns the position of a packet's mark, if it is where pseudo_packet puts it; otherwise 0. */
static size_t find_mark(const struct ds_packet *packet)
{
    const struct link_header *link = find_link(packet->link_type);
    const uint8_t *data = packet->data;
    if (link == NULL || packet->cap_len <= link->len)
        return 0;
    const size_t tcp_at = link->len + (data[link->len] >> 4 == 6 ? (size_t)IP6_LEN : IP4_LEN);
    const size_t at = tcp_at + TCP_LEN;
    static const uint8_t begin[] = {MARK_KIND, MARK_LEN, 'd', 's'};
    return packet->cap_len >= at + MARK_LEN && data[tcp_at + 12] == (TCP_LEN + MARK_LEN) / 4 << 4 &&
                   memcmp(data + at, begin, sizeof begin) == 0
               ? at
               : 0;
}

void pseudo_packet_read(struct ds_packet *packet, uint32_t key)
{
    const size_t at = find_mark(packet);
    const uint8_t *mark = packet->data + at;
    if (at == 0 || get_u32(mark + KEY_AT) != key || mark[8] == DS_SNAPSHOT_NONE ||
        mark[8] >= DS_SNAPSHOT_KIND_COUNT)
        return;
    packet->past = (struct ds_snapshot){
        .sent_ns = (int64_t)((uint64_t)get_u32(mark + 12) << 32 | get_u32(mark + 16)),
        .point = {get_u32(mark + 20), get_u32(mark + 24)},
        .knows = {(mark[9] & KNOWS_OWN) != 0, (mark[9] & KNOWS_OTHER) != 0},
        .kind = mark[8],
        .begins = (mark[9] & BEGINS) != 0,
    };
}

bool pseudo_packet_sign(struct ds_packet *packet, uint32_t key, struct ds_buffer *out)
{
    const size_t at = find_mark(packet);
    out->len = 0;
    ds_buffer_add(out, packet->data, packet->cap_len);
    if (at == 0 || out->failed)
        return false;
    put_u32((uint8_t *)out->data + at + KEY_AT, key);
    packet->data = (const uint8_t *)out->data;
    return true;
}
