/*
 * diagram.c - see diagram.h.
 */
#include "output/diagram/diagram.h"

#include "core/complain.h"
#include "core/id_map.h"
#include "output/diagram/diagram_step.h"
#include "output/diagram/diagram_wait.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_LANES = 4096 };

struct diagram {
    const struct dialect *dialect;
    bool by_process;
    struct diagram_ends ends; /* each node has one lane, or its processes have */
    struct diagram_wait wait;
    struct id_map lanes;
    bool has_others; /* the common lane of ends for which there was no room is declared */
    struct diagram_step step;
    uint64_t num_chars, num_rows, lane_chars;
};

static void add(struct ds_buffer *out, const char *text)
{
    ds_buffer_add(out, text, strlen(text));
}

static struct ds_text buffer_text(const struct ds_buffer *buffer)
{
    return (struct ds_text){buffer->data, buffer->len};
}

/* add_escaped appends text that a peer may have influenced. */
static void add_escaped(const struct diagram *d, struct ds_text left, struct ds_buffer *out)
{
    while (left.len != 0) {
        uint32_t character = '?';
        const size_t num = ds_text_read_char(left, &character);
        left.data += num != 0 ? num : 1; /* all texts of rows are valid UTF-8 */
        left.len -= num != 0 ? num : 1;
        d->dialect->escape(character, out);
    }
}

static void declare_lane(struct diagram *d, uint32_t number,
                         const struct diagram_row_end *end, struct ds_buffer *out)
{
    const struct dialect *dialect = d->dialect;
    if (end != NULL)
        d->lane_chars += d->by_process && end->process.len > end->node.len ? end->process.len
                                                                           : end->node.len;
    add(out, dialect->lane);
    if (!dialect->lane_text_first)
        ds_buffer_printf(out, "L%u%s", number, dialect->lane_as);
    if (end == NULL) {
        add(out, "others");
    } else {
        if (d->by_process && end->process.len != 0) {
            add_escaped(d, buffer_text(&end->process), out);
            add(out, dialect->newline);
        }
        add_escaped(d, buffer_text(&end->node), out);
    }
    if (dialect->lane_text_first)
        ds_buffer_printf(out, "%sL%u", dialect->lane_as, number);
    add(out, dialect->lane_end);
}

/* add_learnt writes what a node was called before its name was learnt too late. */
static void add_learnt(const struct diagram *d, uint32_t lane, struct ds_text was_called,
                       const struct diagram_row_end *end, struct ds_buffer *out)
{
    add(out, d->dialect->note);
    ds_buffer_printf(out, "L%u: ", lane);
    add_escaped(d, was_called, out);
    add(out, was_called.len != 0 ? " is " : "this is ");
    add_escaped(d, buffer_text(&end->node), out);
    add(out, "\n");
}

/* find_lane returns the number of an end's lane; 0: the common lane of the others. */
static uint32_t find_lane(struct diagram *d, const struct diagram_row_end *end, struct ds_buffer *out)
{
    bool is_new;
    struct ds_text was_called;
    const struct diagram_place place = diagram_row_place(end);
    uint64_t hash = hash_add_text(diagram_ends_node(&d->ends, &place, &was_called, &is_new), "", 0);
    if (d->by_process)
        hash = hash_add_text(hash, end->process.data, end->process.len);
    uint32_t number = id_map_get(&d->lanes, hash, &is_new);
    if (is_new) {
        declare_lane(d, number, end, out);
    } else if (number == 0 && !d->has_others) {
        d->has_others = true;
        declare_lane(d, 0, NULL, out);
    }
    if (was_called.data != NULL)
        add_learnt(d, number, was_called, end, out);
    return number;
}

/* add_processes writes sender and receiver if the lanes do not show them. */
static void add_processes(const struct diagram *d, const struct diagram_row *row, struct ds_buffer *out)
{
    if (d->by_process || (row->from.process.len == 0 && row->to.process.len == 0))
        return;
    add(out, " ");
    add_escaped(d, buffer_text(&row->from.process), out);
    if (row->to.process.len != 0) {
        add(out, row->from.process.len != 0 ? " to " : "to ");
        add_escaped(d, buffer_text(&row->to.process), out);
    }
}

static struct diagram_row *describe(struct sink *sink, const struct record *record)
{
    struct diagram *d = sink->state;
    return diagram_step_describe(&d->step, record) ? &d->step.row : NULL;
}

static void draw(struct sink *sink, const struct diagram_row *row)
{
    struct diagram *d = sink->state;
    struct ds_buffer *out = &sink->output.buffer;
    const struct dialect *dialect = d->dialect;

    if (row->kind == STEP_NOTHING)
        return;
    const size_t len = out->len;
    uint32_t from = find_lane(d, &row->from, out), to = find_lane(d, &row->to, out);
    if (row->kind == STEP_NOTE) {
        add(out, dialect->note);
        ds_buffer_printf(out, from == to ? "L%u" : "L%u,L%u", from, to);
    } else {
        const char *arrow = row->kind == STEP_ANSWER ? dialect->answer : dialect->message;
        ds_buffer_printf(out, "    L%u%sL%u", from, arrow, to);
    }
    add(out, ": ");
    if (row->kind != STEP_NOTE) {
        add_escaped(d, buffer_text(&row->verb), out);
        add_processes(d, row, out);
        if (row->text.len != 0)
            add(out, ": ");
    }
    add_escaped(d, buffer_text(&row->text), out);
    add(out, "\n");
    d->num_chars += out->len - len;
    d->num_rows++;
}

void diagram_record(struct sink *sink, const struct record *record)
{
    struct diagram *d = sink->state;
    diagram_wait_record(&d->wait, sink, record);
}

/* draw_lost writes a note, which needs a lane. */
static void draw_lost(struct sink *sink, const struct loss *loss)
{
    struct diagram *d = sink->state;
    struct ds_buffer *out = &sink->output.buffer;
    if (d->lanes.num == 0)
        return;
    add(out, d->dialect->note);
    add(out, "L1: lost ");
    loss_print(loss, out);
    add(out, "\n");
}

void diagram_lost(struct sink *sink, const struct loss *loss)
{
    struct diagram *d = sink->state;
    diagram_wait_lost(&d->wait, sink, loss);
}

bool diagram_open(struct sink *sink, const struct dialect *dialect)
{
    struct diagram *d = calloc(1, sizeof *d);
    if (d == NULL)
        return false;
    if (!diagram_ends_init(&d->ends, MAX_LANES) || !id_map_init(&d->lanes, MAX_LANES)) {
        diagram_ends_free(&d->ends);
        free(d);
        return false;
    }
    diagram_wait_init(&d->wait, &d->ends, describe, draw, draw_lost);
    d->dialect = dialect;
    d->by_process = d->step.folds_workers = sink->config->lanes == LANES_PROCESS;
    sink->state = d;
    add(&sink->output.buffer, dialect->begin);
    return true;
}

/* warn_if_large warns if the diagram's tool will draw none of it, or not all. */
static void warn_if_large(const struct diagram *d, const char *format)
{
    static const char narrow[] =
        "select fewer messages with -c, --node, --process, -e, --hide otp, or --since and "
        "--until, or";
    const struct dialect *dialect = d->dialect;
    const uint64_t high = d->num_rows * dialect->row_pixels;
    const uint64_t wide = d->lane_chars * dialect->char_pixels;
    if (dialect->max_chars != 0 && d->num_chars > dialect->max_chars)
        complain("%s: %llu characters exceed the limit of %llu that is drawn by default: %s %s",
                 format, (unsigned long long)d->num_chars, (unsigned long long)dialect->max_chars,
                 narrow, dialect->remedy);
    if (dialect->max_pixels != 0 && (high > dialect->max_pixels || wide > dialect->max_pixels))
        complain("%s: about %llu by %llu pixels exceed the limit of %llu that is drawn by "
                 "default: %s %s",
                 format, (unsigned long long)wide, (unsigned long long)high,
                 (unsigned long long)dialect->max_pixels, narrow, dialect->remedy);
}

void diagram_end(struct sink *sink)
{
    struct diagram *d = sink->state;
    diagram_wait_end(&d->wait, sink);
    if (!sink->output.failed)
        warn_if_large(d, sink->kind->name);
    add(&sink->output.buffer, d->dialect->end);
}

void diagram_close(struct sink *sink)
{
    struct diagram *d = sink->state;
    diagram_wait_free(&d->wait);
    diagram_ends_free(&d->ends);
    id_map_free(&d->lanes);
    diagram_step_free(&d->step);
    free(d);
    sink->state = NULL;
}
