/*
 * report_print.c - common parts of lines in several reports: times, the parties of calls, their
 * functions and results; maximum widths of columns. See report.h.
 */
#include "reports/report.h"

#include "core/term_show.h"
#include "core/timestamp.h"
#include "record/reason_show.h"

#include <distsniff/counted.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct ds_term_print_options short_term = {
    .max_bytes = 40, .max_items = 10, .max_depth = 4, .max_len = 100};

void report_bound(const struct report_text *text, struct columns *columns)
{
    columns->line_width = text->width;
    columns->shortens = text->shortens;
}

void report_narrow(const struct report_text *text, struct columns *columns)
{
    report_bound(text, columns);
    if (text->width != 0)
        memset(columns->width, 0, sizeof columns->width);
}

void report_print_time(const struct report_text *text, int64_t ns, struct ds_buffer *out)
{
    static const struct timestamp_cache none;
    struct timestamp_cache clock = none;
    timestamp_print_local(&clock, ns, text->time_digits, false, out);
}

void report_print_who(const struct call *call, struct ds_buffer *out)
{
    party_print(&call->caller, out);
    ds_buffer_add_text(out, " > ");
    party_print(&call->callee, out);
}

void report_print_what(const struct call *call, size_t max_len, struct ds_buffer *out)
{
    struct ds_term_print_options options = short_term;
    options.max_len = max_len;
    if (call->mfa.data != NULL)
        call_print_mfa_as(term_show_syntax(), call, out);
    else if (call->request.data != NULL)
        term_show(&call->request, &options, out);
    else
        ds_buffer_printf(out, "(%s)", ds_counted(call->request_len, "bytes").text);
    if (call->result.data != NULL) {
        ds_buffer_add_text(out, " => ");
        term_show(&call->result, &options, out);
    } else if (call->reason.data != NULL) {
        const bool is_error = call->error_class != NULL && strcmp(call->error_class, "error") == 0;
        ds_buffer_printf(out, " => %s ", call->error_class != NULL ? call->error_class : "");
        reason_show(&call->reason, is_error, &options, out);
    }
}

static const char command_begin[] = "    distsniff ";

void report_print_command(const struct report_text *text, struct ds_buffer *out, const char *what,
                          const char *format, ...)
{
    static const char report[] = "--report ";
    char options[128];
    va_list args;
    if (text->command == NULL)
        return;
    va_start(args, format);
    vsnprintf(options, sizeof options, format, args);
    va_end(args);
    ds_buffer_printf(out, "  %s:\n%s", what, command_begin);
    const bool has_window = text->window != NULL && strncmp(options, report, sizeof report - 1) == 0;
    ds_buffer_printf(out, "%s%s%s%s\n", text->command, has_window ? text->window : "", options,
                     text->behind);
}

bool report_is_command(struct ds_text line)
{
    const size_t len = sizeof command_begin - 1;
    return line.len > len && memcmp(line.data, command_begin, len) == 0;
}

/* report_print_callee writes only the node of a process made for one call, which is like others. */
void report_print_callee(const struct call *call, struct ds_buffer *out)
{
    struct party callee = call->callee;
    const bool has_name = callee.name.data != NULL && !callee.is_for;
    if (has_name || call->mfa.data != NULL)
        callee.has_pid = false;
    if (callee.is_for)
        callee.name = (struct ds_text){0};
    callee.is_for = false;
    party_print(&callee, out);
}
