/*
 * packet_stream.h - combines the bytes that a packet server sends, pcap or pcapng, connection after
 * connection, into those of one capture file: one header, and only whole packets or blocks. The
 * server is not trusted.
 */
#ifndef SRC_PACKET_STREAM_H
#define SRC_PACKET_STREAM_H

#include <distsniff/term.h>
#include <stdbool.h>

/* PACKET_STREAM_MOST is the size of the largest unit: a packet of pcap with its header, or a block
 * of pcapng. */
enum { PACKET_STREAM_MOST = 1024 * 1024 };

enum { PACKET_STREAM_INTERFACES = 64 }; /* in a section of pcapng */

/* packet_stream: all zero at first. */
struct packet_stream {
    enum { STREAM_UNKNOWN, STREAM_PCAP, STREAM_PCAPNG } format; /* of the output */
    bool has_begun;   /* this connection has */
    bool is_blocks;   /* it sends pcapng */
    bool swapped;     /* the numbers of this connection are in the other byte order */
    bool in_micros;   /* the times of this connection are */
    bool swapped_out; /* as swapped, for the first section of pcapng */
    uint32_t link_type, made_key; /* of the first connection; made_key of pcap */
    bool has_link_type;           /* for pcapng */
    uint32_t num_interfaces;      /* of this section */
    uint32_t snap_len[PACKET_STREAM_INTERFACES]; /* of each, 0: none */
    uint64_t num_packets;
    const char *wrong; /* the error, once packet_stream_read has returned false */
};

/* packet_stream_read processes the complete units in text, and appends the result to out. Pass the
 * last *left bytes again, followed by more. False: it is no such stream, or does not continue the
 * connections before. */
bool packet_stream_read(struct packet_stream *stream, struct ds_text text, size_t *left,
                        struct ds_buffer *out);

/* packet_stream_restart: the next bytes are from another connection. */
void packet_stream_restart(struct packet_stream *stream);

#endif
