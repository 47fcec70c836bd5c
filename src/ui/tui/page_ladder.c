/*
 * page_ladder.c - messages as arrows between lanes, from top to bottom: between nodes, or between
 * processes. The code of diagrams describes each message.
 */
#include "ui/tui/tui_pages.h"

#include "core/column_width.h"
#include "core/duration.h"
#include "core/timestamp.h"
#include "output/diagram/diagram_step.h"
#include "ui/tui/tui_filter.h"
#include "ui/tui/tui_record.h"
#include "ui/tui/tui_table.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LANES = 64,
    NAME_LEN = 600,  /* of a process, with its node */
    LANE_NAME = 128, /* the part of it that is shown */
    MESSAGES = 2000,  /* in one ladder: the latest ones */
    LANE_LEAST = 16,  /* columns */
    LAST_LEAST = 12,  /* columns of the last lane */
    WIDEST = 100,
    TIME_COLUMNS = 24, /* for the time of day, and the time since the message before */
    AROUND = 60,      /* messages before and after a message that belongs to no call */
    LISTED = 50,      /* messages on the page of a process or node */
};

struct lane {
    uint64_t id, count; /* count: messages that begin or end there */
    char name[LANE_NAME];
};

struct ladder {
    const struct tui_facts *facts;
    struct tui_page *page;
    struct tui_target target;
    uint64_t conn, call; /* of the record that the ladder is about; 0: any */
    uint64_t least, most; /* numbers of records */
    struct lane lane[LANES];
    unsigned num, shown; /* lanes; those that fit. The others share the last one */
    unsigned width, last; /* columns of a lane, and of the last one */
    struct diagram_step *step;
    struct record_view view;
    int64_t last_ns;
    uint64_t num_left_out;
};

/* print_process writes a sender or receiver as --report top does, "srv@node" or "<node.1.2>"; its
 * node if it is no process, or only nodes are wanted. */
static void print_process(const struct diagram_row_end *end, bool with_process, char *name, size_t len)
{
    const int process = with_process ? (int)end->process.len : 0, node = (int)end->node.len;
    const char *node_text = node != 0 ? end->node.data : "", *text = process != 0 ? end->process.data : "";
    if (process == 0)
        snprintf(name, len, "%.*s", node, node_text);
    else if (text[0] == '<')
        snprintf(name, len, "<%.*s.%.*s", node, node_text, process - 1, text + 1);
    else
        snprintf(name, len, "%.*s@%.*s", process, text, node, node_text);
}

static bool is_named(const struct diagram_row_end *end, uint64_t id)
{
    char name[NAME_LEN];
    print_process(end, true, name, sizeof name);
    return end->process.len != 0 && tui_id(name) == id;
}

static bool is_node(const struct ds_endpoint *end, uint64_t id)
{
    char name[DS_ADDR_LEN + 300];
    snprintf(name, sizeof name, "%.*s", (int)end->node.len, end->node.len != 0 ? end->node.data : "");
    return tui_id(name) == id;
}

/* is_about says whether a record belongs to the ladder; step has described it. */
static bool is_about(const struct ladder *l, const struct record *record, uint64_t number)
{
    const uint64_t id = l->target.number;
    switch (l->target.kind) {
    case TARGET_LADDER_OF_RECORD:
        return l->call != 0 ? record->note.call == l->call : record->event->conn->number == l->conn;
    case TARGET_LADDER_OF_CALL:
        return record->note.call == id;
    case TARGET_LADDER_OF_CONN:
        return record->event->conn->number == id;
    case TARGET_LADDER_OF_NODE:
        return is_node(&record->event->conn->end[0], id) || is_node(&record->event->conn->end[1], id);
    case TARGET_LADDER_OF_PROCESS:
        return is_named(&l->step->row.from, id) || is_named(&l->step->row.to, id);
    default:
        return tui_is_marked(l->facts->marks, number);
    }
}

/* take describes a record in step; false: the record is not in the ladder. The ladder of a call is
 * complete, whatever the filter says. */
static bool take(struct ladder *l, uint64_t number)
{
    const struct record *record = store_look_get(&l->facts->records, number, &l->view);
    if (record == NULL || !tui_record_is_listed(record) || !diagram_step_draws(record->event) ||
        !diagram_step_describe(l->step, record) || l->step->row.kind == STEP_NOTHING)
        return false;
    const bool is_filtered = l->target.kind >= TARGET_LADDER_OF_CONN &&
                             l->target.kind <= TARGET_LADDER_OF_PROCESS;
    return is_about(l, record, number) && (!is_filtered || tui_filter_accepts(l->facts->filter, record));
}

/* find_lane returns the index of the lane of an end, and adds it if it is new; lanes that do not
 * fit share the last one. */
static unsigned find_lane(struct ladder *l, const struct diagram_row_end *end)
{
    char name[NAME_LEN];
    print_process(end, l->page->by_process, name, sizeof name);
    const uint64_t id = tui_id(name);
    unsigned i = 0;
    while (i < l->num && l->lane[i].id != id)
        i++;
    if (i == l->num && l->num < LANES) {
        l->lane[l->num].id = id;
        snprintf(l->lane[l->num].name, sizeof l->lane[l->num].name, "%.*s", LANE_NAME - 1, name);
        l->num++;
    }
    return l->shown != 0 && i >= l->shown ? l->shown - 1 : i;
}

static void count_at(struct ladder *l, unsigned lane)
{
    if (lane < l->num)
        l->lane[lane].count++;
}

/* find_lanes lists the messages of the ladder. */
static void find_lanes(struct ladder *l, uint64_t *numbers, size_t *num)
{
    uint64_t seen = 0;
    for (uint64_t number = l->least; number < l->most; number++) {
        if (!take(l, number))
            continue;
        numbers[seen++ % MESSAGES] = number;
    }
    *num = seen < MESSAGES ? seen : MESSAGES;
    l->num_left_out = seen - *num;
    if (seen > MESSAGES) { /* put the ring in order, the oldest first */
        const size_t first = seen % MESSAGES;
        uint64_t *copy = malloc(MESSAGES * sizeof *copy);
        if (copy != NULL) {
            for (size_t i = 0; i < MESSAGES; i++)
                copy[i] = numbers[(first + i) % MESSAGES];
            memcpy(numbers, copy, MESSAGES * sizeof *copy);
        }
        free(copy);
    }
}

static void put_line(struct ladder *l, enum style style, struct ds_buffer *text, uint64_t number)
{
    ds_buffer_add(text, "", 1);
    if (!text->failed) {
        tui_page_line(l->page, style, 0, text->data);
        if (number != 0)
            tui_page_lead(l->page, (struct tui_target){TARGET_RECORD, number});
    }
    l->page->is_cut |= text->failed;
    text->len = 0;
}

static void put_times(struct ds_buffer *out, unsigned columns, const char *text)
{
    for (unsigned i = 0; i < columns; i++)
        ds_buffer_add_text(out, text);
}

/* put_fit appends as much of a text as fits, and returns how many columns it used. */
static unsigned put_fit(const struct ladder *l, struct ds_buffer *out, const char *text, size_t len,
                        unsigned columns)
{
    size_t used = 0;
    unsigned taken = 0;
    while (used < len) {
        uint32_t character;
        const size_t more = ds_text_read_char((struct ds_text){text + used, len - used}, &character);
        const bool is_shown = more != 0 && ds_char_is_shown(character) && column_width(character) != 0 &&
                              (!l->facts->ascii || character < 0x7F);
        const unsigned width = is_shown ? column_width(character) : 1;
        if (taken + width > columns)
            break;
        ds_buffer_add(out, is_shown ? text + used : "?", is_shown ? more : 1);
        used += more != 0 ? more : 1;
        taken += width;
    }
    return taken;
}

/* show_busiest moves the lanes with most messages to the front, as many as fit, without changing
 * their order; the others share the last lane. The user may have skipped the busiest ones. */
static void show_busiest(struct ladder *l)
{
    struct lane *busy = calloc(LANES, sizeof *busy);
    bool is_looked_at[LANES] = {false}, is_chosen[LANES] = {false};
    unsigned num = 0, *passed = &l->page->lanes_at;
    const unsigned most_passed = l->num - (l->shown - 1);
    *passed = *passed < most_passed ? *passed : most_passed;
    for (unsigned i = 0; i + 1 < l->shown + *passed; i++) {
        unsigned most = LANES;
        for (unsigned j = 0; j < l->num; j++) {
            if (!is_looked_at[j] && (most == LANES || l->lane[j].count > l->lane[most].count))
                most = j;
        }
        is_looked_at[most] = true;
        is_chosen[most] = i >= *passed;
    }
    for (int pass = 0; busy != NULL && pass < 2; pass++) {
        for (unsigned i = 0; i < l->num; i++) {
            if (is_chosen[i] == (pass == 0))
                busy[num++] = l->lane[i];
        }
    }
    if (busy != NULL)
        memcpy(l->lane, busy, num * sizeof *busy);
    free(busy);
}

static unsigned lane_width(const struct ladder *l, unsigned lane)
{
    return lane + 1 == l->shown ? l->last : l->width;
}

static const char *lane_mark(const struct ladder *l)
{
    return l->facts->ascii ? "|" : "│";
}

/* put_heads writes the names of the lanes. */
static void put_heads(struct ladder *l)
{
    struct ds_buffer text = {0};
    put_times(&text, TIME_COLUMNS, " ");
    for (unsigned i = 0; i < l->shown; i++) {
        char name[LANE_NAME];
        const bool is_rest = i + 1 == l->shown && l->num > l->shown;
        if (is_rest)
            snprintf(name, sizeof name, "%u others", l->num - l->shown + 1);
        else
            snprintf(name, sizeof name, "%s", l->lane[i].name);
        const unsigned width = lane_width(l, i);
        const unsigned taken = put_fit(l, &text, name, strlen(name), width - 1);
        put_times(&text, width - taken, " ");
    }
    put_line(l, STYLE_TITLE, &text, 0);
    ds_buffer_free(&text);
    l->page->num_sticky = 1;
}

static void put_time(struct ladder *l, int64_t ns, struct ds_buffer *out)
{
    struct timestamp_cache clock = {0};
    struct ds_buffer span = {0};
    timestamp_print_local(&clock, ns, 6, false, out);
    if (l->last_ns != 0 && ns > l->last_ns)
        duration_print(ns - l->last_ns, &span);
    l->last_ns = ns;
    ds_buffer_printf(out, " %7.*s ", span.len < 8 ? (int)span.len : 7, span.len != 0 ? span.data : "");
    ds_buffer_free(&span);
}

/* put_between appends the part of a line between two lanes: an arrow with its text. */
static void put_between(struct ladder *l, unsigned lanes, bool is_right, struct ds_buffer *out)
{
    const struct diagram_row *row = &l->step->row;
    const bool ascii = l->facts->ascii;
    const bool is_answer = row->kind == STEP_ANSWER;
    const char *line = is_answer ? (ascii ? "." : "╌") : ascii ? "-" : "─";
    const unsigned columns = lanes * l->width - 1; /* between the two marks */
    ds_buffer_add_text(out, is_right ? line : ascii ? "<" : "◀");
    unsigned taken = 1;
    taken += put_fit(l, out, row->verb.data, row->verb.len, columns - 2);
    if (taken + 4 < columns && row->text.len != 0) {
        ds_buffer_add_text(out, " ");
        taken++;
        taken += put_fit(l, out, row->text.data, row->text.len, columns - 2 - taken);
    }
    put_times(out, columns - 1 - taken, line);
    ds_buffer_add_text(out, is_right ? (ascii ? ">" : "▶") : line);
}

static void put_message(struct ladder *l, uint64_t number)
{
    struct ds_buffer text = {0};
    const struct diagram_row *row = &l->step->row;
    const unsigned from = find_lane(l, &row->from), to = find_lane(l, &row->to);
    const unsigned left = from < to ? from : to, right = from < to ? to : from;
    const struct record *record = store_look_get(&l->facts->records, number, &l->view);
    put_time(l, record->event->ts_ns, &text);
    for (unsigned i = 0; i < l->shown; i++) {
        ds_buffer_add_text(&text, lane_mark(l));
        if (i == left && left != right) {
            put_between(l, right - left, from < to, &text);
            i = right - 1;
        } else if (i == left && left == right) { /* both ends share a lane, or it is no message */
            const unsigned columns = (l->shown - 1 - i) * l->width + l->last - 1;
            unsigned taken = put_fit(l, &text, " ", 1, columns);
            taken += put_fit(l, &text, row->verb.data, row->verb.len, columns - taken);
            taken += put_fit(l, &text, " ", 1, columns - taken);
            put_fit(l, &text, row->text.data, row->text.len, columns - taken);
            break;
        } else {
            put_times(&text, lane_width(l, i) - 1, " ");
        }
    }
    put_line(l, tui_record_style(record), &text, number);
    ds_buffer_free(&text);
}

/* put_listed writes a message as a line of a list. */
static void put_listed(struct ladder *l, uint64_t number)
{
    struct ds_buffer text = {0};
    const struct record *record = store_look_get(&l->facts->records, number, &l->view);
    ds_buffer_add_text(&text, "  ");
    tui_record_print_fit(l->facts, record, l->facts->columns > 4 ? l->facts->columns - 4 : 0, &text);
    put_line(l, tui_record_style(record), &text, number);
    ds_buffer_free(&text);
}

/* choose_records selects the records around a message that belongs to no call, otherwise all. */
static bool choose_records(struct ladder *l)
{
    const struct store_look *look = &l->facts->records;
    l->least = look->first;
    l->most = look->end;
    if (l->target.kind != TARGET_LADDER_OF_RECORD)
        return true;
    const struct record *record = store_look_get(look, l->target.number, &l->view);
    if (record == NULL || !tui_record_is_listed(record))
        return false;
    l->call = record->note.call;
    l->conn = record->event->conn->number;
    if (l->call != 0)
        return true;
    l->least = l->target.number > look->first + AROUND ? l->target.number - AROUND : look->first;
    l->most = look->end - l->target.number > AROUND ? l->target.number + AROUND : look->end;
    return true;
}

/* lay_out divides the width among the lanes. To the right of the last one there is only its name,
 * unless several share it: then their messages are there. */
static void lay_out(struct ladder *l)
{
    const unsigned room = l->facts->columns > TIME_COLUMNS + 2 ? l->facts->columns - TIME_COLUMNS - 2 : 0;
    unsigned most = room / LANE_LEAST;
    most = most < 2 ? 2 : most;
    l->shown = l->num < most ? l->num : most;
    l->width = l->shown != 0 ? room / l->shown : room;
    l->width = l->width < 4 ? 4 : l->width > WIDEST ? WIDEST : l->width;
    l->last = l->width;
    l->page->has_more_lanes = l->num > l->shown;
    if (l->page->has_more_lanes)
        show_busiest(l);
    const size_t name = l->shown != 0 ? strlen(l->lane[l->shown - 1].name) + 1 : 0;
    if (l->num > l->shown || l->shown < 2 || name >= l->width)
        return;
    l->last = name < LAST_LEAST ? LAST_LEAST : (unsigned)name;
    l->width = (room - l->last) / (l->shown - 1);
    l->width = l->width > WIDEST ? WIDEST : l->width;
}

static void put_all(struct ladder *l, const uint64_t *numbers, size_t num)
{
    char title[sizeof l->page->title];
    snprintf(title, sizeof title, "ladder between %s: %s", l->page->by_process ? "processes" : "nodes",
             ds_counted(num, "messages").text);
    tui_page_begin(l->page, title);
    if (num == 0) {
        tui_page_line(l->page, STYLE_PLAIN, 0, "None of its messages is kept, or the filter shows none.");
        return;
    }
    for (size_t i = 0; i < num; i++) {
        if (take(l, numbers[i])) {
            count_at(l, find_lane(l, &l->step->row.from));
            count_at(l, find_lane(l, &l->step->row.to));
        }
    }
    lay_out(l);
    put_heads(l);
    if (l->num_left_out != 0)
        tui_page_printf(l->page, STYLE_DIM, 0, "%" PRIu64 " earlier ones are left out", l->num_left_out);
    for (size_t i = 0; i < num && !l->page->is_cut; i++) {
        if (take(l, numbers[i]))
            put_message(l, numbers[i]);
    }
}

void tui_page_messages(struct tui_page *page, const struct tui_facts *facts, struct tui_target ladder)
{
    struct ladder *l = calloc(1, sizeof *l);
    uint64_t *numbers = malloc(MESSAGES * sizeof *numbers);
    size_t num = 0;
    if (l != NULL)
        *l = (struct ladder){.facts = facts, .page = page, .target = ladder};
    if (l != NULL && numbers != NULL && (l->step = calloc(1, sizeof *l->step)) != NULL) {
        if (choose_records(l))
            find_lanes(l, numbers, &num);
        tui_page_line(page, STYLE_PLAIN, 0, "");
        tui_page_line(page, STYLE_STRONG, 0,
                      tui_filter_is_on(facts->filter)
                          ? "Its latest messages that the filter takes, the latest first"
                          : "Its latest messages, the latest first");
        if (num == 0)
            tui_page_line(page, STYLE_DIM, 2, "none is kept");
        page->cuts = true;
        for (size_t i = num; i != 0 && num - i < LISTED; i--)
            put_listed(l, numbers[i - 1]);
        page->cuts = false;
        diagram_step_free(l->step);
        free(l->step);
    }
    free(numbers);
    free(l);
}

void tui_page_ladder(struct tui_page *page, const struct tui_facts *facts, struct tui_target target)
{
    struct ladder *l = calloc(1, sizeof *l);
    uint64_t *numbers = malloc(MESSAGES * sizeof *numbers);
    size_t num;
    if (l != NULL)
        *l = (struct ladder){.facts = facts, .page = page, .target = target};
    if (l != NULL && numbers != NULL && (l->step = calloc(1, sizeof *l->step)) != NULL) {
        l->step->folds_workers = true;
        if (choose_records(l)) {
            find_lanes(l, numbers, &num);
            put_all(l, numbers, num);
        }
        diagram_step_free(l->step);
        free(l->step);
    }
    free(numbers);
    free(l);
}
