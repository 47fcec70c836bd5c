/*
 * web_clients.h - the browsers that watch, and what is being sent to each: server-sent events
 * (https://html.spec.whatwg.org, 9.2). Each has only the text it is being sent and the next one: a
 * newer state of the page replaces one that was not sent yet, so that a slow browser gets fewer of
 * them and costs nothing. All functions may be called from several threads.
 */
#ifndef SRC_WEB_CLIENTS_H
#define SRC_WEB_CLIENTS_H

#include <distsniff/term.h>

#include <pthread.h>

enum { WEB_DROPPED_KNOWN = 16 };

/* web_text is a text for several browsers; it is freed when the last one has it. */
struct web_text {
    unsigned num_owners;
    struct ds_buffer buffer;
};

struct web_client {
    struct web_client *next;
    struct web_clients *clients;
    void *connection;
    uint64_t number;
    struct web_text *now;  /* being sent, from sent on */
    struct web_text *then; /* the text after it */
    size_t sent;
    bool sleeps;  /* its connection is suspended until there is a text */
    bool is_gone; /* its connection was closed while suspended: it gets nothing, and leaves shortly */
};

/* web_clients_calls suspend a connection, resume it, and check whether the other side has closed
 * it: a suspended connection is not notified of that. */
struct web_clients_calls {
    void (*sleep)(void *connection);
    void (*wake)(void *connection);
    bool (*is_closed)(void *connection);
};

struct web_clients {
    pthread_mutex_t lock;
    struct web_clients_calls calls;
    struct web_client *first;
    struct web_text *latest; /* the state with which a new browser begins */
    uint64_t max, num, num_gone, last_number, num_refused;
    uint64_t dropped[WEB_DROPPED_KNOWN], num_dropped;
    bool lacks_state; /* a browser has joined without a state, and none was sent since */
    bool are_over;
};

void web_clients_init(struct web_clients *clients, uint64_t max);
void web_clients_free(struct web_clients *clients); /* after all have left */

/* web_clients_join adds a browser; call it in the thread that serves connections. last_id is the
 * number that the browser had before, NULL: it is new. NULL if there are too many, not counting
 * those that are gone, or if memory ran out. */
struct web_client *web_clients_join(struct web_clients *clients, void *connection, const char *last_id);

/* web_clients_drop records that a browser did not read: if it connects again, hello says so. It
 * still has to leave. */
void web_clients_drop(struct web_clients *clients, uint64_t number);
void web_clients_leave(struct web_client *client);

/* web_client_read copies the next bytes for a browser, at most max; 0: the connection is suspended
 * now. -1: no more follow. */
ptrdiff_t web_client_read(struct web_client *client, char *out, size_t max);

/* web_text_new makes a text with an event of that name, NULL if memory ran out. data has no line
 * ends. */
struct web_text *web_text_new(const char *event, const char *data, size_t len);

/* web_clients_send sends a new state to all browsers and owns it from then on; web_clients_end
 * sends the event end, and web_clients_have_all says whether all have received it. */
void web_clients_send(struct web_clients *clients, struct web_text *text);
void web_clients_end(struct web_clients *clients);
bool web_clients_have_all(struct web_clients *clients);

/* web_clients_ping sends a sign of life to suspended connections, which reveals closed ones. */
void web_clients_ping(struct web_clients *clients);

/* web_clients_lack says whether a browser joined when there was no state: it needs one even if
 * nothing changes. */
bool web_clients_lack(struct web_clients *clients);
uint64_t web_clients_num(struct web_clients *clients);
uint64_t web_clients_num_refused(struct web_clients *clients);

#endif
