/*
 * ip.c - IPv4 (RFC 791) and IPv6 (RFC 8200) headers.
 *
 *   IPv4   version:4 header words:4, service 1, total length 2, identification 2,
 *          flags:3 fragment offset:13, time to live 1, protocol 1, checksum 2, source 4,
 *          destination 4, options
 *   IPv6   version:4 class:8 flow:20, payload length 2, next header 1, hop limit 1,
 *          source 16, destination 16, extension headers
 *
 * A length of 0 means "to the end of the packet": segmentation offload and jumbograms,
 * where the 16 bits do not suffice.
 */
#include "net/ip.h"

#include "net/link.h"

enum {
    IP4_HEADER_LEN = 20,
    IP6_HEADER_LEN = 40,
    IP_MAX_EXTENSIONS = 16,
    IP_MAX_CUT = 1 << 24, /* network packets are never larger, whatever a file claims */

    EXT_HOP_BY_HOP = 0,
    EXT_ROUTING = 43,
    EXT_FRAGMENT = 44,
    EXT_AUTHENTICATION = 51,
    EXT_DESTINATION = 60,
    EXT_MOBILITY = 135,

    OPTION6_PAD1 = 0, /* of IPv6 */
    OPTION6_PADN = 1,
    OPTION6_JUMBO = 0xc2, /* RFC 2675 */
    OPTION6_ACTION = 0xc0, /* of who does not know it; 0: pass over */
    OPTIONS6_PADDING = 7, /* bytes in a row, and options in a header, that Linux takes */
    OPTIONS6_MOST = 8,

    OPTION_END = 0, /* of IPv4 */
    OPTION_NOP = 1,
    OPTION_LOOSE_ROUTE = 131,
    OPTION_STRICT_ROUTE = 137,
};

/* accepts_options says whether a host takes a packet with these options of IPv4: kind 1, length 1,
 * which includes both, value. Linux drops malformed ones, and source routes (accept_source_route). */
static bool accepts_options(struct cursor options)
{
    while (cursor_left(&options) != 0) {
        uint8_t kind, len;
        if (!cursor_read_u8(&options, &kind) || kind == OPTION_END)
            break;
        if (kind == OPTION_NOP)
            continue;
        if (kind == OPTION_LOOSE_ROUTE || kind == OPTION_STRICT_ROUTE || !cursor_read_u8(&options, &len) ||
            len < 2 || !cursor_skip(&options, len - 2u))
            return false;
    }
    return true;
}

static bool is_zero(struct cursor bytes)
{
    uint8_t byte = 0;
    while (byte == 0 && cursor_read_u8(&bytes, &byte))
        ;
    return byte == 0;
}

/* knows_option says whether a host knows an option whose action is to drop the packet. */
static bool knows_option(const struct ip_packet *ip, uint8_t kind)
{
    return kind == OPTION6_JUMBO && ip->protocol == EXT_HOP_BY_HOP && ip->is_open_ended;
}

/* accepts_options_6 says whether a host takes a packet with these options of IPv6 (RFC 8200, 4.2):
 * kind 1, length 1, value. ip->protocol is their header's. */
static bool accepts_options_6(const struct ip_packet *ip, struct cursor options)
{
    unsigned padding = 0, num = 0;
    uint8_t kind, len;
    while (cursor_read_u8(&options, &kind)) {
        struct cursor value = cursor_make(NULL, 0);
        if (kind != OPTION6_PAD1 &&
            (!cursor_read_u8(&options, &len) || !cursor_child(&options, len, &value)))
            return false;
        if (kind == OPTION6_PAD1 || kind == OPTION6_PADN) {
            padding += kind == OPTION6_PAD1 ? 1 : 2 + (unsigned)cursor_left(&value);
            if (padding > OPTIONS6_PADDING || !is_zero(value))
                return false;
            continue;
        }
        padding = 0;
        if (++num > OPTIONS6_MOST || ((kind & OPTION6_ACTION) != 0 && !knows_option(ip, kind)))
            return false;
    }
    return true;
}

static enum packet_status read_ip4(struct span *at, struct ip_packet *ip)
{
    struct cursor header; /* of constant length: the compiler checks it only once */
    uint8_t version, service;
    uint16_t total_len, id, fragment, checksum;
    struct cursor whole = at->bytes;

    ip->version = 4;
    *ip->src = (struct ds_addr){.family = 4};
    *ip->dst = (struct ds_addr){.family = 4};
    if (!cursor_child(&at->bytes, IP4_HEADER_LEN, &header) || !cursor_read_u8(&header, &version) ||
        !cursor_read_u8(&header, &service) || !cursor_read_u16(&header, &total_len) ||
        !cursor_read_u16(&header, &id) || !cursor_read_u16(&header, &fragment) ||
        !cursor_read_u8(&header, &ip->ttl) || !cursor_read_u8(&header, &ip->protocol) ||
        !cursor_read_u16(&header, &checksum) || !cursor_read_bytes(&header, ip->src->bytes, 4) ||
        !cursor_read_bytes(&header, ip->dst->bytes, 4))
        return span_short(at);
    uint32_t header_len = (version & 15) * 4u;
    if (version >> 4 != 4 || header_len < IP4_HEADER_LEN)
        return PACKET_MALFORMED;
    struct cursor options;
    if (!cursor_child(&at->bytes, header_len - IP4_HEADER_LEN, &options))
        return span_short(at);
    if (!accepts_options(options))
        return PACKET_MALFORMED;
    ip->header = cursor_first(whole, header_len);
    ip->is_open_ended = total_len == 0;
    if (total_len != 0) {
        if (total_len < header_len)
            return PACKET_MALFORMED;
        span_limit(at, total_len - header_len);
    }
    ip->id = id;
    ip->offset = (uint16_t)(fragment << 3);
    ip->more_fragments = (fragment & 0x2000) != 0;
    ip->fragment = (fragment & 0x3fff) != 0;
    return PACKET_SEGMENT;
}

static enum packet_status read_ip6(struct span *at, struct ip_packet *ip)
{
    struct cursor header;
    uint32_t version;
    uint16_t payload_len;

    ip->version = 6;
    ip->header = cursor_make(NULL, 0);
    ip->src->family = ip->dst->family = 6;
    if (!cursor_child(&at->bytes, IP6_HEADER_LEN, &header) || !cursor_read_u32(&header, &version) ||
        !cursor_read_u16(&header, &payload_len) || !cursor_read_u8(&header, &ip->protocol) ||
        !cursor_read_u8(&header, &ip->ttl) ||
        !cursor_read_bytes(&header, ip->src->bytes, sizeof ip->src->bytes) ||
        !cursor_read_bytes(&header, ip->dst->bytes, sizeof ip->dst->bytes))
        return span_short(at);
    if (version >> 28 != 6)
        return PACKET_MALFORMED;
    ip->is_open_ended = payload_len == 0;
    if (payload_len != 0)
        span_limit(at, payload_len);
    ip->fragment = false;
    return ip_skip_extensions(at, ip);
}

/* read_fragment reads the fragment header: next header 1, reserved 1, offset:13 reserved:2 more:1,
 * identification 4. A packet in a single fragment is not a fragment. */
static bool read_fragment(struct span *at, struct ip_packet *ip)
{
    uint8_t next, reserved;
    uint16_t offset;
    struct cursor *bytes = &at->bytes;
    if (!cursor_read_u8(bytes, &next) || !cursor_read_u8(bytes, &reserved) ||
        !cursor_read_u16(bytes, &offset) || !cursor_read_u32(bytes, &ip->id))
        return false;
    ip->protocol = next;
    ip->offset = offset & 0xfff8;
    ip->more_fragments = (offset & 1) != 0;
    ip->fragment = (offset & 0xfff9) != 0;
    return true;
}

enum packet_status ip_skip_extensions(struct span *at, struct ip_packet *ip)
{
    struct cursor *bytes = &at->bytes;
    for (int i = 0; i < IP_MAX_EXTENSIONS; i++) {
        struct cursor rest;
        uint8_t next, len, segments_left;
        switch (ip->protocol) {
        case EXT_HOP_BY_HOP:
        case EXT_DESTINATION:
        case EXT_MOBILITY: /* next header 1, length 1 in units of 8 bytes after the first 8 */
            if (!cursor_read_u8(bytes, &next) || !cursor_read_u8(bytes, &len) ||
                !cursor_child(bytes, len * 8u + 6, &rest))
                return span_short(at);
            if (ip->protocol != EXT_MOBILITY && !accepts_options_6(ip, rest))
                ip->is_refused = true;
            ip->protocol = next;
            break;
        case EXT_ROUTING: /* the same, then type 1, segments left 1: 0 at the final destination */
            if (!cursor_read_u8(bytes, &next) || !cursor_read_u8(bytes, &len) ||
                !cursor_child(bytes, len * 8u + 6, &rest) || !cursor_skip(&rest, 1) ||
                !cursor_read_u8(&rest, &segments_left))
                return span_short(at);
            if (segments_left != 0)
                return PACKET_MALFORMED;
            ip->protocol = next;
            break;
        case EXT_AUTHENTICATION: /* as above, but in units of 4 bytes */
            if (!cursor_read_u8(bytes, &next) || !cursor_read_u8(bytes, &len) ||
                !cursor_skip(bytes, len * 4u + 6))
                return span_short(at);
            ip->protocol = next;
            break;
        case EXT_FRAGMENT:
            if (!read_fragment(at, ip))
                return span_short(at);
            if (ip->fragment)
                return PACKET_SEGMENT;
            break;
        default:
            return PACKET_SEGMENT;
        }
    }
    return PACKET_MALFORMED;
}

enum packet_status ip_read(struct span *at, uint16_t ether_type, struct ip_packet *ip)
{
    enum packet_status status;
    if (ether_type == ETHER_IP4) {
        status = read_ip4(at, ip);
    } else if (ether_type == ETHER_IP6) {
        status = read_ip6(at, ip);
    } else {
        return PACKET_NOT_TCP;
    }
    if (status == PACKET_SEGMENT && at->cut > IP_MAX_CUT)
        return PACKET_MALFORMED;
    return status;
}
