/*
 * web_http.h - the HTTP side of --web, by libmicrohttpd: which requests are answered.
 *
 *   GET /TOKEN/            the page, without data
 *   GET /TOKEN/events      the data, again and again, web_clients.h
 *   GET /TOKEN/page.html   the current page, as -T html writes it
 *
 * Each run has a random token, unless a file gives one: a client that does not know the address
 * finds nothing. A request whose Host is a name is refused, so that no foreign page can reach this
 * server through an address of its own name (DNS rebinding); and no answer allows other pages to
 * read it (CORS).
 */
#ifndef SRC_WEB_HTTP_H
#define SRC_WEB_HTTP_H

#include "ui/web/web_clients.h"

enum { WEB_TOKEN_LEN = 32, WEB_PATIENCE_S = 10 };

struct web_http;

struct web_http_config {
    int fd; /* connections are accepted from it; closed in the end */
    const char *token;
    struct web_clients *clients;
    bool (*write_page)(void *context, struct ds_buffer *out); /* false if memory ran out */
    void *context;
};

/* web_http_is_built says whether this build can serve. */
bool web_http_is_built(void);

/* web_http_load loads the library, before the rights to open files are dropped. False after an
 * error message that names the option. */
bool web_http_load(const char *option);

/* web_http_start starts to serve in a separate thread. NULL if that failed. */
struct web_http *web_http_start(const struct web_http_config *config);
void web_http_stop(struct web_http *http); /* NULL is allowed */

/* web_http_host_is_safe says whether a Host header shows that no foreign name led the browser here:
 * it is localhost or an address. NULL: no header was sent. */
bool web_http_host_is_safe(const char *host);

#endif
