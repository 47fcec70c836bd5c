/*
 * mangle.h - the parts of mangle: reading and writing captures (mangle_file.c), modes that change segments
 * (mangle_segments.c) and modes that change or add headers (mangle_headers.c); mangle.c has the rest.
 */
#ifndef TESTS_MANGLE_H
#define TESTS_MANGLE_H

#include <pcap/pcap.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ETHER_IP4 = 0x0800,
    ETHER_IP6 = 0x86dd,
    MAX_PACKET = 1 << 20,
    MAX_STREAMS = 1 << 16,
    TAIL_LEN = 32, /* bytes that overlap repeats from the segment before */
    FIN = 1,
    SYN = 2,
    ACK = 16,
};

/* packet is a captured packet without its link layer. */
struct packet {
    struct timeval ts; /* tv_usec holds nanoseconds */
    uint32_t wire_len; /* of the packet on the wire */
    uint32_t len;
    uint16_t ether_type;
    bool tcp;
    uint32_t tcp_at, payload_at;
    int stream; /* one direction of a connection */
    uint8_t *bytes;
};

struct stream {
    uint8_t addrs[32];
    uint8_t ports[4];
    uint8_t version;
    int peer; /* the other direction, -1 if not seen */
    bool started;
    uint32_t first_seq, max_seq;
    uint32_t shift; /* wrap: added to sequence numbers */
    uint32_t tail_len, tail_end;
    uint8_t tail[TAIL_LEN];
};

extern struct packet *packets;
extern size_t num_packets;
extern struct stream streams[MAX_STREAMS];
extern pcap_t *in;
extern pcap_dumper_t *out;
extern uint32_t snap_len;
extern unsigned long number;  /* N of the mode */
extern unsigned long counter; /* how often the mode was applied */

void die(const char *what);
uint16_t get16(const uint8_t *at);
uint32_t get32(const uint8_t *at);
void put16(uint8_t *at, uint32_t value);
void put32(uint8_t *at, uint32_t value);

void read_all(void);

/* write_frame writes a frame of which so many bytes are missing. */
void write_frame(const struct packet *p, const uint8_t *frame, uint32_t len, uint32_t missing);

/* write_ip writes network bytes behind an Ethernet header that may have tags. */
void write_ip(const struct packet *p, uint16_t ether_type, const uint8_t *bytes,
              uint32_t len, int num_tags);

void write_plain(const struct packet *p);

/* set_sums sets the checksums of an IP packet with TCP. */
void set_sums(uint8_t *bytes, uint32_t tcp_at, uint32_t len);

/* write_segment writes p with other bytes of its stream. */
void write_segment(const struct packet *p, uint32_t seq, uint8_t flags,
                   const uint8_t *payload, uint32_t len);

uint32_t payload_len(const struct packet *p);
uint32_t seq_of(const struct packet *p);
uint8_t flags_of(const struct packet *p);

/* The modes. Each gets the packets in turn. */
void mangle_reorder(size_t i);
void mangle_shuffle(size_t i);
void mangle_duplicate(size_t i);
void mangle_overlap(size_t i);
void mangle_resegment(size_t i);
void mangle_wrap(size_t i);
void mangle_vlan(size_t i);
void mangle_qinq(size_t i);
void mangle_ipfrag(size_t i);
void mangle_ipv6(size_t i);
void mangle_gre(size_t i);
void mangle_vxlan(size_t i);
void mangle_geneve(size_t i);
void mangle_erspan2(size_t i);
void mangle_erspan3(size_t i);
void mangle_sll(size_t i);
void mangle_null(size_t i);
void mangle_raw(size_t i);

#endif
