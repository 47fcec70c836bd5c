/*
 * tui_line.h - a line that is typed: characters, a cursor, and a history. edit_keys.def has its
 * keys.
 */
#ifndef SRC_TUI_LINE_H
#define SRC_TUI_LINE_H

#include "ui/tui/cells.h"
#include "ui/tui/requests.h"

enum { LINE_LEN = 1024, MAX_OLDER = 32 };

enum line_key {
    LINE_TYPED, /* a character, or nothing */
#define EDIT(id, key, other, help) LINE_##id,
#include "ui/tui/edit_keys.def"
#undef EDIT
    LINE_KEY_COUNT
};

struct line_key_row {
    uint32_t key, other;
    const char *help;
};

/* line_keys has a row for each key, from 1 on. */
extern const struct line_key_row line_keys[LINE_KEY_COUNT];

struct tui_line {
    char text[LINE_LEN]; /* UTF-8, ends with NUL */
    size_t at;           /* of the cursor */
    char *older[MAX_OLDER]; /* the latest first */
    unsigned num_older, shown; /* shown: 0 is the typed line, from 1 an older one */
};

/* tui_line_begin starts with a text. */
void tui_line_begin(struct tui_line *line, const char *text);

/* tui_line_key processes a key, and returns which it was. DONE, LEAVE and COMPLETE change nothing. */
enum line_key tui_line_key(struct tui_line *line, uint32_t key);

/* tui_line_add inserts a text at the cursor, if it fits. */
void tui_line_add(struct tui_line *line, const char *text);

/* tui_line_remember adds the text to the history. */
void tui_line_remember(struct tui_line *line);

/* tui_line_draw draws the line after a word, with its cursor. */
void tui_line_draw(const struct tui_line *line, struct cells *cells, unsigned row, const char *word);

void tui_line_free(struct tui_line *line);

#endif
