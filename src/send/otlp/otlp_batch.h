/*
 * otlp_batch.h - the spans of a request: the entries at the tail of a queue, as one
 * ExportTraceServiceRequest.
 */
#ifndef SRC_OTLP_BATCH_H
#define SRC_OTLP_BATCH_H

#include "send/send_queue.h"

#include <distsniff/term.h>

/* The limits of a request, before compression; a larger span is sent in a request of one. */
enum { OTLP_MOST_SPANS = 512, OTLP_MOST_BYTES = 512 * 1024 };

/* otlp_batch: all zero at first. */
struct otlp_batch {
    struct ds_buffer text, packed;
    uint64_t end; /* the position in the queue after its entries */
    uint64_t num; /* of spans */
    bool is_full; /* the next span does not fit */
};

/* otlp_batch_look counts the spans that a request would have, and finds out whether it is full. */
void otlp_batch_look(struct otlp_batch *batch, const struct send_queue *queue, uint64_t most_spans);

/* otlp_batch_fill makes a request of at most most_spans spans; if is_packed, it is compressed with
 * gzip (RFC 1952). False if memory ran out. */
bool otlp_batch_fill(struct otlp_batch *batch, const struct send_queue *queue, uint64_t most_spans,
                     bool is_packed);

/* otlp_batch_body returns the body of the request. */
struct ds_text otlp_batch_body(const struct otlp_batch *batch, bool is_packed);

void otlp_batch_free(struct otlp_batch *batch);

#endif
