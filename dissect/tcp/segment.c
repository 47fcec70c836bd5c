/*
 * segment.c - the TCP segment of a single packet, for callers outside the library.
 */
#include "net/packet.h"

bool ds_packet_segment(const struct ds_packet *packet, struct ds_segment *out)
{
    struct packet_decoder decoder = {0};
    struct segment segment;

    if (packet_decode(&decoder, packet, &segment) != PACKET_SEGMENT)
        return false;
    *out = (struct ds_segment){
        .src = segment.src,
        .dst = segment.dst,
        .src_port = segment.src_port,
        .dst_port = segment.dst_port,
        .seq = segment.seq,
        .ack = segment.ack,
        .window = segment.window,
        .flags = segment.flags,
        .payload = segment.payload.at,
        .payload_len = (uint32_t)cursor_left(&segment.payload),
        .truncated_len = segment.truncated_len,
    };
    return true;
}
