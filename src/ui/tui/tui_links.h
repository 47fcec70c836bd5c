/*
 * tui_links.h - functions on links that several views use.
 */
#ifndef SRC_TUI_LINKS_H
#define SRC_TUI_LINKS_H

#include "ui/tui/tui_list.h"

/* link_state returns the state of a link, in a word or two. link_is_open says whether it is open. */
const char *link_state(const cJSON *link);
bool link_is_open(const cJSON *link);

/* link_rate returns the bytes per second of a link: of the last ten seconds in a live capture,
 * otherwise of its whole time. */
uint64_t link_rate(const struct tui_facts *facts, const cJSON *link);

/* link_rate_of is the rate_of of links, kind_rate_of that of kinds of messages. */
rate_of link_rate_of, kind_rate_of;

/* link_rate_order returns the key that rates are sorted by: open links come before closed ones,
 * whatever their rate. */
int64_t link_rate_order(const cJSON *link, uint64_t rate);

/* link_sums are the sums of both directions; for the round trips, the longer one. */
struct link_sums {
    uint64_t rate, messages, bytes, again, stalls;
    int64_t stalled_ns, round_trip_ns;
};
struct link_sums link_sum(const struct tui_facts *facts, const cJSON *link);

/* link_bars draws the traffic of a link in the last minute of a live capture, in LINK_BARS columns;
 * "": unknown. */
enum { LINK_BARS = 20 };
void link_bars(const struct tui_facts *facts, uint64_t conn, char *text, size_t len);

/* The sides of a link: 0 is the one that opened it. */
const cJSON *link_side(const cJSON *link, int side);

/* link_list is the list of links. */
extern const struct tui_list_kind link_list;

#endif
