/*
 * diagram.h - sequence diagrams as text: what Mermaid and PlantUML have in common. Lanes are
 * declared when they first occur, so nothing but their numbers is kept.
 */
#ifndef SRC_DIAGRAM_H
#define SRC_DIAGRAM_H

#include "output/sink.h"

/* dialect is one language for diagrams. A lane is declared as
 *     lane, number, lane_as, text, lane_end       or, with lane_text_first,
 *     lane, text, lane_as, number, lane_end
 * a message is "L1", message or answer, "L2", and its text. */
struct dialect {
    const char *begin, *end;
    const char *lane, *lane_as, *lane_end;
    bool lane_text_first;
    const char *message, *answer; /* arrows */
    const char *note;             /* before the lanes it is over */
    const char *newline;          /* within a text */
    /* What its tool draws at most: characters of text, or pixels, of which a row and a character of
     * a lane's name take so many; 0: any number. And what to do about it. */
    uint64_t max_chars, max_pixels, row_pixels, char_pixels;
    const char *remedy;
    /* escape appends a character so that it stands for nothing but itself. */
    void (*escape)(uint32_t character, struct ds_buffer *out);
};

/* What a sink of a dialect consists of. */
bool diagram_open(struct sink *sink, const struct dialect *dialect);
void diagram_record(struct sink *sink, const struct record *record);
void diagram_lost(struct sink *sink, const struct loss *loss);
void diagram_end(struct sink *sink);
void diagram_close(struct sink *sink);

#endif
