/*
 * nats_type.c - see nats_type.h.
 */
#include "send/nats/nats_type.h"

#include "record/record.h"

const char *const nats_type_names[NATS_TYPE_COUNT] = {
#define NATS_TYPE(id, name) [NATS_##id] = name,
#include "send/nats/nats_type.def"
#undef NATS_TYPE
};

enum nats_type nats_type_of(const struct record *record)
{
    static const enum nats_type of_event[] = {
        [DS_EVENT_EPMD] = NATS_EPMD,       [DS_EVENT_HANDSHAKE] = NATS_HANDSHAKE,
        [DS_EVENT_CONN] = NATS_CONN,       [DS_EVENT_MESSAGE] = NATS_MESSAGE,
        [DS_EVENT_TICK] = NATS_TICK,       [DS_EVENT_GAP] = NATS_GAP,
        [DS_EVENT_STALL] = NATS_STALL,     [DS_EVENT_STREAM] = NATS_STREAM,
    };
    if (record->finding != NULL)
        return NATS_FINDING;
    if (record->call != NULL)
        return NATS_CALL;
    if (record->monitor != NULL)
        return record->monitor->is_link ? NATS_LINK : NATS_MONITOR;
    return record->link_facts ? NATS_LINK_FACTS : of_event[record->event->type];
}
