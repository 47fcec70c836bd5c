/*
 * tunnel.c - packets inside packets, as container networks carry them.
 *
 *   VXLAN (RFC 7348)     UDP: source port 2, destination port 2, length 2, checksum 2; then
 *                        flags 1 (0x08 set), reserved 3, network 3, reserved 1; an
 *                        Ethernet frame
 *   GRE (RFC 2784, 2890) flags and version 2, EtherType 2; by flag checksum and reserved 4,
 *                        key 4, sequence number 4; the packet
 *   IP in IP (RFC 2003)  nothing
 */
#include "net/tunnel.h"

#include "net/link.h"

enum {
    VXLAN_PORT = 4789,
    VXLAN_PORT_OLD = 8472, /* the default of Linux, which flannel keeps */
    VXLAN_VALID = 0x08,

    GRE_CHECKSUM = 0x8000,
    GRE_ROUTING = 0x4000,
    GRE_KEY = 0x2000,
    GRE_SEQUENCE = 0x1000,
    GRE_VERSION = 0x0007,
};

static enum packet_status enter_vxlan(struct span *inner, uint16_t *ether_type)
{
    uint16_t src, dst;
    uint8_t flags;
    if (!cursor_read_u16(&inner->bytes, &src) || !cursor_read_u16(&inner->bytes, &dst))
        return span_short(inner);
    if (dst != VXLAN_PORT && dst != VXLAN_PORT_OLD)
        return PACKET_NOT_TCP;
    if (!cursor_skip(&inner->bytes, 4) || !cursor_read_u8(&inner->bytes, &flags) ||
        !cursor_skip(&inner->bytes, 7))
        return span_short(inner);
    if ((flags & VXLAN_VALID) == 0)
        return PACKET_NOT_TCP;
    *ether_type = ETHER_FRAME;
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
    {IP_UDP, enter_vxlan},
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
