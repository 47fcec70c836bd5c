/*
 * web.h - --web: the page of -T html while it still grows, for browsers that look on.
 *
 * Records are gathered as for -T html, by whoever writes outputs (sink_web); a thread of its own makes
 * a state of the page of that every few seconds, while anybody looks; a third one serves it. None of
 * them is the one that captures.
 */
#ifndef SRC_WEB_H
#define SRC_WEB_H

#include "core/listen_address.h"
#include "output/sink.h"

struct web;

struct web_config {
    struct listen_address address;
    const char *token_file; /* NULL: this run makes its own */
    bool is_live; /* more may come than anybody can read: not each message is listed */
    bool redacted;
    uint64_t limits[DS_LIMIT_COUNT]; /* of the session */
};

/* web_check says whether this build can serve; false after a complaint. */
bool web_check(void);

/* web_open opens the socket: to be called while there are rights to. NULL after a complaint. */
struct web *web_open(const struct web_config *config);

/* web_start serves, and says where on standard error. False after a complaint. */
bool web_start(struct web *web);

/* web_serve_on goes on until the user wants to end. */
void web_serve_on(struct web *web);

/* web_free tells those who look on that this is the end, as long as they take it at once, and ends.
 * NULL is allowed. */
void web_free(struct web *web);

/* web_num_refused returns how many browsers were sent away because there were too many. */
uint64_t web_num_refused(struct web *web);

/* sink_web gathers what the page shows; it writes nothing. config->web is whose it is. */
extern const struct sink_kind sink_web;

#endif
