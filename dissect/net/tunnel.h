/*
 * tunnel.h - packets inside packets: VXLAN, GENEVE, GRE, ERSPAN, IP in IP.
 */
#ifndef DISSECT_TUNNEL_H
#define DISSECT_TUNNEL_H

#include "net/ip.h"

/* tunnel_enter advances to the packet inside a tunnel with that IP protocol and sets its EtherType.
 * PACKET_NOT_TCP if it is not a tunnel. */
enum packet_status tunnel_enter(uint8_t protocol, struct span *at, uint16_t *ether_type);

/* tunnel_possible says whether this protocol may carry TCP, directly or in a tunnel. */
bool tunnel_possible(uint8_t protocol);

#endif
