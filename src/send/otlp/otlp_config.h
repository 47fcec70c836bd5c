/*
 * otlp_config.h - calls as spans to whoever receives OTLP over HTTP, as the command line has it.
 *
 * Design.
 *   - A span is what -T otlp=FILE writes (span_writer.h). Requests are POSTs of an
 *     ExportTraceServiceRequest in JSON (https://opentelemetry.io/docs/specs/otlp/, "OTLP/HTTP").
 *   - The connection is a process of its own (sender.h, otlp_send_loop.h), which holds the credentials.
 *   - Between it and the capture is a queue of fixed size. A live capture never waits for it: what finds
 *     no room is counted, and told at the end.
 *   - A span stays in the queue until the receiver has answered. What it answers is judged by
 *     otlp_answer.h: some of it is sent again, behind a pause, some is given up and counted. OTLP knows
 *     no ids by which a receiver could tell what it has already: where an answer is lost, spans come twice.
 */
#ifndef SRC_OTLP_CONFIG_H
#define SRC_OTLP_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

enum { OTLP_MAX_URL = 1024 };
enum { OTLP_QUEUE_SIZE = 16 * 1024 * 1024, OTLP_QUEUE_LEAST = 64 * 1024 };

struct otlp_config {
    char url[OTLP_MAX_URL]; /* whole; empty: none was given */
    bool has_tls;
    bool is_local;          /* to this host */
    bool is_packed;         /* with gzip */
    const char *headers_file, *ca_file, *certificate_file, *key_file; /* NULL: none */
    int64_t queue_size;     /* bytes; 0: OTLP_QUEUE_SIZE */
};

/* otlp_is_url says whether a word is meant to be one, right or wrong, not a file. */
bool otlp_is_url(const char *word);

/* otlp_url_parse reads http://HOST[:PORT][/PATH], or https://; without a path it is that of the
 * specification, /v1/traces. False after a complaint. */
bool otlp_url_parse(const char *word, struct otlp_config *config);

/* otlp_check says whether this build can send at all. False after a complaint. */
bool otlp_check(void);

/* otlp_check_together says whether all that was given goes together. False after a complaint. */
bool otlp_check_together(const struct otlp_config *config);

#endif
