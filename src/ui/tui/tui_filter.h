/*
 * tui_filter.h - which messages and calls are listed: an expression of -Y, typed in a line; or, as
 * on the command line, "-e REGEX" or "-m PATTERN", with " -Y EXPRESSION" after it if both must
 * match.
 */
#ifndef SRC_TUI_FILTER_H
#define SRC_TUI_FILTER_H

#include "ui/tui/tui_line.h"
#include "ui/tui/tui_span.h"

#include "record/record.h"

struct own_labels;
struct event_text;
struct tui_conditions;

struct tui_filter {
    const struct own_labels *own; /* of --labels, or NULL; set by the owner */
    char text[LINE_LEN]; /* the filter's line, "": all are listed */
    struct tui_conditions *holds; /* NULL: all are listed */
    struct event_text *printer; /* writes the text that a regular expression is matched against */
    struct ds_buffer scratch;
    struct tui_span_shown span;
    unsigned generation; /* increments when the filter changes */
    uint64_t num_given_up; /* texts that took the regular expression too long: they do not match */
};

/* tui_filter_is_on says whether the filter leaves anything out. */
static inline bool tui_filter_is_on(const struct tui_filter *filter)
{
    return filter->text[0] != '\0' || filter->span.is_narrow;
}

/* tui_filter_set sets the filter, "": none. False, with the error in what, if text is invalid: then
 * nothing changes. */
bool tui_filter_set(struct tui_filter *filter, const char *text, char *what, size_t len);

/* tui_filter_check writes the error of a filter, "" if it is valid. */
void tui_filter_check(const struct tui_filter *filter, const char *text, char *what, size_t len);

/* tui_filter_narrow adds a further condition. */
bool tui_filter_narrow(struct tui_filter *filter, const char *more, char *what, size_t len);

/* tui_filter_complete completes the word before the cursor of a line as far as it is unique, and
 * writes the possible continuations to what if there are several. */
void tui_filter_complete(const struct tui_filter *filter, struct tui_line *line, char *what, size_t len);

bool tui_filter_accepts(struct tui_filter *filter, const struct record *record);

void tui_filter_free(struct tui_filter *filter);

#endif
