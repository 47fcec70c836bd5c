/*
 * packet.h - decodes a captured packet to a TCP segment: link layer, IP, tunnels, fragments, and
 * the TCP header.
 */
#ifndef DISSECT_PACKET_H
#define DISSECT_PACKET_H

#include "net/dns.h"
#include "util/cursor.h"
#include "util/memcap.h"

#include <distsniff/dissect.h>

enum {
    TCP_FIN = 0x01,
    TCP_SYN = 0x02,
    TCP_RST = 0x04,
    TCP_PSH = 0x08,
    TCP_ACK = 0x10,
    TCP_URG = 0x20,
};

/* packet_sum is the result of verifying a segment's checksums, see checksum.h. */
enum packet_sum {
    PACKET_SUM_UNKNOWN, /* not all bytes that they cover were captured */
    PACKET_SUM_GOOD,
    PACKET_SUM_BAD,
};

/* segment is a TCP segment. payload points into the packet, or into the memory of the IP
 * reassembly, valid until the next call. */
struct segment {
    int64_t ts_ns;
    uint64_t frame;
    struct ds_addr src, dst;
    uint16_t src_port, dst_port;
    uint32_t seq, ack;
    uint16_t window;
    uint16_t ip_id; /* for IPv4, otherwise 0 */
    uint8_t flags;
    uint8_t ttl;      /* of IPv4, or the hop limit */
    uint16_t urgent;  /* with TCP_URG: the urgent pointer */
    bool has_bad_len;    /* captured completely, but shorter than its IP header says */
    bool acks_unsent;    /* set by tcp_reorder.c: it came before data that it acknowledges */
    bool is_early;       /* with acks_unsent: it came before the SYN of its connection */
    bool is_to_group;    /* its frame was sent to a broadcast or multicast address */
    enum packet_sum sum; /* set on demand (checksum_check), otherwise unknown */
    struct cursor ip4;   /* the segment's IPv4 header; empty: none */
    struct cursor summed; /* covered by the checksum, except the pseudo header; empty: cut off */
    struct cursor options;
    struct cursor payload;
    uint32_t truncated_len; /* payload bytes on the wire that the snap length cut off */
};

/* icmp_error is what an ICMP error says about a segment. */
struct icmp_error {
    struct ds_addr from; /* its sender */
    const char *what;    /* a static string */
    bool too_big;
    uint32_t mtu; /* if too big: the size that would pass; 0 if unknown */
};

enum packet_status {
    PACKET_SEGMENT,      /* out is a segment */
    PACKET_REFUSED,      /* out is a segment that no host accepts: see packet_decode */
    PACKET_ICMP,         /* out is a segment that could not be delivered, see icmp.h */
    PACKET_DNS,          /* decoder->dns is a question or an answer, see dns.h */
    PACKET_NOT_TCP,
    PACKET_HELD,         /* an IP fragment, kept until the others come */
    PACKET_TRUNCATED,    /* the snap length cut off headers */
    PACKET_MALFORMED,
    PACKET_UNKNOWN_LINK,
};

struct ip_fragments; /* IP packets being reassembled, see ip_fragments.h */

struct packet_decoder {
    struct ip_fragments *fragments; /* NULL: fragments are PACKET_HELD and not kept */
    struct icmp_error icmp;         /* for PACKET_ICMP; for PACKET_DNS, what is NULL unless quoted */
    bool reads_dns;                 /* false: DNS is PACKET_NOT_TCP */
    struct dns_message dns;         /* for PACKET_DNS; out then has the addresses and ports */
};

/* packet_decoder_init prepares a decoder; max_packets is LIMIT ip-fragments, hits counts how often
 * it was reached. Fragments count against memcap. False if memory ran out. */
bool packet_decoder_init(struct packet_decoder *decoder, struct memcap *memcap, uint64_t max_packets,
                         uint64_t *hits);

/* packet_decoder_count counts ignored fragments and discarded IP packets in stats, which must
 * outlive the decoder. */
void packet_decoder_count(struct packet_decoder *decoder, struct ds_stats *stats);
void packet_decoder_free(struct packet_decoder *decoder);

/* segment_search_time is segment_time for unusual layouts of the options. */
bool segment_search_time(struct cursor options, uint32_t *time);

/* segment_time reads the time at which a segment was sent, by its sender's clock: TSval of the
 * option of RFC 7323, section 3.2: 8, 10, TSval:32, TSecr:32. Usually it is the only option, after
 * two NOPs. False if there is none. */
static inline bool segment_time(const struct segment *segment, uint32_t *time)
{
    enum { USUAL_LEN = 12, USUAL = 0x0101080a };
    struct cursor at = segment->options;
    uint32_t first;
    if (__builtin_expect(cursor_left(&at) == USUAL_LEN && cursor_read_u32(&at, &first) && first == USUAL,
                         1))
        return cursor_read_u32(&at, time);
    return segment_search_time(segment->options, time);
}

/* segment_is_signed says whether a segment has the signature of RFC 2385. */
bool segment_is_signed(const struct segment *segment);

/* packet_decode finds the TCP segment in a packet, or the one that ICMP quotes. No host accepts a
 * segment from or to a broadcast or multicast address of IP, or with options of IPv6 that have to be
 * known. */
enum packet_status packet_decode(struct packet_decoder *decoder, const struct ds_packet *packet,
                                 struct segment *out);

#endif
