/*
 * diagram.h - sequence diagrams as text: the common part of Mermaid and PlantUML. Lanes are
 * declared when they first occur, so only their numbers are kept.
 */
#ifndef SRC_DIAGRAM_H
#define SRC_DIAGRAM_H

#include "output/sink.h"

/* dialect is a diagram language. A lane is declared as
 *     lane, number, lane_as, text, lane_end       or, with lane_text_first,
 *     lane, text, lane_as, number, lane_end
 * a message is "L1", message or answer, "L2", and its text. */
struct dialect {
    const char *begin, *end;
    const char *lane, *lane_as, *lane_end;
    bool lane_text_first;
    const char *message, *answer; /* arrows */
    const char *note;             /* before the lanes that it covers */
    const char *newline;          /* within a text */
    /* The maximum that its tool draws: characters of text, or pixels, where a row and a character
     * of a lane's name have so many; 0: no limit. remedy: how to change it. */
    uint64_t max_chars, max_pixels, row_pixels, char_pixels;
    const char *remedy;
    /* escape appends a character so that it has no special meaning. */
    void (*escape)(uint32_t character, struct ds_buffer *out);
};

/* The functions of a sink with a dialect. */
bool diagram_open(struct sink *sink, const struct dialect *dialect);
void diagram_record(struct sink *sink, const struct record *record);
void diagram_lost(struct sink *sink, const struct loss *loss);
void diagram_end(struct sink *sink);
void diagram_close(struct sink *sink);

#endif
