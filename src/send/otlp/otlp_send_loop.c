/*
 * otlp_send_loop.c - see otlp_send_loop.h. otlp_deadline.h decides how long it goes on.
 */
#ifdef DISTSNIFF_OTLP

#include "send/otlp/otlp_send_loop.h"

#include "core/clock.h"
#include "core/complain.h"
#include "record/back_off.h"
#include "send/otlp/otlp_batch.h"
#include "send/otlp/otlp_deadline.h"

#include <distsniff/counted.h>
#include <poll.h>
#include <unistd.h>

enum { TICK_MS = 50, IDLE_MS = 500, MOST_COMPLAINTS = 8 };
#define GATHER_NS INT64_C(1000000000) /* how long spans wait for others to be sent in the same request */
#define QUIET_NS (30 * INT64_C(1000000000)) /* between two messages that a receiver is unreachable */
#define NS_PER_MS INT64_C(1000000)

struct span_sender {
    const struct otlp_send_loop_config *config;
    struct send_queue *queue;
    int wake_fd;          /* from the configuration; -1: the other process is gone */
    struct otlp_batch batch;
    struct otlp_answer answer;
    struct otlp_deadline patience;
    uint64_t most_spans;  /* per request: fewer if the receiver wants smaller ones */
    uint64_t sent_end;    /* entries before this position were sent already, and may be sent again */
    int attempts;         /* for this request */
    int64_t next_ns;      /* when the next attempt is due */
    bool is_asked;        /* the receiver asked for that pause */
    int64_t since_ns;     /* since when spans are gathered, 0: there are none */
    bool has_complained;  /* about the present trouble */
    int64_t complained_ns; /* the last time; 0: never */
    long refused_status;  /* the status of the last message about a refusal */
    int num_complaints;   /* about refusals: limited, because a receiver can vary its status */
    bool has_said;        /* the receiver's text with an accepted request was printed */
    bool is_hopeless;
};

static bool is_over(struct span_sender *c)
{
    if (atomic_load(&c->queue->shared->is_abandoned) || c->is_hopeless)
        return true;
    if (atomic_load(&c->queue->shared->is_ending) && !c->patience.is_ending) {
        otlp_deadline_end(&c->patience, clock_now_ns());
        c->next_ns = c->is_asked ? c->next_ns : 0; /* one more attempt at once */
    }
    uint64_t position = atomic_load(&c->queue->shared->tail);
    struct send_entry entry;
    if (!send_queue_at(c->queue, &position, &entry)) {
        otlp_deadline_progress(&c->patience, clock_now_ns());
        return c->patience.is_ending;
    }
    return otlp_deadline_is_over(&c->patience, clock_now_ns());
}

static bool may_go_on(void *context)
{
    struct span_sender *c = context;
    c->patience.is_met = c->patience.is_met || otlp_client_has_sent(c->config->client);
    return !is_over(c);
}

/* let_go releases the entries of the batch. */
static void let_go(struct span_sender *c)
{
    send_queue_release(c->queue, c->batch.end);
    c->attempts = 0;
    c->since_ns = 0;
    c->is_asked = false;
    otlp_deadline_progress(&c->patience, clock_now_ns());
}

/* complain_once prints what is wrong, once until it is over, and less often if the receiver comes
 * and goes. */
static void complain_once(struct span_sender *c, const char *why)
{
    const int64_t now_ns = clock_now_ns();
    if (c->has_complained || (c->complained_ns != 0 && now_ns - c->complained_ns < QUIET_NS))
        return;
    complain("OTLP: %s: %s; retrying, new spans wait in the queue",
             c->config->client->config->url, why);
    c->has_complained = true;
    c->complained_ns = now_ns;
}

static void try_again(struct span_sender *c, const struct otlp_outcome *outcome)
{
    const int64_t pause_ms = back_off_ms(c->attempts++);
    complain_once(c, outcome->why);
    c->is_asked = outcome->wait_ms > pause_ms;
    c->next_ns = clock_now_ns() + (c->is_asked ? outcome->wait_ms : pause_ms) * NS_PER_MS;
    if (c->is_asked)
        otlp_deadline_ask(&c->patience, outcome->wait_ms * NS_PER_MS);
}

static void on_accepted(struct span_sender *c, const struct otlp_outcome *outcome)
{
    atomic_fetch_add(&c->queue->shared->counts.stored, c->batch.num - outcome->num_rejected);
    atomic_fetch_add(&c->queue->shared->counts.refused, outcome->num_rejected);
    if (c->has_complained)
        complain("OTLP: spans are accepted again");
    c->has_complained = false;
    /* It may send the same text with every request. */
    if (outcome->why[0] != '\0' && !c->has_said) {
        if (outcome->num_rejected != 0)
            complain("OTLP: the receiver rejected %s of a request: %s",
                     ds_counted(outcome->num_rejected, "spans").text, outcome->why);
        else
            complain("OTLP: the receiver says: %s", outcome->why);
        c->has_said = true;
    }
    c->most_spans = c->most_spans * 2 < OTLP_MOST_SPANS ? c->most_spans * 2 : OTLP_MOST_SPANS;
    let_go(c);
}

static void on_refused(struct span_sender *c, const struct otlp_outcome *outcome)
{
    atomic_fetch_add(&c->queue->shared->counts.refused, c->batch.num);
    if (c->refused_status != c->answer.status && c->num_complaints++ < MOST_COMPLAINTS)
        complain("OTLP: %s: %s: refused spans are not sent again", c->config->client->config->url,
                 outcome->why);
    c->refused_status = c->answer.status;
    let_go(c);
}

static void judge(struct span_sender *c)
{
    struct otlp_outcome outcome;
    otlp_judge(&c->answer, c->batch.num, &outcome);
    switch (outcome.verdict) {
    case OTLP_TAKEN:
        on_accepted(c, &outcome);
        break;
    case OTLP_SMALLER:
        c->most_spans = c->batch.num / 2;
        break;
    case OTLP_GIVEN_UP:
        on_refused(c, &outcome);
        break;
    case OTLP_HOPELESS:
        c->is_hopeless = !c->config->is_live;
        if (c->is_hopeless) {
            complain("OTLP: %s: %s", c->config->client->config->url, outcome.why);
            break;
        }
        try_again(c, &outcome);
        break;
    case OTLP_AGAIN:
        try_again(c, &outcome);
        break;
    }
}

/* send_batch sends the entries at the tail of the queue. */
static void send_batch(struct span_sender *c)
{
    struct otlp_client *client = c->config->client;
    const bool is_packed = client->config->is_packed;
    if (!otlp_batch_fill(&c->batch, c->queue, c->most_spans, is_packed)) {
        const struct otlp_outcome outcome = {.verdict = OTLP_AGAIN, .why = "memory ran out"};
        try_again(c, &outcome);
        return;
    }
    const bool is_known = c->sent_end > atomic_load(&c->queue->shared->tail);
    const struct ds_text body = otlp_batch_body(&c->batch, is_packed);
    const bool has_ended = otlp_client_post(client, body, may_go_on, c, &c->answer);
    if (otlp_client_has_sent(client)) {
        atomic_fetch_add(&c->queue->shared->counts.sent_again, is_known ? c->batch.num : 0);
        c->sent_end = c->batch.end;
    }
    if (has_ended)
        judge(c);
}

/* is_due says whether spans wait that are to be sent now. */
static bool is_due(struct span_sender *c)
{
    const int64_t now_ns = clock_now_ns();
    otlp_batch_look(&c->batch, c->queue, c->most_spans);
    if (c->batch.num == 0)
        return false;
    if (c->since_ns == 0)
        c->since_ns = now_ns;
    return now_ns >= c->next_ns &&
           (c->batch.is_full || c->attempts != 0 || c->patience.is_ending ||
            now_ns - c->since_ns >= GATHER_NS || !send_queue_is_roomy(c->queue));
}

/* sleep_for waits for an entry to send. */
static void sleep_for(struct span_sender *c)
{
    struct pollfd wake = {c->wake_fd, POLLIN, 0};
    int ms = TICK_MS;
    if (c->batch.num == 0 && !c->patience.is_ending) {
        atomic_store(&c->queue->shared->is_asleep, true);
        /* An entry that came just before this has not sent a wake-up. */
        uint64_t position = atomic_load(&c->queue->shared->tail);
        struct send_entry entry;
        ms = send_queue_at(c->queue, &position, &entry) ? 0 : IDLE_MS;
    }
    const int num = poll(&wake, 1, ms);
    atomic_store(&c->queue->shared->is_asleep, false);
    if (num > 0)
        send_queue_wake(c->queue, &c->wake_fd);
}

void otlp_send_loop_run(const struct otlp_send_loop_config *config)
{
    static struct span_sender carrier;
    struct span_sender *c = &carrier;
    *c = (struct span_sender){.config = config,
                          .queue = config->queue,
                          .wake_fd = config->wake_fd,
                          .most_spans = OTLP_MOST_SPANS};
    otlp_deadline_begin(&c->patience, config->is_live, clock_now_ns());
    back_off_begin();
    while (!is_over(c)) {
        if (is_due(c))
            send_batch(c);
        else
            sleep_for(c);
    }
    atomic_store(&c->queue->shared->is_abandoned, true); /* an orderly end */
    /* The process ends without waiting for the library or its threads. */
}

#endif
