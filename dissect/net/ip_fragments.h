/*
 * ip_fragments.h - IP packets put together from their fragments.
 *
 * Bounded: so many packets at once, of at most 64 kB, charged to the meter, each for at
 * most 30 seconds of the capture's time. A fragment within what is there is ignored; one that
 * overlaps it in part discards the packet.
 */
#ifndef DISSECT_IP_FRAGMENTS_H
#define DISSECT_IP_FRAGMENTS_H

#include "net/ip.h"

/* ip_fragments_new returns an empty table, or NULL when memory ran out. hits counts how
 * often max_packets was reached. */
struct ip_fragments *ip_fragments_new(struct memcap *memcap, uint64_t max_packets, uint64_t *hits);
void ip_fragments_free(struct ip_fragments *fragments);

/* ip_fragments_count says where fragments that are ignored, and packets that are discarded for
 * fragments that contradict each other, are counted; both outlive the table. */
void ip_fragments_count(struct ip_fragments *fragments, uint64_t *num_ignored, uint64_t *num_discarded);

/* ip_fragments_add takes a fragment, whose contents are at. When it was the last one
 * missing, ip and at become those of the whole packet (PACKET_SEGMENT), which lives until
 * ip_fragments_release; else PACKET_HELD. */
enum packet_status ip_fragments_add(struct ip_fragments *fragments, int64_t now_ns,
                                    struct ip_packet *ip, struct span *at);

/* ip_fragments_last returns the number, from 1, of the packet that the fragment added since
 * the last ip_fragments_release is of; 0 when there was none, or it is of none. */
uint64_t ip_fragments_last(const struct ip_fragments *fragments);

/* ip_fragments_release frees the packets completed so far. */
void ip_fragments_release(struct ip_fragments *fragments);

#endif
