/*
 * http_visitors.h - connections to a server of ours that wait for a request. A client may send its
 * headers byte by byte for as long as it likes, and the number of connections is limited: if there
 * are more than max, the one that has kept the server waiting longest is shut down, so that a
 * client that asks at once always gets an answer. All data belongs to the daemon's thread.
 */
#ifndef SRC_HTTP_VISITORS_H
#define SRC_HTTP_VISITORS_H

#include <microhttpd.h>

/* A daemon accepts so many more: connections that were shut down disappear a moment later. */
enum { HTTP_VISITORS_SPARE = 16 };

struct http_visitor;

struct http_visitors {
    unsigned max;
    unsigned num;                         /* open connections */
    struct http_visitor *oldest, *newest; /* of those whose request is awaited */
};

/* http_visitors_notify is for MHD_OPTION_NOTIFY_CONNECTION, with the visitors as its context. */
void http_visitors_notify(void *context, struct MHD_Connection *connection, void **socket_context,
                          enum MHD_ConnectionNotificationCode what);

/* http_visitors_on_request records that a request is complete: while it is answered, however long
 * that takes, the connection is not shut down. http_visitors_on_answer records that the answer
 * was sent and the next request is awaited. */
void http_visitors_on_request(struct http_visitors *visitors, struct MHD_Connection *connection);
void http_visitors_on_answer(struct http_visitors *visitors, struct MHD_Connection *connection);

#endif
