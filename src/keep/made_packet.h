/*
 * made_packet.h - a TCP segment as a packet that could have been captured: for files that
 * begin with what ds_session_past gives out.
 */
#ifndef SRC_MADE_PACKET_H
#define SRC_MADE_PACKET_H

#include <distsniff/dissect.h>

/* made_packet puts headers before a segment: those of the LINKTYPE_ value link_type, IP and
 * TCP, with checksums that say nothing. packet points into out, which is emptied first. False
 * when memory ran out, which out says, or when link_type has no such packets. */
bool made_packet(const struct ds_segment *segment, int64_t ts_ns, uint32_t link_type,
                 struct ds_buffer *out, struct ds_packet *packet);

#endif
