/*
 * diagram_wait.c - see diagram_wait.h. An element of the queue is a struct waiting_row, followed by
 * the row unless it is a loss.
 */
#include "output/diagram/diagram_wait.h"

#include "core/signals.h"
#include "output/diagram/diagram_step.h"
#include "output/sink.h"

#include <string.h>

struct waiting_row {
    uint64_t conn; /* the connection with the names it waits for; 0: only for its turn */
    bool is_loss;
    struct loss loss;
};

void diagram_wait_init(struct diagram_wait *wait, struct diagram_ends *ends, diagram_row_fn *describe,
                       diagram_draw *draw, diagram_draw_lost *lost)
{
    *wait = (struct diagram_wait){.ends = ends, .describe = describe, .draw = draw, .lost = lost};
    row_queue_init(&wait->queue, DIAGRAM_WAIT_BYTES);
}

void diagram_wait_free(struct diagram_wait *wait)
{
    row_queue_free(&wait->queue);
    diagram_row_free(&wait->row);
    ds_buffer_free(&wait->packed);
}

/* draw draws a row with the names that are known now. */
static void draw(struct diagram_wait *wait, struct sink *sink, struct diagram_row *row)
{
    if (diagram_row_settle(row, wait->ends))
        wait->draw(sink, row);
    else
        sink->output.buffer.failed = true;
}

/* first returns the first element of the queue, and its *row. False if the queue is empty. */
static bool first(struct diagram_wait *wait, struct waiting_row *waiting, struct ds_text *row)
{
    const struct ds_text bytes = row_queue_first(&wait->queue);
    if (bytes.data == NULL)
        return false;
    memcpy(waiting, bytes.data, sizeof *waiting);
    *row = (struct ds_text){bytes.data + sizeof *waiting, bytes.len - sizeof *waiting};
    return true;
}

static void write_first(struct diagram_wait *wait, struct sink *sink,
                        const struct waiting_row *waiting, struct ds_text row)
{
    if (waiting->is_loss)
        wait->lost(sink, &waiting->loss);
    else if (diagram_row_unpack(row, &wait->row))
        draw(wait, sink, &wait->row);
    else
        sink->output.buffer.failed = true;
    output_file_end_record(&sink->output);
    row_queue_drop_first(&wait->queue);
}

static void write_ready(struct diagram_wait *wait, struct sink *sink)
{
    struct waiting_row waiting;
    struct ds_text row;
    while (first(wait, &waiting, &row) &&
           (waiting.conn == 0 || row_queue_is_full(&wait->queue) ||
            !diagram_ends_is_open(wait->ends, waiting.conn)))
        write_first(wait, sink, &waiting, row);
    if (wait->queue.failed)
        output_file_discard(&sink->output);
}

void diagram_wait_end(struct diagram_wait *wait, struct sink *sink)
{
    struct waiting_row waiting;
    struct ds_text row;
    while (first(wait, &waiting, &row)) {
        const bool is_cut = stop_is_overdue();
        if (!is_cut && !sink->output.failed)
            write_first(wait, sink, &waiting, row);
        else
            row_queue_drop_first(&wait->queue);
        sink->num_cut += is_cut;
    }
}

/* put adds a row or a loss to the queue. False if memory ran out: then all rows are drawn, and
 * nothing waits. */
static bool put(struct diagram_wait *wait, struct sink *sink, const struct waiting_row *waiting,
                const struct diagram_row *row)
{
    struct ds_buffer *packed = &wait->packed;
    packed->len = 0;
    packed->failed = false;
    ds_buffer_add(packed, waiting, sizeof *waiting);
    if ((row == NULL || diagram_row_pack(row, packed)) && row_queue_put(&wait->queue, packed))
        return true;
    diagram_wait_end(wait, sink);
    return false;
}

void diagram_wait_record(struct diagram_wait *wait, struct sink *sink, const struct record *record)
{
    const struct ds_event *event = record->event;
    const bool is_final = event != NULL && event->type == DS_EVENT_CONN && event->change.final;
    const bool draws = record->call != NULL || diagram_step_draws(event);
    struct waiting_row waiting = {0};
    if (event != NULL)
        diagram_ends_learn(wait->ends, event->conn, is_final);
    if (draws && record->call == NULL && !is_final) {
        diagram_ends_add(wait->ends, event->conn);
        waiting.conn = event->conn->number;
    }
    write_ready(wait, sink);
    struct diagram_row *row = wait->describe(sink, record);
    if (row == NULL) {
        sink->output.buffer.failed = true;
        return;
    }
    if (!draws)
        return;
    const bool waits = !row_queue_is_empty(&wait->queue) ||
                       (waiting.conn != 0 && diagram_ends_is_open(wait->ends, waiting.conn));
    if (!waits || !put(wait, sink, &waiting, row))
        draw(wait, sink, row);
    write_ready(wait, sink);
}

void diagram_wait_lost(struct diagram_wait *wait, struct sink *sink, const struct loss *loss)
{
    const struct waiting_row waiting = {.is_loss = true, .loss = *loss};
    if (row_queue_is_empty(&wait->queue) || !put(wait, sink, &waiting, NULL))
        wait->lost(sink, loss);
}
