/*
 * packet_hold.h - delays packets before they are decoded (--hold), because later ones may reveal
 * the meaning of their atoms. A second session reads each packet at once and learns; it shares the
 * atom memory of the session that reads them later. A packet whose messages have no unknown atoms
 * waits at most 0.3 seconds, or for those before it: the order stays. If too many bytes wait, the
 * oldest go on earlier.
 */
#ifndef SRC_PACKET_HOLD_H
#define SRC_PACKET_HOLD_H

#include <distsniff/dissect.h>

struct packet_hold;

typedef void (*packet_hold_fn)(void *context, const struct ds_packet *packet);

struct packet_hold_config {
    int64_t hold_ns;    /* how long a packet waits, by time stamps */
    uint64_t max_bytes; /* that wait, including overhead */
    const struct ds_config *session; /* of the session that decodes (beside); copied */
    const struct ds_session *beside;
    packet_hold_fn take; /* gets each packet after its wait */
    void *context;
};

/* packet_hold_new returns NULL if memory ran out. */
struct packet_hold *packet_hold_new(const struct packet_hold_config *config);
void packet_hold_free(struct packet_hold *hold); /* NULL is allowed */

/* packet_hold_packet processes the next packet. If memory runs out, all go on at once. A pseudo
 * packet of a snapshot does not wait, nor do those before it. */
void packet_hold_packet(struct packet_hold *hold, const struct ds_packet *packet);

/* packet_hold_time reports the time while no packet comes, as ds_session_time. It returns the time
 * that the session that decodes may be given: no waiting packet is older. */
int64_t packet_hold_time(struct packet_hold *hold, int64_t now_ns);

/* packet_hold_settle does ds_session_settle for the session that learns. */
void packet_hold_settle(struct packet_hold *hold);

/* packet_hold_name_port does ds_session_name_port for it. */
void packet_hold_name_port(struct packet_hold *hold, const struct ds_addr *addr, uint16_t port,
                           struct ds_text name);

/* packet_hold_end passes on all packets: no more come, or none has come for long enough. */
void packet_hold_end(struct packet_hold *hold);

/* packet_hold_add_stats adds how many packets went on early, and how often memory ran out. */
void packet_hold_add_stats(const struct packet_hold *hold, struct ds_stats *stats);

#endif
