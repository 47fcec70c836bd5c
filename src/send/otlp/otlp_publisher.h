/*
 * otlp_publisher.h - sending spans, from the side of the capture: see otlp_config.h.
 */
#ifndef SRC_OTLP_PUBLISHER_H
#define SRC_OTLP_PUBLISHER_H

#include "send/otlp/otlp_config.h"
#include "send/sender.h"

#include <distsniff/term.h>

struct otlp_publisher;

struct otlp_publisher_config {
    const struct otlp_config *otlp;
    struct sender_rules rules;
};

/* otlp_publisher_start starts the process that sends. Call it before anything is open, and before
 * there are threads. NULL after an error message. */
struct otlp_publisher *otlp_publisher_start(const struct otlp_publisher_config *config);

/* otlp_publish sends a ResourceSpans with one span; if it is empty, it could not be made, and
 * counts as lost. One thread at a time may call it. */
void otlp_publish(struct otlp_publisher *publisher, struct ds_text span);

/* otlp_publisher_end waits until all is sent, or waiting is pointless, prints the result and
 * releases everything. False if spans were lost. NULL is allowed. */
bool otlp_publisher_end(struct otlp_publisher *publisher);

#endif
