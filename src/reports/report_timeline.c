/*
 * report_timeline.c - what happened when: one line per event, in order of time, as
 * analyse/findings/timeline.c makes them. Live, a line is written when it begins and, if it lasts,
 * again when it is over.
 */
#include "reports/report.h"

#include "core/timestamp.h"
#include "reports/held_lines.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <stdlib.h>

enum { MAX_TOLD = 1000 };

/* told_line is a line for a page. */
struct told_line {
    enum happening happening;
    uint64_t count, conn;
    int64_t first_ns, last_ns;
    struct ds_buffer text;
};

struct timeline_report {
    struct report_text *text;
    struct held_lines lines;
    uint64_t num[HAPPENING_COUNT];
    int64_t first_ns, last_ns;
    bool is_of_page;   /* lines are kept for a page, not written */
    struct told_line *told; /* the latest MAX_TOLD of them, a ring buffer */
    uint64_t num_told;
};

static void *open_report(struct report_text *text, const struct report_config *config)
{
    struct timeline_report *r = calloc(1, sizeof *r);
    if (r == NULL)
        return NULL;
    r->text = text;
    r->lines.text = text;
    r->lines.is_live = config->is_live;
    r->is_of_page = config->samples;
    held_lines_begin(&r->lines);
    return r;
}

static void print_time(const struct timeline_report *r, int64_t ns, struct ds_buffer *out)
{
    report_print_time(r->text, ns, out);
    while (out->len != 0 && out->data[out->len - 1] == ' ')
        out->len--;
}

static void print_line(const struct timeline_report *r, const struct finding *f, struct ds_buffer *out)
{
    print_time(r, f->first_ns, out);
    ds_buffer_printf(out, "  %-9s  ", happening_words(f->happening));
    wording_print(&f->sentence, out);
    if (f->is_update) {
        ds_buffer_add_text(out, " (begins)\n");
        return;
    }
    if (f->count > 1 || f->last_ns != f->first_ns)
        ds_buffer_add_text(out, " (");
    if (f->count > 1)
        ds_buffer_printf(out, "%" PRIu64 " times%s", f->count, f->last_ns != f->first_ns ? ", " : "");
    if (f->last_ns != f->first_ns) {
        ds_buffer_add_text(out, "to ");
        print_time(r, f->last_ns, out);
    }
    ds_buffer_add_text(out, f->count > 1 || f->last_ns != f->first_ns ? ")\n" : "\n");
}

static void keep_told(struct timeline_report *r, const struct finding *f)
{
    if (r->told == NULL && (r->told = calloc(MAX_TOLD, sizeof *r->told)) == NULL) {
        r->lines.failed = true;
        return;
    }
    struct told_line *told = &r->told[r->num_told++ % MAX_TOLD];
    told->happening = f->happening;
    told->count = f->count;
    told->conn = f->num_evidence != 0 ? f->evidence[0].conn : 0;
    told->first_ns = f->first_ns;
    told->last_ns = f->last_ns;
    told->text.len = 0;
    wording_print(&f->sentence, &told->text);
}

static void write_report(void *state, struct json_writer *json)
{
    const struct timeline_report *r = state;
    const uint64_t left_out = r->num_told > MAX_TOLD ? r->num_told - MAX_TOLD : 0;
    json_put_list(json, JSON_KEY("events"));
    for (uint64_t i = left_out; i < r->num_told; i++) {
        const struct told_line *told = &r->told[i % MAX_TOLD];
        json_item_open(json);
        json_put_string(json, JSON_KEY("what"), happening_name(told->happening));
        json_put_string(json, JSON_KEY("words"), happening_words(told->happening));
        json_put_text(json, JSON_KEY("text"),
                      (struct ds_text){told->text.len != 0 ? told->text.data : "", told->text.len});
        json_put_unsigned(json, JSON_KEY("count"), told->count);
        json_put_unsigned(json, JSON_KEY("conn"), told->conn);
        json_put_microseconds(json, JSON_KEY("from"), told->first_ns);
        json_put_microseconds(json, JSON_KEY("to"), told->last_ns);
        json_put_close(json);
    }
    json_put_list_end(json);
    json_put_unsigned(json, JSON_KEY("left_out"), left_out);
}

static void on_record(void *state, const struct record *record)
{
    struct timeline_report *r = state;
    const struct finding *f = record->finding;
    if (f->happening == HAPPENING_NONE || (f->is_update && !r->lines.is_live))
        return;
    if (!f->is_update) {
        r->num[f->happening]++;
        if (r->first_ns == 0 || f->first_ns < r->first_ns)
            r->first_ns = f->first_ns;
        if (f->last_ns > r->last_ns)
            r->last_ns = f->last_ns;
    }
    if (r->is_of_page) {
        keep_told(r, f);
        return;
    }
    print_line(r, f, held_lines_out(&r->lines));
    held_lines_end(&r->lines);
}

static void print_sum(const struct timeline_report *r, struct ds_buffer *out)
{
    uint64_t num = 0;
    for (int i = 0; i < HAPPENING_COUNT; i++)
        num += r->num[i];
    ds_buffer_printf(out, "timeline: %s", ds_counted(num, "events").text);
    if (num != 0) {
        ds_buffer_add_text(out, " from ");
        print_time(r, r->first_ns, out);
        ds_buffer_add_text(out, " to ");
        print_time(r, r->last_ns, out);
    }
    for (int i = 0, listed = 0; i < HAPPENING_COUNT; i++) {
        if (r->num[i] != 0)
            ds_buffer_printf(out, "%s%s %" PRIu64, listed++ == 0 ? ": " : ", ",
                             happening_words((enum happening)i), r->num[i]);
    }
    ds_buffer_add_text(out, r->lines.failed || r->lines.held.failed ? "; out of memory\n" : "\n");
}

static void show_report(void *state)
{
    struct timeline_report *r = state;
    struct ds_buffer *out = &r->text->buffer;
    if (!r->lines.flows)
        print_sum(r, out);
    held_lines_show(&r->lines);
    if (r->num[HAPPENING_FINDING] + r->num[HAPPENING_SILENT] + r->num[HAPPENING_SPLIT] +
            r->num[HAPPENING_ELECTION] != 0)
        report_print_command(r->text, out, "the findings, and what to do", "--report doctor");
    if (r->lines.flows)
        print_sum(r, out);
}

static void begin_anew(void *state, int64_t now_ns)
{
    struct timeline_report *r = state;
    (void)now_ns;
    held_lines_begin(&r->lines);
}

static void end_report(void *state)
{
    struct timeline_report *r = state;
    held_lines_clear(&r->lines);
    for (size_t i = 0; r->told != NULL && i < MAX_TOLD; i++)
        ds_buffer_free(&r->told[i].text);
    free(r->told);
    free(r);
}

const struct report_kind report_timeline = {
    .open = open_report,
    .record = on_record,
    .takes = REPORT_TAKES_FINDINGS,
    .show = show_report,
    .write_json = write_report,
    .begin_anew = begin_anew,
    .end = end_report,
    .takes_facts = true,
    .takes_names = true,
    .flows = true,
};
