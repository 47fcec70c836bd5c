/*
 * web_http.h - who may ask what: the HTTP side of --web, by libmicrohttpd.
 *
 *   GET /TOKEN/            the page, without data
 *   GET /TOKEN/events      the data, again and again, web_clients.h
 *   GET /TOKEN/page.html   the page as it stands, as -T html writes it
 *
 * The token is made anew for each run: who has not been told the address finds nothing. A request
 * whose Host is a name is refused, so that no page of somebody else's can be led here by its name's
 * address (DNS rebinding); and no answer allows other pages to read it (CORS).
 */
#ifndef SRC_WEB_HTTP_H
#define SRC_WEB_HTTP_H

#include "ui/web/web_clients.h"

enum { WEB_TOKEN_LEN = 32, WEB_PATIENCE_S = 10 };

struct web_http;

struct web_http_config {
    int fd; /* it is accepted from, and closed in the end */
    const char *token;
    struct web_clients *clients;
    bool (*write_page)(void *context, struct ds_buffer *out); /* false when memory ran out */
    void *context;
};

/* web_http_is_built says whether this build can serve at all. */
bool web_http_is_built(void);

/* web_http_load loads what serves, before the rights to open files are given up. False after a
 * complaint that names the option. */
bool web_http_load(const char *option);

/* web_http_start serves in a thread of its own. NULL when that could not be. */
struct web_http *web_http_start(const struct web_http_config *config);
void web_http_stop(struct web_http *http); /* NULL is allowed */

/* web_http_host_is_safe says whether a browser that sends this as Host was led here by nobody's name:
 * localhost, or an address. NULL: it sent none. */
bool web_http_host_is_safe(const char *host);

#endif
