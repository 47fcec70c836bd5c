/*
 * nats_publisher.c - see nats_publisher.h.
 */
#include "nats_publisher.h"

#include "packet_json.h"

#include "clock.h"
#include "complain.h"

#ifdef DISTSNIFF_NATS

#include "counted.h"
#include "hash.h"
#include "json_write.h"
#include "nats_carrier.h"
#include "privileges.h"
#include "sandbox.h"
#include "stop.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What was asked to end ends within that, whatever the servers do. */
#define STOP_NS (3 * INT64_C(1000000000))

struct nats_publisher {
    struct nats_publisher_config config;
    struct nats_queue *queue;
    char host[NATS_MAX_WORD];
    uint32_t types;
    int wake_fd;
    pid_t pid; /* 0: it has ended */
    pthread_mutex_t lock; /* of what follows, and of writing to the queue */
    bool is_gone; /* the other process, and that was said */
    uint64_t num_pushed;
    uint64_t num_lost, num_untold;         /* in all, and since the last record "lost" */
    uint64_t num_lost_packets;             /* of num_lost */
    int64_t first_lost_ns, last_lost_ns;   /* of those untold */
    struct json_writer json;               /* of packets */
    struct ds_buffer text, told;
};

/* The process that talks to the servers. */

static _Noreturn void run_carrier(const struct nats_publisher *p, int wake_fd)
{
    struct nats_client client;
    struct nats_carrier_config config = {
        .client = &client,
        .queue = p->queue,
        .wake_fd = wake_fd,
        .is_live = p->config.is_live,
        .is_quiet = p->config.is_quiet,
    };
    memcpy(config.host, p->host, sizeof config.host);
    stop_ignore_all();
    if (!privileges_return() || !nats_library_load() ||
        !nats_client_init(&client, p->config.nats, &p->config.nats->publish) ||
        !privileges_drop(p->config.user))
        _exit(EXIT_FAILURE);
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* there are credentials in it */
    if (p->config.is_confined)
        sandbox_confine_client();
    atomic_store(&p->queue->is_ready, true);
    nats_carrier_run(&config);
    _exit(EXIT_SUCCESS);
}

static bool start_process(struct nats_publisher *p)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return false;
    fflush(NULL); /* or both would write it */
    p->pid = fork();
    if (p->pid == 0) {
        close(ends[1]);
        run_carrier(p, ends[0]);
    }
    close(ends[0]);
    p->wake_fd = ends[1];
    return p->pid > 0;
}

/* This process. */

static void release(struct nats_publisher *p)
{
    pthread_mutex_destroy(&p->lock);
    nats_queue_free(p->queue);
    json_writer_free(&p->json);
    ds_buffer_free(&p->text);
    ds_buffer_free(&p->told);
    if (p->wake_fd >= 0)
        close(p->wake_fd);
    free(p);
}

/* has_ended says whether the other process is there no more. */
static bool has_ended(struct nats_publisher *p)
{
    if (p->pid > 0 && waitpid(p->pid, NULL, WNOHANG) != 0)
        p->pid = 0;
    return p->pid <= 0;
}

/* is_ready waits until the other process has read its files; false when it ended, after a complaint. */
static bool is_ready(struct nats_publisher *p)
{
    while (!atomic_load(&p->queue->is_ready) && !has_ended(p) && !stop_wanted)
        poll(NULL, 0, 1);
    return atomic_load(&p->queue->is_ready) || stop_wanted;
}

struct nats_publisher *nats_publisher_start(const struct nats_publisher_config *config)
{
    struct nats_publisher *p = calloc(1, sizeof *p);
    const int64_t size = config->nats->queue_size != 0 ? config->nats->queue_size : NATS_QUEUE_SIZE;
    if (p == NULL || (p->queue = nats_queue_new((size_t)size)) == NULL) {
        complain("out of memory for the queue of -T nats: --nats-queue makes it smaller");
        free(p);
        return NULL;
    }
    p->config = *config;
    p->wake_fd = -1;
    p->types = config->nats->types != 0 ? config->nats->types : NATS_TYPES_ALL;
    if (config->is_redacted)
        p->types &= ~(UINT32_C(1) << NATS_PACKET);
    pthread_mutex_init(&p->lock, NULL);
    nats_host_name(config->nats->host, p->host);
    if (start_process(p) && is_ready(p))
        return p;
    if (p->pid < 0)
        complain("cannot start the process that talks to NATS: %s", strerror(errno));
    release(p);
    return NULL;
}

bool nats_publisher_takes(const struct nats_publisher *p, enum nats_type type)
{
    return (p->types >> type & 1) != 0;
}

const char *nats_publisher_host(const struct nats_publisher *p)
{
    return p->host;
}

static void wake(const struct nats_publisher *p)
{
    if (atomic_exchange(&p->queue->is_asleep, false) && write(p->wake_fd, "", 1) < 0)
        return; /* it is awake, or gone */
}

/* push adds to the queue; of files it waits for room. With the lock. */
static bool push(struct nats_publisher *p, enum nats_type type, const char *id, struct ds_text json)
{
    bool is_pushed;
    while (!(is_pushed = nats_queue_push(p->queue, type, id, json.data, json.len)) &&
           !p->config.is_live && nats_queue_fits(p->queue, strlen(id), json.len) && !stop_wanted &&
           !has_ended(p)) {
        wake(p);
        poll(NULL, 0, 1);
    }
    p->num_pushed += is_pushed;
    wake(p);
    return is_pushed;
}

/* tell_lost puts a record into the stream, where what is missing would have been: once there is room for
 * what follows too, or nothing does. With the lock. */
static void tell_lost(struct nats_publisher *p, bool is_end)
{
    char id[NATS_MAX_ID + 1];
    struct json_writer json = {.out = &p->told, .time_digits = 9};
    if (p->num_untold == 0 || (!is_end && !nats_queue_is_roomy(p->queue)))
        return;
    p->told.len = 0;
    json_begin(&json, JSON_TYPE("lost"));
    json_put_time(&json, JSON_KEY("ts"), p->first_lost_ns);
    json_put_time(&json, JSON_KEY("until"), p->last_lost_ns);
    json_put_string(&json, JSON_KEY("cause"), "nats");
    json_put_unsigned(&json, JSON_KEY("records"), p->num_untold);
    json_put_string(&json, JSON_KEY("host"), p->host);
    json_end(&json);
    json_writer_free(&json);
    snprintf(id, sizeof id, "l.%s.%" PRIx64 ".%" PRIu64, p->host, (uint64_t)p->last_lost_ns, p->num_lost);
    if (!p->told.failed &&
        nats_queue_push(p->queue, NATS_LOST, id, p->told.data, p->told.len - 1)) {
        p->num_untold = 0;
        p->num_pushed++;
    }
}

static void count_lost(struct nats_publisher *p, enum nats_type type, int64_t ts_ns)
{
    if (p->num_untold++ == 0) {
        p->first_lost_ns = ts_ns;
        if (!p->is_gone && has_ended(p)) {
            p->is_gone = true;
            complain("the process that talks to NATS is gone: nothing is stored any more");
        }
    }
    p->last_lost_ns = ts_ns;
    p->num_lost++;
    p->num_lost_packets += type == NATS_PACKET;
}

void nats_publish(struct nats_publisher *p, enum nats_type type, const char *id, int64_t ts_ns,
                  struct ds_text json)
{
    pthread_mutex_lock(&p->lock);
    tell_lost(p, false);
    if (json.len == 0 || !push(p, type, id, json))
        count_lost(p, type, ts_ns);
    pthread_mutex_unlock(&p->lock);
}

void nats_publish_packet(struct nats_publisher *p, const struct ds_packet *packet,
                         unsigned time_digits)
{
    char id[NATS_MAX_ID + 1];
    if (!nats_publisher_takes(p, NATS_PACKET))
        return;
    p->text.len = 0;
    p->json.time_digits = time_digits;
    packet_json_write(&p->json, packet, p->host, &p->text);
    packet_json_id(packet, p->host, id);
    if (p->text.failed)
        ds_buffer_free(&p->text); /* memory ran out: it is lost */
    nats_publish(p, NATS_PACKET, id, packet->ts_ns, (struct ds_text){p->text.data, p->text.len});
}

/* wait_for_end waits for the other process. */
static void wait_for_end(struct nats_publisher *p)
{
    int64_t stopped_ns = 0;
    atomic_store(&p->queue->is_ending, true);
    atomic_store(&p->queue->is_asleep, true);
    wake(p);
    while (!has_ended(p)) {
        const int64_t now_ns = clock_now_ns();
        if (stop_wanted && stopped_ns == 0)
            stopped_ns = now_ns;
        if (stopped_ns != 0 && now_ns - stopped_ns > STOP_NS)
            atomic_store(&p->queue->is_abandoned, true);
        poll(NULL, 0, 5);
    }
}

/* say tells what became of all. */
static void say(const struct nats_publisher *p, uint64_t num_left)
{
    const struct nats_counts *counts = &p->queue->counts;
    char known[96] = "", again[96] = "";
    if (counts->known != 0)
        snprintf(known, sizeof known, " (%s there already)", counted(counts->known, "records").text);
    if (counts->sent_again != 0)
        snprintf(again, sizeof again, ", %s sent again", counted(counts->sent_again, "records").text);
    if (!p->config.is_quiet || p->num_lost != 0 || num_left != 0)
        complain("NATS: %s stored%s%s", counted(counts->stored, "records").text, known, again);
    if (p->num_lost != 0)
        complain("NATS: %s lost, %" PRIu64 " of them packets: they came faster than they could be "
                 "stored, and the queue was full (--nats-queue)",
                 counted(p->num_lost, "records").text, p->num_lost_packets);
    if (counts->too_large != 0)
        complain("NATS: %s lost: larger than the servers take (their max_payload)",
                 counted(counts->too_large, "records").text);
    if (num_left != 0)
        complain("NATS: %s lost: the servers have not acknowledged them",
                 counted(num_left, "records").text);
}

bool nats_publisher_end(struct nats_publisher *p)
{
    if (p == NULL)
        return true;
    pthread_mutex_lock(&p->lock);
    tell_lost(p, true);
    pthread_mutex_unlock(&p->lock);
    wait_for_end(p);
    const struct nats_counts *counts = &p->queue->counts;
    const uint64_t num_left = p->num_pushed - counts->stored - counts->too_large;
    const bool good = num_left == 0 && counts->too_large == 0 && (p->config.is_live || p->num_lost == 0);
    say(p, num_left);
    release(p);
    return good;
}

#else

struct nats_publisher *nats_publisher_start(const struct nats_publisher_config *config)
{
    (void)config;
    return NULL;
}

bool nats_publisher_takes(const struct nats_publisher *publisher, enum nats_type type)
{
    (void)publisher;
    (void)type;
    return false;
}

const char *nats_publisher_host(const struct nats_publisher *publisher)
{
    (void)publisher;
    return "";
}

void nats_publish(struct nats_publisher *publisher, enum nats_type type, const char *id, int64_t ts_ns,
                  struct ds_text json)
{
    (void)publisher;
    (void)type;
    (void)id;
    (void)ts_ns;
    (void)json;
}

void nats_publish_packet(struct nats_publisher *publisher, const struct ds_packet *packet,
                         unsigned time_digits)
{
    (void)publisher;
    (void)time_digits;
    (void)packet;
}

bool nats_publisher_end(struct nats_publisher *publisher)
{
    (void)publisher;
    return true;
}

#endif
