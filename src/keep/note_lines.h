/*
 * note_lines.h - the comments of a packet in a pcapng file: lines as -T text writes them, without their
 * time, for what was decoded from the packet.
 */
#ifndef SRC_NOTE_LINES_H
#define SRC_NOTE_LINES_H

#include "output/event_text.h"

/* note_lines is the lines of one packet; zero: none. If memory runs out, lines are left out and counted. */
struct note_lines {
    struct ds_buffer comments; /* in the format of pcapng_form_comment */
    uint64_t num_more;         /* lines for which there is no room */
};

/* note_frame returns the number of the packet that completed a record; 0 if none did. */
uint64_t note_frame(const struct record *record);

/* note_lines_print writes the line of a record to line, replacing its contents. Returns false if there
 * is none. */
bool note_lines_print(struct event_text *text, const struct record *record, struct ds_buffer *line);

/* note_lines_add adds a line; max is the maximum size of all lines in bytes. */
void note_lines_add(struct note_lines *lines, const struct ds_buffer *line, size_t max);

/* note_lines_end returns the comments; the last one says how many are left out, if any. NULL if there
 * are none. line is memory to write in. */
const struct ds_buffer *note_lines_end(struct note_lines *lines, struct ds_buffer *line);

/* note_lines_clear empties them but keeps their memory; note_lines_free releases it. */
void note_lines_clear(struct note_lines *lines);
void note_lines_free(struct note_lines *lines);

#endif
