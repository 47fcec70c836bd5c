/*
 * pseudo_packet.h - packets that represent those before the beginning of a file: the TCP segments of
 * ds_session_snapshot with headers, and a mark by which they are recognised when the file is read again.
 *
 * The mark is a TCP option for experiments (RFC 6994), which other programs ignore. It contains a
 * number that is also in the head of the file: in pcap in a field that readers must ignore and other
 * writers set to 0, in pcapng in a comment of the section. The number is random for each file, and
 * senders of captured packets cannot know it. So a captured packet is never mistaken for a pseudo
 * packet, whatever it contains.
 */
#ifndef SRC_PSEUDO_PACKET_H
#define SRC_PSEUDO_PACKET_H

#include <distsniff/dissect.h>

/* Where the number is in the head of a pcap file: the field "sigfigs", or reserved. Smaller numbers are
 * not keys: some programs might write a small number of digits there. */
enum { PSEUDO_KEY_AT = 12, PSEUDO_KEY_MIN = 1 << 24 };

/* The comment in pcapng, followed by 8 hexadecimal digits. */
#define PSEUDO_COMMENT "packets with this mark stand for the past: "

/* pseudo_packet puts headers before a segment: a link header for the LINKTYPE_ value link_type, IP and
 * TCP, with meaningless checksums. If the segment is from a snapshot, it gets a mark without a number.
 * packet points into out, which is emptied first. Returns false when memory ran out (out->failed), or
 * if link_type does not support such packets. */
bool pseudo_packet(const struct ds_segment *segment, int64_t ts_ns, uint32_t link_type,
                   struct ds_buffer *out, struct ds_packet *packet);

/* pseudo_packet_read sets packet->past if the packet has a mark with that number. */
void pseudo_packet_read(struct ds_packet *packet, uint32_t key);

/* pseudo_packet_sign sets the number in the mark of packet, whose bytes are copied to out. Returns
 * false when memory ran out or there is no mark. */
bool pseudo_packet_sign(struct ds_packet *packet, uint32_t key, struct ds_buffer *out);

#endif
