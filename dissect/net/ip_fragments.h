/*
 * ip_fragments.h - reassembles IP packets from their fragments.
 *
 * Limits: a number of packets at once, at most 64 kB each, which count against the memory cap, and
 * at most 30 seconds of the capture's time. A fragment within the existing bytes is ignored; one
 * that overlaps them in part discards the packet.
 */
#ifndef DISSECT_IP_FRAGMENTS_H
#define DISSECT_IP_FRAGMENTS_H

#include "net/ip.h"

/* ip_fragments_new returns an empty table. NULL if memory ran out. hits counts how often
 * max_packets was reached. */
struct ip_fragments *ip_fragments_new(struct memcap *memcap, uint64_t max_packets, uint64_t *hits);
void ip_fragments_free(struct ip_fragments *fragments);

/* ip_fragments_count sets the counters of ignored fragments, and of packets discarded because of
 * contradicting fragments; both outlive the table. */
void ip_fragments_count(struct ip_fragments *fragments, uint64_t *num_ignored, uint64_t *num_discarded);

/* ip_fragments_add adds a fragment with the payload at. If it was the last missing one, ip and at
 * become those of the whole packet (PACKET_SEGMENT), which is valid until ip_fragments_release;
 * otherwise PACKET_HELD. */
enum packet_status ip_fragments_add(struct ip_fragments *fragments, int64_t now_ns,
                                    struct ip_packet *ip, struct span *at);

/* ip_fragments_last returns the number, from 1, of the packet to which the fragment added since the
 * last ip_fragments_release belongs; 0 if there was no fragment, or it has no packet. */
uint64_t ip_fragments_last(const struct ip_fragments *fragments);

/* ip_fragments_release frees the packets completed so far. */
void ip_fragments_release(struct ip_fragments *fragments);

#endif
