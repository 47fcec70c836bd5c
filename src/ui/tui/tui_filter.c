/*
 * tui_filter.c - see tui_filter.h.
 */
#include "ui/tui/tui_filter.h"

#include "select/filter.h"

#include <stdio.h>
#include <string.h>

static bool is_blank(const char *text)
{
    return text[strspn(text, " ")] == '\0';
}

static struct filter *parse(const struct own_labels *own, const char *text, char *what, size_t len)
{
    struct filter_error error = {0};
    struct filter *filter = filter_parse(text, own, &error);
    what[0] = '\0';
    if (filter == NULL && error.column != 0)
        snprintf(what, len, "column %zu: %s", error.column, error.what);
    else if (filter == NULL)
        snprintf(what, len, "%s", error.what);
    return filter;
}

void tui_filter_check(const struct tui_filter *filter, const char *text, char *what, size_t len)
{
    what[0] = '\0';
    if (!is_blank(text))
        filter_free(parse(filter->own, text, what, len));
}

bool tui_filter_set(struct tui_filter *filter, const char *text, char *what, size_t len)
{
    struct filter *parsed = NULL;
    what[0] = '\0';
    if (!is_blank(text) && (parsed = parse(filter->own, text, what, len)) == NULL)
        return false;
    filter_free(filter->filter);
    filter->filter = parsed;
    snprintf(filter->text, sizeof filter->text, "%s", parsed != NULL ? text : "");
    filter->generation++;
    return true;
}

bool tui_filter_narrow(struct tui_filter *filter, const char *more, char *what, size_t len)
{
    char text[LINE_LEN];
    const int used = filter->filter == NULL ? snprintf(text, sizeof text, "%s", more)
                                            : snprintf(text, sizeof text, "(%s) && %s", filter->text, more);
    if (used < 0 || (size_t)used >= sizeof text) {
        snprintf(what, len, "the filter would be too long");
        return false;
    }
    return tui_filter_set(filter, text, what, len);
}

/* common returns how many bytes two words begin with alike. */
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
    const char *word;
    what[0] = '\0';
    snprintf(text, sizeof text, "%.*s", (int)line->at, line->text);
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

bool tui_filter_takes(struct tui_filter *filter, const struct record *record)
{
    if (!tui_span_takes(&filter->span, record_time(record)))
        return false;
    return filter->filter == NULL || filter_run(filter->filter, record);
}

void tui_filter_free(struct tui_filter *filter)
{
    filter_free(filter->filter);
    filter->filter = NULL;
}
