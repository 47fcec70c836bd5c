/*
 * http_visitors.c - see http_visitors.h.
 */
#ifdef DISTSNIFF_WEB

#include "ui/web/http_visitors.h"

#include "ui/web/http_library.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>

struct http_visitor {
    int fd;
    bool is_waited_for;
    struct http_visitor *older, *newer;
};

static void wait_for(struct http_visitors *visitors, struct http_visitor *visitor)
{
    if (visitor == NULL || visitor->is_waited_for)
        return;
    visitor->is_waited_for = true;
    visitor->newer = NULL;
    visitor->older = visitors->newest;
    *(visitors->newest != NULL ? &visitors->newest->newer : &visitors->oldest) = visitor;
    visitors->newest = visitor;
}

static void wait_no_more(struct http_visitors *visitors, struct http_visitor *visitor)
{
    if (visitor == NULL || !visitor->is_waited_for)
        return;
    visitor->is_waited_for = false;
    *(visitor->older != NULL ? &visitor->older->newer : &visitors->oldest) = visitor->newer;
    *(visitor->newer != NULL ? &visitor->newer->older : &visitors->newest) = visitor->older;
}

static struct http_visitor *visitor_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        http_library.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info != NULL ? info->socket_context : NULL;
}

static struct http_visitor *welcome(struct http_visitors *visitors, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        http_library.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct http_visitor *visitor = info != NULL ? calloc(1, sizeof *visitor) : NULL;
    visitors->num++;
    if (visitors->num > visitors->max && visitors->oldest != NULL) {
        /* The daemon notices the end of the connection, and closes it. */
        (void)shutdown(visitors->oldest->fd, SHUT_RDWR);
        wait_no_more(visitors, visitors->oldest);
    }
    if (visitor == NULL)
        return NULL;
    visitor->fd = info->connect_fd;
    wait_for(visitors, visitor);
    return visitor;
}

void http_visitors_notify(void *context, struct MHD_Connection *connection, void **socket_context,
                          enum MHD_ConnectionNotificationCode what)
{
    struct http_visitors *visitors = context;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        *socket_context = welcome(visitors, connection);
        return;
    }
    visitors->num--;
    wait_no_more(visitors, *socket_context);
    free(*socket_context);
    *socket_context = NULL;
}

void http_visitors_on_request(struct http_visitors *visitors, struct MHD_Connection *connection)
{
    wait_no_more(visitors, visitor_of(connection));
}

void http_visitors_on_answer(struct http_visitors *visitors, struct MHD_Connection *connection)
{
    wait_for(visitors, visitor_of(connection));
}

#endif
