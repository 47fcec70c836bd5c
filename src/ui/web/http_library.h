/*
 * http_library.h - libmicrohttpd, which is loaded when something is to be served. It brings a
 * library for TLS with it and what that needs: a run that serves nothing has none of it in the
 * process that looks at packets, and starts faster.
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

/* http_library is its functions, all NULL before http_library_load. */
extern struct http_library http_library;

/* http_library_load loads it, while files can still be opened. False after a complaint that names the
 * option. */
bool http_library_load(const char *option);

#endif
