/*
 * otlp_publisher.c - see otlp_publisher.h.
 */
#include "send/otlp/otlp_publisher.h"

#include "core/complain.h"

#ifdef DISTSNIFF_OTLP

#include "send/otlp/otlp_send_loop.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct otlp_publisher {
    struct otlp_publisher_config config;
    struct sender sender;
    bool is_gone; /* the other process has ended, which was reported */
    uint64_t num_lost; /* spans: the queue was full */
};

/* The process that sends. */

static struct otlp_client client;

static bool prepare(void *context)
{
    const struct otlp_publisher *p = context;
    return otlp_client_init(&client, p->config.otlp);
}

static void carry(void *context, struct send_queue *queue, int wake_fd)
{
    const struct otlp_publisher *p = context;
    const struct otlp_send_loop_config config = {
        .client = &client,
        .queue = queue,
        .wake_fd = wake_fd,
        .is_live = p->config.rules.is_live,
    };
    otlp_send_loop_run(&config);
}

/* This process. */

struct otlp_publisher *otlp_publisher_start(const struct otlp_publisher_config *config)
{
    struct otlp_publisher *p = calloc(1, sizeof *p);
    const struct sender_config sender = {
        .what = "OTLP",
        .queue_option = "--otlp-queue",
        .queue_size = config->otlp->queue_size != 0 ? config->otlp->queue_size : OTLP_QUEUE_SIZE,
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
    if (sender_start(&p->sender, &sender))
        return p;
    free(p);
    return NULL;
}

/* report_gone reports, once, that the other process ended too early. */
static void report_gone(struct otlp_publisher *p)
{
    if (p->is_gone || !sender_has_ended(&p->sender) || atomic_load(&p->sender.queue->shared->is_abandoned))
        return;
    p->is_gone = true;
    complain("OTLP: the process that sends spans has exited: no more spans are sent");
}

void otlp_publish(struct otlp_publisher *p, struct ds_text span)
{
    if (span.len != 0 && sender_push_in_time(&p->sender, 0, "", span))
        return;
    p->num_lost++;
    report_gone(p);
}

/* add_lost appends how many spans were lost for one reason. */
static void add_lost(uint64_t num, const char *how, char *text, size_t size, size_t *len)
{
    if (num != 0 && *len < size)
        *len += (size_t)snprintf(text + *len, size - *len, "%s%" PRIu64 " %s",
                                 *len != 0 ? ", " : ": ", num, how);
}

/* print_result prints the result in one line. */
static void print_result(const struct otlp_publisher *p, uint64_t num_left)
{
    const struct send_counts *counts = &p->sender.queue->shared->counts;
    const uint64_t lost = p->num_lost + counts->refused + num_left;
    char again[96] = "", all[128] = "", how[256] = "";
    size_t len = 0;
    if (counts->sent_again != 0)
        snprintf(again, sizeof again, " (%s resent)", ds_counted(counts->sent_again, "spans").text);
    add_lost(p->num_lost, "dropped because the queue was full (--otlp-queue)", how, sizeof how, &len);
    add_lost(counts->refused, "refused by the receiver", how, sizeof how, &len);
    add_lost(num_left, "not accepted in time", how, sizeof how, &len);
    if (lost != 0)
        snprintf(all, sizeof all, ", %" PRIu64 " lost", lost);
    complain("OTLP: %s accepted%s%s%s", ds_counted(counts->stored, "spans").text, again, all, how);
}

bool otlp_publisher_end(struct otlp_publisher *p)
{
    if (p == NULL)
        return true;
    report_gone(p);
    sender_end(&p->sender);
    const struct send_counts *counts = &p->sender.queue->shared->counts;
    const uint64_t num_left = p->sender.num_pushed - counts->stored - counts->refused;
    const bool good = num_left == 0 && counts->refused == 0 && p->num_lost == 0;
    print_result(p, num_left);
    sender_free(&p->sender);
    free(p);
    return good;
}

#else

struct otlp_publisher *otlp_publisher_start(const struct otlp_publisher_config *config)
{
    (void)config;
    return NULL;
}

void otlp_publish(struct otlp_publisher *publisher, struct ds_text span)
{
    (void)publisher;
    (void)span;
}

bool otlp_publisher_end(struct otlp_publisher *publisher)
{
    (void)publisher;
    return true;
}

#endif
