/*
 * web_http.c - see web_http.h.
 */
#include "ui/web/web_http.h"

#include <arpa/inet.h>
#include <string.h>

/* host_len returns the length of a Host without its port. */
static size_t host_len(const char *host)
{
    const char *end = host[0] == '[' ? strchr(host, ']') : strchr(host, ':');
    return end == NULL ? strlen(host) : (size_t)(end - host) + (host[0] == '[');
}

bool web_http_host_is_safe(const char *host)
{
    char text[INET6_ADDRSTRLEN + 2];
    unsigned char address[16];
    if (host == NULL || host_len(host) >= sizeof text ||
        (host[0] == '[' && strchr(host, ']') == NULL))
        return false;
    const size_t len = host_len(host);
    if (host[len] != '\0' && host[len] != ':')
        return false;
    memcpy(text, host, len);
    text[len] = '\0';
    if (strcmp(text, "localhost") == 0 || inet_pton(AF_INET, text, address) == 1)
        return true;
    if (len < 3 || text[0] != '[')
        return false;
    text[len - 1] = '\0';
    return inet_pton(AF_INET6, text + 1, address) == 1;
}

#ifdef DISTSNIFF_WEB

#include "core/complain.h"
#include "ui/page/page_parts.h"
#include "ui/web/http_library.h"
#include "ui/web/http_visitors.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENT_BLOCK = 32 * 1024, SPARE_CONNECTIONS = 16 };

struct web_http {
    struct web_http_config config;
    struct MHD_Daemon *daemon;
    struct http_visitors visitors; /* used by the daemon's thread */
    struct MHD_Response *page;
    struct ds_buffer page_text;
};

/* request is a request in progress; client is 0 if it is not for events. */
struct request {
    uint64_t client;
};

static void sleep_connection(void *connection)
{
    http_library.suspend_connection(connection);
}

static void wake_connection(void *connection)
{
    http_library.resume_connection(connection);
}

/* is_closed checks whether the browser has closed its side. */
static bool is_closed(void *connection)
{
    const union MHD_ConnectionInfo *info =
        http_library.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    char byte;
    const ssize_t len = info != NULL ? recv(info->connect_fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) : 1;
    return len == 0 || (len < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

static void add_headers(struct MHD_Response *response, const char *type)
{
    static const char *const headers[][2] = {
        {"Cache-Control", "no-store"},
        {"Content-Security-Policy", "frame-ancestors 'none'"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Referrer-Policy", "no-referrer"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
    };
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        http_library.add_response_header(response, headers[i][0], headers[i][1]);
    http_library.add_response_header(response, "Content-Type", type);
}

static enum MHD_Result send_text(struct MHD_Connection *connection, unsigned status, const char *text)
{
    struct MHD_Response *response = http_library.create_response_from_buffer(
        strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT);
    if (response == NULL)
        return MHD_NO;
    add_headers(response, "text/plain; charset=utf-8");
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        http_library.add_response_header(response, "Allow", "GET, HEAD");
    const enum MHD_Result result = http_library.queue_response(connection, status, response);
    http_library.destroy_response(response);
    return result;
}

static ssize_t read_events(void *context, uint64_t pos, char *out, size_t max)
{
    (void)pos;
    const ptrdiff_t len = web_client_read(context, out, max);
    return len < 0 ? MHD_CONTENT_READER_END_OF_STREAM : len;
}

static void leave(void *context)
{
    web_clients_leave(context);
}

static enum MHD_Result send_events(struct web_http *http, struct MHD_Connection *connection,
                                   struct request *request)
{
    const char *last_id =
        http_library.lookup_connection_value(connection, MHD_HEADER_KIND, "Last-Event-ID");
    struct web_client *client = web_clients_join(http->config.clients, connection, last_id);
    if (client == NULL) {
        if (web_clients_num_refused(http->config.clients) == 1)
            complain("--web: a browser was refused, because %llu are connected: see "
                     "--max-web-clients",
                     (unsigned long long)http->config.clients->max);
        return send_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
                         "Too many browsers are connected: close one, or see --max-web-clients.\n");
    }
    struct MHD_Response *response = http_library.create_response_from_callback(
        MHD_SIZE_UNKNOWN, EVENT_BLOCK, read_events, client, leave);
    if (response == NULL) {
        web_clients_leave(client);
        return MHD_NO;
    }
    request->client = client->number;
    add_headers(response, "text/event-stream; charset=utf-8");
    http_library.add_response_header(response, "X-Accel-Buffering", "no"); /* nginx: do not buffer */
    const enum MHD_Result result = http_library.queue_response(connection, MHD_HTTP_OK, response);
    http_library.destroy_response(response);
    return result;
}

static enum MHD_Result send_file(struct web_http *http, struct MHD_Connection *connection)
{
    struct ds_buffer text = {0};
    if (!http->config.write_page(http->config.context, &text)) {
        ds_buffer_free(&text);
        return send_text(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "Out of memory.\n");
    }
    struct MHD_Response *response =
        http_library.create_response_from_buffer(text.len, text.data, MHD_RESPMEM_MUST_FREE);
    if (response == NULL) {
        ds_buffer_free(&text);
        return MHD_NO;
    }
    add_headers(response, "text/html; charset=utf-8");
    http_library.add_response_header(response, "Content-Disposition",
                                     "attachment; filename=\"distsniff.html\"");
    const enum MHD_Result result = http_library.queue_response(connection, MHD_HTTP_OK, response);
    http_library.destroy_response(response);
    return result;
}

/* after_token returns the text after the token, NULL if the token is wrong. The time does not
 * depend on how much of it is right. */
static const char *after_token(const char *url, const char *token)
{
    unsigned char differs = 0;
    if (strlen(url) < WEB_TOKEN_LEN + 2 || url[0] != '/' || url[WEB_TOKEN_LEN + 1] != '/')
        return NULL;
    for (size_t i = 0; i < WEB_TOKEN_LEN; i++)
        differs |= (unsigned char)(url[i + 1] ^ token[i]);
    return differs == 0 ? url + WEB_TOKEN_LEN + 2 : NULL;
}

static enum MHD_Result answer(struct web_http *http, struct MHD_Connection *connection,
                              const char *url, const char *method, struct request *request)
{
    const char *host = http_library.lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    const char *what = after_token(url, http->config.token);
    if (!web_http_host_is_safe(host))
        return send_text(connection, MHD_HTTP_FORBIDDEN,
                         "Unknown host name: use localhost or an IP address, as printed by "
                         "distsniff.\n");
    if (what == NULL)
        return send_text(connection, MHD_HTTP_NOT_FOUND,
                         "Not found. distsniff printed the address of the page when it started.\n");
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return send_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "Only GET is allowed.\n");
    if (what[0] == '\0')
        return http_library.queue_response(connection, MHD_HTTP_OK, http->page);
    if (strcmp(what, "events") == 0)
        return send_events(http, connection, request);
    if (strcmp(what, "page.html") == 0)
        return send_file(http, connection);
    return send_text(connection, MHD_HTTP_NOT_FOUND, "Not found.\n");
}

/* on_request is called when a request's headers are read, and again for its body and its end. */
static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *data_len, void **state)
{
    (void)version;
    (void)data;
    if (*state == NULL) {
        *state = calloc(1, sizeof(struct request));
        return *state != NULL ? MHD_YES : MHD_NO;
    }
    if (*data_len != 0) { /* a request body is ignored */
        *data_len = 0;
        return MHD_YES;
    }
    struct web_http *http = context;
    http_visitors_on_request(&http->visitors, connection);
    return answer(http, connection, url, method, *state);
}

/* report_dropped prints that a browser was dropped. */
static void report_dropped(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        http_library.get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr_in *four = info != NULL ? (const void *)info->client_addr : NULL;
    const struct sockaddr_in6 *six = (const void *)four;
    char host[INET6_ADDRSTRLEN] = "?";
    if (four == NULL)
        return;
    const bool is_six = four->sin_family == AF_INET6;
    inet_ntop(four->sin_family, is_six ? (const void *)&six->sin6_addr : &four->sin_addr, host,
              sizeof host);
    complain("--web: a browser at %s, port %u, did not read for %d s and was dropped", host,
             (unsigned)ntohs(is_six ? six->sin6_port : four->sin_port), (int)WEB_PATIENCE_S);
}

static void on_completed(void *context, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode code)
{
    struct web_http *http = context;
    struct request *request = *state;
    http_visitors_on_answer(&http->visitors, connection);
    if (request != NULL && request->client != 0 && code == MHD_REQUEST_TERMINATED_TIMEOUT_REACHED) {
        web_clients_drop(http->config.clients, request->client);
        report_dropped(connection);
    }
    free(request);
    *state = NULL;
}

/* make_page assembles the page to serve: its policy allows requests to this server only. */
static bool make_page(struct web_http *http)
{
    struct ds_buffer *text = &http->page_text;
    ds_buffer_add(text, page_head_data.bytes, page_head_data.len);
    ds_buffer_add_text(text, " connect-src 'self';");
    ds_buffer_add(text, page_before_data.bytes, page_before_data.len);
    ds_buffer_add(text, page_behind_data.bytes, page_behind_data.len);
    if (text->failed)
        return false;
    http->page = http_library.create_response_from_buffer(text->len, text->data, MHD_RESPMEM_PERSISTENT);
    if (http->page != NULL)
        add_headers(http->page, "text/html; charset=utf-8");
    return http->page != NULL;
}

bool web_http_is_built(void)
{
    return true;
}

bool web_http_load(const char *option)
{
    return http_library_load(option);
}

struct web_http *web_http_start(const struct web_http_config *config)
{
    struct web_http *http = calloc(1, sizeof *http);
    if (http == NULL)
        return NULL;
    http->config = *config;
    http->visitors.max = (unsigned)config->clients->max + SPARE_CONNECTIONS;
    config->clients->calls = (struct web_clients_calls){
        .sleep = sleep_connection, .wake = wake_connection, .is_closed = is_closed};
    if (make_page(http))
        http->daemon = http_library.start_daemon(
            MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL,
            on_request, http, MHD_OPTION_LISTEN_SOCKET, config->fd, MHD_OPTION_CONNECTION_LIMIT,
            http->visitors.max + HTTP_VISITORS_SPARE, MHD_OPTION_CONNECTION_TIMEOUT,
            (unsigned)WEB_PATIENCE_S, MHD_OPTION_NOTIFY_CONNECTION, http_visitors_notify,
            &http->visitors, MHD_OPTION_NOTIFY_COMPLETED, on_completed, http, MHD_OPTION_END);
    if (http->daemon != NULL)
        return http;
    http->config.fd = -1; /* it still belongs to the caller */
    web_http_stop(http);
    return NULL;
}

void web_http_stop(struct web_http *http)
{
    if (http == NULL)
        return;
    if (http->daemon != NULL)
        http_library.stop_daemon(http->daemon); /* which closes the socket */
    if (http->page != NULL)
        http_library.destroy_response(http->page);
    ds_buffer_free(&http->page_text);
    free(http);
}

#else

bool web_http_is_built(void)
{
    return false;
}

bool web_http_load(const char *option)
{
    (void)option;
    return false;
}

struct web_http *web_http_start(const struct web_http_config *config)
{
    (void)config;
    return NULL;
}

void web_http_stop(struct web_http *http)
{
    (void)http;
}

#endif
