/*
 * otlp_publisher.h - spans that are sent, from the side that has them: see otlp_config.h.
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

/* otlp_publisher_start starts the process that sends. To be called before anything is open, and before
 * there are threads. NULL after a complaint. */
struct otlp_publisher *otlp_publisher_start(const struct otlp_publisher_config *config);

/* otlp_publish sends a ResourceSpans with one span; an empty one could not be made, and is lost. In one
 * thread at a time. */
void otlp_publish(struct otlp_publisher *publisher, struct ds_text span);

/* otlp_publisher_end waits until all is sent, or there is no use in waiting, says what became of it and
 * releases all. False when something was lost. NULL is allowed. */
bool otlp_publisher_end(struct otlp_publisher *publisher);

#endif
