/*
 * link.c - link layers: link_types.def describes each.
 *
 *   tag (802.1Q)      tag control 2, EtherType 2; any number of them
 *   group address     of Ethernet: the lowest bit of its first byte is set; Linux cooked has 1 or 2 as
 *                     packet type
 *   BSD null, loop    address family 4: in the byte order of the capturing machine, or in
 *                     network order
 */
#include "net/link.h"

/* How a link type indicates its network protocol, in the words of link_types.def. pseudo_packet.c,
 * which writes these headers, has the same enum. */
enum network { NETWORK_ETHER_TYPE, NETWORK_FAMILY, NETWORK_VERSION, NETWORK_IP4, NETWORK_IP6 };

static const struct link_type {
    uint32_t type;
    uint8_t len, network;
    int8_t ether_type_at;
} link_types[] = {
#define LINK_TYPE(id, number, len, network, ether_type_at, hardware_at)                            \
    {number, len, NETWORK_##network, ether_type_at},
#include <distsniff/link_types.def>
#undef LINK_TYPE
};
enum { NUM_LINK_TYPES = sizeof link_types / sizeof link_types[0] };

static bool is_group_address(uint8_t first)
{
    return (first & 1) != 0;
}

static bool is_group_type(uint8_t type)
{
    return type == 1 || type == 2; /* broadcast, multicast */
}

static const struct group_mark {
    uint32_t type;
    uint8_t at;
    bool (*is_set)(uint8_t byte);
} group_marks[] = {
    {LINK_ETHERNET, 0, is_group_address},
    {LINK_LINUX_SLL, 1, is_group_type},
    {LINK_LINUX_SLL2, 10, is_group_type},
};

/* is_to_group says whether a frame was sent to several hosts. */
static bool is_to_group(uint32_t link_type, struct cursor frame)
{
    for (size_t i = 0; i < sizeof group_marks / sizeof group_marks[0]; i++) {
        uint8_t byte;
        if (group_marks[i].type == link_type)
            return cursor_skip(&frame, group_marks[i].at) && cursor_read_u8(&frame, &byte) &&
                   group_marks[i].is_set(byte);
    }
    return false;
}

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

static enum packet_status read_ether_type(struct span *frame, size_t len, size_t at,
                                          uint16_t *ether_type)
{
    if (!cursor_skip(&frame->bytes, at) || !cursor_read_u16(&frame->bytes, ether_type) ||
        !cursor_skip(&frame->bytes, len - at - sizeof *ether_type))
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
    case 2: /* AF_INET on all systems */
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

static enum packet_status read_version(struct span *frame, uint16_t *ether_type)
{
    uint8_t version;
    if (!cursor_peek_u8(&frame->bytes, &version))
        return span_short(frame);
    *ether_type = version >> 4 == 6 ? ETHER_IP6 : ETHER_IP4;
    return PACKET_SEGMENT;
}

static const struct link_type *find_type(uint32_t link_type)
{
    for (size_t i = 0; i < NUM_LINK_TYPES; i++) {
        if (link_types[i].type == link_type)
            return &link_types[i];
    }
    return NULL;
}

enum packet_status link_read(uint32_t link_type, struct span *frame, uint16_t *ether_type)
{
    const struct link_type *type = find_type(link_type);
    if (type == NULL)
        return PACKET_UNKNOWN_LINK;
    frame->is_to_group = is_to_group(link_type, frame->bytes);
    switch ((enum network)type->network) { /* no default: the compiler reports a missing case */
    case NETWORK_ETHER_TYPE:
        return read_ether_type(frame, type->len, (size_t)type->ether_type_at, ether_type);
    case NETWORK_FAMILY:
        return read_family(frame, ether_type);
    case NETWORK_VERSION:
        return cursor_skip(&frame->bytes, type->len) ? read_version(frame, ether_type) : span_short(frame);
    case NETWORK_IP4:
    case NETWORK_IP6:
        *ether_type = type->network == NETWORK_IP6 ? ETHER_IP6 : ETHER_IP4;
        return cursor_skip(&frame->bytes, type->len) ? PACKET_SEGMENT : span_short(frame);
    }
    return PACKET_UNKNOWN_LINK;
}

enum packet_status link_read_inner(struct span *inner, uint16_t *ether_type)
{
    inner->is_to_group = *ether_type == ETHER_FRAME && is_to_group(LINK_ETHERNET, inner->bytes);
    if (*ether_type == ETHER_FRAME)
        return read_ether_type(inner, 14, 12, ether_type);
    return skip_tags(inner, ether_type);
}

bool ds_link_type_known(uint32_t link_type)
{
    return find_type(link_type) != NULL;
}
