/*
 * packet_json.h - a packet as a JSON object, and back:
 *
 *     {"type":"packet","ts":"2026-01-31T23:59:59.123456789Z","host":"h1","frame":7,"link_type":113,
 *      "len":1500,"data":"...base64..."}
 *
 * data is what was captured of it, len how long it was on the wire; link_type is a number of
 * www.tcpdump.org/linktypes.html.
 */
#ifndef SRC_PACKET_JSON_H
#define SRC_PACKET_JSON_H

#include "output/json_write.h"
#include "send/nats/nats_config.h"
#include "send/send_queue.h"

#include <distsniff/dissect.h>

/* packet_json_write appends one, without a newline. json->time_digits are those of the capture. */
void packet_json_write(struct json_writer *json, const struct ds_packet *packet, const char *host,
                       struct ds_buffer *out);

/* packet_json_id writes what it is known by: the same packet of the same host has the same id, whenever
 * it is sent; what two hosts saw has two, as the clocks are compared by it. */
void packet_json_id(const struct ds_packet *packet, const char *host, char id[SEND_MAX_ID + 1]);

/* packet_json_read reads one; its data is put into bytes, which is emptied first. has_nanoseconds:
 * its time stamp has more than microseconds. False when it is none. */
bool packet_json_read(struct ds_text json, struct ds_packet *packet, bool *has_nanoseconds,
                      struct ds_buffer *bytes);

#endif
