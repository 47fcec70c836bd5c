/*
 * report_links.c - --report links: the links, that is connections between two nodes, worst first:
 * when and for how long each was open, its ends, how it was closed, the traffic of its ends, and
 * the path between them. link_table.h has the tables.
 */
#include "reports/link_table.h"

#include "core/character.h"
#include "core/duration.h"
#include "core/hash.h"
#include "core/printable.h"
#include "core/span_sum.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FRESH_NS INT64_C(250000000)

enum { MAX_LINKS = 65536, TICK_LEN = 4 };

/* link_before is the traffic of a link before --since, regardless of other filters. */
struct link_before {
    struct table_entry entry;
    uint64_t conn;
    uint64_t bytes[2], messages[2], ticks[2];
};
TABLE_KEYED(struct link_before, conn);

struct links {
    struct report_text *text;
    struct table rows;
    struct table before;
    struct table sockets; /* of the links with the latest reports of the kernel */
    struct link_row *latest; /* the row found last; NULL: none, or it was removed */
    uint64_t no_memory;
    uint64_t max_links; /* that are shown; 0: all */
    bool is_late;       /* with --since: earlier traffic is not counted */
};

static void *open_report(struct report_text *text, const struct report_config *config)
{
    struct links *links = calloc(1, sizeof *links);
    if (links == NULL)
        return NULL;
    links->text = text;
    links->max_links = config->max_links;
    links->is_late = config->is_late;
    const uint64_t max = config->limits[DS_LIMIT_CONNECTIONS] * 4;
    table_init(&links->rows, sizeof(struct link_row), max < MAX_LINKS ? max : MAX_LINKS);
    table_init(&links->before, sizeof(struct link_before), links->rows.max);
    table_init(&links->sockets, sizeof(struct link_sockets), MAX_SOCKETS);
    return links;
}

/* copy_sockets stores what the kernel reports of a link, if anything. */
static void copy_sockets(struct links *links, const struct ds_conn *conn)
{
    const struct ds_tcp_side *side = conn->link->side;
    if (side[0].socket.asked_ns == 0 && side[1].socket.asked_ns == 0)
        return;
    struct link_sockets *sockets = table_find_or_put(&links->sockets, conn->number);
    if (sockets == NULL) {
        links->no_memory++;
        return;
    }
    for (int end = 0; end < 2; end++)
        sockets->socket[end] = side[end].socket;
}

static struct link_row *find_row(struct links *links, const struct ds_event *event)
{
    const uint64_t number = event->conn->number;
    if (links->latest != NULL && links->latest->conn == number)
        return links->latest;
    struct link_row *row = table_find(&links->rows, number);
    links->latest = row;
    if (row != NULL)
        return row;
    row = table_find_or_put(&links->rows, number);
    if (row == NULL) {
        links->no_memory++;
        return NULL;
    }
    row->closed_by = row->unseen = -1;
    row->first_ns = event->ts_ns;
    row->is_under_way = event->type != DS_EVENT_CONN || event->change.state == DS_CONN_HALF_CLOSED ||
                        event->change.state == DS_CONN_CLOSED || event->change.state == DS_CONN_OPEN_AT_END;
    links->latest = row;
    return row;
}

/* copy_name copies the name of an end, or its address; other is the opposite end. */
static void copy_name(struct link_name *name, const struct ds_endpoint *end,
                      const struct ds_endpoint *other)
{
    struct ds_buffer text = {0};
    if (end->node.data != NULL)
        printable_text(end->node, &text);
    else
        ds_endpoint_print(end, &text);
    if (!text.failed) {
        name->hash = hash_more(0, text.data, text.len);
        name->is_address =
            end->node.data == NULL && memcmp(&end->addr, &other->addr, sizeof end->addr) != 0;
        if (name->is_address) /* its port differs for each of its links */
            name->hash = hash_more(end->addr.family, end->addr.bytes, sizeof end->addr.bytes);
        name->is_cut = text.len > LINK_NAME_LEN;
        name->len = (uint8_t)character_cut(text.data, text.len, LINK_NAME_LEN);
        if (name->len != 0)
            memcpy(name->text, text.data, name->len);
    }
    ds_buffer_free(&text);
}

static bool takes_event(const struct ds_event *event)
{
    return event->type == DS_EVENT_CONN || event->type == DS_EVENT_HANDSHAKE ||
           event->type == DS_EVENT_MESSAGE || event->type == DS_EVENT_TICK;
}

static void raise_to(uint64_t *count, uint64_t least)
{
    if (*count < least)
        *count = least;
}

static void note_before(struct links *links, const struct ds_event *event)
{
    struct link_before *before = table_find_or_put(&links->before, event->conn->number);
    if (before == NULL) {
        links->no_memory++;
        return;
    }
    /* Counters of a copied event may be older than the event. */
    const bool is_message = event->type == DS_EVENT_MESSAGE, is_tick = event->type == DS_EVENT_TICK;
    before->messages[event->dir] += is_message;
    before->ticks[event->dir] += is_tick;
    before->bytes[event->dir] += is_message ? event->message.size : is_tick ? TICK_LEN : 0;
    for (int end = 0; end < 2; end++) {
        const struct ds_counters *c = &event->conn->counters[end];
        raise_to(&before->bytes[end], c->bytes);
        raise_to(&before->messages[end], c->messages);
        raise_to(&before->ticks[end], c->ticks);
    }
}

/* on_before copies the traffic of a link before --since, which is not counted. If there is none,
 * the link began later. */
static void on_before(const struct links *links, struct link_row *row)
{
    const struct link_before *before = table_find(&links->before, row->conn);
    if (before == NULL)
        return;
    row->has_before = true;
    for (int end = 0; end < 2; end++) {
        row->bytes_before[end] = before->bytes[end];
        row->messages_before[end] = before->messages[end];
        row->ticks_before[end] = before->ticks[end];
    }
}

static void copy_statistics(struct link_row *row, const struct ds_tcp_stats *link)
{
    row->has_facts = true;
    row->close = link->close;
    row->closed_by = link->closed_by;
    row->unseen = (int8_t)ds_tcp_unseen(link);
    for (int end = 0; end < 2; end++) {
        const struct ds_tcp_side *side = &link->side[end];
        row->sent[end] = side->data_segments;
        row->again[end] = side->retransmitted + side->lost_upstream;
        row->stalls[end] = side->stalls;
        row->stalled_ns[end] = side->stalled_ns;
        row->round_trip_ns[end] = ds_histogram_at(&side->round_trip, 500);
        row->slow_trip_ns[end] = ds_histogram_at(&side->round_trip, 990);
        row->tick_ns[end] = side->tick_last_ns;
        /* The link was up before --since: this is when it began. */
        if (row->is_under_way && side->first_ns != 0 && side->first_ns < row->first_ns)
            row->first_ns = side->first_ns;
    }
}

/* rest_of returns count - before, but at least 0: the counters of a copied event may be older. */
static uint64_t rest_of(uint64_t count, uint64_t before)
{
    return count > before ? count - before : 0;
}

static void on_state(struct links *links, struct link_row *row, const struct ds_event *event)
{
    const struct ds_conn *conn = event->conn;
    row->facts_ns = event->ts_ns;
    row->is_tls |= conn->tls != NULL;
    row->gaps = conn->counters[0].gaps + conn->counters[1].gaps;
    for (int end = 0; end < 2; end++) {
        copy_name(&row->name[end], &conn->end[end], &conn->end[!end]);
        row->bytes[end] = rest_of(conn->counters[end].bytes, row->bytes_before[end]);
        row->messages[end] = rest_of(conn->counters[end].messages, row->messages_before[end]);
        row->ticks[end] = rest_of(conn->counters[end].ticks, row->ticks_before[end]);
        row->ignored[end] = conn->counters[end].ignored;
    }
    if (conn->link != NULL) {
        copy_statistics(row, conn->link);
        copy_sockets(links, conn);
    }
}

static void on_conn(struct links *links, struct link_row *row, const struct ds_event *event)
{
    if (event->change.state == DS_CONN_UP && !row->is_up)
        row->up_ns = event->ts_ns;
    row->is_up |= event->change.state == DS_CONN_UP || event->change.state == DS_CONN_JOINED_LATE;
    row->is_late |= event->change.state == DS_CONN_JOINED_LATE;
    row->proto = event->conn->proto;
    on_state(links, row, event);
}

static void on_event(struct links *links, const struct ds_event *event, bool is_chosen)
{
    if (event->type == DS_EVENT_CONN && event->change.state == DS_CONN_FAILED)
        return;
    struct link_row *row = find_row(links, event);
    if (row == NULL)
        return;
    row->is_chosen |= is_chosen;
    if (links->is_late && row->is_under_way && !row->has_before)
        on_before(links, row);
    if (event->ts_ns < row->first_ns) /* the clock went back */
        row->first_ns = event->ts_ns;
    if (event->ts_ns > row->last_ns)
        row->last_ns = event->ts_ns;
    if (event->type == DS_EVENT_CONN)
        on_conn(links, row, event);
    else if (event->type == DS_EVENT_HANDSHAKE && event->handshake.has_flags)
        row->release[event->dir] = ds_flags_release(event->handshake.flags);
    else if (event->type == DS_EVENT_MESSAGE && event->message.size > row->largest[event->dir])
        row->largest[event->dir] = event->message.size;
    /* While a link is open, its statistics are updated now and then, if the event has them. */
    if (event->conn->link != NULL && event->ts_ns - row->facts_ns >= FRESH_NS)
        on_state(links, row, event);
}

static void on_record(void *state, const struct record *record)
{
    if (takes_event(record->event))
        on_event(state, record->event, true);
}

/* on_left_out processes records that -Y and other filters leave out: filters select links, and a
 * selected link is reported with all its traffic. */
static void on_left_out(void *state, const struct record *record, bool is_before)
{
    if (!takes_event(record->event))
        return;
    if (is_before)
        note_before(state, record->event);
    else
        on_event(state, record->event, false);
}

/* compare orders links: those with stalls first, then those with losses, then by bytes. */
static int compare(const void *a, const void *b)
{
    const struct link_row *x = *(struct link_row *const *)a, *y = *(struct link_row *const *)b;
    const int64_t stalled[2] = {span_sum(x->stalled_ns[0], x->stalled_ns[1]),
                                span_sum(y->stalled_ns[0], y->stalled_ns[1])};
    const uint64_t again[2] = {x->again[0] + x->again[1], y->again[0] + y->again[1]};
    const uint64_t bytes[2] = {x->bytes[0] + x->bytes[1], y->bytes[0] + y->bytes[1]};
    if (stalled[0] != stalled[1])
        return stalled[0] < stalled[1] ? 1 : -1;
    if (again[0] != again[1])
        return again[0] < again[1] ? 1 : -1;
    if (bytes[0] != bytes[1])
        return bytes[0] < bytes[1] ? 1 : -1;
    return x->conn < y->conn ? -1 : 1;
}

static bool is_link(const struct link_row *row)
{
    return row->is_up || row->is_tls || row->proto != NULL ||
           row->messages[0] + row->messages[1] + row->messages_before[0] + row->messages_before[1] != 0;
}

/* list_rows returns the links, worst first, in memory that the caller frees; NULL if memory ran
 * out. */
static struct link_row **list_rows(const struct links *links, size_t *count)
{
    struct link_row **rows = malloc((links->rows.num + (size_t)1) * sizeof *rows);
    size_t num = 0;
    if (rows == NULL)
        return NULL;
    for (struct link_row *row = table_oldest(&links->rows); row != NULL;
         row = table_newer(&links->rows, row)) {
        if (row->is_chosen && is_link(row))
            rows[num++] = row;
    }
    qsort(rows, num, sizeof(struct link_row *), compare);
    *count = num;
    return rows;
}

static int compare_hashes(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t count_different(uint64_t *hashes, size_t num)
{
    uint64_t count = 0;
    qsort(hashes, num, sizeof *hashes, compare_hashes);
    for (size_t i = 0; i < num; i++)
        count += i == 0 || hashes[i] != hashes[i - 1];
    return count;
}

/* add_nodes writes the number of nodes at the ends of links, by name, and of pairs of them: a pair
 * has several links, one after the other, if it reconnects. */
static void add_nodes(struct link_row *const *rows, size_t num, struct ds_buffer *out)
{
    uint64_t *nodes = malloc((3 * num + 1) * sizeof *nodes);
    if (nodes == NULL) {
        out->failed = true;
        return;
    }
    uint64_t *pairs = nodes + 2 * num;
    bool has_addresses = false;
    for (size_t i = 0; i < num; i++) {
        const uint64_t a = rows[i]->name[0].hash, b = rows[i]->name[1].hash;
        has_addresses |= rows[i]->name[0].is_address || rows[i]->name[1].is_address;
        const uint64_t pair[] = {a < b ? a : b, a < b ? b : a};
        nodes[2 * i] = a;
        nodes[2 * i + 1] = b;
        pairs[i] = hash_more(1, pair, sizeof pair);
    }
    ds_buffer_printf(out, " between %s", ds_counted(count_different(nodes, 2 * num), "nodes").text);
    if (num > 1)
        ds_buffer_printf(out, " (%s%s)", ds_counted(count_different(pairs, num), "pairs").text,
                         has_addresses ? "; nodes without a name are counted by host" : "");
    free(nodes);
}

/* add_worst writes the problems of the worst link. */
static void add_worst(const struct link_row *row, struct ds_buffer *out)
{
    const uint64_t stalls = row->stalls[0] + row->stalls[1];
    const uint64_t again = row->again[0] + row->again[1];
    if (stalls + again == 0) {
        ds_buffer_add_text(out, "; no stalls, no retransmissions");
        return;
    }
    ds_buffer_printf(out, "; worst: conn %" PRIu64 ", ", row->conn);
    link_name_add(&row->name[0], out);
    ds_buffer_add_text(out, " > ");
    link_name_add(&row->name[1], out);
    if (stalls != 0) {
        ds_buffer_printf(out, ", stalled %s for ", ds_counted(stalls, "times").text);
        duration_print(span_sum(row->stalled_ns[0], row->stalled_ns[1]), out);
    }
    if (again != 0)
        ds_buffer_printf(out, ", %" PRIu64 " of %s retransmitted", again,
                         ds_counted(row->sent[0] + row->sent[1], "segments").text);
}

/* add_sum writes the first line of the report. */
static void add_sum(const struct links *links, struct link_row *const *rows, size_t num,
                    struct ds_buffer *out)
{
    size_t num_ended = 0;
    for (size_t i = 0; i < num; i++)
        num_ended += link_is_over(rows[i]);
    ds_buffer_add_text(out, ds_counted(num, "links").text);
    if (num != 0) {
        add_nodes(rows, num, out);
        if (num_ended == 0)
            ds_buffer_add_text(out, num == 1 ? ", open" : ", all open");
        else
            ds_buffer_printf(out, ", %zu no longer open", num_ended);
        add_worst(rows[0], out);
    }
    if (links->is_late)
        ds_buffer_add_text(out, "; bytes, messages, ticks and rate are from --since on, the rest is of "
                                "the whole link");
    if (links->rows.num_forgotten + links->no_memory != 0)
        ds_buffer_printf(out, "; %s forgotten, because there were too many",
                         ds_counted(links->rows.num_forgotten + links->no_memory, "links").text);
    ds_buffer_add_text(out, "\n");
}

/* add_delayed explains round trips that are not caused by the path. */
static void add_delayed(struct link_row *const *rows, size_t num, struct ds_buffer *out)
{
    const int64_t ms = 1000000, least_ns = 38 * ms, most_ns = 50 * ms;
    for (size_t i = 0; i < 2 * num; i++) {
        const struct link_row *row = rows[i / 2];
        const int64_t slow_ns = row->slow_trip_ns[i % 2];
        if (!row->has_facts || slow_ns < least_ns || slow_ns > most_ns ||
            row->round_trip_ns[i % 2] > 10 * ms)
            continue;
        ds_buffer_add_text(out, "  RTT p99 of some 40 ms need not be a slow path: an end that has nothing "
                                "to send waits that long to acknowledge\n");
        return;
    }
}

static size_t shown_of(const struct links *links, size_t num)
{
    return links->max_links != 0 && links->max_links < num ? (size_t)links->max_links : num;
}

static void show_report(void *state)
{
    const struct links *links = state;
    struct ds_buffer *out = &links->text->buffer;
    size_t num = 0;
    uint64_t total = 0;
    struct link_row **rows = list_rows(links, &num);
    if (rows == NULL) {
        out->failed = true;
        return;
    }
    add_sum(links, rows, num, out);
    for (size_t i = 0; i < num; i++)
        total += rows[i]->bytes[0] + rows[i]->bytes[1];
    const size_t num_shown = shown_of(links, num);
    if (num_shown != 0)
        link_table_add(links->text, rows, num_shown, total, &links->sockets, out);
    add_delayed(rows, num_shown, out);
    if (num_shown < num)
        ds_buffer_printf(out, "%zu more: --rows shows them\n", num - num_shown);
    if (num != 0)
        report_print_command(links->text, out, "the first link, in full", "--explain conn:%" PRIu64,
                             rows[0]->conn);
    free(rows);
}

static void write_report(void *state, struct json_writer *json)
{
    const struct links *links = state;
    size_t num = 0;
    struct link_row **rows = list_rows(links, &num);
    json->failed |= rows == NULL;
    json_put_list(json, JSON_KEY("rows"));
    for (size_t i = 0; i < shown_of(links, num); i++)
        link_table_write(rows[i], json);
    json_put_list_end(json);
    json_put_unsigned(json, JSON_KEY("links"), num);
    json_put_unsigned(json, JSON_KEY("forgotten"), links->rows.num_forgotten + links->no_memory);
    free(rows);
}

static void end_report(void *state)
{
    struct links *links = state;
    table_free(&links->rows);
    table_free(&links->before);
    table_free(&links->sockets);
    free(links);
}

const struct report_kind report_links = {
    .open = open_report,
    .record = on_record,
    .left_out = on_left_out,
    .takes = REPORT_TAKES_MESSAGES | REPORT_TAKES_EVENTS,
    .show = show_report,
    .write_json = write_report,
    .end = end_report,
    .takes_facts = true,
};
