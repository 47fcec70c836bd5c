/*
 * link.h - link layers: from a captured frame to a network packet and its EtherType.
 */
#ifndef DISSECT_LINK_H
#define DISSECT_LINK_H

#include "net/span.h"

enum {
#define LINK_TYPE(id, number, len, network, ether_type_at, hardware_at) LINK_##id = number,
#include <distsniff/link_types.def>
#undef LINK_TYPE
};

enum {
    ETHER_IP4 = 0x0800,
    ETHER_IP6 = 0x86dd,
    ETHER_VLAN = 0x8100,     /* IEEE 802.1Q */
    ETHER_QINQ = 0x88a8,     /* IEEE 802.1ad */
    ETHER_QINQ_OLD = 0x9100, /* used for 802.1ad before its number was assigned */
    ETHER_FRAME = 0x6558,    /* a whole Ethernet frame, inside GRE */
};

/* link_read advances past the link header, including VLAN tags, and sets the EtherType of the
 * payload. PACKET_SEGMENT means success; PACKET_NOT_TCP a frame without an EtherType. */
enum packet_status link_read(uint32_t link_type, struct span *frame, uint16_t *ether_type);

/* link_read_inner does the same for the payload of a tunnel, whose EtherType is known: a whole
 * Ethernet frame, tags, or nothing to skip. */
enum packet_status link_read_inner(struct span *inner, uint16_t *ether_type);

#endif
