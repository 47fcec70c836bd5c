/*
 * tui_links.h - what several views show of links.
 */
#ifndef SRC_TUI_LINKS_H
#define SRC_TUI_LINKS_H

#include "ui/tui/tui_list.h"

/* link_state says what state a link is in, in a word or two. link_is_open whether it goes on. */
const char *link_state(const cJSON *link);
bool link_is_open(const cJSON *link);

/* link_rate returns the bytes a second of a link: over the last ten seconds in a live capture, else over
 * its time. */
uint64_t link_rate(const struct tui_facts *facts, const cJSON *link);

/* link_rate_order is what rates are sorted by: links that are open stand first, whatever a closed one
 * carried. */
int64_t link_rate_order(const cJSON *link, uint64_t rate);

/* link_sums are the numbers of both directions together; of the round trips it is the longer one. */
struct link_sums {
    uint64_t rate, messages, bytes, again, stalls;
    int64_t stalled_ns, round_trip_ns;
};
struct link_sums link_sum(const struct tui_facts *facts, const cJSON *link);

/* link_bars draws what a link carried in the last minute of a live capture, in LINK_BARS columns; "": not
 * known. */
enum { LINK_BARS = 20 };
void link_bars(const struct tui_facts *facts, uint64_t conn, char *text, size_t len);

/* The sides of a link: 0, who opened it, and 1. */
const cJSON *link_side(const cJSON *link, int side);

/* link_list is the list of links. */
extern const struct tui_list_kind link_list;

#endif
