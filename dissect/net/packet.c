/*
 * packet.c - from a captured packet to a TCP segment: link layer, IP and tunnels in turn,
 * then the TCP header (RFC 9293, section 3.1):
 *
 *   source port 2, destination port 2, sequence number 4, acknowledgement number 4,
 *   header words:4 reserved:4 flags:8, window 2, checksum 2, urgent 2, options
 */
#include "net/packet.h"

#include "net/icmp.h"
#include "net/ip.h"
#include "net/ip_fragments.h"
#include "net/link.h"
#include "net/tunnel.h"

#include <arpa/inet.h>

enum {
    MAX_LEVELS = 5, /* limit on nested IP headers */
    TCP_HEADER_LEN = 20,
    OPEN_ENDED_LEN = 1280, /* only a packet larger than the MTU can lack a length */

    OPTION_END = 0,
    OPTION_NOP = 1,
    OPTION_TIMES = 8,
    OPTION_TIMES_LEN = 10, OPTION_MD5 = 19, OPTION_MD5_LEN = 18,
};
_Static_assert(DS_ADDR_LEN >= INET6_ADDRSTRLEN, "any address fits");

bool packet_decoder_init(struct packet_decoder *decoder, struct memcap *memcap, uint64_t max_packets,
                         uint64_t *hits)
{
    decoder->reads_dns = false;
    decoder->fragments = ip_fragments_new(memcap, max_packets, hits);
    return decoder->fragments != NULL;
}

void packet_decoder_count(struct packet_decoder *decoder, struct ds_stats *stats)
{
    ip_fragments_count(decoder->fragments, &stats->fragments_ignored, &stats->fragments_discarded);
}

void packet_decoder_free(struct packet_decoder *decoder)
{
    ip_fragments_free(decoder->fragments);
    decoder->fragments = NULL;
}

/* find_tcp finds the IP packet that carries TCP, and sets at to the TCP header; or to that of ICMP
 * (PACKET_ICMP), or of UDP with DNS (PACKET_DNS). It reassembles fragments if fragments is not
 * NULL, or returns a first fragment as it is if first_fragment_will_do. */
static enum packet_status find_tcp(struct ip_fragments *fragments, bool first_fragment_will_do,
                                   const struct ds_packet *packet, struct ip_packet *ip,
                                   struct span *at)
{
    uint16_t ether_type;
    at->bytes = cursor_make(packet->data, packet->cap_len);
    at->cut = packet->len > packet->cap_len ? packet->len - packet->cap_len : 0;
    enum packet_status status = link_read(packet->link_type, at, &ether_type);
    for (int level = 0; level < MAX_LEVELS; level++) {
        if (status == PACKET_SEGMENT)
            status = ip_read(at, ether_type, ip);
        if (status != PACKET_SEGMENT)
            return status;
        if (ip->fragment) {
            if (ip->is_refused)
                return PACKET_MALFORMED;
            if (ip->version == 4 && !tunnel_possible(ip->protocol))
                return PACKET_NOT_TCP;
            if (fragments != NULL) {
                status = ip_fragments_add(fragments, packet->ts_ns, ip, at);
                if (status == PACKET_SEGMENT && ip->version == 6)
                    status = ip_skip_extensions(at, ip);
                if (status == PACKET_SEGMENT && ip->fragment)
                    status = PACKET_MALFORMED; /* a fragment of a fragment */
                if (status != PACKET_SEGMENT)
                    return status;
            } else if (!first_fragment_will_do || ip->offset != 0) {
                return PACKET_HELD;
            }
        }
        if (ip->protocol == IP_TCP)
            return PACKET_SEGMENT;
        if (ip->protocol == IP_ICMP || ip->protocol == IP_ICMP6)
            return PACKET_ICMP;
        if (ip->protocol == IP_UDP && dns_is_port(at->bytes))
            return PACKET_DNS;
        status = tunnel_enter(ip->protocol, at, &ether_type);
    }
    return status == PACKET_SEGMENT ? PACKET_NOT_TCP : status;
}

/* is_of_group says whether an address stands for several hosts. */
enum { IP4_MULTICAST = 224, IP4_NEXT = 240, IP6_MULTICAST = 0xff };
static bool is_of_group(const struct ds_addr *addr)
{
    static const uint8_t broadcast[] = {255, 255, 255, 255};
    if (addr->family == 6)
        return addr->bytes[0] == IP6_MULTICAST;
    return (addr->bytes[0] >= IP4_MULTICAST && addr->bytes[0] < IP4_NEXT) ||
           memcmp(addr->bytes, broadcast, sizeof broadcast) == 0;
}

/* find_plain is find_tcp for nearly all packets: complete, Ethernet without tags, IPv4 without
 * options, not a fragment, to one host, TCP. False for any other or malformed packet: use find_tcp then. */
static inline bool find_plain(const struct ds_packet *packet, struct segment *out, struct span *at)
{
    enum { ETHER_ADDRS_LEN = 12, IP4_LEN = 20, HEADERS_LEN = ETHER_ADDRS_LEN + 2 + IP4_LEN };
    enum { VERSION_4_WITHOUT_OPTIONS = 0x45, IS_FRAGMENT = 0x3fff, GROUP_BIT = 1 };
    struct cursor headers, whole = cursor_make(packet->data, packet->cap_len);
    uint16_t ether_type, total_len, fragment, checksum;
    uint8_t first, version, service, protocol;
    /* headers has a constant length: the compiler checks it only once. */
    const bool is_other =
        packet->link_type != LINK_ETHERNET || packet->len > packet->cap_len ||
        !cursor_child(&whole, HEADERS_LEN, &headers) || !cursor_read_u8(&headers, &first) ||
        (first & GROUP_BIT) != 0 || !cursor_skip(&headers, ETHER_ADDRS_LEN - 1) ||
        !cursor_read_u16(&headers, &ether_type) || ether_type != ETHER_IP4;
    if (__builtin_expect(is_other, 0))
        return false;
    out->ip4 = headers;
    out->src = out->dst = (struct ds_addr){.family = 4};
    out->is_to_group = false;
    at->cut = 0;
    return cursor_read_u8(&headers, &version) && cursor_read_u8(&headers, &service) &&
           cursor_read_u16(&headers, &total_len) && cursor_read_u16(&headers, &out->ip_id) &&
           cursor_read_u16(&headers, &fragment) && cursor_read_u8(&headers, &out->ttl) &&
           cursor_read_u8(&headers, &protocol) && cursor_read_u16(&headers, &checksum) &&
           cursor_read_bytes(&headers, out->src.bytes, 4) &&
           cursor_read_bytes(&headers, out->dst.bytes, 4) && version == VERSION_4_WITHOUT_OPTIONS &&
           out->src.bytes[0] < IP4_MULTICAST && out->dst.bytes[0] < IP4_MULTICAST &&
           (fragment & IS_FRAGMENT) == 0 && protocol == IP_TCP && total_len >= IP4_LEN &&
           cursor_child(&whole, total_len - (uint32_t)IP4_LEN, &at->bytes);
}

/* find_option finds the value of a TCP option with that kind and length. */
static bool find_option(struct cursor options, uint8_t wanted, uint8_t wanted_len, struct cursor *value)
{
    while (cursor_left(&options) != 0) {
        uint8_t kind, len;
        if (!cursor_read_u8(&options, &kind) || kind == OPTION_END)
            return false;
        if (kind == OPTION_NOP)
            continue;
        if (!cursor_read_u8(&options, &len) || len < 2 || !cursor_child(&options, len - 2u, value))
            return false;
        if (kind == wanted && len == wanted_len)
            return true;
    }
    return false;
}

bool segment_search_time(struct cursor options, uint32_t *time)
{
    struct cursor value;
    return find_option(options, OPTION_TIMES, OPTION_TIMES_LEN, &value) && cursor_read_u32(&value, time);
}

bool segment_is_signed(const struct segment *segment)
{
    struct cursor value;
    return cursor_left(&segment->options) >= OPTION_MD5_LEN &&
           find_option(segment->options, OPTION_MD5, OPTION_MD5_LEN, &value);
}

/* read_tcp reads the TCP header. If only its options are truncated, the segment still has the
 * number of missing bytes. */
static __attribute__((always_inline)) inline enum packet_status read_tcp(struct span *at,
                                                                         struct segment *out)
{
    struct cursor header; /* of constant length: the compiler checks it only once */
    uint8_t words;
    uint16_t checksum;
    out->summed = at->cut == 0 ? at->bytes : cursor_make(NULL, 0);
    out->sum = PACKET_SUM_UNKNOWN;
    out->has_bad_len = false;
    if (!cursor_child(&at->bytes, TCP_HEADER_LEN, &header) ||
        !cursor_read_u16(&header, &out->src_port) || !cursor_read_u16(&header, &out->dst_port) ||
        !cursor_read_u32(&header, &out->seq) || !cursor_read_u32(&header, &out->ack) ||
        !cursor_read_u8(&header, &words) || !cursor_read_u8(&header, &out->flags) ||
        !cursor_read_u16(&header, &out->window) || !cursor_read_u16(&header, &checksum) ||
        !cursor_read_u16(&header, &out->urgent))
        return span_short(at);
    uint32_t header_len = (words >> 4) * 4u;
    if (header_len < TCP_HEADER_LEN)
        return PACKET_MALFORMED;
    uint32_t options_len = header_len - TCP_HEADER_LEN;
    size_t left = cursor_left(&at->bytes);
    if (options_len > left) {
        if (options_len - left > at->cut)
            return PACKET_MALFORMED;
        at->cut -= options_len - (uint32_t)left;
        options_len = (uint32_t)left;
    }
    out->options = cursor_first(at->bytes, options_len);
    if (!cursor_skip(&at->bytes, options_len))
        return PACKET_MALFORMED;
    /* Not copied as a struct: reading 16 bytes just after two stores of 8 is slow. */
    out->payload = cursor_make(at->bytes.at, left - options_len);
    out->truncated_len = at->cut;
    return PACKET_SEGMENT;
}

/* decode_any is packet_decode for packets that are not plain. */
static __attribute__((noinline)) enum packet_status
decode_any(struct packet_decoder *decoder, const struct ds_packet *packet, struct segment *out)
{
    struct ip_packet ip = {.src = &out->src, .dst = &out->dst};
    struct span at;
    enum packet_status status = find_tcp(decoder->fragments, false, packet, &ip, &at);
    out->ip_id = ip.version == 4 ? (uint16_t)ip.id : 0;
    if (status == PACKET_SEGMENT) {
        out->ttl = ip.ttl;
        out->ip4 = ip.header;
        out->is_to_group = at.is_to_group;
        const enum packet_status read = read_tcp(&at, out);
        /* Only short frames are padded. */
        out->has_bad_len = packet->len <= packet->cap_len &&
                           (ip.is_open_ended ? packet->len < OPEN_ENDED_LEN : out->truncated_len != 0);
        if (read == PACKET_SEGMENT && (ip.is_refused || is_of_group(&out->src) || is_of_group(&out->dst)))
            return PACKET_REFUSED;
        return read;
    }
    decoder->icmp.what = NULL;
    if (status == PACKET_ICMP) {
        struct ds_addr src = out->src; /* the quoted addresses replace it */
        ip.src = &src;
        status = icmp_read(&at, &ip, out, &decoder->icmp);
    }
    if (status == PACKET_DNS)
        return decoder->reads_dns &&
                       dns_read(at.bytes, &out->src_port, &out->dst_port, &decoder->dns) &&
                       (decoder->icmp.what == NULL || !decoder->dns.is_answer)
                   ? PACKET_DNS
                   : PACKET_NOT_TCP;
    return status;
}

enum packet_status packet_decode(struct packet_decoder *decoder, const struct ds_packet *packet,
                                 struct segment *out)
{
    struct span at;
    if (decoder->fragments != NULL)
        ip_fragments_release(decoder->fragments);
    out->ts_ns = packet->ts_ns;
    out->frame = packet->frame;
    return find_plain(packet, out, &at) ? read_tcp(&at, out) : decode_any(decoder, packet, out);
}

bool ds_packet_ports(const struct ds_packet *packet, uint16_t *src, uint16_t *dst)
{
    struct ds_addr src_addr, dst_addr;
    struct ip_packet ip = {.src = &src_addr, .dst = &dst_addr};
    struct span at;
    const enum packet_status status = find_tcp(NULL, true, packet, &ip, &at);
    if (status == PACKET_ICMP) {
        struct segment quoted;
        struct icmp_error error;
        if (icmp_read(&at, &ip, &quoted, &error) != PACKET_ICMP)
            return false;
        *src = quoted.src_port;
        *dst = quoted.dst_port;
        return true;
    }
    return status == PACKET_SEGMENT && cursor_read_u16(&at.bytes, src) &&
           cursor_read_u16(&at.bytes, dst);
}

bool ds_packet_opens(const struct ds_packet *packet)
{
    enum { FLAGS_AT = 13 };
    struct ds_addr src, dst;
    struct ip_packet ip = {.src = &src, .dst = &dst};
    struct span at;
    uint8_t flags;
    return find_tcp(NULL, true, packet, &ip, &at) == PACKET_SEGMENT && cursor_skip(&at.bytes, FLAGS_AT) &&
           cursor_read_u8(&at.bytes, &flags) && (flags & (TCP_SYN | TCP_ACK)) == TCP_SYN;
}

bool ds_packet_quoted(const struct ds_packet *packet, struct ds_packet *quoted)
{
    struct ds_addr src, dst;
    struct ip_packet ip = {.src = &src, .dst = &dst};
    struct icmp_error error;
    struct span at;
    if (find_tcp(NULL, true, packet, &ip, &at) != PACKET_ICMP ||
        icmp_read_error(&at, &ip, &error) != PACKET_ICMP)
        return false;
    const uint32_t cap_len = (uint32_t)cursor_left(&at.bytes);
    *quoted = *packet;
    quoted->link_type = DS_LINK_TYPE_RAW;
    quoted->data = at.bytes.at;
    quoted->cap_len = cap_len;
    quoted->len = cap_len + at.cut;
    return true;
}

/* print_ipv4 is ds_addr_print for IPv4, for which inet_ntop needs three thousand instructions. */
static void print_ipv4(const uint8_t *bytes, char *out)
{
    for (int i = 0; i < 4; i++) {
        const unsigned byte = bytes[i];
        if (byte >= 100)
            *out++ = (char)('0' + byte / 100);
        if (byte >= 10)
            *out++ = (char)('0' + byte / 10 % 10);
        *out++ = (char)('0' + byte % 10);
        *out++ = i < 3 ? '.' : '\0';
    }
}

void ds_addr_print(const struct ds_addr *addr, char *out)
{
    out[0] = '\0';
    if (addr->family == 4)
        print_ipv4(addr->bytes, out);
    else if (addr->family == 6)
        inet_ntop(AF_INET6, addr->bytes, out, DS_ADDR_LEN);
}
