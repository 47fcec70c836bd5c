/*
 * span_writer.h - calls as spans in OTLP's JSON, each a ResourceSpans of opentelemetry-proto with one
 * span: ids in hex, 64-bit numbers as strings, enums as numbers
 * (https://opentelemetry.io/docs/specs/otlp/, "JSON Protobuf Encoding").
 *
 * A span is the caller's: how long it waited. Those that were called in its service are its children.
 * What the request holds that looks like a traceparent (https://www.w3.org/TR/trace-context/) says
 * which trace it belongs to, and which span of the application's asked.
 */
#ifndef SRC_SPAN_WRITER_H
#define SRC_SPAN_WRITER_H

#include "output/otlp/span_trees.h"
#include "record/record.h"

#include <stdbool.h>

/* Around what is given, joined by commas, it is an ExportTraceServiceRequest. */
#define SPANS_BEFORE "{\"resourceSpans\":["
#define SPANS_BEHIND "]}"

struct span_writer;

/* span_writer_new returns one that gives each ResourceSpans once its trace is known; NULL when memory
 * ran out. */
struct span_writer *span_writer_new(span_give_fn give, void *context);
void span_writer_free(struct span_writer *writer); /* NULL is allowed */

/* span_writer_add adds a call that has ended. False when memory ran out: it is not given. */
bool span_writer_add(struct span_writer *writer, const struct call *call);

/* span_writer_end gives all that still wait. */
void span_writer_end(struct span_writer *writer);

#endif
