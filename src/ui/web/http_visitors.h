/*
 * http_visitors.h - who has connected to a server of ours and has not asked for anything yet. A head
 * may come byte by byte for as long as somebody likes, and there are only so many connections: where
 * there are more than max, the one that has kept the server waiting longest is shut down, so that who
 * asks at once is answered whoever else is there. All of it belongs to the daemon's thread.
 */
#ifndef SRC_HTTP_VISITORS_H
#define SRC_HTTP_VISITORS_H

#include <microhttpd.h>

/* A daemon accepts so many more: those that were shut down are gone a moment later. */
enum { HTTP_VISITORS_SPARE = 16 };

struct http_visitor;

struct http_visitors {
    unsigned max;
    unsigned num;                         /* connections that are open */
    struct http_visitor *oldest, *newest; /* of those that are waited for */
};

/* http_visitors_notify is for MHD_OPTION_NOTIFY_CONNECTION, with the visitors as its context. */
void http_visitors_notify(void *context, struct MHD_Connection *connection, void **socket_context,
                          enum MHD_ConnectionNotificationCode what);

/* http_visitors_has_asked notes that a request is whole and is answered: whatever that takes, it is not
 * shut down. http_visitors_is_answered notes that the answer is out, and the next request is waited for. */
void http_visitors_has_asked(struct http_visitors *visitors, struct MHD_Connection *connection);
void http_visitors_is_answered(struct http_visitors *visitors, struct MHD_Connection *connection);

#endif
