/*
 * monitors.h - the open monitors and links, and how each ends.
 */
#ifndef DISTSNIFF_MONITORS_H
#define DISTSNIFF_MONITORS_H

#include "analyse/calls/pid_key.h"
#include "record/record.h"

struct monitor {
    struct table_entry entry;
    struct ref_key key; /* of a link: made of the two pids */
    bool is_link;
    bool of_call; /* it watches over a call */
    bool began_before;              /* began before the capture */
    bool is_part;                   /* the message that asked for it could not be read whole */
    struct pid_key watcher, target; /* of a link: who asked for it, and the other process */
    uint64_t conn;
    int64_t start_ns;
    uint64_t start_frame;
    bool has_start_seq; /* ds_event.has_seq and end_seq of the message that began it */
    uint32_t start_seq;
    struct table_link of_conn;
};

/* monitor_cause is why one ends. */
struct monitor_cause {
    enum monitor_outcome outcome;
    const struct ds_term *reason; /* of EXIT; may be NULL */
    const struct ds_event *event; /* NULL: none */
    int64_t end_ns;
};

struct monitors {
    struct table table;
    struct table conns;
    uint64_t num_started, num_dropped, no_memory;
    void (*on_end)(void *context, const struct monitor *monitor, const struct monitor_cause *why);
    void *context;
};

void monitors_init(struct monitors *monitors, uint64_t max);
void monitors_free(struct monitors *monitors);

/* monitors_key_link makes the key of a link, the same for both ends. */
void monitors_key_link(const struct pid_key *a, const struct pid_key *b, struct ref_key *out);

struct monitor *monitors_find(const struct monitors *monitors, const struct ref_key *key);

/* monitors_open adds one, with key, conn and start; the caller fills in the rest. At the cap the
 * oldest is evicted. NULL if memory ran out or it is already open. */
struct monitor *monitors_open(struct monitors *monitors, const struct ref_key *key, bool is_link,
                              const struct ds_event *event);

void monitors_end(struct monitors *monitors, struct monitor *monitor, const struct monitor_cause *why);
void monitors_end_conn(struct monitors *monitors, uint64_t conn, const struct monitor_cause *why);
void monitors_end_all(struct monitors *monitors, const struct monitor_cause *why);

#endif
