/*
 * web_clients.h - the browsers that look on, and what is on its way to each: server-sent events
 * (https://html.spec.whatwg.org, 9.2). Each has what it is being sent and what comes next, no more: a
 * newer state of the page takes the place of one that was not sent yet, so that a slow browser sees
 * fewer of them and costs nobody anything. All may be called from several threads.
 */
#ifndef SRC_WEB_CLIENTS_H
#define SRC_WEB_CLIENTS_H

#include <distsniff/term.h>

#include <pthread.h>

enum { WEB_DROPPED_KNOWN = 16 };

/* web_text is what several browsers are sent; it goes when the last one has it. */
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
    struct web_text *then; /* what comes behind it */
    size_t sent;
    bool sleeps;  /* its connection waits until there is something */
    bool is_gone; /* its connection was closed while it slept: it is sent nothing, and soon leaves */
};

/* web_clients_calls put a connection to sleep, wake it up, and say whether the other side has closed it:
 * whoever sleeps is not told. */
struct web_clients_calls {
    void (*sleep)(void *connection);
    void (*wake)(void *connection);
    bool (*is_closed)(void *connection);
};

struct web_clients {
    pthread_mutex_t lock;
    struct web_clients_calls calls;
    struct web_client *first;
    struct web_text *latest; /* the state that one who joins begins with */
    uint64_t max, num, num_gone, last_number, num_refused;
    uint64_t dropped[WEB_DROPPED_KNOWN], num_dropped;
    bool lacks_state; /* one has joined who begins with none, and there was no other since */
    bool are_over;
};

void web_clients_init(struct web_clients *clients, uint64_t max);
void web_clients_free(struct web_clients *clients); /* when all have left */

/* web_clients_join takes a browser on; to be called by the thread that serves their connections. last_id is
 * what it says it was called before, NULL: it is new. NULL where there are too many, not counting those
 * that have gone, or memory ran out. */
struct web_client *web_clients_join(struct web_clients *clients, void *connection, const char *last_id);

/* web_clients_drop notes that a browser did not read: when it comes again it is told. It still
 * leaves. */
void web_clients_drop(struct web_clients *clients, uint64_t number);
void web_clients_leave(struct web_client *client);

/* web_client_read gets what goes to a browser next, at most max bytes; 0: it sleeps now. -1: nothing
 * more will come. */
ptrdiff_t web_client_read(struct web_client *client, char *out, size_t max);

/* web_text_new makes a text of an event of that name, NULL when memory ran out. data holds no line
 * ends. */
struct web_text *web_text_new(const char *event, const char *data, size_t len);

/* web_clients_tell gives all of them a new state of the page, which is theirs; web_clients_end says
 * good-bye, and web_clients_have_all whether everybody has got that. */
void web_clients_tell(struct web_clients *clients, struct web_text *text);
void web_clients_end(struct web_clients *clients);
bool web_clients_have_all(struct web_clients *clients);

/* web_clients_ping sends a sign of life to those who sleep, so that it is found who has gone. */
void web_clients_ping(struct web_clients *clients);

/* web_clients_lack says whether one of them has joined when there was no state to begin with: it waits for
 * one, though nothing changes. */
bool web_clients_lack(struct web_clients *clients);
uint64_t web_clients_num(struct web_clients *clients);
uint64_t web_clients_num_refused(struct web_clients *clients);

#endif
