/*
 * nats_publisher.h - what is published, from the side that has it: see nats_config.h.
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

/* nats_publisher_start starts the process that talks to the servers. To be called before anything is
 * open, and before there are threads. NULL after a complaint. */
struct nats_publisher *nats_publisher_start(const struct nats_publisher_config *config);

/* nats_publisher_wants says whether a type is wanted: states are where packets are. */
bool nats_publisher_wants(const struct nats_publisher *publisher, enum nats_type type);

/* nats_publish publishes a JSON object, whose id is at most SEND_MAX_ID long; an empty one could not be
 * made, and is lost. In any thread. */
void nats_publish(struct nats_publisher *publisher, enum nats_type type, const char *id, int64_t ts_ns,
                  struct ds_text json);

/* nats_publish_packet publishes a packet, if they are wanted. In one thread. time_digits: those of the
 * capture, 6 or 9. */
void nats_publish_packet(struct nats_publisher *publisher, const struct ds_packet *packet,
                         unsigned time_digits);

/* nats_publish_state publishes what the session knows of all connections that go on, as of a packet that
 * it has taken: readers who begin later begin with that. In the thread of nats_publish_packet. */
void nats_publish_state(struct nats_publisher *publisher, struct ds_session *session,
                        const struct ds_packet *packet, unsigned time_digits);

/* nats_publisher_host is how this host is called in subjects. */
const char *nats_publisher_host(const struct nats_publisher *publisher);

/* nats_publisher_end waits until all is stored, or there is no use in waiting, says what became of it
 * and releases all. False when something was lost at the end, or of files. NULL is allowed. */
bool nats_publisher_end(struct nats_publisher *publisher);

#endif
