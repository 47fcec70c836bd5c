/*
 * metrics_server.h - --metrics [ADDR:]PORT: GET /metrics, for Prometheus to scrape.
 *
 * The numbers belong to the thread that counts. A request waits until that thread hands them over,
 * which it does regularly; so a scrape gets current numbers, and the counting thread never waits
 * for a scraper. If the address is local, requests whose Host is a name are refused, as in
 * web_http.h.
 */
#ifndef SRC_METRICS_SERVER_H
#define SRC_METRICS_SERVER_H

#include "core/listen_address.h"

#include <distsniff/term.h>

struct metrics_server;

/* metrics_server_check says whether this build can serve; false after an error message. */
bool metrics_server_check(void);

/* metrics_server_open opens the socket: call it while the program has the rights to. NULL after an
 * error message. */
struct metrics_server *metrics_server_open(const struct listen_address *address);

/* metrics_server_start starts to serve, and prints the address on standard error. False after an
 * error message. */
bool metrics_server_start(struct metrics_server *server);

/* metrics_server_is_asked says whether a request waits for the numbers; metrics_server_publish hands
 * them over. The caller keeps text. */
bool metrics_server_is_asked(struct metrics_server *server);
void metrics_server_publish(struct metrics_server *server, const struct ds_buffer *text);

/* metrics_server_publish_last hands over the final numbers: later requests get these at once. */
void metrics_server_publish_last(struct metrics_server *server, const struct ds_buffer *text);

void metrics_server_free(struct metrics_server *server); /* NULL is allowed */

#endif
