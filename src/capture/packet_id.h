/*
 * packet_id.h - the identity of a packet, the same wherever it was captured: the TCP connection, the
 * numbers in the TCP header, and the payload. Fields that routers change (link addresses, time to live,
 * checksums) are not part of it.
 */
#ifndef PACKET_ID_H
#define PACKET_ID_H

#include <distsniff/dissect.h>

struct packet_id {
    uint64_t header; /* hash of the TCP and IP headers */
    uint64_t flow;   /* hash of both ends, the same for both directions */
    uint32_t hosts;  /* hash of both addresses; also of the ports if the addresses are equal */
    bool reverse;    /* sent by the end that sorts second */
    bool has_ack;
    bool cut; /* the snap length cut off part of the payload */
    uint32_t seq, end, ack; /* end: sequence number after the payload, SYN and FIN */
    const uint8_t *payload;
    uint32_t payload_len;
};

/* packet_id_read sets id. Returns false for a packet without a TCP header. */
bool packet_id_read(const struct ds_packet *packet, struct packet_id *id);

/* packet_id_content returns a hash of the header and payload. */
uint64_t packet_id_content(const struct packet_id *id);

/* hash_mix adds a value to a hash. */
static inline uint64_t hash_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 29;
}

uint64_t hash_bytes(uint64_t hash, const uint8_t *bytes, size_t len);

/* seq_is_after compares TCP sequence numbers, which wrap around. */
static inline bool seq_is_after(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) > 0;
}

#endif
