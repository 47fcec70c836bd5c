/*
 * diagram_wait.c - see diagram_wait.h.
 */
#include "diagram_wait.h"

#include "diagram_step.h"
#include "sink.h"

#include <stdlib.h>

struct diagram_waiting {
    struct diagram_waiting *next;
    uint64_t conn;             /* whose names it waits for; 0: for its turn alone */
    struct record_block block; /* with a record alone; empty: a loss */
    struct loss loss;
};

static struct diagram_waiting *take_first(struct diagram_wait *wait)
{
    struct diagram_waiting *first = wait->first;
    wait->first = first->next;
    if (wait->first == NULL)
        wait->last = NULL;
    wait->bytes -= first->block.cap + sizeof *first;
    return first;
}

static void give_first(struct diagram_wait *wait, struct sink *sink)
{
    struct diagram_waiting *first = take_first(wait);
    if (first->block.first != NULL)
        wait->record(sink, copied_record_get(first->block.first));
    else
        wait->lost(sink, &first->loss);
    output_file_mark_end(&sink->output);
    record_block_free(&first->block);
    free(first);
}

static void give_ready(struct diagram_wait *wait, struct sink *sink)
{
    while (wait->first != NULL &&
           (wait->bytes > DIAGRAM_WAIT_BYTES || wait->first->conn == 0 ||
            !diagram_ends_is_open(wait->ends, wait->first->conn)))
        give_first(wait, sink);
}

void diagram_wait_end(struct diagram_wait *wait, struct sink *sink)
{
    while (wait->first != NULL)
        give_first(wait, sink);
}

void diagram_wait_free(struct diagram_wait *wait)
{
    while (wait->first != NULL) {
        struct diagram_waiting *first = take_first(wait);
        record_block_free(&first->block);
        free(first);
    }
    record_block_free(&wait->measure);
}

/* copy makes a copy that takes no more room than it needs. False when there is no memory. */
static bool copy(struct diagram_wait *wait, const struct record *record,
                 struct record_block *block)
{
    record_block_clear(&wait->measure);
    if (record_block_add(&wait->measure, record) != COPY_OK)
        return false;
    block->first_cap = wait->measure.len;
    return record_block_add(block, record) == COPY_OK;
}

/* add has a record or a loss wait; without memory nothing does any longer. */
static bool add(struct diagram_wait *wait, struct sink *sink, const struct record *record,
                uint64_t conn, const struct loss *loss)
{
    struct diagram_waiting *waiting = calloc(1, sizeof *waiting);
    if (waiting == NULL || (record != NULL && !copy(wait, record, &waiting->block))) {
        free(waiting);
        diagram_wait_end(wait, sink);
        return false;
    }
    waiting->conn = conn;
    if (loss != NULL)
        waiting->loss = *loss;
    if (wait->last != NULL)
        wait->last->next = waiting;
    else
        wait->first = waiting;
    wait->last = waiting;
    wait->bytes += waiting->block.cap + sizeof *waiting;
    return true;
}

void diagram_wait_record(struct diagram_wait *wait, struct sink *sink,
                         const struct record *record)
{
    const struct ds_event *event = record->event;
    const bool is_final = event != NULL && event->type == DS_EVENT_CONN && event->change.final;
    uint64_t conn = 0;
    if (event != NULL)
        diagram_ends_learn(wait->ends, event->conn, is_final);
    const bool draws = record->call != NULL || diagram_step_draws(event);
    if (draws && record->call == NULL && !is_final) {
        diagram_ends_note(wait->ends, event->conn);
        conn = event->conn->number;
    }
    give_ready(wait, sink);
    const bool waits = draws && (wait->first != NULL ||
                                 (conn != 0 && diagram_ends_is_open(wait->ends, conn)));
    if (!waits || !add(wait, sink, record, conn, NULL))
        wait->record(sink, record);
    give_ready(wait, sink);
}

void diagram_wait_lost(struct diagram_wait *wait, struct sink *sink, const struct loss *loss)
{
    if (wait->first == NULL || !add(wait, sink, NULL, 0, loss))
        wait->lost(sink, loss);
}
