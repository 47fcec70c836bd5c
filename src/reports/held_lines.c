/*
 * held_lines.c - see held_lines.h.
 */
#include "reports/held_lines.h"

struct ds_buffer *held_lines_out(struct held_lines *lines)
{
    return lines->flows ? &lines->text->buffer : &lines->held;
}

void held_lines_end(struct held_lines *lines)
{
    if (lines->held.len < HELD_LINES_MOST)
        return;
    ds_buffer_add_text(&lines->text->buffer,
                       "many rows: shown in the order they came; the last line has the totals\n");
    held_lines_show(lines);
    held_lines_clear(lines);
    lines->flows = true;
}

void held_lines_show(const struct held_lines *lines)
{
    if (lines->held.len != 0)
        ds_buffer_add(&lines->text->buffer, lines->held.data, lines->held.len);
}

void held_lines_begin(struct held_lines *lines)
{
    held_lines_clear(lines);
    lines->flows = lines->is_live;
}

void held_lines_clear(struct held_lines *lines)
{
    lines->failed |= lines->held.failed;
    ds_buffer_free(&lines->held);
}
