/*
 * nats_publisher.c - see nats_publisher.h.
 */
#include "send/nats/nats_publisher.h"

#include "send/nats/packet_json.h"

#include "core/complain.h"

#ifdef DISTSNIFF_NATS

#include "capture/pseudo_packet.h"
#include "output/json_write.h"
#include "send/nats/nats_send_loop.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNTS_EVERY_NS (2 * INT64_C(1000000000))

struct nats_publisher {
    struct nats_publisher_config config;
    char host[NATS_MAX_WORD];
    uint32_t types;
    pthread_mutex_t lock; /* protects what follows */
    struct sender sender;
    bool is_gone; /* the other process has ended, which was reported */
    uint64_t num_lost, num_untold;         /* in total, and since the last record "lost" */
    uint64_t num_lost_packets;             /* the part of num_lost that are packets */
    int64_t first_lost_ns, last_lost_ns;   /* of the records in num_untold */
    struct json_writer json;               /* for packets */
    struct ds_buffer text, told, made;
    struct capture_point_counts counts;    /* what readers are told of this host */
    int64_t counts_told_ns; /* time of the packet that told them last, 0: none has */
    int64_t state_ns; /* of the state that is being published, with what follows */
    uint64_t state_frame, num_made;
    uint32_t state_link_type;
};

/* The process that talks to the servers. */

static struct nats_client client;

static bool prepare(void *context)
{
    const struct nats_publisher *p = context;
    return nats_library_load() && nats_client_init(&client, p->config.nats, &p->config.nats->publish);
}

static void carry(void *context, struct send_queue *queue, int wake_fd)
{
    const struct nats_publisher *p = context;
    struct nats_send_loop_config config = {
        .client = &client,
        .queue = queue,
        .wake_fd = wake_fd,
        .is_live = p->config.rules.is_live,
        .is_quiet = p->config.is_quiet,
    };
    memcpy(config.host, p->host, sizeof config.host);
    nats_send_loop_run(&config);
}

/* This process. */

static void release(struct nats_publisher *p)
{
    pthread_mutex_destroy(&p->lock);
    json_writer_free(&p->json);
    ds_buffer_free(&p->text);
    ds_buffer_free(&p->told);
    ds_buffer_free(&p->made);
    sender_free(&p->sender);
    free(p);
}

struct nats_publisher *nats_publisher_start(const struct nats_publisher_config *config)
{
    struct nats_publisher *p = calloc(1, sizeof *p);
    char name[2 * NATS_MAX_WORD + 8];
    const struct send_spool_config spool = {
        .folder = config->nats->spool,
        .name = name,
        .size = config->nats->spool_size,
        .refuses_left = config->is_redacted,
    };
    const struct sender_config sender = {
        .what = "NATS",
        .queue_option = "--nats-queue",
        .queue_size = config->nats->queue_size != 0 ? config->nats->queue_size : NATS_QUEUE_SIZE,
        .spool = config->nats->spool != NULL ? &spool : NULL,
        .rules = config->rules,
        .prepare = prepare,
        .carry = carry,
        .context = p,
    };
    if (p == NULL) {
        complain("out of memory");
        return NULL;
    }
    p->config = *config;
    p->types = config->nats->types != 0 ? config->nats->types : NATS_TYPES_ALL;
    if (config->is_redacted)
        p->types &= ~(UINT32_C(1) << NATS_PACKET);
    pthread_mutex_init(&p->lock, NULL);
    nats_host_name(config->nats->host, p->host);
    snprintf(name, sizeof name, "%s.%s", config->nats->publish.stream, p->host);
    if (sender_start(&p->sender, &sender)) {
        if (p->sender.num_left != 0)
            complain("NATS: %s of an earlier run to be stored first",
                     ds_counted(p->sender.num_left, "records").text);
        return p;
    }
    release(p);
    return NULL;
}

bool nats_publisher_wants(const struct nats_publisher *p, enum nats_type type)
{
    return (p->types >> (type == NATS_STATE ? NATS_PACKET : type) & 1) != 0;
}

const char *nats_publisher_host(const struct nats_publisher *p)
{
    return p->host;
}

/* report_lost publishes a record "lost" where records are missing: once the queue has room for
 * later records too, or at the end. Call it with the lock. */
static void report_lost(struct nats_publisher *p, bool is_end)
{
    char id[SEND_MAX_ID + 1];
    struct json_writer json = {.out = &p->told, .time_digits = 9};
    if (p->num_untold == 0 || (!is_end && !send_queue_is_roomy(p->sender.queue)))
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
        sender_push(&p->sender, NATS_LOST, id, (struct ds_text){p->told.data, p->told.len - 1}))
        p->num_untold = 0;
}

static void count_lost(struct nats_publisher *p, enum nats_type type, int64_t ts_ns)
{
    if (p->num_untold++ == 0) {
        p->first_lost_ns = ts_ns;
        if (!p->is_gone && sender_has_ended(&p->sender)) {
            p->is_gone = true;
            complain("the process that talks to NATS has exited: nothing more is stored");
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
    report_lost(p, false);
    if (json.len == 0 || !sender_push_in_time(&p->sender, type, id, json))
        count_lost(p, type, ts_ns);
    pthread_mutex_unlock(&p->lock);
}

/* counts_to_tell returns what the next packet says of this host, NULL: nothing. */
static const struct capture_point_counts *counts_to_tell(struct nats_publisher *p, int64_t ts_ns)
{
    if (p->counts.since_ns == 0)
        p->counts.since_ns = ts_ns;
    if (p->counts_told_ns != 0 && ts_ns >= p->counts_told_ns && ts_ns - p->counts_told_ns < COUNTS_EVERY_NS)
        return NULL;
    p->counts_told_ns = ts_ns;
    pthread_mutex_lock(&p->lock);
    p->counts.lost = p->num_lost_packets;
    pthread_mutex_unlock(&p->lock);
    return &p->counts;
}

void nats_publisher_dropped(struct nats_publisher *p, uint64_t num)
{
    p->counts.dropped = num;
}

void nats_publish_packet(struct nats_publisher *p, const struct ds_packet *packet, unsigned time_digits)
{
    char id[SEND_MAX_ID + 1];
    if (!nats_publisher_wants(p, NATS_PACKET))
        return;
    p->text.len = 0;
    p->json.time_digits = time_digits;
    packet_json_write(&p->json, packet, p->host, counts_to_tell(p, packet->ts_ns), &p->text);
    packet_json_id(packet, p->host, id);
    if (p->text.failed)
        ds_buffer_free(&p->text); /* memory ran out: the record is lost */
    nats_publish(p, NATS_PACKET, id, packet->ts_ns, (struct ds_text){p->text.data, p->text.len});
}

void nats_publish_segment(struct nats_publisher *p, const struct ds_segment *segment)
{
    char id[SEND_MAX_ID + 1];
    struct ds_packet packet;
    p->text.len = 0;
    if (pseudo_packet(segment, p->state_ns, p->state_link_type, &p->made, &packet)) {
        packet.frame = p->state_frame;
        packet_json_write(&p->json, &packet, p->host, NULL, &p->text);
    }
    if (p->text.failed || p->made.failed) { /* memory ran out: the segment is lost */
        ds_buffer_free(&p->text);
        ds_buffer_free(&p->made);
    }
    packet_json_made_id(p->state_ns, p->num_made++, p->host, id);
    nats_publish(p, NATS_PACKET, id, p->state_ns, (struct ds_text){p->text.data, p->text.len});
}

void nats_publish_state(struct nats_publisher *p, const struct ds_packet *packet, unsigned time_digits)
{
    char id[SEND_MAX_ID + 1];
    p->state_ns = packet->ts_ns;
    p->state_frame = packet->frame;
    p->state_link_type = packet->link_type;
    p->num_made = 0;
    p->json.time_digits = time_digits;
    p->json.out = &p->text;
    p->text.len = 0;
    json_begin(&p->json, JSON_TYPE("state"));
    json_put_time(&p->json, JSON_KEY("ts"), packet->ts_ns);
    json_put_string(&p->json, JSON_KEY("host"), p->host);
    json_end(&p->json);
    if (p->text.failed)
        ds_buffer_free(&p->text);
    packet_json_made_id(p->state_ns, p->num_made++, p->host, id);
    nats_publish(p, NATS_STATE, id, p->state_ns,
                 (struct ds_text){p->text.data, p->text.len != 0 ? p->text.len - 1 : 0});
}

/* say prints how many records were stored, and how many were not. */
static void say(const struct nats_publisher *p, uint64_t num_left)
{
    const struct send_counts *counts = &p->sender.queue->shared->counts;
    char known[96] = "", again[96] = "";
    if (counts->known != 0)
        snprintf(known, sizeof known, " (%s already there)", ds_counted(counts->known, "records").text);
    if (counts->sent_again != 0)
        snprintf(again, sizeof again, ", %s resent", ds_counted(counts->sent_again, "records").text);
    if (!p->config.is_quiet || p->num_lost != 0 || num_left != 0)
        complain("NATS: %s stored%s%s", ds_counted(counts->stored, "records").text, known, again);
    if (p->num_lost != 0)
        complain("NATS: %s lost, %" PRIu64 " of them packets: the queue was full (%s)",
                 ds_counted(p->num_lost, "records").text, p->num_lost_packets,
                 p->config.nats->spool != NULL ? "--nats-spool" : "--nats-queue");
    if (counts->too_large != 0)
        complain("NATS: %s lost: larger than max_payload of the servers",
                 ds_counted(counts->too_large, "records").text);
    if (num_left != 0 && p->config.nats->spool != NULL)
        complain("NATS: %s kept in %s for the next run: not acknowledged by the servers",
                 ds_counted(num_left, "records").text, p->config.nats->spool);
    else if (num_left != 0)
        complain("NATS: %s lost: not acknowledged by the servers",
                 ds_counted(num_left, "records").text);
}

bool nats_publisher_end(struct nats_publisher *p)
{
    if (p == NULL)
        return true;
    pthread_mutex_lock(&p->lock);
    report_lost(p, true);
    pthread_mutex_unlock(&p->lock);
    sender_end(&p->sender);
    const struct send_counts *counts = &p->sender.queue->shared->counts;
    const uint64_t num_left = p->sender.num_pushed - counts->stored - counts->too_large;
    const bool good = (num_left == 0 || p->config.nats->spool != NULL) && counts->too_large == 0 &&
                      (p->config.rules.is_live || p->num_lost == 0);
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

bool nats_publisher_wants(const struct nats_publisher *publisher, enum nats_type type)
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

void nats_publisher_dropped(struct nats_publisher *publisher, uint64_t num)
{
    (void)publisher;
    (void)num;
}

void nats_publish_packet(struct nats_publisher *publisher, const struct ds_packet *packet,
                         unsigned time_digits)
{
    (void)publisher;
    (void)time_digits;
    (void)packet;
}

void nats_publish_state(struct nats_publisher *publisher, const struct ds_packet *packet,
                        unsigned time_digits)
{
    (void)publisher;
    (void)packet;
    (void)time_digits;
}

void nats_publish_segment(struct nats_publisher *publisher, const struct ds_segment *segment)
{
    (void)publisher;
    (void)segment;
}

bool nats_publisher_end(struct nats_publisher *publisher)
{
    (void)publisher;
    return true;
}

#endif
