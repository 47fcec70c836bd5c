/*
 * otlp_headers.h - what --otlp-headers has in its file: lines of "name: value", headers of each request;
 * empty lines and those that begin with # are passed over.
 */
#ifndef SRC_OTLP_HEADERS_H
#define SRC_OTLP_HEADERS_H

#include <stdbool.h>
#include <stddef.h>

enum { OTLP_MAX_HEADERS = 32 };

struct otlp_headers {
    char *lines[OTLP_MAX_HEADERS]; /* within the text */
    size_t num;
};

/* otlp_headers_parse parts the text of a file, which stays with the caller. False after a complaint, which
 * repeats nothing of it. */
bool otlp_headers_parse(const char *name, char *text, struct otlp_headers *headers);

#endif
