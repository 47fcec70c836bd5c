/*
 * view_nodes.c - a row for each node: its links, and what it sends and receives on all of them. The
 * numbers are sums over --report links.
 */
#include "ui/tui/tui_format.h"
#include "ui/tui/tui_links.h"
#include "ui/tui/tui_pages.h"
#include "ui/tui/tui_view.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODE, OPEN_LINKS, RATE, SENT, RECEIVED, SENT_BYTES, RECEIVED_BYTES, ROUND_TRIP, CLOSED, RELEASE };

static const struct tui_column columns[] = {
    [NODE] = {.title = "NODE", .least = 24, .most = 60},
    [OPEN_LINKS] = {.title = "LINKS", .is_number = true, .least = 5},
    [RATE] = {.title = "RATE", .is_number = true, .least = 8},
    [SENT] = {.title = "SENT", .is_number = true, .least = 5, .rank = 2},
    [RECEIVED] = {.title = "RECEIVED", .is_number = true, .least = 5, .rank = 2},
    [SENT_BYTES] = {.title = "OUT", .is_number = true, .least = 7},
    [RECEIVED_BYTES] = {.title = "IN", .is_number = true, .least = 7},
    [ROUND_TRIP] = {.title = "RTT", .is_number = true, .least = 7, .rank = 1},
    [CLOSED] = {.title = "CLOSED", .is_number = true, .least = 4, .rank = 3},
    [RELEASE] = {.title = "RELEASE", .least = 6, .rank = 4},
    {.title = NULL},
};

/* node_row is the sums of a node. */
struct node_row {
    const char *name, *release; /* in the snapshot */
    uint64_t num_open, num_closed, rate, sent, received, sent_bytes, received_bytes;
    int64_t round_trip_ns; /* the maximum of its links */
};

enum { MAX_NODES = 1024 }; /* as many links as the book has */

/* find_node returns the row of a node, and adds it if it is new; NULL: there is no room. */
static struct node_row *find_node(struct node_row *nodes, size_t *num, const char *name)
{
    for (size_t i = 0; i < *num; i++) {
        if (strcmp(nodes[i].name, name) == 0)
            return &nodes[i];
    }
    if (*num == MAX_NODES)
        return NULL;
    nodes[*num] = (struct node_row){.name = name, .release = ""};
    return &nodes[(*num)++];
}

static void add_link(struct node_row *node, const struct tui_facts *facts, const cJSON *link, int side)
{
    const cJSON *own = link_side(link, side), *other = link_side(link, !side);
    const int64_t trip = told_signed(own, "round_trip_p50");
    if (node == NULL)
        return;
    if (told_text(own, "release")[0] != '\0')
        node->release = told_text(own, "release");
    node->num_open += link_is_open(link);
    node->num_closed += !link_is_open(link);
    node->rate += link_is_open(link) ? link_rate(facts, link) : 0;
    node->sent += told_number(own, "messages");
    node->sent_bytes += told_number(own, "bytes");
    node->received += told_number(other, "messages");
    node->received_bytes += told_number(other, "bytes");
    node->round_trip_ns = trip > node->round_trip_ns ? trip : node->round_trip_ns;
}

static void put_row(struct tui_table *table, const struct node_row *node)
{
    if (!tui_table_add(table, tui_id(node->name), node->num_open != 0 ? STYLE_PLAIN : STYLE_DIM))
        return;
    tui_table_put(table, NODE, node->name);
    tui_table_put_number(table, OPEN_LINKS, (int64_t)node->num_open, tui_count(node->num_open).text);
    tui_table_put_number(table, RATE, (int64_t)node->rate, tui_byte_rate(node->rate).text);
    tui_table_put_number(table, SENT, (int64_t)node->sent, tui_count(node->sent).text);
    tui_table_put_number(table, RECEIVED, (int64_t)node->received, tui_count(node->received).text);
    tui_table_put_number(table, SENT_BYTES, (int64_t)node->sent_bytes, tui_bytes(node->sent_bytes).text);
    tui_table_put_number(table, RECEIVED_BYTES, (int64_t)node->received_bytes,
                         tui_bytes(node->received_bytes).text);
    tui_table_put_number(table, ROUND_TRIP, node->round_trip_ns, tui_span(node->round_trip_ns).text);
    tui_table_put_number(table, CLOSED, (int64_t)node->num_closed, tui_count(node->num_closed).text);
    tui_table_put(table, RELEASE, node->release);
}

static void fill(struct tui_table *table, const struct tui_facts *facts)
{
    struct node_row *nodes = calloc(MAX_NODES, sizeof *nodes);
    size_t num = 0;
    if (nodes == NULL) {
        table->no_memory = true;
        return;
    }
    const cJSON *link = told_list(facts->snapshot.book[BOOK_LINKS], "rows");
    for (; link != NULL; link = link->next) {
        for (int side = 0; side < 2; side++)
            add_link(find_node(nodes, &num, told_text(link_side(link, side), "node")), facts, link, side);
    }
    for (size_t i = 0; i < num; i++)
        put_row(table, &nodes[i]);
    free(nodes);
}

/* put_link writes a line about a link of a node. */
static void put_link(struct tui_page *page, const struct tui_facts *facts, const cJSON *link, int side)
{
    const cJSON *own = link_side(link, side), *other = link_side(link, !side);
    const uint64_t messages = told_number(own, "messages") + told_number(other, "messages");
    tui_page_printf(page, link_is_open(link) ? STYLE_PLAIN : STYLE_DIM, 2,
                    "%s  %s, %s, %s since %s (connection %" PRIu64 ")", told_text(other, "node"),
                    link_state(link), tui_byte_rate(link_rate(facts, link)).text,
                    ds_counted(messages, "messages").text,
                    tui_time_of_day(told_signed(link, "first") * 1000).text, told_number(link, "conn"));
}

void tui_page_node(struct tui_page *page, const struct tui_facts *facts, struct tui_target target)
{
    char title[sizeof page->title];
    bool has_begun = false;
    const cJSON *link = told_list(facts->snapshot.book[BOOK_LINKS], "rows");
    for (; link != NULL; link = link->next) {
        for (int side = 0; side < 2; side++) {
            const char *name = told_text(link_side(link, side), "node");
            if (tui_id(name) != target.number)
                continue;
            if (!has_begun) {
                snprintf(title, sizeof title, "node: %s", name);
                tui_page_begin(page, title);
                tui_page_line(page, STYLE_STRONG, 0, "Its links");
                has_begun = true;
            }
            put_link(page, facts, link, side);
            tui_page_lead(page, (struct tui_target){TARGET_CONN, told_number(link, "conn")});
        }
    }
    if (has_begun)
        tui_page_messages(page, facts, (struct tui_target){TARGET_LADDER_OF_NODE, target.number});
}

static const struct tui_list_kind node_list = {
    .columns = columns,
    .sort_column = RATE,
    .book = BOOK_LINKS,
    .rows = "rows",
    .all = "links",
    .what = "links are summed up here",
    .fill = fill,
    .row_kind = TARGET_NODE,
};

TUI_LIST_VIEW(nodes, node_list, BOOK_BIT(LINKS))
