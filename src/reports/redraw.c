/*
 * redraw.c - see redraw.h.
 */
#include "reports/redraw.h"

#include "core/line_fit.h"

#include <string.h>

void redraw_text(const struct screen *screen, struct ds_text text, struct ds_buffer *out)
{
    static const char clear[] = "\033[H\033[J"; /* cursor home, clear to the end of the screen */
    size_t at = 0;
    ds_buffer_add_text(out, clear);
    /* Leave the last row for the cursor. */
    for (unsigned row = 1; row < screen->rows && at < text.len; row++) {
        const char *line = text.data + at;
        const char *end = memchr(line, '\n', text.len - at);
        const size_t len = end != NULL ? (size_t)(end - line) : text.len - at;
        line_shorten((struct ds_text){line, len}, screen->columns, out);
        ds_buffer_add_text(out, "\n");
        at += len + 1;
    }
}
