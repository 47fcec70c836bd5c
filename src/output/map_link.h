/*
 * map_link.h - the facts of a link as fields of a map: what json_link.h writes, spans in nanoseconds.
 */
#ifndef SRC_MAP_LINK_H
#define SRC_MAP_LINK_H

#include "output/map_write.h"

struct ds_event;

/* map_link_write writes those of the link of an event's connection, which has one. */
void map_link_write(struct map_writer *map, const struct ds_event *event);

#endif
