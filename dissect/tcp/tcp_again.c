/*
 * tcp_again.c - see tcp_again.h.
 */
#include "tcp/tcp_again.h"

#include "tcp/tcp_judge.h"

#include <stdlib.h>

#define ANSWER_NS (10000 * TCP_MS_NS) /* a SYN is not answered later */

static struct tcp_again *get_again(struct tcp_table *table, struct tcp_conn *conn)
{
    if (conn->again != NULL)
        return conn->again;
    if (!memcap_take(table->shared.memcap, sizeof *conn->again))
        return NULL;
    conn->again = calloc(1, sizeof *conn->again);
    if (conn->again == NULL) {
        table->shared.stats->no_memory++;
        memcap_give(table->shared.memcap, sizeof *conn->again);
    }
    return conn->again;
}

static void count(struct tcp_table *table, struct tcp_conn *conn, struct tcp_again_syn *syn)
{
    if (!syn->is_counted)
        tcp_ignore(table, conn, syn->dir, &syn->segment);
    syn->is_counted = true;
}

void tcp_again_refute(struct tcp_table *table, struct tcp_conn *conn)
{
    struct tcp_again *again = conn->again;
    for (unsigned i = 0; i < again->num; i++)
        count(table, conn, &again->syns[i]);
    if (again->num != 0 &&
        tcp_elapsed(table->shared.now_ns, again->syns[again->num - 1].segment.ts_ns) > ANSWER_NS)
        tcp_drop_again(table, conn);
}

void tcp_again_note(struct tcp_table *table, struct tcp_conn *conn, int dir,
                    const struct segment *segment)
{
    struct tcp_again *again = get_again(table, conn);
    if (again == NULL) {
        tcp_ignore(table, conn, dir, segment);
        return;
    }
    for (unsigned i = 0; i < again->num; i++) {
        if (again->syns[i].dir == dir && again->syns[i].segment.seq == segment->seq &&
            again->syns[i].segment.flags == segment->flags)
            return; /* sent again */
    }
    if (again->num == TCP_SYNS) {
        count(table, conn, &again->syns[0]);
        memmove(&again->syns[0], &again->syns[1], (TCP_SYNS - 1) * sizeof again->syns[0]);
        again->num--;
    }
    struct tcp_again_syn *syn = &again->syns[again->num++];
    struct cursor options = cursor_first(segment->options, sizeof syn->options);
    const size_t len = cursor_left(&options);
    syn->segment = *segment;
    syn->dir = dir;
    syn->is_counted = false;
    syn->segment.payload = syn->segment.summed = syn->segment.ip4 = cursor_make(NULL, 0);
    syn->segment.truncated_len = 0;
    syn->segment.options = cursor_make(NULL, 0);
    if (len != 0 && cursor_read_bytes(&options, syn->options, len))
        syn->segment.options = cursor_make(syn->options, len);
}

static bool is_far(uint32_t number, uint32_t from)
{
    return number - from + TCP_NEAR > 2 * TCP_NEAR;
}

/* is_begun says whether a segment shows that a SYN of dir was answered. Where an end of the connection
 * is heard, and the number of the SYN is near its own, the answer alone does. */
static bool is_begun(const struct tcp_conn *conn, const struct tcp_again_syn *syn, int dir,
                     const struct segment *segment)
{
    const uint32_t next = syn->segment.seq + 1;
    const bool has_ack = (segment->flags & TCP_ACK) != 0;
    const bool is_syn = (segment->flags & TCP_SYN) != 0;
    if (!has_ack)
        return false;
    if (dir != syn->dir && (is_syn || ((segment->flags & TCP_RST) != 0 && segment->seq == 0)) &&
        (syn->segment.flags & TCP_ACK) == 0)
        return segment->ack == next;
    const struct tcp_stream *stream = &conn->stream[syn->dir];
    if (is_syn || (segment->flags & TCP_RST) != 0 || !is_far(next, stream->next_seq))
        return false;
    return dir == syn->dir ? segment->seq == next : segment->ack == next;
}

const struct tcp_again_syn *tcp_again_find(const struct tcp_conn *conn, int dir,
                                           const struct segment *segment)
{
    for (unsigned i = 0; i < conn->again->num; i++) {
        if (is_begun(conn, &conn->again->syns[i], dir, segment))
            return &conn->again->syns[i];
    }
    return NULL;
}
