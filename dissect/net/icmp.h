/*
 * icmp.h - what a router or a host has to say of a TCP segment that it could not pass on.
 */
#ifndef DISSECT_ICMP_H
#define DISSECT_ICMP_H

#include "net/ip.h"

enum { IP_ICMP = 1, IP_ICMP6 = 58 };

/* icmp_read_error reads the header of an error, at which at stands, and advances to the IP packet
 * in question. PACKET_ICMP means success; PACKET_NOT_TCP what is no error. */
enum packet_status icmp_read_error(struct span *at, const struct ip_packet *ip,
                                   struct icmp_error *error);

/* icmp_read reads an error of ICMP; ip is the header before it. out is then the segment that
 * could not be passed on, as far as it is quoted: its ends and its sequence number, without
 * payload. PACKET_DNS: it is UDP, which at stands at then, and may be DNS. PACKET_NOT_TCP: no
 * error, or one of another protocol. */
enum packet_status icmp_read(struct span *at, const struct ip_packet *ip, struct segment *out,
                             struct icmp_error *error);

#endif
