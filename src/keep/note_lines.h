/*
 * note_lines.h - the comments of a packet in a pcapng file: the lines that -T text writes, without their
 * time, of what was decoded from it.
 */
#ifndef SRC_NOTE_LINES_H
#define SRC_NOTE_LINES_H

#include "output/event_text.h"

/* note_lines are those of one packet; zero: none. Memory that runs out costs lines, which are counted. */
struct note_lines {
    struct ds_buffer comments; /* as pcapng_form_comment adds them */
    uint64_t num_more;         /* lines that there is no room for */
};

/* note_frame returns the number of the packet that completed a record, 0 where none did. */
uint64_t note_frame(const struct record *record);

/* note_lines_print writes the line of a record, in place of what is in line. False when there is none. */
bool note_lines_print(struct event_text *text, const struct record *record, struct ds_buffer *line);

/* note_lines_add adds a line; max is how many bytes there may be. */
void note_lines_add(struct note_lines *lines, const struct ds_buffer *line, size_t max);

/* note_lines_end returns the comments, with how many are left out as the last one, where some are; NULL
 * where there are none. line is memory to write in. */
const struct ds_buffer *note_lines_end(struct note_lines *lines, struct ds_buffer *line);

/* note_lines_clear empties them, and keeps memory for the next; note_lines_free keeps none. */
void note_lines_clear(struct note_lines *lines);
void note_lines_free(struct note_lines *lines);

#endif
