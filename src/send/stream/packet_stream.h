/*
 * packet_stream.h - the bytes that a server of packets sends, pcap or pcapng, connection after connection,
 * as those of one capture file: whole packets or blocks alone, behind one beginning. Who sends them is
 * anybody.
 */
#ifndef SRC_PACKET_STREAM_H
#define SRC_PACKET_STREAM_H

#include <distsniff/term.h>
#include <stdbool.h>

/* PACKET_STREAM_MOST is the length of the longest piece: a packet of pcap with its head, or a block of
 * pcapng. */
enum { PACKET_STREAM_MOST = 1024 * 1024 };

enum { PACKET_STREAM_INTERFACES = 64 }; /* that a section of pcapng may have */

/* packet_stream: all zero at first. */
struct packet_stream {
    enum { STREAM_UNKNOWN, STREAM_PCAP, STREAM_PCAPNG } format; /* of what has come out */
    bool has_begun;   /* this connection */
    bool is_blocks;   /* it brings pcapng */
    bool swapped;     /* the numbers of this connection are not in the order of this machine */
    bool in_micros;   /* the times of this connection */
    bool swapped_out; /* of the first section of pcapng */
    uint32_t link_type, made_key; /* of the first connection; made_key of pcap */
    bool has_link_type;           /* of pcapng */
    uint32_t num_interfaces;      /* of this section */
    uint32_t snap_len[PACKET_STREAM_INTERFACES]; /* of each, 0: none */
    uint64_t num_packets;
    const char *wrong; /* what is, once packet_stream_read has returned false */
};

/* packet_stream_read takes the pieces of text that are whole, and adds to out what comes of them. The last
 * *left bytes have to be given again, with more behind them. False: it is no such stream, or not one that
 * goes on where the connections before it have ended. */
bool packet_stream_read(struct packet_stream *stream, struct ds_text text, size_t *left,
                        struct ds_buffer *out);

/* packet_stream_restart: what comes now is of another connection. */
void packet_stream_restart(struct packet_stream *stream);

#endif
