/*
 * view_timeline.c - what happened when: --report timeline.
 */
#include "ui/tui/tui_format.h"
#include "ui/tui/tui_moment.h"
#include "ui/tui/tui_pages.h"
#include "ui/tui/tui_record.h"
#include "ui/tui/tui_view.h"

#include <inttypes.h>
#include <stdio.h>

enum { TIME, WHAT, TEXT, TOOK, COUNT };
enum { THEN = 30 }; /* messages on the page of an event */

static const struct tui_column columns[] = {
    [TIME] = {.title = "TIME", .is_number = true, .least = 12},
    [WHAT] = {.title = "WHAT", .least = 9},
    [TEXT] = {.title = "WHAT HAPPENED", .least = 44, .most = 0},
    [TOOK] = {.title = "FOR", .is_number = true, .least = 7, .rank = 1},
    [COUNT] = {.title = "TIMES", .is_number = true, .least = 5, .rank = 2},
    {.title = NULL},
};

static uint64_t id_of(const cJSON *event)
{
    char text[1024];
    snprintf(text, sizeof text, "%" PRId64 "%s%s", told_signed(event, "from"), told_text(event, "what"),
             told_text(event, "text"));
    return tui_id(text);
}

static void put(struct tui_table *table, const struct tui_facts *facts, const cJSON *event)
{
    const int64_t from_us = told_signed(event, "from"), took_us = told_signed(event, "to") - from_us;
    const uint64_t count = told_number(event, "count");
    (void)facts;
    tui_table_put_number(table, TIME, -from_us, tui_time_of_day(from_us * 1000).text);
    tui_table_put(table, WHAT, told_text(event, "words"));
    tui_table_put(table, TEXT, told_text(event, "text"));
    tui_table_put_number(table, TOOK, took_us, took_us > 0 ? tui_span(took_us * 1000).text : "");
    tui_table_put_number(table, COUNT, (int64_t)count, count > 1 ? tui_count(count).text : "");
}

static const cJSON *find(const struct tui_facts *facts, uint64_t id)
{
    const cJSON *event = told_list(facts->snapshot.book[BOOK_TIMELINE], "events");
    while (event != NULL && id_of(event) != id)
        event = event->next;
    return event;
}

int64_t tui_moment_time(const struct tui_facts *facts, uint64_t id)
{
    return told_signed(find(facts, id), "from") * 1000;
}

/* put_then writes the messages from that time on, on a connection, or on any if there is none. */
static void put_then(struct tui_page *page, const struct tui_facts *facts, int64_t from_ns, uint64_t conn)
{
    struct record_view view = {0};
    unsigned num = 0;
    for (uint64_t i = facts->records.first; i < facts->records.end && num < THEN; i++) {
        const struct record *record = store_look_get(&facts->records, i, &view);
        if (record == NULL || !tui_record_is_listed(record) || record_time(record) < from_ns ||
            (conn != 0 && record->event->conn->number != conn))
            continue;
        struct ds_buffer text = {0};
        tui_record_print_fit(facts, record, facts->columns > 4 ? facts->columns - 4 : 0, &text);
        ds_buffer_add(&text, "", 1);
        if (num++ == 0) {
            tui_page_line(page, STYLE_PLAIN, 0, "");
            tui_page_line(page, STYLE_STRONG, 0,
                          conn != 0 ? "Messages on that connection at that time" : "Messages at that time");
        }
        page->cuts = true;
        if (!text.failed)
            tui_page_line(page, tui_record_style(record), 2, text.data);
        tui_page_lead(page, (struct tui_target){TARGET_RECORD, i});
        page->cuts = false;
        ds_buffer_free(&text);
    }
}

void tui_page_moment(struct tui_page *page, const struct tui_facts *facts, struct tui_target target)
{
    char title[sizeof page->title];
    const cJSON *event = find(facts, target.number);
    const uint64_t conn = told_number(event, "conn"), count = told_number(event, "count");
    const int64_t from_ns = told_signed(event, "from") * 1000, to_ns = told_signed(event, "to") * 1000;
    if (event == NULL)
        return;
    snprintf(title, sizeof title, "timeline: %s", told_text(event, "words"));
    tui_page_begin(page, title);
    tui_page_line(page, STYLE_STRONG, 0, told_text(event, "text"));
    tui_page_printf(page, STYLE_PLAIN, 2, "when         %s%s%s", tui_time_of_day(from_ns).text,
                    to_ns != from_ns ? " to " : "", to_ns != from_ns ? tui_time_of_day(to_ns).text : "");
    if (count > 1)
        tui_page_printf(page, STYLE_PLAIN, 2, "times        %" PRIu64, count);
    if (conn != 0) {
        tui_page_printf(page, STYLE_PLAIN, 2, "connection   %" PRIu64, conn);
        tui_page_lead(page, (struct tui_target){TARGET_CONN, conn});
    }
    put_then(page, facts, from_ns, conn);
}

static const struct tui_list_kind timeline_list = {
    .columns = columns,
    .sort_column = TIME,
    .book = BOOK_TIMELINE,
    .rows = "events",
    .what = "events",
    .id = id_of,
    .put = put,
    .row_kind = TARGET_MOMENT,
};

TUI_LIST_VIEW(timeline, timeline_list, BOOK_BIT(TIMELINE))
