/*
 * json_link.h - what is known of a link, as fields of a JSON object.
 */
#ifndef SRC_JSON_LINK_H
#define SRC_JSON_LINK_H

#include "output/json_write.h"

#include <distsniff/event.h>

/* json_link_write writes the facts of the connection of an event, which has them; how it ended where
 * that is the event. */
void json_link_write(const struct ds_event *event, struct json_writer *json);

#endif
