/*
 * tui_span.c - see tui_span.h.
 */
#include "ui/tui/tui_span.h"

#include "ui/tui/tui_format.h"

#include <stdio.h>

enum { LEAST_NS = 1000000, BAR_MOST = 60 };

static int64_t within(int64_t ns, int64_t least, int64_t most)
{
    return ns < least ? least : ns > most ? most : ns;
}

/* place moves a span of this length into the existing time. */
static void place(struct tui_span_shown *span, int64_t from_ns, int64_t length, int64_t first_ns,
                  int64_t last_ns)
{
    span->is_narrow = length < last_ns - first_ns;
    span->from_ns = span->is_narrow ? within(from_ns, first_ns, last_ns - length) : first_ns;
    span->to_ns = span->is_narrow ? span->from_ns + length : last_ns;
}

static int64_t length_of(const struct tui_span_shown *span, int64_t first_ns, int64_t last_ns)
{
    return span->is_narrow ? span->to_ns - span->from_ns : last_ns - first_ns;
}

void tui_span_narrow(struct tui_span_shown *span, int64_t first_ns, int64_t last_ns, int64_t middle_ns)
{
    const int64_t half = length_of(span, first_ns, last_ns) / 2;
    const int64_t length = half < LEAST_NS ? LEAST_NS : half;
    place(span, middle_ns - length / 2, length, first_ns, last_ns);
}

void tui_span_widen(struct tui_span_shown *span, int64_t first_ns, int64_t last_ns)
{
    const int64_t length = length_of(span, first_ns, last_ns);
    if (span->is_narrow && length < (last_ns - first_ns) / 2)
        place(span, span->from_ns - length / 2, 2 * length, first_ns, last_ns);
    else
        place(span, first_ns, last_ns - first_ns, first_ns, last_ns);
}

void tui_span_move(struct tui_span_shown *span, int64_t first_ns, int64_t last_ns, bool is_later)
{
    const int64_t length = length_of(span, first_ns, last_ns);
    int64_t from_ns;
    if (__builtin_add_overflow(span->from_ns, is_later ? length : -length, &from_ns))
        from_ns = is_later ? last_ns : first_ns;
    place(span, from_ns, length, first_ns, last_ns);
}

void tui_span_draw(const struct tui_span_shown *span, int64_t first_ns, int64_t last_ns,
                   const char *word, struct cells *cells, unsigned row)
{
    char text[96];
    const double all = (double)(last_ns - first_ns);
    unsigned at = 1;
    at += cells_put_string(cells, row, at, cells->columns, STYLE_DIM, tui_time_of_day(first_ns).text) + 1;
    const unsigned room = cells->columns > at + 60 ? cells->columns - at - 60 : 0;
    const unsigned bar = room > BAR_MOST ? BAR_MOST : room;
    cells_fill(cells, row, at, bar, STYLE_DIM, 0x2500, '-');
    for (unsigned i = 0; i < bar && all > 0; i++) {
        const double begin = (double)i / bar * all, end = (double)(i + 1) / bar * all;
        if (begin <= (double)(span->to_ns - first_ns) && end >= (double)(span->from_ns - first_ns))
            cells_fill(cells, row, at + i, 1, STYLE_STRONG, 0x2588, '#');
    }
    at += bar + (bar != 0);
    at += cells_put_string(cells, row, at, cells->columns, STYLE_DIM, tui_time_of_day(last_ns).text) + 2;
    snprintf(text, sizeof text, "%s %s for %s", word, tui_time_of_day(span->from_ns).text,
             tui_span(span->to_ns - span->from_ns).text);
    if (at < cells->columns)
        cells_put_string(cells, row, at, cells->columns - at, STYLE_STRONG, text);
}
