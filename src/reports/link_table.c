/*
 * link_table.c - see link_table.h.
 */
#include "reports/link_table.h"

#include "core/columns.h"
#include "core/duration.h"
#include "reports/report_table.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

/* link_line is a link as a row of its table. */
struct link_line {
    const struct link_row *row;
    const struct report_text *text;
    uint64_t total; /* bytes of all links */
    uint64_t conn, gaps;
};

/* link_end is an end of a link as a row of its table. */
struct link_end {
    const struct link_row *row;
    int end;
    const struct ds_socket *socket; /* what its kernel reports; NULL: unknown */
    uint64_t bytes, messages, largest, ticks, sent, stalls;
};

void link_name_add(const struct link_name *name, struct ds_buffer *out)
{
    ds_buffer_add(out, name->text, name->len);
    if (name->is_cut)
        ds_buffer_add_text(out, "...");
}

static void write_name(const struct link_row *row, int end, struct json_key key, struct json_writer *json)
{
    struct ds_buffer text = {0};
    link_name_add(&row->name[end], &text);
    json->failed |= text.failed;
    json_put_text(json, key, (struct ds_text){text.len != 0 ? text.data : "", text.len});
    ds_buffer_free(&text);
}

/* The columns of an end. */

static void print_nothing(const void *row, const void *report, struct ds_buffer *out)
{
    (void)row, (void)report, (void)out;
}

static void write_node(const void *row, struct json_key key, struct json_writer *json)
{
    const struct link_end *end = row;
    write_name(end->row, end->end, key, json);
    if (end->row->release[end->end] != NULL)
        json_put_string(json, JSON_KEY("release"), end->row->release[end->end]);
}

static void print_largest(const void *row, const void *report, struct ds_buffer *out)
{
    const struct link_end *end = row;
    (void)report;
    ds_buffer_printf(out, end->largest != 0 ? "%" PRIu64 : "-", end->largest);
}

static int64_t tick_span(const void *row)
{
    const struct link_end *end = row;
    return end->row->tick_ns[end->end];
}

static int64_t round_trip(const void *row)
{
    const struct link_end *end = row;
    return end->row->round_trip_ns[end->end];
}

static int64_t slow_trip(const void *row)
{
    const struct link_end *end = row;
    return end->row->slow_trip_ns[end->end];
}

static int64_t stalled(const void *row)
{
    const struct link_end *end = row;
    return end->row->stalled_ns[end->end];
}

static void print_span(int64_t ns, struct ds_buffer *out)
{
    if (ns == 0)
        ds_buffer_add_text(out, "-");
    else
        duration_print(ns, out);
}

static void print_ticks(const void *row, const void *report, struct ds_buffer *out)
{
    (void)report;
    print_span(tick_span(row), out);
}

static void print_round_trip(const void *row, const void *report, struct ds_buffer *out)
{
    const struct link_end *end = row;
    (void)report;
    print_span(end->row->has_facts ? round_trip(end) : 0, out);
}

static void print_slow_trip(const void *row, const void *report, struct ds_buffer *out)
{
    const struct link_end *end = row;
    (void)report;
    print_span(end->row->has_facts ? slow_trip(end) : 0, out);
}

static void print_retransmitted(const void *row, const void *report, struct ds_buffer *out)
{
    const struct link_end *end = row;
    (void)report;
    if (end->row->has_facts)
        ds_buffer_printf(out, "%" PRIu64 " of %" PRIu64, end->row->again[end->end], end->sent);
    else
        ds_buffer_add_text(out, "-");
}

static void write_has_facts(const void *row, struct json_key key, struct json_writer *json)
{
    const struct link_end *end = row;
    json_put_bool(json, key, end->row->has_facts);
}

static void write_retransmitted(const void *row, struct json_key key, struct json_writer *json)
{
    const struct link_end *end = row;
    json_put_unsigned(json, key, end->row->again[end->end]);
}

static void write_ignored(const void *row, struct json_key key, struct json_writer *json)
{
    const struct link_end *end = row;
    if (end->row->ignored[end->end] != 0)
        json_put_unsigned(json, key, end->row->ignored[end->end]);
}

#define AT(field) .at = offsetof(struct link_end, field)
static const struct report_column end_columns[] = {
    {JSON_KEY("node"), "", 'l', .width = 3, .print = print_nothing, .write_json = write_node},
    {JSON_KEY("bytes"), "bytes", 'r', AT(bytes)},
    {JSON_KEY("messages"), "messages", 'r', AT(messages)},
    {JSON_KEY("largest"), "largest", 'r', AT(largest), .print = print_largest},
    {JSON_KEY("ticks"), "ticks", 'r', AT(ticks)},
    {JSON_KEY("tick_every"), "every", 'r', .span = tick_span, .print = print_ticks},
    {JSON_KEY("has_facts"), .write_json = write_has_facts},
    {JSON_KEY("round_trip_p50"), "RTT p50", 'r', .span = round_trip, .print = print_round_trip},
    {JSON_KEY("round_trip_p99"), "RTT p99", 'r', .span = slow_trip, .print = print_slow_trip},
    {JSON_KEY("segments"), AT(sent)},
    {JSON_KEY("again"), "retransmitted", 'r', .print = print_retransmitted,
     .write_json = write_retransmitted},
    {JSON_KEY("stalls"), AT(stalls)},
    {JSON_KEY("stalled"), .span = stalled},
    {JSON_KEY("ignored"), .write_json = write_ignored},
};
#undef AT
static const struct report_table end_table = {.columns = end_columns,
                                               .num = sizeof end_columns / sizeof end_columns[0]};

static struct link_end end_of_link(const struct link_row *row, int end, const struct link_sockets *sockets)
{
    const struct ds_socket *socket = sockets != NULL ? &sockets->socket[end] : NULL;
    return (struct link_end){
        .row = row, .end = end, .socket = socket != NULL && socket->asked_ns != 0 ? socket : NULL,
        .bytes = row->bytes[end], .messages = row->messages[end], .largest = row->largest[end],
        .ticks = row->ticks[end], .sent = row->sent[end], .stalls = row->stalls[end]};
}

/* add_socket writes what the kernel reports of an end. */
static void add_socket(const struct ds_socket *socket, struct ds_buffer *out)
{
    ds_buffer_add_text(out, "; kernel:");
    if (socket->process[0] != '\0')
        ds_buffer_printf(out, " %s %u,", socket->process, socket->pid);
    ds_buffer_printf(out, " %s not acknowledged, %s not read", ds_counted(socket->send_queue, "bytes").text,
                     ds_counted(socket->recv_queue, "bytes").text);
    if (socket->rwnd_limited_ns > 0 && socket->busy_ns > 0)
        ds_buffer_printf(out, ", held up by the receiver for %.0f %% of its busy time",
                         (double)socket->rwnd_limited_ns * 100 / (double)socket->busy_ns);
    if (socket->pod[0] != '\0')
        ds_buffer_printf(out, ", pod %s", socket->pod);
    else if (socket->container[0] != '\0')
        ds_buffer_printf(out, ", container %s", socket->container);
}

/* add_end writes the line of an end: the columns, and the name of the end. */
static void add_end(const struct report_table *table, const struct link_end *side, struct ds_buffer *out)
{
    const struct link_row *row = side->row;
    const int end = side->end;
    if (row->unseen == end) {
        ds_buffer_add_text(out, "    ");
        link_name_add(&row->name[end], out);
        ds_buffer_add_text(out, ": nothing that it sent was captured");
        columns_end_line(out);
        return;
    }
    report_table_row(table, side, NULL, out);
    link_name_add(&row->name[end], out);
    if (row->release[end] != NULL)
        ds_buffer_printf(out, " (%s)", row->release[end]);
    if (row->has_facts && row->stalls[end] != 0) {
        ds_buffer_printf(out, ", stalled %s for ", ds_counted(row->stalls[end], "times").text);
        duration_print(row->stalled_ns[end], out);
    }
    if (row->ignored[end] != 0)
        ds_buffer_printf(out, ", %s in its name ignored", ds_counted(row->ignored[end], "packets").text);
    if (side->socket != NULL)
        add_socket(side->socket, out);
    columns_end_line(out);
}

/* The columns of a link. */

static const char *state_of(const struct link_row *row)
{
    return row->proto != NULL ? row->proto
           : row->is_tls      ? "TLS"
           : row->is_late     ? "joined late"
           : row->is_up       ? "up"
                              : "up earlier";
}

static const char *end_of(const struct link_row *row)
{
    static const char *const ends[] = {
        [DS_CLOSE_NOT] = "still open",         [DS_CLOSE_FIN] = "closed",
        [DS_CLOSE_RESET] = "reset",         [DS_CLOSE_SYN_TIMEOUT] = "never answered",
        [DS_CLOSE_ICMP] = "never answered", [DS_CLOSE_REUSED] = "its ports were reused",
        [DS_CLOSE_EVICTED] = "no longer followed", [DS_CLOSE_CAPTURE] = "open at the end",
    };
    return ends[row->close];
}

bool link_is_over(const struct link_row *row)
{
    return row->closed_by >= 0 || (row->close != DS_CLOSE_NOT && row->close != DS_CLOSE_CAPTURE);
}

/* print_status writes the present state of the link, the first word of a row. */
static void print_status(const void *line, const void *report, struct ds_buffer *out)
{
    const struct link_row *row = ((const struct link_line *)line)->row;
    (void)report;
    ds_buffer_add_text(out, row->close == DS_CLOSE_RESET                          ? "reset"
                            : link_is_over(row) && row->close != DS_CLOSE_CAPTURE ? "closed"
                                                                                  : "open");
}

static void print_began(const void *row, const void *report, struct ds_buffer *out)
{
    const struct link_line *line = row;
    (void)report;
    report_print_time(line->text, line->row->first_ns, out);
    while (out->len != 0 && out->data[out->len - 1] == ' ')
        out->len--;
}

static void print_lasted(const void *row, const void *report, struct ds_buffer *out)
{
    const struct link_line *line = row;
    (void)report;
    duration_print(line->row->last_ns - line->row->first_ns, out);
}

static void print_rate(const void *row, const void *report, struct ds_buffer *out)
{
    const struct link_line *line = row;
    const int64_t from_ns = line->row->has_before ? line->text->since_ns : line->row->first_ns;
    const double seconds = (double)(line->row->last_ns - from_ns) / 1e9;
    (void)report;
    if (seconds > 0)
        ds_buffer_printf(out, "%.1f kB/s",
                         (double)(line->row->bytes[0] + line->row->bytes[1]) / 1e3 / seconds);
    else
        ds_buffer_add_text(out, "-");
}

static void print_share(const void *row, const void *report, struct ds_buffer *out)
{
    const struct link_line *line = row;
    (void)report;
    if (line->total != 0)
        ds_buffer_printf(out, "%.1f %%",
                         (double)(line->row->bytes[0] + line->row->bytes[1]) * 100 / (double)line->total);
    else
        ds_buffer_add_text(out, "-");
}

static void write_first(const void *row, struct json_key key, struct json_writer *json)
{
    json_put_microseconds(json, key, ((const struct link_line *)row)->row->first_ns);
}

static void write_last(const void *row, struct json_key key, struct json_writer *json)
{
    json_put_microseconds(json, key, ((const struct link_line *)row)->row->last_ns);
}

static void write_state(const void *row, struct json_key key, struct json_writer *json)
{
    json_put_string(json, key, state_of(((const struct link_line *)row)->row));
}

static void write_end(const void *row, struct json_key key, struct json_writer *json)
{
    json_put_string(json, key, end_of(((const struct link_line *)row)->row));
}

static void write_closer(const void *row, struct json_key key, struct json_writer *json)
{
    const struct link_row *link = ((const struct link_line *)row)->row;
    if (link->closed_by >= 0)
        write_name(link, link->closed_by, key, json);
}

static void write_unseen(const void *row, struct json_key key, struct json_writer *json)
{
    const struct link_row *link = ((const struct link_line *)row)->row;
    if (link->unseen >= 0)
        write_name(link, link->unseen, key, json);
}

#define AT(field) .at = offsetof(struct link_line, field)
static const struct report_column line_columns[] = {
    {.heading = "state", .align = 'l', .print = print_status},
    {JSON_KEY("conn"), "conn", 'r', AT(conn)},
    {JSON_KEY("first"), "began", 'l', .print = print_began, .write_json = write_first},
    {JSON_KEY("last"), "lasted", 'r', .print = print_lasted, .write_json = write_last},
    {.heading = "rate", .align = 'r', .print = print_rate},
    {.heading = "of all", .align = 'r', .print = print_share},
    {JSON_KEY("state"), .write_json = write_state},
    {JSON_KEY("end"), .write_json = write_end},
    {JSON_KEY("closer"), .write_json = write_closer},
    {JSON_KEY("gaps"), AT(gaps)},
    {JSON_KEY("unseen"), .write_json = write_unseen},
};
#undef AT
static const struct report_table line_table = {.columns = line_columns,
                                                .num = sizeof line_columns / sizeof line_columns[0]};

/* add_state writes the history of the link. */
static void add_state(const struct link_row *row, struct ds_buffer *out)
{
    if (row->proto != NULL)
        ds_buffer_printf(out, ", %s", row->proto);
    if (row->is_tls)
        ds_buffer_add_text(out, ", TLS");
    if (row->is_late) {
        ds_buffer_add_text(out, ", joined late");
    } else if (row->is_up) {
        ds_buffer_add_text(out, ", up after ");
        duration_print(row->up_ns > row->first_ns ? row->up_ns - row->first_ns : 0, out);
    } else if (!row->is_tls && row->proto == NULL) {
        ds_buffer_add_text(out, ", up earlier"); /* before --since: it has messages */
    }
}

/* add_line writes the line of a link: the columns, its ends and how it was closed. */
static void add_line(const struct report_table *table, const struct link_line *line, struct ds_buffer *out)
{
    const struct link_row *row = line->row;
    report_table_row(table, line, NULL, out);
    link_name_add(&row->name[0], out);
    ds_buffer_add_text(out, " > ");
    link_name_add(&row->name[1], out);
    add_state(row, out);
    ds_buffer_printf(out, ", %s", end_of(row));
    if (row->closed_by >= 0) {
        ds_buffer_add_text(out, row->close == DS_CLOSE_CAPTURE ? ", half closed by " : " by ");
        link_name_add(&row->name[row->closed_by], out);
    }
    if (row->gaps != 0)
        ds_buffer_printf(out, ", %s", ds_counted(row->gaps, "gaps").text);
    columns_end_line(out);
}

void link_table_add(const struct report_text *text, struct link_row *const *rows, size_t num,
                    uint64_t total, const struct table *sockets, struct ds_buffer *out)
{
    struct report_table links = line_table, sides = end_table;
    struct columns link_columns, side_columns;
    struct ds_buffer lines = {0}, ends = {0};
    report_table_columns(&links, &link_columns);
    report_table_columns(&sides, &side_columns);
    report_table_heading(&links, "link", &lines);
    report_table_heading(&sides, "sent by", &ends);
    for (size_t i = 0; i < num; i++) {
        const struct link_row *row = rows[i];
        add_line(&links, &(struct link_line){row, text, total, row->conn, row->gaps}, &lines);
        const struct link_sockets *known = table_find(sockets, row->conn);
        for (int end = 0; end < 2; end++) {
            const struct link_end side = end_of_link(row, end, known);
            add_end(&sides, &side, &ends);
        }
    }
    report_bound(text, &link_columns);
    report_bound(text, &side_columns);
    columns_fit_all(&link_columns, &lines);
    columns_fit_all(&side_columns, &ends);
    out->failed |= lines.failed || ends.failed;
    if (!out->failed) {
        const char *line = lines.data, *end = ends.data;
        for (size_t i = 0; i <= num; i++, line += strlen(line) + 1) {
            columns_print(&link_columns, line, out);
            for (int side = 0; side < (i == 0 ? 1 : 2); side++, end += strlen(end) + 1)
                columns_print(&side_columns, end, out);
        }
    }
    ds_buffer_free(&lines);
    ds_buffer_free(&ends);
}

void link_table_write(const struct link_row *row, struct json_writer *json)
{
    json_item_open(json);
    report_table_write(&line_table, &(struct link_line){row, NULL, 0, row->conn, row->gaps}, json);
    json_put_list(json, JSON_KEY("side"));
    for (int end = 0; end < 2; end++) {
        const struct link_end side = end_of_link(row, end, NULL);
        json_item_open(json);
        report_table_write(&end_table, &side, json);
        json_put_close(json);
    }
    json_put_list_end(json);
    json_put_close(json);
}
