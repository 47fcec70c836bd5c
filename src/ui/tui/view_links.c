/*
 * view_links.c - a row for each link: its nodes, its state, its traffic, and its health. The
 * numbers are those of --report links.
 */
#include "ui/tui/tui_format.h"
#include "ui/tui/tui_links.h"
#include "ui/tui/tui_view.h"

enum { FROM, TO, STATE, RATE, MESSAGES, BYTES, ROUND_TRIP, AGAIN, STALLED, CONN, BARS };

static const struct tui_column columns[] = {
    [FROM] = {.title = "LINK: FROM", .least = 16, .most = 48},
    [TO] = {.title = "TO", .least = 16, .most = 48},
    [STATE] = {.title = "STATE", .least = 7},
    [RATE] = {.title = "RATE", .is_number = true, .least = 8},
    [MESSAGES] = {.title = "MSGS", .is_number = true, .least = 5},
    [BYTES] = {.title = "BYTES", .is_number = true, .least = 7, .rank = 4},
    [ROUND_TRIP] = {.title = "RTT", .is_number = true, .least = 7, .rank = 1},
    [AGAIN] = {.title = "RETR", .is_number = true, .least = 4, .rank = 5},
    [STALLED] = {.title = "STALLED", .is_number = true, .least = 7, .rank = 3},
    [CONN] = {.title = "CONN", .is_number = true, .least = 4, .rank = 6},
    [BARS] = {.title = "LAST 60 s", .least = LINK_BARS, .rank = 2},
    {.title = NULL},
};

static uint64_t id_of(const cJSON *link)
{
    return told_number(link, "conn");
}

static enum style style_of(const struct tui_facts *facts, const cJSON *link)
{
    if (!link_is_open(link))
        return STYLE_DIM;
    return link_sum(facts, link).stalls != 0 || told_number(link, "gaps") != 0 ? STYLE_WARNING
           : STYLE_PLAIN;
}

static void put(struct tui_table *table, const struct tui_facts *facts, const cJSON *link)
{
    const struct link_sums sums = link_sum(facts, link);
    const uint64_t conn = told_number(link, "conn");
    char bars[TUI_BARS_LEN];
    tui_table_put(table, FROM, told_text(link_side(link, 0), "node"));
    tui_table_put(table, TO, told_text(link_side(link, 1), "node"));
    tui_table_put(table, STATE, link_state(link));
    tui_table_put_number(table, RATE, link_rate_order(link, sums.rate), tui_byte_rate(sums.rate).text);
    tui_table_put_number(table, MESSAGES, (int64_t)sums.messages, tui_count(sums.messages).text);
    tui_table_put_number(table, BYTES, (int64_t)sums.bytes, tui_bytes(sums.bytes).text);
    tui_table_put_number(table, ROUND_TRIP, sums.round_trip_ns, tui_span(sums.round_trip_ns).text);
    tui_table_put_number(table, AGAIN, (int64_t)sums.again, tui_count(sums.again).text);
    tui_table_put_number(table, STALLED, sums.stalled_ns, tui_span(sums.stalled_ns).text);
    tui_table_put_number(table, CONN, (int64_t)conn, tui_count(conn).text);
    link_bars(facts, conn, bars, sizeof bars);
    tui_table_put(table, BARS, bars);
}

static struct tui_target target(const cJSON *link)
{
    return (struct tui_target){TARGET_CONN, told_number(link, "conn")};
}

const struct tui_list_kind link_list = {
    .columns = columns,
    .sort_column = RATE,
    .book = BOOK_LINKS,
    .rows = "rows",
    .all = "links",
    .what = "links",
    .id = id_of,
    .style = style_of,
    .put = put,
    .target = target,
};

TUI_LIST_VIEW(links, link_list, BOOK_BIT(LINKS))
