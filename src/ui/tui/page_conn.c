/*
 * page_conn.c - links as views show them, and the page of one link: from the book of --report
 * links. See tui_links.h.
 */
#include "ui/tui/tui_format.h"
#include "ui/tui/tui_links.h"
#include "ui/tui/tui_pages.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { RATE_SECONDS = 10 };

const cJSON *link_side(const cJSON *link, int side)
{
    const cJSON *first = told_list(link, "side");
    return side == 0 || first == NULL ? first : first->next;
}

bool link_is_open(const cJSON *link)
{
    const char *end = told_text(link, "end");
    return strcmp(end, "still open") == 0 || strcmp(end, "open at the end") == 0;
}

const char *link_state(const cJSON *link)
{
    return told_text(link, link_is_open(link) ? "state" : "end");
}

void link_rate_of(const cJSON *link, uint64_t *id, uint64_t *messages, uint64_t *bytes)
{
    *id = told_number(link, "conn");
    for (const cJSON *side = told_list(link, "side"); side != NULL; side = side->next) {
        *messages += told_number(side, "messages");
        *bytes += told_number(side, "bytes");
    }
}

uint64_t link_rate(const struct tui_facts *facts, const cJSON *link)
{
    if (facts->is_live && !facts->has_ended)
        return tui_rates_bytes(&facts->rates,
                               tui_rates_find(&facts->rates, told_number(link, "conn")), RATE_SECONDS);
    const int64_t us = told_signed(link, "last") - told_signed(link, "first");
    const uint64_t bytes =
        told_number(link_side(link, 0), "bytes") + told_number(link_side(link, 1), "bytes");
    return us > 0 ? (uint64_t)((double)bytes * 1e6 / (double)us) : 0;
}

int64_t link_rate_order(const cJSON *link, uint64_t rate)
{
    return (int64_t)rate - (link_is_open(link) ? 0 : INT64_MAX / 2);
}

struct link_sums link_sum(const struct tui_facts *facts, const cJSON *link)
{
    struct link_sums sums = {.rate = link_rate(facts, link)};
    for (int i = 0; i < 2; i++) {
        const cJSON *side = link_side(link, i);
        const int64_t trip = told_signed(side, "round_trip_p50");
        sums.messages += told_number(side, "messages");
        sums.bytes += told_number(side, "bytes");
        sums.again += told_number(side, "again");
        sums.stalls += told_number(side, "stalls");
        sums.stalled_ns += told_signed(side, "stalled");
        sums.round_trip_ns = trip > sums.round_trip_ns ? trip : sums.round_trip_ns;
    }
    return sums;
}

void link_bars(const struct tui_facts *facts, uint64_t conn, char *text, size_t len)
{
    enum { SECONDS = RATES_SECONDS / LINK_BARS };
    const struct rate_row *row = facts->is_live ? tui_rates_find(&facts->rates, conn) : NULL;
    uint64_t values[LINK_BARS] = {0};
    char bars[TUI_BARS_LEN] = "";
    for (unsigned i = 0; row != NULL && i < LINK_BARS * SECONDS; i++)
        values[LINK_BARS - 1 - i / SECONDS] += tui_rates_value(&facts->rates, row, i);
    if (row != NULL)
        tui_bars(values, LINK_BARS, facts->ascii, bars);
    snprintf(text, len, "%s", bars);
}

static void put_side(struct tui_page *page, const cJSON *side)
{
    const uint64_t again = told_number(side, "again"), stalls = told_number(side, "stalls");
    const char *release = told_text(side, "release");
    tui_page_line(page, STYLE_PLAIN, 0, "");
    tui_page_printf(page, STYLE_STRONG, 0, "From %s%s%s%s", told_text(side, "node"),
                    release[0] != '\0' ? " (" : "", release, release[0] != '\0' ? ")" : "");
    tui_page_printf(page, STYLE_PLAIN, 2, "messages     %" PRIu64 ", the largest %s",
                    told_number(side, "messages"), tui_bytes(told_number(side, "largest")).text);
    tui_page_printf(page, STYLE_PLAIN, 2, "bytes        %" PRIu64, told_number(side, "bytes"));
    tui_page_printf(page, STYLE_PLAIN, 2, "ticks        %" PRIu64 "%s%s", told_number(side, "ticks"),
                    told_signed(side, "tick_every") > 0 ? ", one every " : "",
                    told_signed(side, "tick_every") > 0 ? tui_span(told_signed(side, "tick_every")).text
                                                        : "");
    if (told_number(side, "has_facts") == 0)
        return;
    tui_page_printf(page, STYLE_PLAIN, 2, "round trip   median %s, 99 of 100 within %s",
                    tui_span(told_signed(side, "round_trip_p50")).text,
                    tui_span(told_signed(side, "round_trip_p99")).text);
    tui_page_printf(page, again != 0 ? STYLE_WARNING : STYLE_PLAIN, 2,
                    "segments     %" PRIu64 ", %" PRIu64 " of them retransmitted",
                    told_number(side, "segments"), again);
    if (stalls != 0)
        tui_page_printf(page, STYLE_WARNING, 2, "stalled      %s for %s",
                        ds_counted(stalls, "times").text, tui_span(told_signed(side, "stalled")).text);
    else
        tui_page_line(page, STYLE_PLAIN, 2, "stalled      never");
}

/* find_link returns the row of a connection, NULL: it is not among the reported ones. */
static const cJSON *find_link(const struct tui_facts *facts, uint64_t conn)
{
    const cJSON *link = told_list(facts->snapshot.book[BOOK_LINKS], "rows");
    while (link != NULL && told_number(link, "conn") != conn)
        link = link->next;
    return link;
}

void tui_page_conn(struct tui_page *page, const struct tui_facts *facts, struct tui_target target)
{
    char title[sizeof page->title];
    const cJSON *link = find_link(facts, target.number);
    const char *closer = told_text(link, "closer");
    if (link == NULL)
        return;
    snprintf(title, sizeof title, "link: connection %" PRIu64, target.number);
    tui_page_begin(page, title);
    tui_page_printf(page, STYLE_STRONG, 0, "%s > %s", told_text(link_side(link, 0), "node"),
                    told_text(link_side(link, 1), "node"));
    tui_page_printf(page, STYLE_PLAIN, 2, "state        %s, %s%s%s", told_text(link, "state"),
                    told_text(link, "end"), closer[0] != '\0' ? " by " : "", closer);
    tui_page_printf(page, STYLE_PLAIN, 2, "seen         %s to %s",
                    tui_time_of_day(told_signed(link, "first") * 1000).text,
                    tui_time_of_day(told_signed(link, "last") * 1000).text);
    tui_page_printf(page, STYLE_PLAIN, 2, "rate         %s", tui_byte_rate(link_rate(facts, link)).text);
    if (told_number(link, "gaps") != 0)
        tui_page_printf(page, STYLE_WARNING, 2, "gaps         %" PRIu64 ": packets are missing",
                        told_number(link, "gaps"));
    if (told_text(link, "unseen")[0] != '\0')
        tui_page_printf(page, STYLE_WARNING, 2, "unseen       nothing was seen from %s",
                        told_text(link, "unseen"));
    put_side(page, link_side(link, 0));
    put_side(page, link_side(link, 1));
    tui_page_line(page, STYLE_PLAIN, 0, "");
    tui_page_line(page, STYLE_PLAIN, 2, "its messages, as a ladder; c lists them");
    tui_page_lead(page, (struct tui_target){TARGET_LADDER_OF_CONN, target.number});
}
