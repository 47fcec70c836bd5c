/*
 * report_audit.c - what is exposed, and what was done with it: pairs of nodes that talk in clear
 * text, code that a node runs at the request of another, where cookies are visible, what listens.
 */
#include "reports/report.h"

#include "reports/exposure.h"

#include <distsniff/counted.h>
#include <distsniff/dissect.h>
#include <inttypes.h>
#include <stdlib.h>

struct audit {
    struct report_text *text;
    uint64_t max_rows, max_tallies;
    struct exposure facts;
    uint64_t first_conn, code_frame; /* of the first rows shown; 0: none */
};

static void *open_table(struct report_text *text, const struct report_config *config)
{
    struct audit *a = calloc(1, sizeof *a);
    if (a == NULL)
        return NULL;
    a->text = text;
    a->max_rows = config->max_rows;
    a->max_tallies = config->limits[DS_LIMIT_TALLIES];
    exposure_init(&a->facts, config->limits);
    return a;
}

static void on_record(void *state, const struct record *record)
{
    struct audit *a = state;
    exposure_record(&a->facts, record);
}

static int most_first(const void *x, const void *y)
{
    const struct exposed *a = *(void *const *)x, *b = *(void *const *)y;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return (a->frame > b->frame) - (a->frame < b->frame);
}

static void print_link(const struct exposed *exposed, struct ds_buffer *out)
{
    const struct exposed_link *link = (const struct exposed_link *)exposed;
    if (link->tls != 0)
        ds_buffer_printf(out, "; TLS %s", ds_tls_version_name(link->tls));
    if (link->is_clear)
        ds_buffer_add_text(out, link->is_local ? "; unencrypted, within one host"
                                               : "; unencrypted over a network");
    ds_buffer_printf(out, ", %s", ds_counted(link->conns, "connections").text);
    ds_buffer_add_text(out, link->is_late ? ", joined late" : "");
    ds_buffer_add_text(out, link->is_refused ? ", refused or abandoned" : "");
    ds_buffer_add_text(out, link->is_hidden ? ", a hidden node" : "");
    ds_buffer_add_text(out, link->is_old ? ", handshake from before OTP 23" : "");
    if (link->cookies_ok != 0)
        ds_buffer_add_text(out, ", digest matches the cookie");
    if (link->cookies_wrong != 0)
        ds_buffer_add_text(out, ", digest does not match the cookie");
}

static void print_what(const struct exposed *exposed, struct ds_buffer *out)
{
    if (exposed->what != NULL)
        ds_buffer_printf(out, "; %s", exposed->what);
}

/* print_section writes the lines for one kind of fact. */
static void print_section(struct audit *a, const char *title, struct heavy_hitters *hitters,
                          void (*print)(const struct exposed *exposed, struct ds_buffer *out))
{
    struct columns columns = {.align = "rrr", .width = {9, 9, 5}};
    struct ds_buffer *out = &a->text->buffer, line = {0};
    uint64_t num_shown = 0;
    if (hitters->table.num == 0)
        return;
    void **list = hitters_list(hitters, most_first);
    report_bound(a->text, &columns);
    ds_buffer_printf(out, "%s: %" PRIu32 "\n", title, hitters->table.num);
    for (; list != NULL && num_shown < hitters->table.num &&
           (a->max_rows == 0 || num_shown < a->max_rows);
         num_shown++) {
        const struct exposed *exposed = list[num_shown];
        if (num_shown == 0 && hitters == &a->facts.code)
            a->code_frame = exposed->frame;
        if (a->first_conn == 0)
            a->first_conn = exposed->conn;
        line.len = 0;
        ds_buffer_printf(&line, "%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t %s", exposed->count,
                         exposed->frame, exposed->conn,
                         exposed->text != NULL ? exposed->text : "?");
        print(exposed, &line);
        columns_end_line(&line);
        columns_print_all(&columns, &line, out);
    }
    ds_buffer_free(&line);
    if (num_shown < hitters->table.num)
        ds_buffer_printf(out, "%" PRIu64 " more: --rows shows them\n",
                         hitters->table.num - num_shown);
    if (hitters->num_forgotten != 0)
        ds_buffer_printf(out,
                         "more than %" PRIu64 ": the rarest were forgotten; --max-tallies raises "
                                              "the limit\n",
                         a->max_tallies);
    a->facts.no_memory |= list == NULL && hitters->table.num != 0;
    free(list);
}

/* count_clear counts the pairs of nodes whose data others can read. */
static uint32_t count_clear(const struct exposure *facts)
{
    uint32_t num = 0;
    const struct exposed_link *link = table_oldest(&facts->links.table);
    for (; link != NULL; link = table_newer(&facts->links.table, link))
        num += link->is_clear && !link->is_local;
    return num;
}

static void print_sum(const struct exposure *facts, struct ds_buffer *out)
{
    const uint32_t num_clear = count_clear(facts), num_links = facts->links.table.num;
    ds_buffer_printf(out, "%" PRIu32 " of %" PRIu32 " %s %s unencrypted over a network", num_clear,
                     num_links, num_links == 1 ? "pair of nodes" : "pairs of nodes",
                     num_clear == 1 ? "communicates" : "communicate");
    ds_buffer_printf(out, "; %" PRIu32 " %s of dangerous requests to nodes", facts->code.table.num,
                     facts->code.table.num == 1 ? "kind" : "kinds");
    ds_buffer_printf(out, "; EPMD gave %s", ds_counted(facts->listening.table.num, "names").text);
    ds_buffer_printf(out, "; %s asked it for all names or to stop\n",
                     ds_counted(facts->asking.table.num, "clients").text);
}

static void show_table(void *state)
{
    struct audit *a = state;
    struct exposure *facts = &a->facts;
    struct ds_buffer *out = &a->text->buffer;
    print_sum(facts, out);
    a->first_conn = a->code_frame = 0;
    if (facts->links.table.num + facts->code.table.num + facts->listening.table.num +
            facts->asking.table.num != 0)
        ds_buffer_printf(out, "%9s %9s %5s\n", "times", "packet", "conn");
    print_section(a, "pairs of nodes (times: messages)", &facts->links, print_link);
    print_section(a, "dangerous functions called on other nodes", &facts->code, print_what);
    if (facts->num_other_code != 0)
        ds_buffer_printf(out, "%s to nodes for other functions\n",
                         ds_counted(facts->num_other_code, "requests").text);
    print_section(a, "listening nodes, according to EPMD", &facts->listening, print_what);
    print_section(a, "clients that asked EPMD for all names, or to "
                     "stop", &facts->asking, print_what);
    if (facts->num_digests != 0)
        ds_buffer_printf(out, "challenge digests captured (they allow offline guessing of the cookie): "
                              "%" PRIu64 "\n",
                         facts->num_digests);
    if (facts->num_cookies != 0)
        ds_buffer_printf(out,
                         "cookies in clear text: in %s of nodes before OTP 21, first in packet "
                         "%" PRIu64 ", conn %" PRIu64 "\n",
                         ds_counted(facts->num_cookies, "messages").text, facts->cookie_frame,
                         facts->cookie_conn);
    if (a->code_frame != 0)
        report_print_command(a->text, out, "the first of the most frequent dangerous requests, in full",
                             "--explain packet:%" PRIu64, a->code_frame);
    else if (a->first_conn != 0)
        report_print_command(a->text, out, "the first connection, in full", "--explain conn:%" PRIu64,
                             a->first_conn);
    if (facts->no_memory)
        ds_buffer_add_text(out, "out of memory: some rows are missing\n");
}

static void end_table(void *state)
{
    struct audit *a = state;
    exposure_free(&a->facts);
    free(a);
}

const struct report_kind report_audit = {
    .open = open_table,
    .record = on_record,
    .takes = REPORT_TAKES_MESSAGES | REPORT_TAKES_EVENTS,
    .show = show_table,
    .end = end_table,
    .takes_names = true,
};
