/*
 * ip.h - the IP header, version 4 or 6, and its payload.
 */
#ifndef DISSECT_IP_H
#define DISSECT_IP_H

#include "net/span.h"

enum {
    IP_IN_IP = 4,
    IP_TCP = 6,
    IP_UDP = 17,
    IP_6_IN_IP = 41,
    IP_GRE = 47,
};

struct ip_packet {
    struct ds_addr *src, *dst; /* set by the caller: where the addresses are written */
    uint8_t version;
    uint8_t protocol; /* of the payload */
    bool fragment;    /* it is one of several */
    bool more_fragments;
    uint16_t offset; /* of a fragment, in bytes */
    uint32_t id;     /* of a fragment */
    uint8_t ttl;     /* or the hop limit */
    bool is_refused; /* no host takes it, because of its options of IPv6 */
    bool is_open_ended; /* it has no length, so it may include padding of the frame */
    struct cursor header; /* of IPv4, for its checksum; otherwise empty */
};

/* ip_read reads the header that an EtherType announces and advances to its payload, limited to the
 * packet's length. PACKET_SEGMENT means success, PACKET_NOT_TCP that it is not IP, PACKET_MALFORMED
 * also that no host takes it: options are malformed, or it is on a source route. It verifies no
 * checksums, because offloading to the network card leaves them wrong in captures: the caller
 * compares them with those of the connection (checksum.h). */
enum packet_status ip_read(struct span *at, uint16_t ether_type, struct ip_packet *ip);

/* ip_skip_extensions advances past the extension headers of IPv6, up to a fragment header. Call it
 * again after reassembly. */
enum packet_status ip_skip_extensions(struct span *at, struct ip_packet *ip);

#endif
