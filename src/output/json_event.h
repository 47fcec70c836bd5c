/*
 * json_event.h - what events that are no messages have to say, as fields of their record: EPMD,
 * handshakes, connections, gaps and stalls.
 */
#ifndef SRC_JSON_EVENT_H
#define SRC_JSON_EVENT_H

#include "output/json_write.h"

void json_event_epmd(struct json_writer *json, const struct ds_event *event);
void json_event_handshake(struct json_writer *json, const struct ds_event *event);
void json_event_conn(struct json_writer *json, const struct ds_event *event);
void json_event_gap(struct json_writer *json, const struct ds_event *event);
void json_event_stall(struct json_writer *json, const struct ds_event *event);

#endif
