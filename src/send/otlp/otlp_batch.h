/*
 * otlp_batch.h - the spans of a request: what is at the tail of a queue, as one
 * ExportTraceServiceRequest.
 */
#ifndef SRC_OTLP_BATCH_H
#define SRC_OTLP_BATCH_H

#include "send/send_queue.h"

#include <distsniff/term.h>

/* A request has at most so many spans and bytes before they are packed; one span that is larger is sent
 * by itself. */
enum { OTLP_MOST_SPANS = 512, OTLP_MOST_BYTES = 512 * 1024 };

/* otlp_batch: all zero in the beginning. */
struct otlp_batch {
    struct ds_buffer text, packed;
    uint64_t end; /* of its entries in the queue */
    uint64_t num; /* of spans */
    bool is_full; /* more would not have gone into it */
};

/* otlp_batch_look says how many spans a request would have, and whether it is full. */
void otlp_batch_look(struct otlp_batch *batch, const struct send_queue *queue, uint64_t most_spans);

/* otlp_batch_fill makes the request, which is_packed has packed by gzip (RFC 1952): of that many spans at
 * most. False when memory ran out. */
bool otlp_batch_fill(struct otlp_batch *batch, const struct send_queue *queue, uint64_t most_spans,
                     bool is_packed);

/* otlp_batch_body is what is sent. */
struct ds_text otlp_batch_body(const struct otlp_batch *batch, bool is_packed);

void otlp_batch_free(struct otlp_batch *batch);

#endif
