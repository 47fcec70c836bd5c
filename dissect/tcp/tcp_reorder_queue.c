/*
 * tcp_reorder_queue.c - see tcp_reorder_queue.h. The queue is short, so each search is a walk.
 */
#include "tcp/tcp_reorder_queue.h"

#include <stdlib.h>

static uint32_t payload_len(const struct segment *segment)
{
    return (uint32_t)cursor_left(&segment->payload) + segment->truncated_len;
}

/* end_of returns the sequence number of the sender's next segment. */
static uint32_t end_of(const struct segment *segment)
{
    return segment->seq + payload_len(segment) + ((segment->flags & TCP_SYN) != 0) +
           ((segment->flags & TCP_FIN) != 0);
}

static bool is_same_way(const struct segment *a, const struct segment *b)
{
    return a->src_port == b->src_port && a->dst_port == b->dst_port &&
           memcmp(&a->src, &b->src, sizeof a->src) == 0 &&
           memcmp(&a->dst, &b->dst, sizeof a->dst) == 0;
}

static bool is_other_way(const struct segment *a, const struct segment *b)
{
    return a->src_port == b->dst_port && a->dst_port == b->src_port &&
           memcmp(&a->src, &b->dst, sizeof a->src) == 0 &&
           memcmp(&a->dst, &b->src, sizeof a->dst) == 0;
}

static uint64_t queued_cost(const struct segment *segment)
{
    return sizeof(struct tcp_queued) + cursor_left(&segment->payload);
}

static void keep_options(struct tcp_queued *one, struct cursor options)
{
    options = cursor_first(options, TCP_MAX_OPTIONS);
    const size_t len = cursor_left(&options);
    if (len != 0 && cursor_read_bytes(&options, one->options, len))
        one->segment.options = cursor_make(one->options, len);
}

static void append(struct tcp_reorder_queue *queue, struct tcp_queued *one)
{
    one->next = NULL;
    *(queue->last != NULL ? &queue->last->next : &queue->first) = one;
    queue->last = one;
    queue->len += queued_cost(&one->segment);
    queue->num++;
}

bool tcp_reorder_queue_add(struct tcp_shared *shared, struct tcp_reorder_queue *queue,
                           const struct segment *segment, uint64_t number)
{
    const size_t len = cursor_left(&segment->payload);
    const uint64_t cost = queued_cost(segment);
    /* Not counted as a cap that was reached: if packets are in order, nothing is lost. */
    if (queue->num >= TCP_MAX_QUEUED || queue->len + cost > shared->limits[DS_LIMIT_BUFFER] ||
        !memcap_fits(shared->memcap, cost))
        return false;
    struct tcp_queued *one = malloc(cost);
    struct cursor payload = segment->payload;
    if (one == NULL || !cursor_read_bytes(&payload, one->bytes, len) ||
        !memcap_reserve(shared->memcap, cost)) {
        shared->stats->no_memory += one == NULL;
        free(one);
        return false;
    }
    one->segment = *segment;
    one->number = number;
    one->segment.payload = cursor_make(one->bytes, len);
    one->segment.options = one->segment.ip4 = one->segment.summed = cursor_make(NULL, 0);
    keep_options(one, segment->options);
    append(queue, one);
    return true;
}

static void remove_one(struct tcp_reorder_queue *queue, struct tcp_queued *one)
{
    struct tcp_queued *before = NULL;
    for (struct tcp_queued *other = queue->first; other != one; other = other->next)
        before = other;
    *(before != NULL ? &before->next : &queue->first) = one->next;
    if (queue->last == one)
        queue->last = before;
    queue->len -= queued_cost(&one->segment);
    queue->num--;
}

void tcp_reorder_queue_remove(struct tcp_shared *shared, struct tcp_reorder_queue *queue,
                              struct tcp_queued *one)
{
    remove_one(queue, one);
    memcap_release(shared->memcap, queued_cost(&one->segment));
}

void tcp_reorder_queue_move(struct tcp_reorder_queue *from, struct tcp_reorder_queue *to,
                            struct tcp_queued *one)
{
    remove_one(from, one);
    append(to, one);
}

void tcp_queued_free(struct tcp_queued *one)
{
    free(one);
}

struct tcp_queued *tcp_reorder_queue_find(struct tcp_queued *one, const struct segment *segment)
{
    while (one != NULL && !is_same_way(&one->segment, segment) &&
           !is_other_way(&one->segment, segment))
        one = one->next;
    return one;
}

/* was_sent_before says whether the numbers of two segments of a connection show that a was sent
 * before b. */
static bool was_sent_before(const struct segment *a, const struct segment *b)
{
    if (a->seq == end_of(a))
        return false;
    if (is_same_way(a, b))
        return end_of(a) == b->seq;
    const int32_t acked = tcp_diff(b->ack, end_of(a));
    return (b->flags & TCP_ACK) != 0 && acked >= 0 && acked <= TCP_NEAR;
}

struct tcp_queued *tcp_reorder_queue_earliest(const struct tcp_reorder_queue *queue,
                                              struct tcp_queued *one)
{
    /* Limited, as contradictory numbers may lead in a circle. */
    for (unsigned i = 0; i < queue->num; i++) {
        struct tcp_queued *other = tcp_reorder_queue_find(queue->first, &one->segment);
        while (other != NULL && !was_sent_before(&other->segment, &one->segment))
            other = tcp_reorder_queue_find(other->next, &one->segment);
        if (other == NULL)
            return one;
        one = other;
    }
    return one;
}

static bool is_acked(const struct tcp_reorder_queue *queue, const struct segment *segment)
{
    const struct tcp_queued *other = queue->first;
    while (other != NULL &&
           !(is_other_way(&other->segment, segment) && other->segment.sum != PACKET_SUM_BAD &&
             was_sent_before(segment, &other->segment)))
        other = other->next;
    return other != NULL;
}

struct tcp_queued *tcp_reorder_queue_acked(const struct tcp_reorder_queue *queue, struct tcp_queued *one)
{
    for (struct tcp_queued *other = queue->first; other != NULL; other = other->next) {
        if (is_same_way(&other->segment, &one->segment) && is_acked(queue, &other->segment))
            return other;
    }
    return one;
}

uint32_t tcp_reorder_queue_start(const struct tcp_reorder_queue *queue, const struct tcp_queued *one)
{
    uint32_t seq = one->segment.seq;
    for (unsigned i = 0; i < queue->num; i++) {
        const struct tcp_queued *other = queue->first;
        while (other != NULL && !(is_same_way(&other->segment, &one->segment) &&
                                  end_of(&other->segment) == seq && other->segment.seq != seq))
            other = other->next;
        if (other == NULL)
            break;
        seq = other->segment.seq;
    }
    return seq;
}

bool tcp_reorder_queue_has_data(const struct tcp_reorder_queue *queue, const struct segment *syn)
{
    for (const struct tcp_queued *one = queue->first; one != NULL; one = one->next) {
        if (is_same_way(&one->segment, syn) && (one->segment.flags & TCP_SYN) == 0 &&
            one->segment.seq != end_of(&one->segment))
            return true;
    }
    return false;
}

bool tcp_reorder_queue_begins(const struct tcp_reorder_queue *queue, const struct segment *syn)
{
    for (const struct tcp_queued *one = tcp_reorder_queue_find(queue->first, syn); one != NULL;
         one = tcp_reorder_queue_find(one->next, syn)) {
        const struct segment *other = &one->segment;
        const bool is_same = is_same_way(other, syn);
        if (is_same && (other->flags & TCP_SYN) != 0 && other->seq != syn->seq &&
            tcp_reorder_queue_has_data(queue, syn))
            return false;
        const uint32_t first = other->seq + ((other->flags & TCP_SYN) != 0);
        const int32_t after = tcp_diff(is_same ? first : other->ack, syn->seq + 1);
        if ((is_same || (other->flags & TCP_ACK) != 0) && (after < 0 || after > TCP_NEAR))
            return false;
    }
    return true;
}

void tcp_reorder_queue_drop(struct tcp_shared *shared, struct tcp_reorder_queue *queue)
{
    while (queue->first != NULL) {
        struct tcp_queued *one = queue->first;
        tcp_reorder_queue_remove(shared, queue, one);
        tcp_queued_free(one);
    }
}
