/*
 * otlp_headers.h - the file of --otlp-headers: lines of "name: value", which become headers of each
 * request; empty lines and lines that begin with # are ignored.
 */
#ifndef SRC_OTLP_HEADERS_H
#define SRC_OTLP_HEADERS_H

#include <stdbool.h>
#include <stddef.h>

enum { OTLP_MAX_HEADERS = 32 };

struct otlp_headers {
    char *lines[OTLP_MAX_HEADERS]; /* they point into the text */
    size_t num;
};

/* otlp_headers_parse splits the text of a file, which the caller keeps. False after an error
 * message, which contains nothing of the text. */
bool otlp_headers_parse(const char *name, char *text, struct otlp_headers *headers);

#endif
