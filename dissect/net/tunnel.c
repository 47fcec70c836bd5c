/*
 * tunnel.c - packets inside packets, as container networks carry them.
 *
 *   VXLAN (RFC 7348)     UDP: source port 2, destination port 2, length 2, checksum 2; then
 *                        flags 1 (0x08 set), reserved 3, network 3, reserved 1; an
 *                        Ethernet frame
 *   GENEVE (RFC 8926)    UDP as above; then version:2 (0) words of options:6, flags 1,
 *                        EtherType 2, network 3, reserved 1, options; the packet
 *   GRE (RFC 2784, 2890) flags and version 2, EtherType 2; by flag checksum and reserved 4,
 *                        key 4, sequence number 4; the packet
 *   ERSPAN (draft-foschiano-erspan-03), what a switch mirrors, in GRE
 *     type I             without a sequence number: nothing; an Ethernet frame
 *     type II            version:4 (1) VLAN:12, session 2, index 4; an Ethernet frame
 *     type III           version:4 (2) VLAN:12, session 2, time 4, group 2, P:1 frame type:5
 *                        hardware:6 direction:1 granularity:2 O:1, with O 8 bytes of the
 *                        platform; an Ethernet frame, or IP
 *   IP in IP (RFC 2003)  nothing
 */
#include "net/tunnel.h"

#include "net/link.h"

enum {
    VXLAN_PORT = 4789,
    VXLAN_PORT_OLD = 8472, /* the default in Linux, which flannel keeps */
    VXLAN_VALID = 0x08,

    GENEVE_PORT = 6081,
    GENEVE_VERSION = 0xc0,
    GENEVE_OPTIONS = 0x3f, /* words of 4 bytes */

    GRE_CHECKSUM = 0x8000,
    GRE_ROUTING = 0x4000,
    GRE_KEY = 0x2000,
    GRE_SEQUENCE = 0x1000,
    GRE_VERSION = 0x0007,

    ERSPAN_1_OR_2 = 0x88be, /* EtherTypes, in GRE */
    ERSPAN_3 = 0x22eb,
    ERSPAN_2_VERSION = 1,
    ERSPAN_3_VERSION = 2,
    ERSPAN_3_HAS_MORE = 0x0001,
    ERSPAN_3_ETHERNET = 0, /* frame types */
    ERSPAN_3_IP = 2,
};

static enum packet_status enter_vxlan(struct span *inner, uint16_t *ether_type)
{
    uint8_t flags;
    if (!cursor_read_u8(&inner->bytes, &flags) || !cursor_skip(&inner->bytes, 7))
        return span_short(inner);
    if ((flags & VXLAN_VALID) == 0)
        return PACKET_NOT_TCP;
    *ether_type = ETHER_FRAME;
    return PACKET_SEGMENT;
}

static enum packet_status enter_geneve(struct span *inner, uint16_t *ether_type)
{
    uint8_t first;
    if (!cursor_read_u8(&inner->bytes, &first))
        return span_short(inner);
    if ((first & GENEVE_VERSION) != 0)
        return PACKET_NOT_TCP;
    if (!cursor_skip(&inner->bytes, 1) || !cursor_read_u16(&inner->bytes, ether_type) ||
        !cursor_skip(&inner->bytes, 4u + (first & GENEVE_OPTIONS) * 4u))
        return span_short(inner);
    return PACKET_SEGMENT;
}

static const struct udp_tunnel {
    uint16_t port;
    enum packet_status (*enter)(struct span *inner, uint16_t *ether_type);
} udp_tunnels[] = {
    {VXLAN_PORT, enter_vxlan},
    {VXLAN_PORT_OLD, enter_vxlan},
    {GENEVE_PORT, enter_geneve},
};

static enum packet_status enter_udp(struct span *inner, uint16_t *ether_type)
{
    uint16_t src, dst;
    if (!cursor_read_u16(&inner->bytes, &src) || !cursor_read_u16(&inner->bytes, &dst))
        return span_short(inner);
    for (size_t i = 0; i < sizeof udp_tunnels / sizeof udp_tunnels[0]; i++) {
        if (udp_tunnels[i].port == dst)
            return cursor_skip(&inner->bytes, 4) ? udp_tunnels[i].enter(inner, ether_type)
                                                 : span_short(inner);
    }
    return PACKET_NOT_TCP;
}

static enum packet_status enter_erspan_2(struct span *inner, uint16_t *ether_type)
{
    uint16_t version;
    if (!cursor_read_u16(&inner->bytes, &version) || !cursor_skip(&inner->bytes, 6))
        return span_short(inner);
    *ether_type = ETHER_FRAME;
    return version >> 12 == ERSPAN_2_VERSION ? PACKET_SEGMENT : PACKET_NOT_TCP;
}

static enum packet_status enter_erspan_3(struct span *inner, uint16_t *ether_type)
{
    uint16_t version, kinds;
    uint8_t ip;
    if (!cursor_read_u16(&inner->bytes, &version) || !cursor_skip(&inner->bytes, 8) ||
        !cursor_read_u16(&inner->bytes, &kinds) ||
        !cursor_skip(&inner->bytes, (kinds & ERSPAN_3_HAS_MORE) != 0 ? 8 : 0))
        return span_short(inner);
    const unsigned frame_type = kinds >> 10 & 0x1f;
    if (version >> 12 != ERSPAN_3_VERSION ||
        (frame_type != ERSPAN_3_ETHERNET && frame_type != ERSPAN_3_IP))
        return PACKET_NOT_TCP;
    *ether_type = ETHER_FRAME;
    if (frame_type == ERSPAN_3_ETHERNET)
        return PACKET_SEGMENT;
    if (!cursor_peek_u8(&inner->bytes, &ip))
        return span_short(inner);
    *ether_type = ip >> 4 == 6 ? ETHER_IP6 : ETHER_IP4;
    return PACKET_SEGMENT;
}

static enum packet_status enter_gre(struct span *inner, uint16_t *ether_type)
{
    uint16_t flags;
    if (!cursor_read_u16(&inner->bytes, &flags) || !cursor_read_u16(&inner->bytes, ether_type))
        return span_short(inner);
    if ((flags & (GRE_VERSION | GRE_ROUTING)) != 0)
        return PACKET_NOT_TCP;
    size_t options_len = ((flags & GRE_CHECKSUM) != 0 ? 4 : 0) + ((flags & GRE_KEY) != 0 ? 4 : 0) +
                         ((flags & GRE_SEQUENCE) != 0 ? 4 : 0);
    if (!cursor_skip(&inner->bytes, options_len))
        return span_short(inner);
    if (*ether_type == ERSPAN_3)
        return enter_erspan_3(inner, ether_type);
    if (*ether_type == ERSPAN_1_OR_2 && (flags & GRE_SEQUENCE) != 0)
        return enter_erspan_2(inner, ether_type);
    if (*ether_type == ERSPAN_1_OR_2)
        *ether_type = ETHER_FRAME;
    return PACKET_SEGMENT;
}

static enum packet_status enter_ip4(struct span *inner, uint16_t *ether_type)
{
    (void)inner;
    *ether_type = ETHER_IP4;
    return PACKET_SEGMENT;
}

static enum packet_status enter_ip6(struct span *inner, uint16_t *ether_type)
{
    (void)inner;
    *ether_type = ETHER_IP6;
    return PACKET_SEGMENT;
}

static const struct tunnel {
    uint8_t protocol;
    enum packet_status (*enter)(struct span *inner, uint16_t *ether_type);
} tunnels[] = {
    {IP_UDP, enter_udp},
    {IP_GRE, enter_gre},
    {IP_IN_IP, enter_ip4},
    {IP_6_IN_IP, enter_ip6},
};

static const struct tunnel *find_tunnel(uint8_t protocol)
{
    for (size_t i = 0; i < sizeof tunnels / sizeof tunnels[0]; i++) {
        if (tunnels[i].protocol == protocol)
            return &tunnels[i];
    }
    return NULL;
}

bool tunnel_possible(uint8_t protocol)
{
    return protocol == IP_TCP || find_tunnel(protocol) != NULL;
}

enum packet_status tunnel_enter(uint8_t protocol, struct span *at, uint16_t *ether_type)
{
    const struct tunnel *tunnel = find_tunnel(protocol);
    if (tunnel == NULL)
        return PACKET_NOT_TCP;
    enum packet_status status = tunnel->enter(at, ether_type);
    return status == PACKET_SEGMENT ? link_read_inner(at, ether_type) : status;
}
