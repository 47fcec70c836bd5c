/*
 * metrics_server.h - --metrics [ADDR:]PORT: GET /metrics, for Prometheus to scrape.
 *
 * The numbers belong to the thread that counts. Who asks waits for it to hand them over, which it does
 * when it looks around; so a scrape has them as they are, and nobody waits for the scraper. On an
 * address of this machine alone a request that came here by a name is refused, as in web_http.h.
 */
#ifndef SRC_METRICS_SERVER_H
#define SRC_METRICS_SERVER_H

#include "core/listen_address.h"

#include <distsniff/term.h>

struct metrics_server;

/* metrics_server_check says whether this build can serve; false after a complaint. */
bool metrics_server_check(void);

/* metrics_server_open opens the socket: to be called while there are rights to. NULL after a
 * complaint. */
struct metrics_server *metrics_server_open(const struct listen_address *address);

/* metrics_server_start serves, and says where on standard error. False after a complaint. */
bool metrics_server_start(struct metrics_server *server);

/* metrics_server_is_asked says whether somebody waits for the numbers; metrics_server_give hands them
 * over. text stays the caller's. */
bool metrics_server_is_asked(struct metrics_server *server);
void metrics_server_give(struct metrics_server *server, const struct ds_buffer *text);

/* metrics_server_give_last does so when no more is counted: who asks from then on gets these at once. */
void metrics_server_give_last(struct metrics_server *server, const struct ds_buffer *text);

void metrics_server_free(struct metrics_server *server); /* NULL is allowed */

#endif
