/*
 * pseudo_packet.h - packets that stand for what came before a file begins: TCP segments that
 * ds_session_snapshot gives out, with headers before them, and a mark by which they are known when the
 * file is read again.
 *
 * The mark is a TCP option for experiments (RFC 6994), which others pass over. It holds a number
 * that stands in the head of the file as well, of pcap in a field that readers must ignore and
 * other writers leave 0, of pcapng in a comment of the section: it is drawn for each file, and
 * nobody who sends packets can know it. So no packet that was captured passes for one that stands
 * for the past, whatever is in it.
 */
#ifndef SRC_PSEUDO_PACKET_H
#define SRC_PSEUDO_PACKET_H

#include <distsniff/dissect.h>

/* Where the number stands in the head of a pcap file: the field "sigfigs", or reserved. Less than
 * that is none: some programs might write a small number of digits there. */
enum { PSEUDO_KEY_AT = 12, PSEUDO_KEY_MIN = 1 << 24 };

/* That comment, before 8 hexadecimal digits. */
#define PSEUDO_COMMENT "packets with this mark stand for the past: "

/* pseudo_packet puts headers before a segment: those of the LINKTYPE_ value link_type, IP and
 * TCP, with checksums that say nothing; with a mark that has no number yet where the segment is
 * of the past. packet points into out, which is emptied first. False when memory ran out, which
 * out says, or when link_type has no such packets. */
bool pseudo_packet(const struct ds_segment *segment, int64_t ts_ns, uint32_t link_type,
                   struct ds_buffer *out, struct ds_packet *packet);

/* pseudo_packet_read fills in packet->past where the packet has a mark with that number. */
void pseudo_packet_read(struct ds_packet *packet, uint32_t key);

/* pseudo_packet_sign puts a number into the mark of packet, whose bytes are copied to out. False when
 * memory ran out or there is no mark. */
bool pseudo_packet_sign(struct ds_packet *packet, uint32_t key, struct ds_buffer *out);

#endif
