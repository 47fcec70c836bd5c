/*
 * icmp.c - errors of ICMP (RFC 792) and ICMPv6 (RFC 4443):
 *
 *   type 1, code 1, checksum 2, 4 bytes that depend on both; then as much of the packet in
 *   question as there is room for, at least its IP header and 8 bytes
 *
 * For "packet too big", those 4 bytes contain the MTU: ICMP in the last two, ICMPv6 in all.
 */
#include "net/icmp.h"

#include "net/link.h"

enum {
    ICMP4_UNREACHABLE = 3,
    ICMP4_TOO_BIG = 4, /* a code of ICMP4_UNREACHABLE */
    ICMP6_TOO_BIG = 2,
};

static const struct {
    uint8_t version, type;
    int16_t code;
    const char *what;
} errors[] = {
#define ICMP(version, type, code, what) {version, type, code, what},
#include "net/icmp.def"
#undef ICMP
};

static const char *find_what(uint8_t version, uint8_t type, uint8_t code)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        if (errors[i].version == version && errors[i].type == type &&
            (errors[i].code == code || errors[i].code < 0))
            return errors[i].what;
    }
    return NULL;
}

enum packet_status icmp_read_error(struct span *at, const struct ip_packet *ip,
                                   struct icmp_error *error)
{
    const uint8_t version = ip->protocol == IP_ICMP ? 4 : 6;
    struct cursor *bytes = &at->bytes;
    uint8_t type, code;
    uint16_t checksum;
    uint32_t more;
    if (!cursor_read_u8(bytes, &type) || !cursor_read_u8(bytes, &code) ||
        !cursor_read_u16(bytes, &checksum) || !cursor_read_u32(bytes, &more))
        return span_short(at);
    const char *what = find_what(version, type, code);
    if (what == NULL || ip->version != version)
        return PACKET_NOT_TCP;
    *error = (struct icmp_error){.from = *ip->src, .what = what};
    if (version == 4 && type == ICMP4_UNREACHABLE && code == ICMP4_TOO_BIG) {
        error->too_big = true;
        error->mtu = more & 0xffff;
    } else if (version == 6 && type == ICMP6_TOO_BIG) {
        error->too_big = true;
        error->mtu = more;
    }
    return PACKET_ICMP;
}

enum packet_status icmp_read(struct span *at, const struct ip_packet *ip, struct segment *out,
                             struct icmp_error *error)
{
    struct cursor *bytes = &at->bytes;
    enum packet_status status = icmp_read_error(at, ip, error);
    if (status != PACKET_ICMP)
        return status;
    struct ip_packet quoted = {.src = &out->src, .dst = &out->dst};
    status = ip_read(at, ip->version == 4 ? ETHER_IP4 : ETHER_IP6, &quoted);
    if (status != PACKET_SEGMENT)
        return status;
    if (quoted.fragment && quoted.offset != 0)
        return PACKET_NOT_TCP;
    if (quoted.protocol == IP_UDP)
        return PACKET_DNS;
    if (quoted.protocol != IP_TCP)
        return PACKET_NOT_TCP;
    if (!cursor_read_u16(bytes, &out->src_port) || !cursor_read_u16(bytes, &out->dst_port) ||
        !cursor_read_u32(bytes, &out->seq))
        return span_short(at);
    return PACKET_ICMP;
}
