/*
 * reports.c - see reports.h.
 */
#include "reports.h"

#include "complain.h"
#include "output_file.h"
#include "report.h"

#include <stdlib.h>
#include <unistd.h>

enum { WRITE_LEN = 65536 }; /* so much text is written out */

struct reports {
    struct report_text text;
    struct report_calls *calls; /* each NULL unless asked for */
    struct report_trees *trees;
    struct report_monitors *monitors;
    struct report_seq_trace *seq_trace;
    struct output_file out;
};

bool reports_wanted(const struct report_config *config)
{
    const bool *wanted = config->wanted;
    return wanted[REPORT_CALLS] || wanted[REPORT_TREES] || wanted[REPORT_MONITORS] ||
           wanted[REPORT_SEQ_TRACE];
}

struct reports *reports_new(const struct report_config *config, unsigned time_digits,
                            bool on_stderr)
{
    const bool *wanted = config->wanted;
    const uint64_t max = config->limits[DS_LIMIT_REPORT];
    const uint64_t max_kept = config->limits[DS_LIMIT_CALLS];
    struct reports *r = calloc(1, sizeof *r);
    if (r == NULL)
        return NULL;
    r->out =
        (struct output_file){.name = "the report", .fd = on_stderr ? STDERR_FILENO : STDOUT_FILENO};
    r->text.time_digits = time_digits;
    bool ok = true;
    if (wanted[REPORT_CALLS])
        ok = ok && (r->calls = report_calls_new(&r->text, config->call_order, max)) != NULL;
    if (wanted[REPORT_TREES])
        ok = ok && (r->trees = report_trees_new(&r->text, max_kept)) != NULL;
    if (wanted[REPORT_MONITORS])
        ok = ok && (r->monitors = report_monitors_new(&r->text)) != NULL;
    if (wanted[REPORT_SEQ_TRACE])
        ok = ok && (r->seq_trace = report_seq_trace_new(&r->text, max_kept)) != NULL;
    if (!ok) {
        reports_free(r);
        return NULL;
    }
    return r;
}

enum reports_status reports_record(struct reports *r, const struct record *record)
{
    if (r->calls != NULL)
        report_calls_record(r->calls, record);
    if (r->trees != NULL)
        report_trees_record(r->trees, record);
    if (r->monitors != NULL)
        report_monitors_record(r->monitors, record);
    if (r->seq_trace != NULL)
        report_seq_trace_record(r->seq_trace, record);
    return r->text.buffer.len >= WRITE_LEN ? reports_write(r) : REPORTS_OK;
}

/* Appends an empty line between one report and the next. */
static void begin_part(struct reports *r, bool *is_first)
{
    if (!*is_first)
        ds_buffer_add_text(&r->text.buffer, "\n");
    *is_first = false;
}

/* First those of which lines are there already. */
void reports_end(struct reports *r)
{
    bool is_first = true;
    if (r->monitors != NULL) {
        begin_part(r, &is_first);
        report_monitors_end(r->monitors);
    }
    if (r->trees != NULL) {
        begin_part(r, &is_first);
        report_trees_end(r->trees);
    }
    if (r->calls != NULL) {
        begin_part(r, &is_first);
        report_calls_end(r->calls);
    }
    if (r->seq_trace != NULL) {
        begin_part(r, &is_first);
        report_seq_trace_end(r->seq_trace);
    }
    r->calls = NULL;
    r->trees = NULL;
    r->monitors = NULL;
    r->seq_trace = NULL;
}

struct ds_buffer *reports_text(struct reports *r)
{
    return &r->text.buffer;
}

enum reports_status reports_write(struct reports *r)
{
    struct ds_buffer *text = &r->text.buffer;
    struct output_file *out = &r->out;
    const bool had_failed = out->failed;
    if (text->len != 0)
        ds_buffer_add(&out->buffer, text->data, text->len);
    if (text->failed || out->buffer.failed) {
        complain("out of memory");
        return REPORTS_FAILED;
    }
    text->len = 0;
    output_file_flush(out);
    if (!had_failed)
        output_file_say_unread(out, 0);
    return !out->failed  ? REPORTS_OK
           : out->closed ? REPORTS_READER_GONE
                         : REPORTS_FAILED;
}

void reports_free(struct reports *r)
{
    if (r == NULL)
        return;
    reports_end(r);
    ds_buffer_free(&r->text.buffer);
    ds_buffer_free(&r->out.buffer);
    free(r);
}
