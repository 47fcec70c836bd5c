/*
 * packet_hold.h - packets wait before they are decoded for good (--hold), because what comes after them
 * tells what their atoms mean. A session of its own reads each packet at once and learns; it shares the
 * atom memory of the one that reads them later. A packet whose messages have no unknown atoms waits for no
 * more than 0.3 seconds and those before it: the order stays. Where too many bytes wait, the oldest go on
 * earlier.
 */
#ifndef SRC_PACKET_HOLD_H
#define SRC_PACKET_HOLD_H

#include <distsniff/dissect.h>

struct packet_hold;

typedef void (*packet_hold_fn)(void *context, const struct ds_packet *packet);

struct packet_hold_config {
    int64_t hold_ns;    /* how long a packet waits, by the time stamps */
    uint64_t max_bytes; /* that wait, with what it takes to keep them */
    const struct ds_config *session; /* of the session that decodes, which is beside; copied */
    const struct ds_session *beside;
    packet_hold_fn take; /* is given each packet when it has waited */
    void *context;
};

/* packet_hold_new returns NULL when memory ran out. */
struct packet_hold *packet_hold_new(const struct packet_hold_config *config);
void packet_hold_free(struct packet_hold *hold); /* NULL is allowed */

/* packet_hold_packet takes the next packet. Without memory for it all go on at once. One that stands for
 * the past does not wait, nor do those before it. */
void packet_hold_packet(struct packet_hold *hold, const struct ds_packet *packet);

/* packet_hold_time says what time it is while no packet comes, as ds_session_time. It returns up to when
 * the session that decodes may be told so: no packet from before that waits. */
int64_t packet_hold_time(struct packet_hold *hold, int64_t now_ns);

/* packet_hold_settle is ds_session_settle for the session that learns. */
void packet_hold_settle(struct packet_hold *hold);

/* packet_hold_name_port is ds_session_name_port for it. */
void packet_hold_name_port(struct packet_hold *hold, const struct ds_addr *addr, uint16_t port,
                           struct ds_text name);

/* packet_hold_end has all packets go on: nothing comes any more, or nothing has for long enough. */
void packet_hold_end(struct packet_hold *hold);

/* packet_hold_add_stats adds how many packets went on early, and how often memory ran out. */
void packet_hold_add_stats(const struct packet_hold *hold, struct ds_stats *stats);

#endif
