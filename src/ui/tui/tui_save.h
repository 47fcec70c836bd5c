/*
 * tui_save.h - writes marked or listed records to a new file in --save-folder.
 */
#ifndef SRC_TUI_SAVE_H
#define SRC_TUI_SAVE_H

#include "ui/tui/tui_facts.h"
#include "ui/tui/tui_line.h"

/* tui_save writes the marked records, or if there are none those in the view of messages, and
 * writes the result to what. */
void tui_save(const struct tui_facts *facts, const char *folder, const char *format, const void *messages,
              char *what, size_t len);

/* tui_save_formats lists the formats; tui_save_complete completes one. */
void tui_save_formats(char *what, size_t len);
void tui_save_complete(struct tui_line *line, char *what, size_t len);

/* tui_save_name returns the possible name of file number i of a folder, with conversions of
 * strftime: the program registers these. NULL after the last one, or if memory ran out. The caller
 * frees it. */
char *tui_save_name(const char *folder, size_t i);
enum { SAVE_NAMES = 8 };

#endif
