/*
 * tui_filter.c - see tui_filter.h.
 */
#include "ui/tui/tui_filter.h"

#include "output/event_text.h"
#include "reports/report.h"
#include "select/filter.h"
#include "select/match_habits.h"
#include "select/match_record.h"
#include "select/match_regex.h"

#include <distsniff/match.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* GIVE_UP_AFTER: after this many texts took too long, no more are searched. */
enum { CALL_LEN = 4096, KEEP_TEXT = 1 << 20, GIVE_UP_AFTER = 200 };

/* The separator between a regular expression or pattern and an expression of -Y. */
static const char and_also[] = " -Y ";

/* tui_conditions are the conditions of a line; each is NULL if it is not used. */
struct tui_conditions {
    struct filter *filter;
    struct match_regex *regex;
    struct ds_match *pattern;
    struct match_record *match; /* for pattern */
};

/* line_parts are the texts of a line. */
struct line_parts {
    enum { LINE_IS_EXPRESSION, LINE_IS_REGEX, LINE_IS_PATTERN } kind;
    char first[LINE_LEN];   /* the regular expression or pattern, "": none */
    const char *expression; /* points into the line, "": none */
};

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " ");
}

static void split_line(const char *text, struct line_parts *parts)
{
    const char *line = skip_blanks(text), *end;
    *parts = (struct line_parts){.kind = LINE_IS_EXPRESSION, .expression = line};
    if (strncmp(line, "-Y ", 3) == 0)
        parts->expression = skip_blanks(line + 3);
    if (strncmp(line, "-e ", 3) != 0 && strncmp(line, "-m ", 3) != 0)
        return;
    parts->kind = line[1] == 'e' ? LINE_IS_REGEX : LINE_IS_PATTERN;
    line += 3;
    end = strstr(line, and_also);
    parts->expression = end != NULL ? skip_blanks(end + strlen(and_also)) : "";
    const size_t len = end != NULL ? (size_t)(end - line) : strlen(line);
    snprintf(parts->first, sizeof parts->first, "%.*s", (int)len, line);
}

static void say(char *what, size_t len, size_t column, const char *why)
{
    if (column != 0)
        snprintf(what, len, "column %zu: %s", column, why);
    else
        snprintf(what, len, "%s", why);
}

static void parse_filter(struct tui_conditions *c, const struct own_labels *own, const char *text,
                         size_t before, char *what, size_t len)
{
    struct filter_error error = {0};
    c->filter = filter_parse(text, own, &error);
    if (c->filter == NULL)
        say(what, len, error.column != 0 ? before + error.column : 0, error.what);
}

static void parse_regex(struct tui_conditions *c, const char *text, size_t before, char *what, size_t len)
{
    struct regex_error error = {0};
    c->regex = match_regex_compile(text, false, &error);
    if (c->regex == NULL)
        say(what, len, error.column != 0 ? before + error.column : 0, error.what);
}

static void parse_pattern(struct tui_conditions *c, const struct own_labels *own, const char *text,
                          size_t before, char *what, size_t len)
{
    struct ds_match_error error = {0};
    const char *habit = match_habits_whole(text);
    if (habit != NULL) {
        say(what, len, 0, habit);
        return;
    }
    c->pattern = ds_match_compile(text, &error);
    if (c->pattern == NULL) {
        habit = error.column != 0 ? match_habits_at(text, error.column - 1) : NULL;
        say(what, len, error.column != 0 ? before + error.column : 0, habit != NULL ? habit : error.what);
        return;
    }
    c->match = match_record_new(&c->pattern, 1, own);
    if (c->match == NULL)
        say(what, len, 0, "out of memory");
}

static void free_conditions(struct tui_conditions *c)
{
    filter_free(c->filter);
    match_regex_free(c->regex);
    match_record_free(c->match);
    ds_match_free(c->pattern);
    free(c);
}

/* parse returns the conditions of a line; NULL, with the error in what, if it is invalid. They must
 * not be moved: match points to pattern. */
static struct tui_conditions *parse(const struct own_labels *own, const char *text, char *what, size_t len)
{
    struct tui_conditions *c = calloc(1, sizeof *c);
    struct line_parts parts;
    what[0] = '\0';
    if (c == NULL) {
        say(what, len, 0, "out of memory");
        return NULL;
    }
    split_line(text, &parts);
    const size_t before = (size_t)(skip_blanks(text) - text) + 3;
    if (parts.kind != LINE_IS_EXPRESSION && parts.first[0] == '\0')
        say(what, len, 0,
            parts.kind == LINE_IS_REGEX ? "-e takes a regular expression" : "-m takes a pattern");
    else if (parts.kind == LINE_IS_REGEX)
        parse_regex(c, parts.first, before, what, len);
    else if (parts.kind == LINE_IS_PATTERN)
        parse_pattern(c, own, parts.first, before, what, len);
    if (what[0] == '\0' && parts.expression[0] != '\0')
        parse_filter(c, own, parts.expression, (size_t)(parts.expression - text), what, len);
    if (what[0] == '\0')
        return c;
    free_conditions(c);
    return NULL;
}

void tui_filter_check(const struct tui_filter *filter, const char *text, char *what, size_t len)
{
    struct tui_conditions *c = parse(filter->own, text, what, len);
    if (c != NULL)
        free_conditions(c);
}

bool tui_filter_set(struct tui_filter *filter, const char *text, char *what, size_t len)
{
    struct tui_conditions *c = parse(filter->own, text, what, len);
    if (c == NULL)
        return false;
    if (filter->holds != NULL)
        free_conditions(filter->holds);
    filter->holds = c;
    snprintf(filter->text, sizeof filter->text, "%s", skip_blanks(text)[0] != '\0' ? text : "");
    filter->generation++;
    filter->num_given_up = 0;
    return true;
}

bool tui_filter_narrow(struct tui_filter *filter, const char *more, char *what, size_t len)
{
    char text[LINE_LEN];
    struct line_parts parts;
    split_line(filter->text, &parts);
    const bool has_first = parts.kind != LINE_IS_EXPRESSION, has_expression = parts.expression[0] != '\0';
    const int used = snprintf(text, sizeof text, "%s%s%s%s%s%s%s",
                              !has_first                     ? ""
                              : parts.kind == LINE_IS_REGEX ? "-e "
                                                            : "-m ",
                              parts.first, has_first ? and_also : "", has_expression ? "(" : "",
                              parts.expression, has_expression ? ") && " : "", more);
    if (used < 0 || (size_t)used >= sizeof text) {
        snprintf(what, len, "the filter would be too long");
        return false;
    }
    return tui_filter_set(filter, text, what, len);
}

/* common returns the length of the common beginning of two words. */
static size_t common(const char *a, const char *b)
{
    size_t len = 0;
    while (a[len] != '\0' && a[len] == b[len])
        len++;
    return len;
}

void tui_filter_complete(const struct tui_filter *filter, struct tui_line *line, char *what, size_t len)
{
    char text[LINE_LEN], more[LINE_LEN];
    size_t typed, alike = 0, num = 0, used = 0;
    struct line_parts parts;
    const char *word;
    what[0] = '\0';
    snprintf(more, sizeof more, "%.*s", (int)line->at, line->text);
    split_line(more, &parts);
    if (parts.kind != LINE_IS_EXPRESSION && parts.expression[0] == '\0') {
        snprintf(what, len, "%s", parts.kind == LINE_IS_REGEX
                                      ? "a regular expression, as -e has it; -Y EXPRESSION may follow it"
                                      : "a pattern, as -m has it; -Y EXPRESSION may follow it");
        return;
    }
    snprintf(text, sizeof text, "%s", parts.expression);
    more[0] = '\0';
    for (; (word = filter_complete(text, filter->own, num, &typed)) != NULL; num++) {
        alike = num == 0 ? strlen(word) : common(more, word) < alike ? common(more, word) : alike;
        if (num == 0)
            snprintf(more, sizeof more, "%s", word);
        if (used < len)
            used += (size_t)snprintf(what + used, len - used, "%s%s", num != 0 ? "  " : "", word);
    }
    if (num == 0) {
        snprintf(what, len, "nothing that is known begins so");
        return;
    }
    more[alike] = '\0';
    tui_line_add(line, more + (typed < alike ? typed : alike));
    if (num == 1)
        what[0] = '\0';
}

/* put_text writes the text that a regular expression is matched against. False if memory ran out. */
static bool put_text(struct tui_filter *filter, const struct record *record)
{
    struct ds_buffer *text = &filter->scratch;
    text->len = 0;
    if (record->call != NULL) {
        report_print_who(record->call, text);
        ds_buffer_printf(text, " %s %s ", record->call->label != NULL ? record->call->label : "",
                         call_outcome_name(record->call->outcome));
        report_print_what(record->call, CALL_LEN, text);
    } else {
        if (filter->printer == NULL)
            filter->printer = event_text_new();
        if (filter->printer == NULL)
            return false;
        event_text_print(filter->printer, record, text);
    }
    return !text->failed;
}

static bool regex_takes(struct tui_filter *filter, const struct record *record)
{
    struct match_regex *regex = filter->holds->regex;
    if (regex == NULL)
        return true;
    if (record->call == NULL && !match_regex_may(regex, record))
        return false;
    if (filter->num_given_up >= GIVE_UP_AFTER) {
        filter->num_given_up++;
        return false;
    }
    const bool ok = put_text(filter, record);
    const struct ds_buffer *text = &filter->scratch;
    const enum regex_result result =
        ok ? match_regex_text(regex, text->len != 0 ? text->data : "", text->len) : REGEX_YES;
    const bool takes = result == REGEX_YES;
    filter->num_given_up += result == REGEX_GAVE_UP;
    if (!ok || text->cap > KEEP_TEXT)
        ds_buffer_free(&filter->scratch);
    return takes; /* also true if memory ran out for the text */
}

/* pattern_takes matches the request of a call: the record of a call is made from its answer. */
static bool pattern_takes(const struct tui_conditions *holds, const struct record *record)
{
    struct ds_match *pattern = holds->pattern;
    const struct call *call = record->call;
    if (pattern == NULL)
        return true;
    if (call == NULL)
        return match_record_run(holds->match, record) != MATCH_RECORD_NO;
    return (ds_match_is_for_calls(pattern) && call->mod.data != NULL &&
            ds_match_run_call(pattern, &call->mod, &call->fun, &call->args) == DS_MATCH_YES) ||
           (ds_match_is_for_terms(pattern) && call->request.data != NULL &&
            ds_match_run_term(pattern, &call->request) == DS_MATCH_YES);
}

bool tui_filter_accepts(struct tui_filter *filter, const struct record *record)
{
    const struct tui_conditions *holds = filter->holds;
    if (!tui_span_contains(&filter->span, record_time(record)))
        return false;
    return holds == NULL || ((holds->filter == NULL || filter_run(holds->filter, record)) &&
                             pattern_takes(holds, record) && regex_takes(filter, record));
}

void tui_filter_free(struct tui_filter *filter)
{
    if (filter->holds != NULL)
        free_conditions(filter->holds);
    filter->holds = NULL;
    event_text_free(filter->printer);
    filter->printer = NULL;
    ds_buffer_free(&filter->scratch);
}
