/*
 * link.c - link layers, by LINKTYPE_ value (www.tcpdump.org/linktypes.html).
 *
 *   Ethernet          destination 6, source 6, EtherType 2
 *   tag (802.1Q)      tag control 2, EtherType 2; any number of them
 *   Linux cooked v1   packet type 2, hardware type 2, address length 2, address 8, EtherType 2
 *   Linux cooked v2   EtherType 2, reserved 2, interface 4, hardware type 2, packet type 1,
 *                     address length 1, address 8
 *   BSD null, loop    address family 4: in the byte order of the capturing machine, or in
 *                     network order
 *   raw               nothing: the IP version tells
 */
#include "link.h"

static enum packet_status skip_tags(struct span *frame, uint16_t *ether_type)
{
    while (*ether_type == ETHER_VLAN || *ether_type == ETHER_QINQ ||
           *ether_type == ETHER_QINQ_OLD) {
        uint16_t control;
        if (!cursor_read_u16(&frame->bytes, &control) ||
            !cursor_read_u16(&frame->bytes, ether_type))
            return span_short(frame);
    }
    return PACKET_SEGMENT;
}

static enum packet_status read_ethernet(struct span *frame, uint16_t *ether_type)
{
    if (!cursor_skip(&frame->bytes, 12) || !cursor_read_u16(&frame->bytes, ether_type))
        return span_short(frame);
    return skip_tags(frame, ether_type);
}

static enum packet_status read_cooked(struct span *frame, uint16_t *ether_type)
{
    if (!cursor_skip(&frame->bytes, 14) || !cursor_read_u16(&frame->bytes, ether_type))
        return span_short(frame);
    return skip_tags(frame, ether_type);
}

static enum packet_status read_cooked2(struct span *frame, uint16_t *ether_type)
{
    if (!cursor_read_u16(&frame->bytes, ether_type) || !cursor_skip(&frame->bytes, 18))
        return span_short(frame);
    return skip_tags(frame, ether_type);
}

static enum packet_status read_family(struct span *frame, uint16_t *ether_type)
{
    uint32_t family;
    if (!cursor_read_u32(&frame->bytes, &family))
        return span_short(frame);
    if (family > 0xffff)
        family = __builtin_bswap32(family);
    switch (family) {
    case 2: /* AF_INET everywhere */
        *ether_type = ETHER_IP4;
        return PACKET_SEGMENT;
    case 10: /* AF_INET6 of Linux, of NetBSD and OpenBSD, of FreeBSD, of macOS */
    case 24:
    case 28:
    case 30:
        *ether_type = ETHER_IP6;
        return PACKET_SEGMENT;
    default:
        return PACKET_NOT_TCP;
    }
}

static enum packet_status read_raw(struct span *frame, uint16_t *ether_type)
{
    uint8_t version;
    if (!cursor_peek_u8(&frame->bytes, &version))
        return span_short(frame);
    *ether_type = version >> 4 == 6 ? ETHER_IP6 : ETHER_IP4;
    return PACKET_SEGMENT;
}

static enum packet_status read_ip4(struct span *frame, uint16_t *ether_type)
{
    (void)frame;
    *ether_type = ETHER_IP4;
    return PACKET_SEGMENT;
}

static enum packet_status read_ip6(struct span *frame, uint16_t *ether_type)
{
    (void)frame;
    *ether_type = ETHER_IP6;
    return PACKET_SEGMENT;
}

static const struct link_type {
    uint32_t type;
    enum packet_status (*read)(struct span *frame, uint16_t *ether_type);
} link_types[] = {
    {LINK_ETHERNET, read_ethernet},
    {113, read_cooked},
    {276, read_cooked2},
    {0, read_family},   /* BSD null */
    {108, read_family}, /* OpenBSD loop */
    {101, read_raw},
    {12, read_raw}, /* what DLT_RAW is on most systems */
    {14, read_raw}, /* what it is on OpenBSD */
    {228, read_ip4},
    {229, read_ip6},
};

static const struct link_type *find_type(uint32_t link_type)
{
    for (size_t i = 0; i < sizeof link_types / sizeof link_types[0]; i++) {
        if (link_types[i].type == link_type)
            return &link_types[i];
    }
    return NULL;
}

enum packet_status link_read(uint32_t link_type, struct span *frame, uint16_t *ether_type)
{
    const struct link_type *type = find_type(link_type);
    return type != NULL ? type->read(frame, ether_type) : PACKET_UNKNOWN_LINK;
}

enum packet_status link_read_inner(struct span *inner, uint16_t *ether_type)
{
    if (*ether_type == ETHER_FRAME)
        return read_ethernet(inner, ether_type);
    return skip_tags(inner, ether_type);
}

bool ds_link_type_known(uint32_t link_type)
{
    return find_type(link_type) != NULL;
}
