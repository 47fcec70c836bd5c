/*
 * web.h - --web: the page of -T html while it still grows, for browsers that watch.
 *
 * The thread of the outputs gathers records as for -T html (sink_web); a second thread makes a
 * state of the page from them every few seconds, if a browser watches; a third one serves it. None
 * of them captures.
 */
#ifndef SRC_WEB_H
#define SRC_WEB_H

#include "core/listen_address.h"
#include "output/sink.h"

struct web;

struct web_config {
    struct listen_address address;
    const char *token_file; /* NULL: this run generates its own */
    bool is_live; /* more may come than a person can read: not every message is listed */
    bool redacted;
    uint64_t limits[DS_LIMIT_COUNT]; /* of the session */
};

/* web_check says whether this build can serve; false after an error message. */
bool web_check(void);

/* web_open opens the socket: call it while the program has the rights to. NULL after an error
 * message. */
struct web *web_open(const struct web_config *config);

/* web_start starts to serve, and prints the address on standard error. False after an error
 * message. */
bool web_start(struct web *web);

/* web_serve_on continues to serve until the user ends the program. */
void web_serve_on(struct web *web);

/* web_free announces the end to the browsers, waits a moment for those that read, and frees. NULL
 * is allowed. */
void web_free(struct web *web);

/* web_num_refused returns how many browsers were refused because there were too many. */
uint64_t web_num_refused(struct web *web);

/* sink_web gathers the records for the page of config->web; it writes nothing. */
extern const struct sink_kind sink_web;

#endif
