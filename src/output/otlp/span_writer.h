/*
 * span_writer.h - calls as spans in OTLP's JSON, each a ResourceSpans of opentelemetry-proto with
 * one span: ids in hex, 64-bit numbers as strings, enums as numbers
 * (https://opentelemetry.io/docs/specs/otlp/, "JSON Protobuf Encoding").
 *
 * A span shows the caller's view: how long it waited. Spans of calls made in its service are its
 * children. Text in the request that looks like a traceparent
 * (https://www.w3.org/TR/trace-context/) determines its trace, and its parent span in the
 * application.
 */
#ifndef SRC_SPAN_WRITER_H
#define SRC_SPAN_WRITER_H

#include "output/otlp/span_trees.h"
#include "record/record.h"

#include <stdbool.h>

/* The text before and after the spans, which are joined by commas: an ExportTraceServiceRequest. */
#define SPANS_BEFORE "{\"resourceSpans\":["
#define SPANS_BEHIND "]}"

struct span_writer;

/* span_writer_new returns a writer that passes each ResourceSpans to emit when its trace is known;
 * NULL if memory ran out. */
struct span_writer *span_writer_new(span_fn emit, void *context);
void span_writer_free(struct span_writer *writer); /* NULL is allowed */

/* span_writer_add adds a call that has ended. False if memory ran out: the call is lost. */
bool span_writer_add(struct span_writer *writer, const struct call *call);

/* span_writer_end passes on all that still wait. */
void span_writer_end(struct span_writer *writer);

#endif
