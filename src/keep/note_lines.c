/*
 * note_lines.c - see note_lines.h.
 */
#include "keep/note_lines.h"

#include "core/character.h"
#include "keep/pcapng_form.h"

#include <distsniff/counted.h>

/* The length of a comment has 16 bits; Wireshark shows a few lines of it. */
enum { LONGEST_COMMENT = 16 * 1024 };

uint64_t note_frame(const struct record *record)
{
    const struct finding *finding = record->finding;
    if (record->call != NULL)
        return record->call->end_frame;
    if (finding == NULL)
        return record->event->frame;
    if (finding->num_evidence == 0 || finding->evidence[finding->num_evidence - 1].num == 0)
        return 0;
    const struct evidence *evidence = &finding->evidence[finding->num_evidence - 1];
    return evidence->packet[evidence->num - 1].frame;
}

bool note_lines_print(struct event_text *text, const struct record *record, struct ds_buffer *line)
{
    if (line->failed)
        ds_buffer_free(line);
    line->len = 0;
    event_text_print_shown(text, record, line);
    return line->len != 0 || line->failed;
}

void note_lines_add(struct note_lines *lines, const struct ds_buffer *line, size_t max)
{
    if (!line->failed && !lines->comments.failed && lines->comments.len < max)
        pcapng_form_comment(&lines->comments, line->data,
                            character_cut(line->data, line->len, LONGEST_COMMENT));
    else
        lines->num_more++;
}

const struct ds_buffer *note_lines_end(struct note_lines *lines, struct ds_buffer *line)
{
    if (lines->num_more != 0 && !lines->comments.failed) {
        if (line->failed)
            ds_buffer_free(line);
        line->len = 0;
        ds_buffer_printf(line, "... %s more", ds_counted(lines->num_more, "lines").text);
        if (!line->failed)
            pcapng_form_comment(&lines->comments, line->data, line->len);
    }
    return lines->comments.len != 0 && !lines->comments.failed ? &lines->comments : NULL;
}

void note_lines_clear(struct note_lines *lines)
{
    lines->comments.len = 0;
    lines->num_more = 0;
    if (lines->comments.failed)
        ds_buffer_free(&lines->comments);
}

void note_lines_free(struct note_lines *lines)
{
    ds_buffer_free(&lines->comments);
    *lines = (struct note_lines){0};
}
