/*
 * view_traffic.c - what the links carry: kinds of messages by their shape, as in --report traffic.
 */
#include "ui/tui/tui_format.h"
#include "ui/tui/tui_links.h"
#include "ui/tui/tui_pages.h"
#include "ui/tui/tui_view.h"

#include <inttypes.h>
#include <stdio.h>

enum { WHAT, BYTES, SHARE, COUNT, RATE, RATE_10, RATE_60, MEAN, P99, LARGEST, WHO };

static const struct tui_column columns[] = {
    [WHAT] = {.title = "MESSAGES OF THE SHAPE", .least = 30, .most = 90},
    [BYTES] = {.title = "BYTES", .is_number = true, .least = 7},
    [SHARE] = {.title = "SHARE", .is_number = true, .least = 5},
    [COUNT] = {.title = "MSGS", .is_number = true, .least = 5},
    [RATE] = {.title = "RATE 1 s", .is_number = true, .least = 8, .rank = 1},
    [RATE_10] = {.title = "10 s", .is_number = true, .least = 8, .rank = 5},
    [RATE_60] = {.title = "60 s", .is_number = true, .least = 8, .rank = 6},
    [MEAN] = {.title = "MEAN", .is_number = true, .least = 7, .rank = 2},
    [P99] = {.title = "p99", .is_number = true, .least = 7, .rank = 3},
    [LARGEST] = {.title = "LARGEST", .is_number = true, .least = 7, .rank = 1},
    [WHO] = {.title = "FROM > TO", .least = 20, .most = 60, .rank = 4},
    {.title = NULL},
};

static uint64_t id_of(const cJSON *kind)
{
    return tui_id(told_text(kind, "what"));
}

void kind_rate_of(const cJSON *kind, uint64_t *id, uint64_t *messages, uint64_t *bytes)
{
    *id = id_of(kind);
    *messages = told_number(kind, "count");
    *bytes = told_number(kind, "bytes");
}

static void put_bytes(struct tui_table *table, unsigned column, uint64_t bytes)
{
    tui_table_put_number(table, column, (int64_t)bytes, tui_bytes(bytes).text);
}

static void put(struct tui_table *table, const struct tui_facts *facts, const cJSON *kind)
{
    const uint64_t all = told_number(facts->snapshot.book[BOOK_TRAFFIC], "bytes");
    const uint64_t bytes = told_number(kind, "bytes"), count = told_number(kind, "count");
    char share[16];
    snprintf(share, sizeof share, "%.0f%%", all != 0 ? 100.0 * (double)bytes / (double)all : 0);
    tui_table_put(table, WHAT, told_text(kind, "what"));
    put_bytes(table, BYTES, bytes);
    tui_table_put_number(table, SHARE, (int64_t)bytes, share);
    tui_table_put_number(table, COUNT, (int64_t)count, tui_count(count).text);
    tui_list_put_rates(table, RATE, facts, &facts->kind_rates, id_of(kind));
    put_bytes(table, MEAN, told_number(kind, "mean"));
    put_bytes(table, P99, told_number(kind, "p99"));
    put_bytes(table, LARGEST, told_number(kind, "largest"));
    tui_table_put(table, WHO, told_text(kind, "who"));
}

static void open_page(struct tui_page *page, const struct tui_facts *facts, const cJSON *kind)
{
    (void)facts;
    tui_page_begin(page, "messages of a shape");
    page->hang = 2;
    tui_page_line(page, STYLE_STRONG, 0, told_text(kind, "what"));
    tui_page_printf(page, STYLE_PLAIN, 2, "between      %s", told_text(kind, "who"));
    tui_page_printf(page, STYLE_PLAIN, 2, "messages     %" PRIu64 ", %s together",
                    told_number(kind, "count"),
                    tui_bytes(told_number(kind, "bytes")).text);
    tui_page_printf(page, STYLE_PLAIN, 2, "size         %s on average, 99 of 100 within %s",
                    tui_bytes(told_number(kind, "mean")).text, tui_bytes(told_number(kind, "p99")).text);
    tui_page_printf(page, STYLE_PLAIN, 2, "the largest  %s, in packet %" PRIu64,
                    tui_bytes(told_number(kind, "largest")).text, told_number(kind, "packet"));
    tui_page_lead(page, (struct tui_target){TARGET_PACKET, told_number(kind, "packet")});
    const cJSON *sample = told_list(kind, "samples");
    if (sample == NULL)
        return;
    tui_page_line(page, STYLE_PLAIN, 0, "");
    tui_page_line(page, STYLE_STRONG, 0, "Some of them");
    for (; sample != NULL; sample = sample->next) {
        tui_page_printf(page, STYLE_PLAIN, 2, "packet %" PRIu64 ", %s: %s", told_number(sample, "packet"),
                        tui_bytes(told_number(sample, "bytes")).text, told_text(sample, "text"));
        tui_page_lead(page, (struct tui_target){TARGET_PACKET, told_number(sample, "packet")});
    }
}

static const struct tui_list_kind traffic_list = {
    .columns = columns,
    .sort_column = BYTES,
    .book = BOOK_TRAFFIC,
    .rows = "rows",
    .all = "kinds",
    .what = "kinds of messages",
    .id = id_of,
    .put = put,
    .page = open_page,
};

TUI_LIST_VIEW(traffic, traffic_list, BOOK_BIT(TRAFFIC))
