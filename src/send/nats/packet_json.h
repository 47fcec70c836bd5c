/*
 * packet_json.h - a packet as a JSON object, and back:
 *
 *     {"type":"packet","ts":"2026-01-31T23:59:59.123456789Z","host":"h1","frame":7,"link_type":113,
 *      "len":1500,"data":"...base64..."}
 *
 * data contains the captured bytes, len is the length on the wire; link_type is a number of
 * www.tcpdump.org/linktypes.html. A pseudo packet has "past":true too: its mark
 * (capture/pseudo_packet.h) has no number. Every few seconds a packet also has what its publisher says
 * of itself, "point":{"since":"2026-01-31T20:00:00.000000Z","lost":0,"dropped":0}.
 */
#ifndef SRC_PACKET_JSON_H
#define SRC_PACKET_JSON_H

#include "output/json_write.h"
#include "record/capture_point.h"
#include "send/nats/nats_config.h"
#include "send/send_queue.h"

#include <distsniff/dissect.h>

/* packet_json_write appends a packet, without a newline. json->time_digits is the precision of the
 * capture. counts: what the publisher says of itself, from time to time; NULL: nothing. */
void packet_json_write(struct json_writer *json, const struct ds_packet *packet, const char *host,
                       const struct capture_point_counts *counts, struct ds_buffer *out);

/* packet_json_order numbers the packets of one host and one time. Pseudo packets come after the
 * packet whose frame number they have, and share one number; all others have one each. */
static inline uint64_t packet_json_order(const struct ds_packet *packet)
{
    return 2 * packet->frame + (packet->past.kind != DS_SNAPSHOT_NONE);
}

/* packet_json_id writes the id of a packet: the same packet of the same host always has the same
 * id. A packet that two hosts saw has two, because clocks are compared by it. */
void packet_json_id(const struct ds_packet *packet, const char *host, char id[SEND_MAX_ID + 1]);

/* packet_json_made_id writes an id for the number-th pseudo packet of the publisher at a time. */
void packet_json_made_id(int64_t ts_ns, uint64_t number, const char *host, char id[SEND_MAX_ID + 1]);

/* packet_json_time reads the time of a record. False if it has none. */
bool packet_json_time(struct ds_text json, int64_t *ts_ns);

/* packet_json_read parses a packet, and puts its data into bytes, which is emptied first.
 * has_nanoseconds: its time stamp is finer than microseconds. counts: what its publisher says of
 * itself; since_ns is 0 if it says nothing. False if it is no packet. */
bool packet_json_read(struct ds_text json, struct ds_packet *packet, bool *has_nanoseconds,
                      struct capture_point_counts *counts, struct ds_buffer *bytes);

#endif
