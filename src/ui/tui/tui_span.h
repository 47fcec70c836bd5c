/*
 * tui_span.h - the part of the time that listed messages and calls are from.
 */
#ifndef SRC_TUI_SPAN_H
#define SRC_TUI_SPAN_H

#include "ui/tui/cells.h"

struct tui_span_shown {
    bool is_narrow; /* otherwise all of it is shown */
    int64_t from_ns, to_ns;
};

/* tui_span_narrow halves the shown span, around a point in time; first_ns and last_ns limit the
 * existing time. At least a millisecond is shown. */
void tui_span_narrow(struct tui_span_shown *span, int64_t first_ns, int64_t last_ns, int64_t middle_ns);

/* tui_span_widen doubles the shown span, up to the whole time. */
void tui_span_widen(struct tui_span_shown *span, int64_t first_ns, int64_t last_ns);

/* tui_span_move moves the span by its length, earlier or later, as far as there is time. */
void tui_span_move(struct tui_span_shown *span, int64_t first_ns, int64_t last_ns, bool is_later);

static inline bool tui_span_contains(const struct tui_span_shown *span, int64_t ns)
{
    return !span->is_narrow || (ns >= span->from_ns && ns <= span->to_ns);
}

/* tui_span_draw draws the position of the span in the whole time. word names what is limited to it. */
void tui_span_draw(const struct tui_span_shown *span, int64_t first_ns, int64_t last_ns,
                   const char *word, struct cells *cells, unsigned row);

#endif
