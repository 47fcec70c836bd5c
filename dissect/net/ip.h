/*
 * ip.h - the IP header, of either version, and what it carries.
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
    uint8_t protocol; /* of what follows the header */
    bool fragment;    /* which is one of several */
    bool more_fragments;
    uint16_t offset; /* of a fragment, in bytes */
    uint32_t id;     /* of a fragment */
    uint8_t ttl;     /* or the hop limit */
    bool is_open_ended; /* it has no length of its own: what the frame was filled up with may be in it */
    bool is_routed;     /* an IPv6 routing header: dst is not where it goes in the end */
    struct cursor header; /* of IPv4, for its checksum; else empty */
};

/* ip_read reads the header that an EtherType announces and advances to what the packet
 * carries, limited to its length: PACKET_SEGMENT on success, PACKET_NOT_TCP when it is not
 * IP. This function does not check checksums: the caller compares them with those of the connection
 * (checksum.h), as offloading to the network card leaves them wrong in captures. */
enum packet_status ip_read(struct span *at, uint16_t ether_type, struct ip_packet *ip);

/* ip_skip_extensions advances past the extension headers of IPv6, as far as the fragment
 * header. Needed again after reassembly. */
enum packet_status ip_skip_extensions(struct span *at, struct ip_packet *ip);

#endif
