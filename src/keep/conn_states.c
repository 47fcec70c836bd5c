/*
 * conn_states.c - see conn_states.h.
 */
#include "keep/conn_states.h"

#include <string.h>

enum { RECENT_NS = 100000000 }; /* a monitor may be set up this long before its request */

/* write_opening gives a message that is not part of the stream, as a retransmission. */
static void write_opening(void *context, const struct pending_message *opening)
{
    enum { PSH_ACK = 24, WINDOW = 65535 };
    struct conn_states *s = context;
    const int from = opening->ends[0].port == s->ends[0].port &&
                             memcmp(&opening->ends[0].addr, &s->ends[0].addr, sizeof s->ends[0].addr) == 0
                         ? 0
                         : 1;
    if (opening->frame == NULL) {
        s->num_incomplete++;
        return;
    }
    struct ds_segment segment = {
        .src = opening->ends[0].addr,
        .dst = opening->ends[1].addr,
        .src_port = opening->ends[0].port,
        .dst_port = opening->ends[1].port,
        .seq = s->point[from] - (uint32_t)opening->len,
        .ack = s->point[!from],
        .window = WINDOW,
        .flags = PSH_ACK,
        .payload = opening->frame,
        .payload_len = (uint32_t)opening->len,
        .past = {.sent_ns = opening->ns,
                 .point = {s->point[from], s->point[!from]},
                 .knows = {s->knows[from], s->knows[!from]},
                 .kind = DS_SNAPSHOT_OPEN},
    };
    if (ds_session_seal_snapshot(s->session, &segment, &s->sealed)) {
        s->give(s->context, s->now_ns, &segment);
        return;
    }
    s->no_memory += s->sealed.failed;
    s->num_incomplete += !s->sealed.failed;
    ds_buffer_free(&s->sealed);
}

/* end_conn gives the last part of a connection's snapshot: the messages that may still be answered. */
static void end_conn(struct conn_states *s)
{
    if (s->has_conn)
        pending_messages_write(s->openings, s->ends, s->now_ns - RECENT_NS, write_opening, s);
    s->has_conn = false;
}

static void on_segment(void *context, int64_t ts_ns, const struct ds_segment *segment)
{
    struct conn_states *s = context;
    const struct ds_snapshot *past = &segment->past;
    if (past->begins) {
        end_conn(s);
        s->has_conn = true;
        s->ends[0] = (struct ds_endpoint){.addr = segment->src, .port = segment->src_port};
        s->ends[1] = (struct ds_endpoint){.addr = segment->dst, .port = segment->dst_port};
        memcpy(s->point, past->point, sizeof past->point);
        memcpy(s->knows, past->knows, sizeof past->knows);
    }
    s->give(s->context, ts_ns, segment);
}

void conn_states_write(struct conn_states *s, struct ds_session *session,
                       const struct pending_messages *openings, const struct ds_endpoint *ends,
                       int64_t now_ns, ds_snapshot_fn give, void *context)
{
    s->session = session;
    s->openings = openings;
    s->give = give;
    s->context = context;
    s->now_ns = now_ns;
    ds_session_snapshot(session, ends, on_segment, s);
    end_conn(s);
}

void conn_states_free(struct conn_states *s)
{
    ds_buffer_free(&s->sealed);
}
