/*
 * sink_replay.c - an escript that plays one side of a captured connection. Its fixed part is
 * templates/replay.escript; the recording follows it in comments, so that what peers sent is
 * never code:
 *
 *   %@ {initiator, #{name => alice@h, ...}}.      the two nodes, as Erlang terms
 *   %# 12 > 4711 64 reg_send ...                  a frame: number, who sent it (> the initiator),
 *                                                 microseconds since the connection was up,
 *                                                 number of its packet, and what it is
 *   %= g0QB...                                    its bytes without the length, base64
 *   %@ {frames, 57}.                              the end: it is whole
 *
 * Bytes can only be sent as they were recorded when all frames before them are: the receiver's
 * atom cache depends on them. So it is always a whole connection, from its handshake on, of
 * which nothing is missing: the one whose handshake is selected. What is left out of its messages
 * does not matter.
 */
#include "base64.h"
#include "complain.h"
#include "sink.h"
#include "table.h"
#include "templates/templates.h"

#include <stdlib.h>

enum {
    LENGTH_LEN = 4,   /* of a frame */
    LINE_BYTES = 72,  /* of a frame in a line of base64: a multiple of 3 */
    MAX_LISTED = 16,  /* connections to choose from */
    NAME_ME_BIT = 33, /* the initiator asks for a name */
};

static const struct ds_term_print_options brief = {
    .max_bytes = 48, .max_items = 12, .max_depth = 8, .max_len = 200};

/* handshaken is what the handshake of a connection has told so far. */
struct handshaken {
    struct table_entry entry;
    uint64_t conn;
    uint64_t flags[2];
    uint8_t version[2];
    bool has_flags[2];
    uint8_t initiator; /* the end */
    bool selected;
};

struct replay {
    struct table handshakes; /* of connections that are not up yet */
    uint64_t chosen;         /* number of the connection, 0 none yet */
    uint8_t initiator;       /* of it: the end */
    int64_t up_ns;
    uint64_t num_frames;
    uint64_t num_up;         /* connections that could have been meant */
    struct ds_buffer listed; /* them, as text */
    struct ds_buffer what;   /* the message whose frame comes next */
    struct ds_buffer why;    /* the recording cannot be played; empty: it can */
    bool no_memory;
};

static bool replay_open(struct sink *sink)
{
    struct replay *replay = calloc(1, sizeof *replay);
    if (replay == NULL)
        return false;
    table_init(&replay->handshakes, sizeof(struct handshaken),
               sink->options->config.limits[DS_LIMIT_CONNECTIONS]);
    sink->state = replay;
    ds_buffer_add(&sink->output.buffer, template_replay.bytes, template_replay.len);
    output_make_executable(&sink->output); /* if not, "escript FILE" still runs it */
    return true;
}

static void replay_close(struct sink *sink)
{
    struct replay *replay = sink->state;
    table_free(&replay->handshakes);
    ds_buffer_free(&replay->listed);
    ds_buffer_free(&replay->what);
    ds_buffer_free(&replay->why);
    free(replay);
}

/* "conn 4 alice@h > bob@h" */
static void print_conn(const struct ds_conn *conn, uint8_t from, struct ds_buffer *out)
{
    ds_buffer_printf(out, "conn %llu ", (unsigned long long)conn->number);
    for (uint8_t i = 0; i < 2; i++) {
        const struct ds_endpoint *end = &conn->end[i == 0 ? from : 1 - from];
        char addr[DS_ADDR_LEN];
        if (end->node.data != NULL) {
            ds_buffer_add(out, end->node.data, end->node.len);
        } else {
            ds_addr_print(&end->addr, addr);
            ds_buffer_printf(out, "%s.%u", addr, (unsigned)end->port);
        }
        ds_buffer_add_text(out, i == 0 ? " > " : "");
    }
}

/* spoil notes the first reason why the connection cannot be played. */
static void spoil(struct replay *replay, const struct ds_event *event, const char *why)
{
    if (replay->why.len != 0)
        return;
    print_conn(event->conn, replay->initiator, &replay->why);
    ds_buffer_printf(&replay->why, " cannot be played: %s (packet %llu)", why,
                     (unsigned long long)event->frame);
}

/* What may have been of any connection was of this one. */
static void replay_lost(struct sink *sink, const struct loss *loss)
{
    struct replay *replay = sink->state;
    if (replay->why.len != 0 || loss->cause != LOSS_QUEUE) /* lost packets make gaps */
        return;
    ds_buffer_add_text(&replay->why, "nothing can be played, as something is missing: ");
    loss_print(loss, &replay->why);
}

/* --- the handshake --- */

static struct handshaken *find_handshake(struct replay *replay, uint64_t conn)
{
    struct handshaken *h = table_first(&replay->handshakes, (uint32_t)conn);
    while (h != NULL && h->conn != conn)
        h = table_next(&replay->handshakes, h);
    return h;
}

static struct handshaken *need_handshake(struct replay *replay, uint64_t conn)
{
    struct handshaken *h = find_handshake(replay, conn);
    if (h != NULL)
        return h;
    if (table_is_full(&replay->handshakes))
        table_remove(&replay->handshakes, table_oldest(&replay->handshakes));
    h = table_add(&replay->handshakes, (uint32_t)conn);
    if (h != NULL)
        h->conn = conn;
    return h;
}

static void note_handshake(struct replay *replay, const struct record *record)
{
    const struct ds_event *event = record->event;
    const struct ds_handshake *step = &event->handshake;
    struct handshaken *h = need_handshake(replay, event->conn->number);
    if (h == NULL) {
        replay->no_memory = true;
        return;
    }
    h->selected |= !record->left_out;
    if (step->step == DS_STEP_SEND_NAME)
        h->initiator = event->dir;
    if (step->version != 0)
        h->version[event->dir] = step->version;
    if (step->has_flags) {
        h->flags[event->dir] = step->step == DS_STEP_COMPLEMENT
                                   ? h->flags[event->dir] | step->flags
                                   : step->flags;
        h->has_flags[event->dir] = true;
    }
}

static void write_node(const struct handshaken *h, const struct ds_conn *conn, uint8_t end,
                       struct ds_buffer *out)
{
    const bool is_initiator = end == h->initiator;
    const bool asks = is_initiator && (h->flags[end] >> NAME_ME_BIT & 1) != 0;
    ds_buffer_printf(out, "%%@ {%s, #{name => ", is_initiator ? "initiator" : "acceptor");
    ds_term_print_atom(conn->end[end].node, out);
    ds_buffer_printf(out, ", creation => %lu, flags => 16#%llx, version => %d, asks_name => %s}}.\n",
                     (unsigned long)conn->end[end].creation, (unsigned long long)h->flags[end],
                     h->version[end] > 5 ? 6 : 5, asks ? "true" : "false");
}

/* begin starts the recording. */
static void begin(struct sink *sink, const struct handshaken *h, const struct ds_event *event)
{
    struct replay *replay = sink->state;
    const struct ds_conn *conn = event->conn;
    replay->chosen = conn->number;
    replay->initiator = h->initiator;
    replay->up_ns = event->ts_ns;
    if (event->change.state != DS_CONN_UP) {
        spoil(replay, event, "the capture began after its handshake");
        return;
    }
    if (event->change.reason != NULL || !h->has_flags[0] || !h->has_flags[1] ||
        conn->end[0].node.data == NULL || conn->end[1].node.data == NULL) {
        spoil(replay, event, "a part of its handshake was not captured");
        return;
    }
    write_node(h, conn, h->initiator, &sink->output.buffer);
    write_node(h, conn, (uint8_t)(1 - h->initiator), &sink->output.buffer);
}

static void note_change(struct sink *sink, const struct record *record)
{
    struct replay *replay = sink->state;
    const struct ds_event *event = record->event;
    const enum ds_conn_state state = event->change.state;
    struct handshaken unknown = {.initiator = 0};
    struct handshaken *h = find_handshake(replay, event->conn->number);
    const bool selected = !record->left_out || (h != NULL && h->selected);

    if (state == DS_CONN_JOINED_LATE || state == DS_CONN_UP) {
        if (selected && replay->num_up++ < MAX_LISTED) {
            ds_buffer_add_text(&replay->listed, replay->listed.len != 0 ? ", " : "");
            print_conn(event->conn, h != NULL ? h->initiator : 0, &replay->listed);
        }
        if (selected && replay->num_up == 1)
            begin(sink, h != NULL ? h : &unknown, event);
    }
    if (h != NULL && (state == DS_CONN_UP || event->change.final))
        table_remove(&replay->handshakes, h);
}

/* --- the frames --- */

static void note_message(struct replay *replay, const struct ds_event *event)
{
    const struct ds_message *message = &event->message;
    struct ds_buffer *what = &replay->what;
    what->len = 0;
    ds_buffer_add_text(what, message->op != NULL ? message->op->name : "message");
    if (message->control.data != NULL) {
        ds_buffer_add_text(what, " ");
        ds_term_print(&message->control, &brief, what);
    }
    if (message->payload.data != NULL) {
        ds_buffer_add_text(what, " payload ");
        ds_term_print(&message->payload, &brief, what);
    }
}

static void write_frame(struct sink *sink, const struct ds_event *event)
{
    struct replay *replay = sink->state;
    const struct ds_frame *frame = &event->frame_sent;
    struct ds_buffer *out = &sink->output.buffer;
    if (event->bytes_len < LENGTH_LEN || event->bytes_len != frame->size) {
        spoil(replay, event, "a frame of it is not there as a whole");
        return;
    }
    ds_buffer_printf(out, "%%# %llu %c %lld %llu ", (unsigned long long)++replay->num_frames,
                     event->dir == replay->initiator ? '>' : '<',
                     (long long)(event->ts_ns - replay->up_ns) / 1000,
                     (unsigned long long)event->frame);
    if (frame->completes)
        ds_buffer_add(out, replay->what.data, replay->what.len);
    else
        ds_buffer_printf(out, "fragment, %llu of its message follow",
                         (unsigned long long)(frame->fragment - 1));
    ds_buffer_add_text(out, "\n");
    const uint8_t *bytes = event->bytes + LENGTH_LEN;
    for (size_t left = event->bytes_len - LENGTH_LEN; left != 0;) {
        const size_t len = left < LINE_BYTES ? left : LINE_BYTES;
        ds_buffer_add_text(out, "%= ");
        base64_add(bytes, len, out);
        ds_buffer_add_text(out, "\n");
        bytes += len;
        left -= len;
    }
}

static void note_frame(struct sink *sink, const struct ds_event *event)
{
    switch (event->frame_sent.kind) {
    case DS_FRAME_HANDSHAKE: /* made anew */
    case DS_FRAME_TICK:
        return;
    case DS_FRAME_UNKNOWN:
        spoil(sink->state, event, "it holds a frame of an unknown type");
        return;
    default:
        write_frame(sink, event);
    }
}

static void replay_record(struct sink *sink, const struct record *record)
{
    struct replay *replay = sink->state;
    const struct ds_event *event = record->event;
    if (record->call != NULL || record->monitor != NULL)
        return;
    if (event->type == DS_EVENT_HANDSHAKE) {
        note_handshake(replay, record);
    } else if (event->type == DS_EVENT_CONN) {
        note_change(sink, record);
    } else if (event->conn->number == replay->chosen && replay->why.len == 0) {
        if (event->type == DS_EVENT_MESSAGE)
            note_message(replay, event);
        else if (event->type == DS_EVENT_GAP)
            spoil(replay, event, "bytes of it are missing in the capture");
        else if (event->type == DS_EVENT_FRAME)
            note_frame(sink, event);
    }
}

static void replay_end(struct sink *sink)
{
    struct replay *replay = sink->state;
    if (sink->output.failed)
        return;
    if (replay->no_memory || replay->listed.failed || replay->what.failed || replay->why.failed) {
        complain("out of memory");
    } else if (replay->num_up == 0) {
        complain("-T replay: nothing to play: no connection came up whose handshake is selected; "
                 "choose one with -Y 'conn == N' or --node");
    } else if (replay->num_up > 1) {
        complain("-T replay: choose one of %llu connections with -Y 'conn == N' or --node: %.*s%s",
                 (unsigned long long)replay->num_up, (int)replay->listed.len,
                 replay->listed.data, replay->num_up > MAX_LISTED ? " ..." : "");
    } else if (replay->why.len != 0) {
        complain("-T replay: %.*s", (int)replay->why.len, replay->why.data);
    } else {
        ds_buffer_printf(&sink->output.buffer, "%%@ {frames, %llu}.\n",
                         (unsigned long long)replay->num_frames);
        return;
    }
    output_discard(&sink->output); /* nothing that looks like a recording */
}

const struct sink_kind sink_replay = {
    .name = "replay",
    .help = "an escript that plays one side of a connection",
    .open = replay_open,
    .record = replay_record,
    .lost = replay_lost,
    .end = replay_end,
    .close = replay_close,
    .raw = true,
    .whole = true,
};
