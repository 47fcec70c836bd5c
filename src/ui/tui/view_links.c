/*
 * view_links.c - a row for each link: between whom, in which state, how much it carries, how healthy it
 * is. The numbers are those of --report links.
 */
#include "ui/tui/tui_format.h"
#include "ui/tui/tui_view.h"


enum { FROM, TO, STATE, RATE, MESSAGES, BYTES, ROUND_TRIP, AGAIN, STALLED, CONN, BARS };

static const struct tui_column columns[] = {
    [FROM] = {.title = "FROM", .least = 16, .most = 48},
    [TO] = {.title = "TO", .least = 16, .most = 48},
    [STATE] = {.title = "STATE", .least = 7},
    [RATE] = {.title = "RATE", .is_number = true, .least = 8},
    [MESSAGES] = {.title = "MSGS", .is_number = true, .least = 5},
    [BYTES] = {.title = "BYTES", .is_number = true, .least = 7, .rank = 3},
    [ROUND_TRIP] = {.title = "RTT", .is_number = true, .least = 7, .rank = 2},
    [AGAIN] = {.title = "RETR", .is_number = true, .least = 4, .rank = 4},
    [STALLED] = {.title = "STALLED", .is_number = true, .least = 7, .rank = 1},
    [CONN] = {.title = "CONN", .is_number = true, .least = 4, .rank = 5},
    [BARS] = {.title = "LAST 60 s", .least = LINK_BARS, .rank = 6},
    {.title = NULL},
};

static void *open_view(void)
{
    return tui_table_new(columns, RATE);
}

static enum style style_of(const cJSON *link)
{
    const cJSON *a = link_side(link, 0), *b = link_side(link, 1);
    if (!link_is_open(link))
        return STYLE_DIM;
    return told_number(a, "stalls") + told_number(b, "stalls") != 0 || told_number(link, "gaps") != 0
               ? STYLE_WARNING
               : STYLE_PLAIN;
}

static void put_row(struct tui_table *table, const struct tui_facts *facts, const cJSON *link)
{
    const cJSON *a = link_side(link, 0), *b = link_side(link, 1);
    const uint64_t conn = told_number(link, "conn"), rate = link_rate(facts, link);
    const uint64_t messages = told_number(a, "messages") + told_number(b, "messages");
    const uint64_t bytes = told_number(a, "bytes") + told_number(b, "bytes");
    const uint64_t again = told_number(a, "again") + told_number(b, "again");
    const int64_t stalled = told_signed(a, "stalled") + told_signed(b, "stalled");
    const int64_t trip_a = told_signed(a, "round_trip_p50"), trip_b = told_signed(b, "round_trip_p50");
    const int64_t trip = trip_a > trip_b ? trip_a : trip_b;
    char bars[TUI_BARS_LEN];
    if (!tui_table_add(table, conn, style_of(link)))
        return;
    tui_table_put(table, FROM, told_text(a, "node"));
    tui_table_put(table, TO, told_text(b, "node"));
    tui_table_put(table, STATE, link_state(link));
    tui_table_put_number(table, RATE, link_rate_order(link, rate), tui_byte_rate(rate).text);
    tui_table_put_number(table, MESSAGES, (int64_t)messages, tui_count(messages).text);
    tui_table_put_number(table, BYTES, (int64_t)bytes, tui_bytes(bytes).text);
    tui_table_put_number(table, ROUND_TRIP, trip, tui_span(trip).text);
    tui_table_put_number(table, AGAIN, (int64_t)again, tui_count(again).text);
    tui_table_put_number(table, STALLED, stalled, tui_span(stalled).text);
    tui_table_put_number(table, CONN, (int64_t)conn, tui_count(conn).text);
    link_bars(facts, conn, bars, sizeof bars);
    tui_table_put(table, BARS, bars);
}

static void update(void *view, const struct tui_facts *facts)
{
    struct tui_table *table = view;
    tui_table_begin(table);
    const cJSON *link = told_list(facts->snapshot.book[BOOK_LINKS], "rows");
    for (; link != NULL; link = link->next)
        put_row(table, facts, link);
    tui_table_end(table);
}

static bool request(void *view, const struct tui_facts *facts, enum tui_request request,
                    struct tui_page *page)
{
    return link_table_request(view, facts, request, page);
}

const struct tui_view view_links = {
    .books = BOOK_BIT(LINKS),
    .is_table = true,
    .open = open_view,
    .close = tui_table_delete,
    .update = update,
    .draw = tui_table_draw_alone,
    .request = request,
};
