/*
 * icmp.h - errors that a router or a host reports about a TCP segment that it could not deliver.
 */
#ifndef DISSECT_ICMP_H
#define DISSECT_ICMP_H

#include "net/ip.h"

enum { IP_ICMP = 1, IP_ICMP6 = 58 };

/* icmp_read_error reads the header of an error at at, and advances to the IP packet in question.
 * PACKET_ICMP means success, PACKET_NOT_TCP that it is not an error. */
enum packet_status icmp_read_error(struct span *at, const struct ip_packet *ip,
                                   struct icmp_error *error);

/* icmp_read reads an ICMP error; ip is the header before it. out is then the quoted segment that
 * could not be delivered: its ends and its sequence number, without payload. PACKET_DNS: the quoted
 * packet is UDP, which at has reached, and may be DNS. PACKET_NOT_TCP: not an error, or about
 * another protocol. */
enum packet_status icmp_read(struct span *at, const struct ip_packet *ip, struct segment *out,
                             struct icmp_error *error);

#endif
