/*
 * web.c - see web.h.
 *
 * One thread at a time uses the page: the thread of the outputs, for each record, or one that makes
 * a state of it. The latter announces that it waits, and the outputs let it go first, because a
 * mutex alone may be locked by the same thread again and again. Until then captured records wait in
 * the queue.
 */
#include "ui/web/web.h"

#include "core/clock.h"
#include "core/complain.h"
#include "core/random_bytes.h"
#include "core/signals.h"
#include "core/thread.h"
#include "files/small_file.h"
#include "ui/page/page.h"
#include "ui/page/page_parts.h"
#include "ui/web/web_http.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Limits on what a live page lists, so that making it every other second costs little. */
enum { LIVE_ROWS = 4000, LIVE_CALLS = 400, LIVE_ROWS_A_SECOND = 1000 };

enum {
    TICK_MS = 100,
    STATE_EVERY_NS = 2000000000,
    SHARE_OF_TIME = 20, /* making states may use one second in so many */
    GOODBYE_MS = 300,
    SEND_BUFFER = 128 * 1024,
};
#define PING_EVERY_NS (15 * INT64_C(1000000000))

struct web {
    struct web_config config;
    int fd; /* -1: it belongs to the server */
    struct listen_name name;
    char token[WEB_TOKEN_LEN + 1];
    struct web_clients clients;
    struct web_http *http;
    pthread_t ticker;
    bool ticks;
    _Atomic bool is_ending;

    pthread_mutex_t page_lock;
    pthread_cond_t page_is_back;
    _Atomic unsigned num_waiting; /* threads that wait for the page, except the outputs */
    struct page *page;            /* NULL: not opened yet */
    _Atomic uint64_t num_changes, num_told;
    int64_t next_ns, pinged_ns; /* used by the ticker thread */
};

bool web_check(void)
{
    if (web_http_is_built())
        return true;
    if (page_before_data.len == 0)
        complain("this distsniff was built without the page that --web shows: build it with "
                 "-DDISTSNIFF_PAGE=ON -DDISTSNIFF_WEB=ON, which need D3 and libmicrohttpd (Debian: "
                 "node-d3, libmicrohttpd-dev)");
    else
        complain("this distsniff was built without --web: build it with -DDISTSNIFF_WEB=ON, which needs "
                 "libmicrohttpd (Debian: libmicrohttpd-dev)");
    return false;
}

/* read_token reads the token from a file: its digits and the end of the line. False after an error
 * message. */
static bool read_token(const char *name, char token[WEB_TOKEN_LEN + 1])
{
    char *text = small_file_read(name, true);
    if (text == NULL)
        return false;
    const size_t len = strspn(text, "0123456789abcdef");
    const bool good = len == WEB_TOKEN_LEN && text[len + strspn(text + len, "\r\n")] == '\0';
    if (good)
        memcpy(token, text, len);
    else
        complain("--web-token: %s must have a line of %d digits from 0 to f: "
                 "(umask 077; openssl rand -hex %d > FILE) makes one",
                 name, (int)WEB_TOKEN_LEN, (int)WEB_TOKEN_LEN / 2);
    explicit_bzero(text, strlen(text));
    free(text);
    return good;
}

static bool make_token(char token[WEB_TOKEN_LEN + 1])
{
    unsigned char bytes[WEB_TOKEN_LEN / 2];
    if (!random_bytes(bytes, sizeof bytes)) {
        complain("--web: cannot make a random token: %s", strerror(errno));
        return false;
    }
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

struct web *web_open(const struct web_config *config)
{
    struct web *web = calloc(1, sizeof *web);
    if (web == NULL)
        complain("out of memory");
    if (web == NULL || !(config->token_file != NULL ? read_token(config->token_file, web->token)
                                                    : make_token(web->token))) {
        free(web);
        return NULL;
    }
    const int send_buffer = SEND_BUFFER;
    web->config = *config;
    web_clients_init(&web->clients, config->limits[DS_LIMIT_WEB_CLIENTS]);
    pthread_mutex_init(&web->page_lock, NULL);
    pthread_cond_init(&web->page_is_back, NULL);
    web->fd = web_http_load("--web") ? listen_address_open("--web", &config->address, &web->name) : -1;
    if (web->fd >= 0) {
        /* Accepted connections inherit this: it limits the data in transit to a browser. */
        (void)setsockopt(web->fd, SOL_SOCKET, SO_SNDBUF, &send_buffer, sizeof send_buffer);
        return web;
    }
    web_free(web);
    return NULL;
}

/* swap_page waits until the page is free and locks it; give_back must follow. */
static void swap_page(struct web *web)
{
    atomic_fetch_add(&web->num_waiting, 1);
    pthread_mutex_lock(&web->page_lock);
}

static void give_back(struct web *web)
{
    atomic_fetch_sub(&web->num_waiting, 1);
    pthread_cond_signal(&web->page_is_back);
    pthread_mutex_unlock(&web->page_lock);
}

static bool write_page(void *context, struct ds_buffer *out)
{
    struct web *web = context;
    swap_page(web);
    const bool ok = web->page != NULL && page_write(web->page, out);
    give_back(web);
    return ok;
}

static struct web_text *make_state(struct web *web)
{
    struct ds_buffer data = {0};
    swap_page(web);
    const uint64_t num_changes = web->num_changes;
    const bool ok = web->page != NULL && page_write_data(web->page, &data);
    give_back(web);
    struct web_text *text = ok ? web_text_new("state", data.data, data.len) : NULL;
    ds_buffer_free(&data);
    if (text != NULL)
        web->num_told = num_changes;
    return text;
}

/* publish_state sends the browsers a new state. */
static void publish_state(struct web *web)
{
    const int64_t begin_ns = clock_now_ns();
    struct web_text *text = make_state(web);
    if (text != NULL)
        web_clients_send(&web->clients, text);
    const int64_t took_ns = (clock_now_ns() - begin_ns) * SHARE_OF_TIME;
    web->next_ns = clock_now_ns() + (took_ns > STATE_EVERY_NS ? took_ns : STATE_EVERY_NS);
    web->pinged_ns = begin_ns;
}

static void *tick(void *context)
{
    struct web *web = context;
    while (!web->is_ending) {
        const uint64_t num = web_clients_num(&web->clients);
        const int64_t now_ns = clock_now_ns();
        if (web_clients_lack(&web->clients) ||
            (num != 0 && web->num_changes != web->num_told && now_ns >= web->next_ns))
            publish_state(web);
        if (num != 0 && now_ns - web->pinged_ns > PING_EVERY_NS) {
            web_clients_ping(&web->clients);
            web->pinged_ns = now_ns;
        }
        poll(NULL, 0, TICK_MS);
    }
    return NULL;
}

/* shown_token returns the token for messages: one from a file is hidden, as a log may be less
 * protected than the file. */
static const char *shown_token(const struct web *web)
{
    return web->config.token_file != NULL ? "TOKEN" : web->token;
}

static void say_where(const struct web *web)
{
    if (web->config.token_file != NULL)
        fprintf(stderr, "TOKEN in the address is in the file %s\n", web->config.token_file);
    fprintf(stderr, "Open http://%s/%s/ %s\n", web->name.text, shown_token(web),
            listen_address_is_local(&web->config.address)
                ? "(only reachable from this machine)"
                : "(unencrypted; anyone who gets this address can read the page)");
}

bool web_start(struct web *web)
{
    const struct web_http_config config = {.fd = web->fd,
                                           .token = web->token,
                                           .clients = &web->clients,
                                           .write_page = write_page,
                                           .context = web};
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGSYS); /* the sandbox needs it: blocked, it would kill the process */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    web->http = web_http_start(&config);
    if (web->http != NULL)
        web->fd = -1;
    web->ticks = web->http != NULL && thread_start(&web->ticker, 0, tick, web) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (web->ticks)
        say_where(web);
    else
        complain("--web: cannot serve: out of threads or memory");
    return web->ticks;
}

void web_serve_on(struct web *web)
{
    fprintf(stderr, "the page stays at http://%s/%s/ until Ctrl-C\n", web->name.text, shown_token(web));
    while (!stop_wanted)
        poll(NULL, 0, TICK_MS);
}

/* say_goodbye sends the last state, and announces that no other follows. */
static void say_goodbye(struct web *web)
{
    if (web_clients_num(&web->clients) != 0 && web->num_changes != web->num_told)
        publish_state(web);
    web_clients_end(&web->clients);
    for (int waited = 0; waited < GOODBYE_MS && !web_clients_have_all(&web->clients); waited += 10)
        poll(NULL, 0, 10);
}

void web_free(struct web *web)
{
    if (web == NULL)
        return;
    web->is_ending = true;
    if (web->ticks) {
        pthread_join(web->ticker, NULL);
        say_goodbye(web);
    }
    web_http_stop(web->http);
    if (web->fd >= 0)
        close(web->fd);
    web_clients_free(&web->clients);
    page_free(web->page);
    pthread_cond_destroy(&web->page_is_back);
    pthread_mutex_destroy(&web->page_lock);
    free(web);
}

uint64_t web_num_refused(struct web *web)
{
    return web_clients_num_refused(&web->clients);
}

/* The output. */

static void lower(uint64_t *limit, uint64_t most)
{
    if (*limit > most)
        *limit = most;
}

static bool open_page(struct sink *sink)
{
    struct web *web = sink->config->web;
    struct page_config config = {.redacted = web->config.redacted, .points = sink->config->points};
    memcpy(config.limits, web->config.limits, sizeof config.limits);
    if (web->config.is_live) {
        lower(&config.limits[DS_LIMIT_PAGE_MESSAGES], LIVE_ROWS);
        lower(&config.limits[DS_LIMIT_PAGE_CALLS], LIVE_CALLS);
        config.rows_a_second = LIVE_ROWS_A_SECOND;
        config.is_quick = true;
    }
    struct page *page = page_new(&config);
    swap_page(web);
    web->page = page;
    give_back(web);
    sink->state = web;
    return page != NULL;
}

/* borrow_page locks the page for the outputs, which wait until no other thread wants it. */
static void borrow_page(struct web *web)
{
    pthread_mutex_lock(&web->page_lock);
    while (web->num_waiting != 0)
        pthread_cond_wait(&web->page_is_back, &web->page_lock);
}

static void return_page(struct web *web, bool is_new)
{
    atomic_fetch_add_explicit(&web->num_changes, is_new, memory_order_relaxed);
    pthread_mutex_unlock(&web->page_lock);
}

static void on_record(struct sink *sink, const struct record *record)
{
    struct web *web = sink->state;
    borrow_page(web);
    page_record(web->page, record, sink->time_digits);
    /* A finding that only sums up comes each second: by itself it is no change. */
    return_page(web, record->finding == NULL || !record->finding->is_update);
}

static void on_loss(struct sink *sink, const struct loss *loss)
{
    struct web *web = sink->state;
    borrow_page(web);
    page_lost(web->page, loss);
    return_page(web, true);
}

static void end_page(struct sink *sink)
{
    struct web *web = sink->state;
    borrow_page(web);
    page_end(web->page);
    return_page(web, true);
}

static void leave_page(struct sink *sink)
{
    sink->state = NULL; /* the page is served until web_free */
}

const struct sink_kind sink_web = {
    .name = "--web",
    .help = "",
    .open = open_page,
    .record = on_record,
    .lost = on_loss,
    .end = end_page,
    .close = leave_page,
    .wants_findings = true,
    .takes_timeline = true,
    .writes_nothing = true,
};
