/*
 * tunnel.h - packets inside packets: VXLAN, GRE, IP in IP.
 */
#ifndef DISSECT_TUNNEL_H
#define DISSECT_TUNNEL_H

#include "ip.h"

/* tunnel_enter finds the packet that outer carries and its EtherType. PACKET_NOT_TCP when
 * outer is no tunnel. */
enum packet_status tunnel_enter(const struct ip_packet *outer, struct span *inner,
                                uint16_t *ether_type);

/* tunnel_possible says whether such a protocol may carry TCP, directly or in a tunnel. */
bool tunnel_possible(uint8_t protocol);

#endif
