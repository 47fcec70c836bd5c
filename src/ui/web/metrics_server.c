/*
 * metrics_server.c - see metrics_server.h.
 */
#include "ui/web/metrics_server.h"

#include "ui/web/web_http.h"

#include "core/clock.h"
#include "core/complain.h"

bool metrics_server_check(void)
{
    if (web_http_is_built())
        return true;
    complain("this distsniff serves no metrics: build it with -DDISTSNIFF_WEB=ON, which needs "
             "libmicrohttpd (Debian: libmicrohttpd-dev), or let --metrics FILE.prom write them");
    return false;
}

#ifdef DISTSNIFF_WEB

#include "core/thread.h"
#include "ui/web/http_library.h"
#include "ui/web/http_visitors.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE_S = 10, MAX_CONNECTIONS = 16 };
#define WAIT_NS INT64_C(3000000000)

struct metrics_server {
    int fd; /* -1: it belongs to the daemon */
    bool is_local;
    struct listen_name name;
    struct MHD_Daemon *daemon;
    struct http_visitors visitors; /* used by the daemon's thread */
    pthread_mutex_t lock;
    pthread_cond_t is_given;
    _Atomic bool is_asked;
    bool is_ending;
    bool is_final; /* text is the last: no newer numbers come */
    uint64_t num_given;
    struct ds_buffer text; /* the latest numbers */
};

struct metrics_server *metrics_server_open(const struct listen_address *address)
{
    struct metrics_server *server = calloc(1, sizeof *server);
    if (server == NULL) {
        complain("out of memory");
        return NULL;
    }
    pthread_mutex_init(&server->lock, NULL);
    thread_condition_init(&server->is_given);
    server->is_local = listen_address_is_local(address);
    server->fd =
        http_library_load("--metrics") ? listen_address_open("--metrics", address, &server->name) : -1;
    if (server->fd >= 0)
        return server;
    metrics_server_free(server);
    return NULL;
}

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned status, const char *text,
                              size_t len, const char *type)
{
    struct MHD_Response *response =
        http_library.create_response_from_buffer(len, (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
    if (response == NULL)
        return MHD_NO;
    http_library.add_response_header(response, "Content-Type", type);
    http_library.add_response_header(response, "Cache-Control", "no-store");
    http_library.add_response_header(response, "X-Content-Type-Options", "nosniff");
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        http_library.add_response_header(response, "Allow", "GET, HEAD");
    const enum MHD_Result result = http_library.queue_response(connection, status, response);
    http_library.destroy_response(response);
    return result;
}

static enum MHD_Result say(struct MHD_Connection *connection, unsigned status, const char *text)
{
    return answer(connection, status, text, strlen(text), "text/plain; charset=utf-8");
}

/* wait_for_text waits for numbers that are newer than the request, or the last ones. The caller has
 * locked the mutex. */
static bool wait_for_text(struct metrics_server *server)
{
    const uint64_t before = server->num_given;
    const int64_t until_ns = clock_now_ns() + WAIT_NS;
    atomic_store(&server->is_asked, true);
    while (server->num_given == before && !server->is_final && !server->is_ending) {
        if (!thread_wait_until(&server->is_given, &server->lock, until_ns))
            break;
    }
    return (server->num_given != before || server->is_final) && !server->text.failed;
}

static enum MHD_Result send_metrics(struct metrics_server *server, struct MHD_Connection *connection)
{
    pthread_mutex_lock(&server->lock);
    const bool is_there = wait_for_text(server);
    const enum MHD_Result result =
        is_there ? answer(connection, MHD_HTTP_OK, server->text.data, server->text.len,
                          "text/plain; version=0.0.4; charset=utf-8")
                 : say(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "Too busy: try again.\n");
    pthread_mutex_unlock(&server->lock);
    return result;
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *data_len, void **state)
{
    static int seen; /* only its address matters */
    struct metrics_server *server = context;
    (void)version;
    (void)data;
    if (*state == NULL) {
        *state = &seen;
        return MHD_YES;
    }
    if (*data_len != 0) { /* a request body is ignored */
        *data_len = 0;
        return MHD_YES;
    }
    http_visitors_on_request(&server->visitors, connection);
    const char *host = http_library.lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    if (server->is_local && !web_http_host_is_safe(host))
        return say(connection, MHD_HTTP_FORBIDDEN,
                   "Unknown host name: use localhost or an IP address. --metrics ADDR:PORT "
                   "accepts any name.\n");
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return say(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "Only GET is allowed.\n");
    if (strcmp(url, "/metrics") != 0)
        return say(connection, MHD_HTTP_NOT_FOUND, "Not found: the metrics are at /metrics.\n");
    return send_metrics(server, connection);
}

static void on_completed(void *context, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode code)
{
    struct metrics_server *server = context;
    (void)state;
    (void)code;
    http_visitors_on_answer(&server->visitors, connection);
}

bool metrics_server_start(struct metrics_server *server)
{
    server->visitors = (struct http_visitors){.max = MAX_CONNECTIONS};
    server->daemon = http_library.start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL, 0, NULL, NULL, on_request, server,
        MHD_OPTION_LISTEN_SOCKET, server->fd, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)MAX_CONNECTIONS + HTTP_VISITORS_SPARE, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)PATIENCE_S, MHD_OPTION_NOTIFY_CONNECTION, http_visitors_notify, &server->visitors,
        MHD_OPTION_NOTIFY_COMPLETED, on_completed, server, MHD_OPTION_END);
    if (server->daemon == NULL) {
        complain("--metrics: cannot serve: out of threads or memory");
        return false;
    }
    server->fd = -1;
    fprintf(stderr, "metrics at http://%s/metrics\n", server->name.text);
    return true;
}

bool metrics_server_is_asked(struct metrics_server *server)
{
    return atomic_load_explicit(&server->is_asked, memory_order_relaxed);
}

void metrics_server_publish(struct metrics_server *server, const struct ds_buffer *text)
{
    pthread_mutex_lock(&server->lock);
    atomic_store(&server->is_asked, false);
    ds_buffer_free(&server->text);
    ds_buffer_add(&server->text, text->data, text->len);
    server->text.failed |= text->failed;
    server->num_given++;
    pthread_cond_broadcast(&server->is_given);
    pthread_mutex_unlock(&server->lock);
}

void metrics_server_publish_last(struct metrics_server *server, const struct ds_buffer *text)
{
    metrics_server_publish(server, text);
    pthread_mutex_lock(&server->lock);
    server->is_final = true;
    pthread_cond_broadcast(&server->is_given);
    pthread_mutex_unlock(&server->lock);
}

void metrics_server_free(struct metrics_server *server)
{
    if (server == NULL)
        return;
    pthread_mutex_lock(&server->lock);
    server->is_ending = true;
    pthread_cond_broadcast(&server->is_given);
    pthread_mutex_unlock(&server->lock);
    if (server->daemon != NULL)
        http_library.stop_daemon(server->daemon); /* which closes the socket */
    if (server->fd >= 0)
        close(server->fd);
    pthread_cond_destroy(&server->is_given);
    pthread_mutex_destroy(&server->lock);
    ds_buffer_free(&server->text);
    free(server);
}

#else

struct metrics_server *metrics_server_open(const struct listen_address *address)
{
    (void)address;
    return NULL;
}

bool metrics_server_start(struct metrics_server *server)
{
    (void)server;
    return false;
}

bool metrics_server_is_asked(struct metrics_server *server)
{
    (void)server;
    return false;
}

void metrics_server_publish(struct metrics_server *server, const struct ds_buffer *text)
{
    (void)server;
    (void)text;
}

void metrics_server_publish_last(struct metrics_server *server, const struct ds_buffer *text)
{
    (void)server;
    (void)text;
}

void metrics_server_free(struct metrics_server *server)
{
    (void)server;
}

#endif
