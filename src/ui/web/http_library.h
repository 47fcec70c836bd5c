/*
 * http_library.h - libmicrohttpd, loaded only when something is to be served. It brings a TLS
 * library and its dependencies with it: a run that serves nothing has none of them in the process
 * that reads packets, and starts faster.
 */
#ifndef SRC_HTTP_LIBRARY_H
#define SRC_HTTP_LIBRARY_H

#include <microhttpd.h>
#include <stdbool.h>

struct http_library {
#define HTTP(name) __typeof__(MHD_##name) *name;
#include "ui/web/http_library.def"
#undef HTTP
};

/* http_library is its functions; all are NULL before http_library_load. */
extern struct http_library http_library;

/* http_library_load loads it, while files can still be opened. False after an error message that
 * names the option. */
bool http_library_load(const char *option);

#endif
