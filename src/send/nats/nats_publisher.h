/*
 * nats_publisher.h - publishing records, from the side of the capture: see nats_config.h.
 */
#ifndef SRC_NATS_PUBLISHER_H
#define SRC_NATS_PUBLISHER_H

#include "send/nats/nats_config.h"
#include "send/sender.h"

#include <distsniff/dissect.h>

struct nats_publisher;

struct nats_publisher_config {
    const struct nats_config *nats;
    struct sender_rules rules;
    bool is_redacted;  /* packets are not sent */
    bool is_quiet;
};

/* nats_publisher_start starts the process that talks to the servers. Call it before anything is
 * open, and before there are threads. NULL after an error message. */
struct nats_publisher *nats_publisher_start(const struct nats_publisher_config *config);

/* nats_publisher_wants says whether a type is to be published: states are if packets are. */
bool nats_publisher_wants(const struct nats_publisher *publisher, enum nats_type type);

/* nats_publish publishes a JSON object. Its id is at most SEND_MAX_ID long; if the object is empty,
 * it could not be made, and counts as lost. Any thread may call it. */
void nats_publish(struct nats_publisher *publisher, enum nats_type type, const char *id, int64_t ts_ns,
                  struct ds_text json);

/* nats_publish_packet publishes a packet, if packets are wanted. Only one thread may call it.
 * time_digits: the precision of the capture, 6 or 9. */
void nats_publish_packet(struct nats_publisher *publisher, const struct ds_packet *packet,
                         unsigned time_digits);

/* nats_publisher_dropped sets how many packets the kernel and interfaces have dropped, for readers. Call
 * it in the same thread. */
void nats_publisher_dropped(struct nats_publisher *publisher, uint64_t num);

/* nats_publish_state begins to publish the state of all open connections, as of a packet that the
 * session has processed: later readers start from that. nats_publish_segment publishes each segment of
 * it (keep/conn_states.h). Call them in the thread of nats_publish_packet, if states are wanted. */
void nats_publish_state(struct nats_publisher *publisher, const struct ds_packet *packet,
                        unsigned time_digits);
void nats_publish_segment(struct nats_publisher *publisher, const struct ds_segment *segment);

/* nats_publisher_host returns the name of this host in subjects. */
const char *nats_publisher_host(const struct nats_publisher *publisher);

/* nats_publisher_end waits until all is stored, or waiting is pointless, prints the result and
 * releases everything. False if records were lost at the end, or records of files. NULL is allowed. */
bool nats_publisher_end(struct nats_publisher *publisher);

#endif
