/*
 * web_clients.c - see web_clients.h.
 *
 *   id: NUMBER                the browser's number: it sends it when it connects again
 *   event: hello | state | end
 *   data: ...
 */
#include "ui/web/web_clients.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void web_clients_init(struct web_clients *c, uint64_t max)
{
    *c = (struct web_clients){.max = max};
    pthread_mutex_init(&c->lock, NULL);
}

static void let_go(struct web_text *text)
{
    if (text == NULL || --text->num_owners != 0)
        return;
    ds_buffer_free(&text->buffer);
    free(text);
}

static struct web_text *own(struct web_text *text)
{
    if (text != NULL)
        text->num_owners++;
    return text;
}

void web_clients_free(struct web_clients *c)
{
    let_go(c->latest);
    pthread_mutex_destroy(&c->lock);
}

struct web_text *web_text_new(const char *event, const char *data, size_t len)
{
    struct web_text *text = calloc(1, sizeof *text);
    if (text == NULL)
        return NULL;
    text->num_owners = 1;
    ds_buffer_printf(&text->buffer, "event: %s\ndata: ", event);
    ds_buffer_add(&text->buffer, data, len);
    ds_buffer_add_text(&text->buffer, "\n\n");
    if (!text->buffer.failed)
        return text;
    let_go(text);
    return NULL;
}

/* hello returns the first text for a browser. */
static struct web_text *hello(uint64_t number, bool was_dropped)
{
    char data[96];
    const int len = snprintf(data, sizeof data, "%s\nretry: 2000\nid: %" PRIu64,
                             was_dropped ? "dropped" : "welcome", number);
    return web_text_new("hello", data, (size_t)len);
}

/* was_dropped says whether this was the number of a browser that was dropped. */
static bool was_dropped(const struct web_clients *c, const char *last_id)
{
    const uint64_t number = last_id != NULL ? strtoull(last_id, NULL, 10) : 0;
    for (size_t i = 0; i < WEB_DROPPED_KNOWN && i < c->num_dropped; i++) {
        if (number != 0 && c->dropped[i] == number)
            return true;
    }
    return false;
}

/* find_closed finds sleeping browsers whose connections were closed: they no longer count. */
static void find_closed(struct web_clients *c)
{
    for (struct web_client *client = c->first; client != NULL; client = client->next) {
        if (client->sleeps && c->calls.is_closed(client->connection)) {
            client->is_gone = true;
            client->sleeps = false;
            c->num_gone++;
            c->calls.wake(client->connection);
        }
    }
}

struct web_client *web_clients_join(struct web_clients *c, void *connection, const char *last_id)
{
    struct web_client *client = calloc(1, sizeof *client);
    pthread_mutex_lock(&c->lock);
    if (c->num - c->num_gone >= c->max)
        find_closed(c);
    if (client != NULL && c->num - c->num_gone < c->max && !c->are_over)
        client->now = hello(c->last_number + 1, was_dropped(c, last_id));
    if (client == NULL || client->now == NULL) {
        c->num_refused++;
        free(client);
        client = NULL;
    } else {
        client->clients = c;
        client->connection = connection;
        client->number = ++c->last_number;
        client->then = own(c->latest);
        c->lacks_state |= c->latest == NULL;
        client->next = c->first;
        c->first = client;
        c->num++;
    }
    pthread_mutex_unlock(&c->lock);
    return client;
}

void web_clients_drop(struct web_clients *c, uint64_t number)
{
    pthread_mutex_lock(&c->lock);
    c->dropped[c->num_dropped++ % WEB_DROPPED_KNOWN] = number;
    pthread_mutex_unlock(&c->lock);
}

void web_clients_leave(struct web_client *client)
{
    struct web_clients *c = client->clients;
    pthread_mutex_lock(&c->lock);
    for (struct web_client **at = &c->first; *at != NULL; at = &(*at)->next) {
        if (*at == client) {
            *at = client->next;
            break;
        }
    }
    let_go(client->now);
    let_go(client->then);
    c->num_gone -= client->is_gone;
    if (--c->num == 0) { /* the next one gets the state of its time */
        let_go(c->latest);
        c->latest = NULL;
        c->lacks_state = false;
    }
    pthread_mutex_unlock(&c->lock);
    free(client);
}

ptrdiff_t web_client_read(struct web_client *client, char *out, size_t max)
{
    struct web_clients *c = client->clients;
    ptrdiff_t len = 0;
    pthread_mutex_lock(&c->lock);
    if (client->now == NULL && !client->is_gone) {
        client->now = client->then;
        client->then = NULL;
        client->sent = 0;
    }
    if (client->now != NULL) {
        const size_t rest = client->now->buffer.len - client->sent;
        len = (ptrdiff_t)(rest < max ? rest : max);
        memcpy(out, client->now->buffer.data + client->sent, (size_t)len);
        client->sent += (size_t)len;
        if (client->sent == client->now->buffer.len) {
            let_go(client->now);
            client->now = NULL;
        }
    } else if (c->are_over || client->is_gone) {
        len = -1;
    } else {
        client->sleeps = true;
        c->calls.sleep(client->connection); /* it cannot be woken up before it sleeps */
    }
    pthread_mutex_unlock(&c->lock);
    return len;
}

/* set_next replaces the text that a client gets after its current one. */
static void set_next(struct web_client *client, struct web_text *text)
{
    let_go(client->then);
    client->then = own(text);
    if (client->sleeps) {
        client->sleeps = false;
        client->clients->calls.wake(client->connection);
    }
}

void web_clients_send(struct web_clients *c, struct web_text *text)
{
    pthread_mutex_lock(&c->lock);
    let_go(c->latest);
    c->latest = c->num != 0 ? own(text) : NULL;
    c->lacks_state = false;
    for (struct web_client *client = c->first; client != NULL; client = client->next)
        set_next(client, text);
    let_go(text);
    pthread_mutex_unlock(&c->lock);
}

/* with_end returns a copy of a text, followed by the event end. */
static struct web_text *with_end(const struct web_text *text)
{
    struct web_text *both = web_text_new("end", "", 0);
    struct ds_buffer all = {0};
    if (both == NULL || text == NULL)
        return both;
    ds_buffer_add(&all, text->buffer.data, text->buffer.len);
    ds_buffer_add(&all, both->buffer.data, both->buffer.len);
    if (all.failed) {
        ds_buffer_free(&all);
        return both;
    }
    ds_buffer_free(&both->buffer);
    both->buffer = all;
    return both;
}

void web_clients_end(struct web_clients *c)
{
    pthread_mutex_lock(&c->lock);
    struct web_text *end = with_end(NULL), *both = with_end(c->latest);
    c->are_over = true;
    for (struct web_client *client = c->first; client != NULL; client = client->next)
        set_next(client, client->then != NULL ? both : end);
    let_go(end);
    let_go(both);
    pthread_mutex_unlock(&c->lock);
}

bool web_clients_have_all(struct web_clients *c)
{
    bool have_all = true;
    pthread_mutex_lock(&c->lock);
    for (struct web_client *client = c->first; client != NULL; client = client->next)
        have_all = have_all && (client->is_gone || (client->now == NULL && client->then == NULL));
    pthread_mutex_unlock(&c->lock);
    return have_all;
}

void web_clients_ping(struct web_clients *c)
{
    struct web_text *text = web_text_new("ping", "", 0);
    pthread_mutex_lock(&c->lock);
    for (struct web_client *client = c->first; text != NULL && client != NULL; client = client->next) {
        if (client->sleeps)
            set_next(client, text);
    }
    let_go(text);
    pthread_mutex_unlock(&c->lock);
}

bool web_clients_lack(struct web_clients *c)
{
    pthread_mutex_lock(&c->lock);
    const bool lack = c->lacks_state;
    pthread_mutex_unlock(&c->lock);
    return lack;
}

uint64_t web_clients_num(struct web_clients *c)
{
    pthread_mutex_lock(&c->lock);
    const uint64_t num = c->num - c->num_gone;
    pthread_mutex_unlock(&c->lock);
    return num;
}

uint64_t web_clients_num_refused(struct web_clients *c)
{
    pthread_mutex_lock(&c->lock);
    const uint64_t num = c->num_refused;
    pthread_mutex_unlock(&c->lock);
    return num;
}
