/*
 * reports.c - see reports.h.
 */
#include "reports/reports.h"

#include "core/complain.h"
#include "core/duration.h"
#include "files/output_file.h"
#include "reports/redraw.h"
#include "reports/report.h"
#include "reports/report_finding.h"
#include "core/label_show.h"
#include "core/line_fit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    WRITE_LEN = 65536, /* text is written out when there is so much */
    MICROSECONDS = 6,  /* digits of times on a terminal */
};

static const struct report_kind *const kinds[REPORT_COUNT] = {
#define REPORT(id, name, kind, what) kind,
#define KIND(name) &report_##name
#define NO_KIND NULL
#include "reports/reports.def"
#undef REPORT
#undef KIND
#undef NO_KIND
};

struct reports {
    struct report_text text;
    void *state[REPORT_COUNT]; /* of each kind; NULL if not requested */
    /* The reports that process records. */
    struct taker {
        void (*record)(void *report, const struct record *record);
        void *state;
        unsigned takes; /* flags of enum report_takes */
    } takers[REPORT_COUNT];
    size_t num_takers;
    unsigned takes; /* of all of them */
    bool redraws;              /* --every, on a terminal */
    bool flows;                /* lines are written as they come */
    void *verdict;             /* a separate doctor without output; NULL: not requested */
    struct report_text verdict_text;
    struct output_file out;
};

static bool is_any(const struct report_config *config, bool (*is)(const struct report_kind *kind))
{
    for (int i = 0; i < REPORT_COUNT; i++) {
        if (config->wanted[i] && kinds[i] != NULL && is(kinds[i]))
            return true;
    }
    return false;
}

static bool is_of_records(const struct report_kind *kind)
{
    return kind->record != NULL;
}

static bool has_monitors(const struct report_kind *kind)
{
    return kind->takes_monitors;
}

static bool has_names(const struct report_kind *kind)
{
    return kind->takes_names;
}

static bool takes_calls(const struct report_kind *kind)
{
    return (kind->takes & REPORT_TAKES_CALLS) != 0;
}

static bool takes_left_out(const struct report_kind *kind)
{
    return kind->left_out != NULL;
}

static bool has_facts(const struct report_kind *kind)
{
    return kind->takes_facts;
}

static bool does_flow(const struct report_kind *kind)
{
    return kind->flows;
}

bool reports_wanted(const struct report_config *config)
{
    return config->verdict || is_any(config, is_of_records);
}

bool reports_want_monitors(const struct report_config *config)
{
    return is_any(config, has_monitors);
}

bool reports_want_names(const struct report_config *config)
{
    return config->verdict || is_any(config, has_names);
}

bool reports_want_calls(const struct report_config *config)
{
    return is_any(config, takes_calls);
}

bool reports_want_left_out(const struct report_config *config)
{
    return is_any(config, takes_left_out);
}

bool reports_want_facts(const struct report_config *config)
{
    return config->verdict || is_any(config, has_facts);
}

bool reports_draw_anew(const struct report_config *config)
{
    return is_any(config, is_of_records) && !is_any(config, does_flow);
}

struct reports *reports_new(const struct report_config *config, unsigned time_digits, bool on_stderr)
{
    struct reports *r = calloc(1, sizeof *r);
    if (r == NULL)
        return NULL;
    r->out =
        (struct output_file){.name = "the report", .fd = on_stderr ? STDERR_FILENO : STDOUT_FILENO};
    r->text.command = config->command;
    r->text.behind = config->behind;
    r->text.window = config->window;
    r->text.width = screen_width(r->out.fd);
    r->text.time_digits = r->text.width != 0 && !config->nanoseconds ? MICROSECONDS : time_digits;
    r->flows = config->is_live && is_any(config, does_flow);
    r->redraws = config->is_live && config->every_ns != 0 && !r->flows && r->text.width != 0;
    r->text.shortens = r->redraws;
    for (int i = 0; i < REPORT_COUNT; i++) {
        if (!config->wanted[i] || kinds[i] == NULL)
            continue;
        r->state[i] = kinds[i]->open(&r->text, config);
        if (r->state[i] == NULL) {
            reports_free(r);
            return NULL;
        }
        r->takers[r->num_takers++] = (struct taker){.record = kinds[i]->record,
                                                    .state = r->state[i],
                                                    .takes = kinds[i]->takes};
        r->takes |= kinds[i]->takes;
    }
    r->verdict_text.time_digits = time_digits;
    if (config->verdict && (r->verdict = report_doctor.open(&r->verdict_text, config)) == NULL) {
        reports_free(r);
        return NULL;
    }
    return r;
}

static __attribute__((noinline)) enum reports_status
give(struct reports *r, const struct record *record, enum report_takes what)
{
    for (const struct taker *t = r->takers; t < r->takers + r->num_takers; t++) {
        if ((t->takes & what) != 0)
            t->record(t->state, record);
    }
    return r->text.buffer.len >= WRITE_LEN ? reports_write(r) : REPORTS_OK;
}

enum reports_status reports_record(struct reports *r, const struct record *record)
{
    const enum report_takes what = r->takes != 0 ? report_takes_of(record) : 0;
    return (r->takes & what) != 0 ? give(r, record, what) : REPORTS_OK;
}

void reports_set_since(struct reports *r, int64_t since_ns)
{
    r->text.since_ns = since_ns;
}

void reports_leave_out(struct reports *r, const struct record *record, bool is_before)
{
    const enum report_takes what = report_takes_of(record);
    for (int i = 0; i < REPORT_COUNT; i++) {
        if (r->state[i] != NULL && kinds[i]->left_out != NULL && (kinds[i]->takes & what) != 0)
            kinds[i]->left_out(r->state[i], record, is_before);
    }
}

void reports_visit(struct reports *r, const struct record *record)
{
    for (int i = 0; i < REPORT_COUNT; i++) {
        if (r->state[i] != NULL && kinds[i]->visit != NULL)
            kinds[i]->visit(r->state[i], record);
    }
}

static void show_all(struct reports *r)
{
    bool is_first = true;
    for (int i = 0; i < REPORT_COUNT; i++) {
        if (r->state[i] == NULL)
            continue;
        if (!is_first)
            ds_buffer_add_text(&r->text.buffer, "\n");
        is_first = false;
        kinds[i]->show(r->state[i]);
    }
}

static void end_all(struct reports *r)
{
    for (int i = 0; i < REPORT_COUNT; i++) {
        if (r->state[i] != NULL)
            kinds[i]->end(r->state[i]);
        r->state[i] = NULL;
    }
    if (r->verdict != NULL)
        report_doctor.end(r->verdict);
    r->verdict = NULL;
}

static struct ds_text all_of(const struct ds_buffer *buffer)
{
    return (struct ds_text){buffer->len != 0 ? buffer->data : "", buffer->len};
}

static void replace(struct ds_buffer *text, struct ds_buffer *by)
{
    by->failed |= text->failed;
    ds_buffer_free(text);
    *text = *by;
}

/* next_command returns where the next command line begins, or the end. */
static size_t next_command(struct ds_text text, size_t from)
{
    while (from < text.len && !report_is_command((struct ds_text){text.data + from, text.len - from})) {
        const char *end = memchr(text.data + from, '\n', text.len - from);
        from = end != NULL ? (size_t)(end - text.data) + 1 : text.len;
    }
    return from;
}

/* fit wraps lines that are still too wide for the terminal: sentences. Commands stay whole, so that
 * they can be pasted. */
static void fit(struct report_text *text)
{
    struct ds_buffer fitted = {0};
    const struct ds_text all = all_of(&text->buffer);
    if (text->width == 0 || text->keeps_lines)
        return;
    for (size_t from = 0; from < all.len;) {
        const size_t command = next_command(all, from);
        lines_wrap((struct ds_text){all.data + from, command - from}, text->width, &fitted);
        const char *end = command < all.len ? memchr(all.data + command, '\n', all.len - command) : NULL;
        from = end != NULL ? (size_t)(end - all.data) + 1 : all.len;
        ds_buffer_add(&fitted, all.data + command, from - command);
    }
    replace(&text->buffer, &fitted);
}

void reports_show(struct reports *r)
{
    struct ds_buffer written = {0}; /* earlier text, which is kept aside */
    ds_buffer_add(&written, all_of(&r->text.buffer).data, r->text.buffer.len);
    r->text.width = screen_width(STDERR_FILENO);
    show_all(r);
    fit(&r->text);
    if (!r->text.buffer.failed && r->text.buffer.len != 0)
        fwrite(r->text.buffer.data, 1, r->text.buffer.len, stderr);
    replace(&r->text.buffer, &written);
    r->text.width = screen_width(r->out.fd);
}

static enum reports_status write_text(struct reports *r)
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

/* redraw replaces the text by the part of it that fits on the screen. */
static void redraw(struct reports *r)
{
    struct ds_buffer drawn = {0};
    struct screen screen;
    if (!screen_find(r->out.fd, &screen) || r->text.buffer.len == 0)
        return;
    redraw_text(&screen, all_of(&r->text.buffer), &drawn);
    replace(&r->text.buffer, &drawn);
}

enum reports_status reports_repeat(struct reports *r, int64_t now_ns)
{
    ds_buffer_add_text(&r->text.buffer, "at ");
    report_print_time(&r->text, now_ns, &r->text.buffer);
    ds_buffer_add_text(&r->text.buffer, "\n");
    r->text.now_ns = now_ns;
    r->text.width = screen_width(r->out.fd);
    show_all(r);
    r->text.now_ns = 0;
    ds_buffer_add_text(&r->text.buffer, "\n");
    for (int i = 0; i < REPORT_COUNT; i++) {
        if (r->state[i] != NULL && kinds[i]->begin_anew != NULL)
            kinds[i]->begin_anew(r->state[i], now_ns);
    }
    fit(&r->text);
    if (r->redraws)
        redraw(r);
    return write_text(r);
}

enum reports_status reports_flush(struct reports *r)
{
    return r->flows && r->text.buffer.len != 0 ? reports_write(r) : REPORTS_OK;
}

void reports_judge(struct reports *r, const struct record *finding)
{
    if (r->verdict != NULL)
        report_doctor.record(r->verdict, finding);
}

struct ds_text reports_verdict(const struct reports *r)
{
    return r->verdict_text.buffer.failed ? (struct ds_text){"", 0} : all_of(&r->verdict_text.buffer);
}

void reports_print_open(const struct reports *r, const struct call *call, struct ds_buffer *out)
{
    enum { SHORT = 100 };
    struct report_text line = {.time_digits = r->text.time_digits,
                               .width = screen_width(STDERR_FILENO)};
    struct ds_buffer *text = &line.buffer;
    ds_buffer_printf(text, "open: #%" PRIu64 " since ", call->number);
    report_print_time(&line, call->start_ns, text);
    ds_buffer_add_text(text, ", for ");
    duration_print(call->end_ns - call->start_ns, text);
    ds_buffer_add(text, ": ", 2);
    label_show(call->label, text);
    ds_buffer_add(text, " ", 1);
    report_print_who(call, text);
    ds_buffer_add_text(text, "  ");
    report_print_what(call, SHORT, text);
    ds_buffer_add_text(text, "\n");
    fit(&line);
    ds_buffer_add(out, all_of(text).data, text->len);
    out->failed |= text->failed;
    ds_buffer_free(text);
}

void reports_end(struct reports *r)
{
    r->text.width = screen_width(r->out.fd);
    show_all(r);
    if (r->verdict != NULL)
        report_doctor_verdict(r->verdict, &r->verdict_text.buffer);
    end_all(r);
}

struct ds_buffer *reports_text(struct reports *r)
{
    return &r->text.buffer;
}

enum reports_status reports_write(struct reports *r)
{
    fit(&r->text);
    return write_text(r);
}

void reports_free(struct reports *r)
{
    if (r == NULL)
        return;
    end_all(r);
    ds_buffer_free(&r->text.buffer);
    ds_buffer_free(&r->verdict_text.buffer);
    ds_buffer_free(&r->out.buffer);
    free(r);
}
