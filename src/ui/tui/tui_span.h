/*
 * tui_span.h - the part of the time of which messages and calls are listed.
 */
#ifndef SRC_TUI_SPAN_H
#define SRC_TUI_SPAN_H

#include "ui/tui/cells.h"

struct tui_span_shown {
    bool is_narrow; /* else all of it is shown */
    int64_t from_ns, to_ns;
};

/* tui_span_narrow shows half of what is shown, around a point in time; first_ns and last_ns are
 * what there is. A millisecond at least is shown. */
void tui_span_narrow(struct tui_span_shown *span, int64_t first_ns, int64_t last_ns, int64_t middle_ns);

/* tui_span_widen shows twice as much, and all of it where that would be more. */
void tui_span_widen(struct tui_span_shown *span, int64_t first_ns, int64_t last_ns);

/* tui_span_move shows as much of the time before, or after, as far as there is any. */
void tui_span_move(struct tui_span_shown *span, int64_t first_ns, int64_t last_ns, bool is_later);

static inline bool tui_span_contains(const struct tui_span_shown *span, int64_t ns)
{
    return !span->is_narrow || (ns >= span->from_ns && ns <= span->to_ns);
}

/* tui_span_draw draws where it is in what there is. word says what keeps to it. */
void tui_span_draw(const struct tui_span_shown *span, int64_t first_ns, int64_t last_ns,
                   const char *word, struct cells *cells, unsigned row);

#endif
