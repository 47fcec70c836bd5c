/*
 * nats_send_loop.c - see nats_send_loop.h.
 *
 * A window of entries is in flight at a time, each with a slot. The reply subject of a message ends
 * in its number, so an acknowledgement identifies its entry. Acknowledgements come in any order, in
 * a thread of the library; the tail of the queue moves past entries once all before them are
 * acknowledged.
 *
 * The stream should have the entries in order: whoever follows it merges hosts by time. So with each
 * new connection one entry is sent alone at first. Servers that have just started refuse entries until
 * they have the stream, and would store later ones before those that they refused.
 */
#ifdef DISTSNIFF_NATS

#include "send/nats/nats_send_loop.h"

#include "core/clock.h"
#include "core/complain.h"
#include "record/back_off.h"
#include "send/nats/nats_stream.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    WINDOW = 2048, /* messages in flight */
    WINDOW_BYTES = 4 * 1024 * 1024,
    TICK_MS = 50,
    IDLE_MS = 500,
    HEADER_LEN = 256, /* of a message, about */
    TOO_LARGE_FOR_STREAM = 10054, /* err_code of JetStream: max_msg_size */
};
#define ACK_NS (4 * INT64_C(1000000000))        /* timeout of an acknowledgement */
#define REFUSED_NS (300 * INT64_C(1000000))     /* before a refused entry is sent again */
#define GREETING_NS (5 * INT64_C(1000000000))   /* for the first connection, if files are read */
/* At the end, while nothing is acknowledged: a cluster that has lost a server needs up to nine
 * seconds to agree on a leader of the stream, and requests from that time stay unanswered for five
 * more. */
#define PATIENCE_NS (20 * INT64_C(1000000000))

enum sending_state { SENDING_WAITS, SENDING_SENT, SENDING_REFUSED, SENDING_DONE };

struct sending {
    uint64_t position; /* of the entry ... */
    uint32_t size;     /* ... and its size */
    enum sending_state state;
    unsigned times; /* it was sent this often */
    int64_t sent_ns;
};

struct carrier {
    const struct nats_send_loop_config *config;
    struct send_queue *queue;
    natsConnection *connection;
    natsSubscription *replies;
    jsCtx *context;
    char inbox[2 * NATS_MAX_WORD];
    int reply_fds[2]; /* a pipe: its end is readable when replies have come, or a connection */
    int wake_fd;      /* from the configuration; -1: the other process is gone */
    bool has_stream;
    int attempts;         /* to find the stream */
    int64_t attempted_ns; /* when the last attempt was */
    bool has_complained;  /* about the present trouble */
    bool is_forbidden;    /* an operation is, which was reported */
    bool is_refused;      /* by the servers, while files are read: waiting is pointless */
    size_t most_bytes;    /* the largest message */
    int64_t progress_ns;  /* when something was acknowledged last */
    int64_t looked_ns;    /* when entries to send again were searched last */

    pthread_mutex_t lock; /* protects what follows */
    struct sending slots[WINDOW];
    uint64_t first, next; /* numbers: the oldest entry that is not acknowledged, the next one to send */
    size_t bytes;         /* in flight */
    uint64_t num_reconnects; /* as the library last counted them */
    bool is_trying;       /* the oldest entry was sent alone, and is not acknowledged yet */
    int last_error; /* of JetStream, 0: none */
    char last_text[128];
};

static void wake(struct carrier *c)
{
    if (write(c->reply_fds[1], "", 1) < 0)
        return; /* it is awake */
}

static int number_of(const cJSON *object, const char *key)
{
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(number) ? number->valueint : 0;
}

/* read_reply reads {"stream":"X","seq":1,"duplicate":true}, or {"error":{"code":..., ...}}. No
 * text: nothing subscribes to the subject. */
static void read_reply(struct carrier *c, struct sending *slot, const char *text, int len)
{
    cJSON *reply = cJSON_ParseWithLength(text != NULL ? text : "", (size_t)len);
    const cJSON *error = cJSON_GetObjectItemCaseSensitive(reply, "error");
    if (cJSON_GetObjectItemCaseSensitive(reply, "seq") != NULL && error == NULL) {
        const bool is_known = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(reply, "duplicate"));
        slot->state = SENDING_DONE;
        atomic_fetch_add(&c->queue->shared->counts.stored, 1);
        /* If an entry was sent twice, the first copy may have been stored without an
         * acknowledgement. */
        if (is_known && slot->times == 1)
            atomic_fetch_add(&c->queue->shared->counts.known, 1);
    } else if (number_of(error, "err_code") == TOO_LARGE_FOR_STREAM) {
        slot->state = SENDING_DONE;
        atomic_fetch_add(&c->queue->shared->counts.too_large, 1);
    } else {
        const cJSON *words = cJSON_GetObjectItemCaseSensitive(error, "description");
        slot->state = SENDING_REFUSED;
        c->last_error = 1;
        snprintf(c->last_text, sizeof c->last_text, "%s",
                 cJSON_IsString(words) ? words->valuestring : "no stream has these subjects");
    }
    cJSON_Delete(reply);
}

static void on_reply(natsConnection *connection, natsSubscription *subscription, natsMsg *message,
                     void *context)
{
    struct carrier *c = context;
    const char *subject = nats.natsMsg_GetSubject(message);
    const char *dot = strrchr(subject, '.');
    const uint64_t number = dot != NULL ? strtoull(dot + 1, NULL, 10) : 0;
    (void)connection;
    (void)subscription;
    pthread_mutex_lock(&c->lock);
    struct sending *slot = &c->slots[number % WINDOW];
    if (number >= c->first && number < c->next && slot->state != SENDING_DONE)
        read_reply(c, slot, nats.natsMsg_GetData(message), nats.natsMsg_GetDataLength(message));
    pthread_mutex_unlock(&c->lock);
    nats.natsMsg_Destroy(message);
    wake(c);
}

static void on_reconnect(natsConnection *connection, void *context)
{
    (void)connection;
    wake(context);
}

/* complain_once prints what is wrong, once until it is over. */
static void complain_once(struct carrier *c, const char *what, const char *why)
{
    if (!c->has_complained)
        complain("NATS: %s: %s; retrying, new records wait in the queue", what, why);
    c->has_complained = true;
}

static bool connect_once(struct carrier *c)
{
    natsInbox *inbox = NULL;
    natsStatus status =
        nats_client_connect(c->config->client, on_reconnect, c, &c->connection);
    if (status == NATS_OK)
        status = nats.natsInbox_Create(&inbox);
    if (status == NATS_OK) {
        char pattern[sizeof c->inbox + 2];
        snprintf(c->inbox, sizeof c->inbox, "%s%s", c->config->client->inbox, inbox + strlen(NATS_INBOX));
        snprintf(pattern, sizeof pattern, "%s.*", c->inbox);
        status = nats.natsConnection_Subscribe(&c->replies, c->connection, pattern, on_reply, c);
        nats.natsInbox_Destroy(inbox);
    }
    if (status == NATS_OK)
        status = nats.natsConnection_JetStream(&c->context, c->connection, NULL);
    if (status == NATS_OK) {
        c->is_trying = true;
        c->most_bytes = (size_t)nats.natsConnection_GetMaxPayload(c->connection);
        return true;
    }
    c->is_refused = !c->config->is_live && nats_client_is_refused(status);
    if (c->is_refused)
        complain("NATS: cannot connect: %s", nats_client_trouble(status));
    else
        complain_once(c, "cannot connect", nats_client_trouble(status));
    nats.natsConnection_Destroy(c->connection);
    c->connection = NULL;
    return false;
}

/* look_whether_forbidden reports the first permission error. A live capture goes on: the servers
 * may still accept other records, and permissions may change. */
static void look_whether_forbidden(struct carrier *c)
{
    if (c->is_forbidden || c->connection == NULL || !nats_client_is_forbidden(c->connection))
        return;
    c->is_forbidden = true;
    c->is_refused = !c->config->is_live;
    complain("NATS: the servers refuse records of this user: %s",
             nats_client_why(c->connection, NATS_NOT_PERMITTED));
}

static bool is_connected(const struct carrier *c)
{
    return c->connection != NULL &&
           nats.natsConnection_Status(c->connection) == NATS_CONN_STATUS_CONNECTED;
}

static void find_stream(struct carrier *c)
{
    const natsStatus status =
        nats_stream_find(c->context, c->config->client->url, c->attempts);
    c->has_stream = status == NATS_OK;
    c->attempts = c->has_stream ? 0 : c->attempts + 1;
    if (!c->has_stream && c->attempts > 2) /* a cluster needs a while to agree */
        complain_once(c, "there is no stream", nats_client_trouble(status));
}

/* publish sends an entry; errors are detected by a missing acknowledgement. */
static void publish(struct carrier *c, uint64_t number, const struct send_entry *entry)
{
    char subject[2 * NATS_MAX_WORD + 32], reply[sizeof c->inbox + 24], id[SEND_MAX_ID + 1];
    natsMsg *message = NULL;
    if (!id_key_apply(&c->config->client->id_key, entry->id, id))
        return; /* memory ran out: it will be sent again */
    snprintf(subject, sizeof subject, "%s.%s.%s", c->config->client->url->prefix, c->config->host,
             nats_type_names[entry->type % NATS_TYPE_COUNT]);
    snprintf(reply, sizeof reply, "%s.%" PRIu64, c->inbox, number);
    natsStatus status = nats.natsMsg_Create(&message, subject, reply, entry->body, (int)entry->body_len);
    if (status == NATS_OK)
        status = nats.natsMsgHeader_Set(message, "Nats-Msg-Id", id);
    if (status == NATS_OK)
        (void)nats.natsConnection_PublishMsg(c->connection, message);
    nats.natsMsg_Destroy(message);
}

/* send_slot sends the entry of a slot. Call it with the lock, which it releases while the library
 * works. */
static void send_slot(struct carrier *c, uint64_t number)
{
    struct sending *slot = &c->slots[number % WINDOW];
    uint64_t position = slot->position;
    struct send_entry entry;
    if (!send_queue_at(c->queue, &position, &entry))
        return;
    slot->state = SENDING_SENT;
    slot->sent_ns = clock_now_ns();
    if (slot->times++ != 0)
        atomic_fetch_add(&c->queue->shared->counts.sent_again, 1);
    pthread_mutex_unlock(&c->lock);
    publish(c, number, &entry);
    pthread_mutex_lock(&c->lock);
}

/* has_reconnected says whether the connection is another one than before. The library calls
 * on_reconnect too late for that: the connection can be used before. */
static bool has_reconnected(struct carrier *c)
{
    uint64_t num = c->num_reconnects;
    natsStatistics *statistics = NULL;
    if (nats.natsStatistics_Create(&statistics) == NATS_OK &&
        nats.natsConnection_GetStats(c->connection, statistics) == NATS_OK)
        (void)nats.natsStatistics_GetCounts(statistics, NULL, NULL, NULL, NULL, &num);
    nats.natsStatistics_Destroy(statistics);
    const bool is_new = num != c->num_reconnects;
    c->num_reconnects = num;
    return is_new;
}

/* send_again sends entries that were refused, or not acknowledged in time. all: those too that were
 * sent before this connection, or were not sent because of is_trying. */
static void send_again(struct carrier *c, bool all)
{
    const int64_t now_ns = clock_now_ns();
    const uint64_t end = c->is_trying && c->first != c->next ? c->first + 1 : c->next;
    if (!all && now_ns - c->looked_ns < TICK_MS * INT64_C(1000000))
        return;
    c->looked_ns = now_ns;
    for (uint64_t number = c->first; number < end; number++) {
        const struct sending *slot = &c->slots[number % WINDOW];
        const int64_t age_ns = now_ns - slot->sent_ns;
        if (slot->state != SENDING_DONE &&
            (all || slot->state == SENDING_WAITS || age_ns > ACK_NS ||
             (slot->state == SENDING_REFUSED && age_ns > REFUSED_NS)))
            send_slot(c, number);
    }
}

/* send_new gives slots to new entries, and returns whether there were any. */
static bool send_new(struct carrier *c, uint64_t *position)
{
    const uint64_t before = c->next;
    struct send_entry entry;
    while (c->next - c->first < (c->is_trying ? 1 : WINDOW) && c->bytes < WINDOW_BYTES &&
           send_queue_at(c->queue, position, &entry)) {
        struct sending *slot = &c->slots[c->next % WINDOW];
        *slot = (struct sending){.position = *position, .size = entry.size, .state = SENDING_WAITS};
        *position += entry.size;
        c->bytes += entry.size;
        const uint64_t number = c->next++;
        if (entry.body_len + HEADER_LEN > c->most_bytes) {
            atomic_fetch_add(&c->queue->shared->counts.too_large, 1);
            slot->state = SENDING_DONE;
        } else {
            send_slot(c, number);
        }
    }
    return c->next != before;
}

/* let_go releases acknowledged entries; true if there were any. */
static bool let_go(struct carrier *c)
{
    const uint64_t before = c->first;
    uint64_t position = 0;
    while (c->first < c->next && c->slots[c->first % WINDOW].state == SENDING_DONE) {
        const struct sending *slot = &c->slots[c->first++ % WINDOW];
        position = slot->position + slot->size;
        c->bytes -= slot->size;
    }
    if (c->first == before)
        return false;
    send_queue_release(c->queue, position);
    c->progress_ns = clock_now_ns();
    return true;
}

/* say_again reports that the connection works again. */
static void say_again(struct carrier *c)
{
    if (c->has_complained && !c->config->is_quiet)
        complain("NATS: records are stored again");
    c->has_complained = false;
}

/* work does what is due; true if there was anything. */
static bool work(struct carrier *c, uint64_t *position)
{
    const int64_t now_ns = clock_now_ns();
    if (!is_connected(c))
        return false;
    if (!c->has_stream && now_ns - c->attempted_ns > REFUSED_NS) {
        c->attempted_ns = now_ns;
        find_stream(c);
    }
    if (!c->has_stream)
        return false;
    const bool is_new = has_reconnected(c);
    pthread_mutex_lock(&c->lock);
    const bool is_freed = let_go(c), was_trying = c->is_trying;
    c->is_trying = is_new || (c->is_trying && !is_freed);
    send_again(c, is_new || was_trying != c->is_trying);
    const bool is_sent = send_new(c, position);
    if (c->last_error != 0 && !is_freed && now_ns - c->progress_ns > ACK_NS) {
        complain_once(c, "the stream accepts nothing", c->last_text);
        c->has_stream = false; /* it may have been removed */
    }
    c->last_error = is_freed ? 0 : c->last_error;
    pthread_mutex_unlock(&c->lock);
    if (is_freed)
        say_again(c);
    return is_freed || is_sent;
}

/* is_done says whether nothing is left in the queue. */
static bool is_done(struct carrier *c)
{
    uint64_t position = atomic_load(&c->queue->shared->tail);
    struct send_entry entry;
    pthread_mutex_lock(&c->lock);
    const bool done = c->first == c->next && !send_queue_at(c->queue, &position, &entry);
    pthread_mutex_unlock(&c->lock);
    return done;
}

/* is_over says whether all is done, or going on is pointless. */
static bool is_over(struct carrier *c)
{
    const bool is_ending = atomic_load(&c->queue->shared->is_ending);
    if (atomic_load(&c->queue->shared->is_abandoned) || c->is_refused)
        return true;
    if (is_done(c)) {
        c->progress_ns = clock_now_ns(); /* no entry waits */
        return is_ending;
    }
    return (is_ending || !c->config->is_live) &&
           clock_now_ns() - c->progress_ns > (c->connection == NULL ? GREETING_NS : PATIENCE_NS);
}

/* sleep_for waits for an entry to send, or a reply. */
static void sleep_for(struct carrier *c, int ms)
{
    struct pollfd fds[] = {{c->wake_fd, POLLIN, 0}, {c->reply_fds[0], POLLIN, 0}};
    char bytes[2 * WINDOW];
    atomic_store(&c->queue->shared->is_asleep, true);
    /* An entry that came just before this has not sent a wake-up. */
    const bool is_idle = c->first != c->next || !c->has_stream || is_done(c);
    const int num = is_idle ? poll(fds, 2, ms) : 0;
    atomic_store(&c->queue->shared->is_asleep, false);
    if (num > 0 && (fds[1].revents & POLLIN) != 0 && read(c->reply_fds[0], bytes, sizeof bytes) < 0)
        return;
    if (num > 0 && fds[0].revents != 0)
        send_queue_wake(c->queue, &c->wake_fd);
}

static void run(struct carrier *c)
{
    uint64_t position = atomic_load(&c->queue->shared->tail);
    int attempts = 0;
    int64_t next_ns = 0;
    c->progress_ns = clock_now_ns();
    while (!is_over(c)) {
        if (c->connection == NULL && clock_now_ns() >= next_ns) {
            if (!connect_once(c))
                next_ns = clock_now_ns() + back_off_ms(attempts++) * 1000000;
        }
        const bool is_busy = work(c, &position);
        look_whether_forbidden(c);
        if (c->connection != NULL && !is_connected(c))
            complain_once(c, "the connection is lost", "the server does not answer");
        const bool waits = c->first != c->next || !is_connected(c) || !c->has_stream ||
                           atomic_load(&c->queue->shared->is_ending);
        if (!is_busy)
            sleep_for(c, waits ? TICK_MS : IDLE_MS);
    }
}

void nats_send_loop_run(const struct nats_send_loop_config *config)
{
    static struct carrier carrier;
    struct carrier *c = &carrier;
    *c = (struct carrier){.config = config, .queue = config->queue, .wake_fd = config->wake_fd};
    pthread_mutex_init(&c->lock, NULL);
    back_off_begin();
    if (pipe2(c->reply_fds, O_CLOEXEC | O_NONBLOCK) == 0)
        run(c);
    /* The process ends without waiting for the library's threads. */
}

#endif
