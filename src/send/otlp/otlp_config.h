/*
 * otlp_config.h - the command line's settings for calls as spans to a receiver of OTLP over HTTP.
 *
 * Design.
 *   - A span is what -T otlp=FILE writes (span_writer.h). Requests are POSTs of an
 *     ExportTraceServiceRequest in JSON (https://opentelemetry.io/docs/specs/otlp/, "OTLP/HTTP").
 *   - A separate process has the connection (sender.h, otlp_send_loop.h), and the credentials.
 *   - Between it and the capture is a queue of fixed size. A live capture never waits for it: spans
 *     that do not fit are counted, and reported at the end.
 *   - A span stays in the queue until the receiver has answered. otlp_answer.h decides what the
 *     answer means: some spans are sent again, after a pause, some are dropped and counted. OTLP has
 *     no ids by which a receiver could detect duplicates: if an answer is lost, spans come twice.
 */
#ifndef SRC_OTLP_CONFIG_H
#define SRC_OTLP_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

enum { OTLP_MAX_URL = 1024 };
enum { OTLP_QUEUE_SIZE = 16 * 1024 * 1024, OTLP_QUEUE_LEAST = 64 * 1024 };

struct otlp_config {
    char url[OTLP_MAX_URL]; /* complete; empty: none was given */
    bool has_tls;
    bool is_local;          /* to this host */
    bool is_packed;         /* with gzip */
    const char *headers_file, *ca_file, *certificate_file, *key_file; /* NULL: none */
    int64_t queue_size;     /* bytes; 0: OTLP_QUEUE_SIZE */
};

/* otlp_is_url says whether a word is meant as a URL, valid or not, rather than a file. */
bool otlp_is_url(const char *word);

/* otlp_url_parse parses http://HOST[:PORT][/PATH], or https://; the default path is /v1/traces, as
 * in the specification. False after an error message. */
bool otlp_url_parse(const char *word, struct otlp_config *config);

/* otlp_check says whether this build can send spans. False after an error message. */
bool otlp_check(void);

/* otlp_check_together says whether the options go together. False after an error message. */
bool otlp_check_together(const struct otlp_config *config);

#endif
