/*
 * tui_save.h - what is marked, or listed, is written to a new file of --save-folder.
 */
#ifndef SRC_TUI_SAVE_H
#define SRC_TUI_SAVE_H

#include "ui/tui/tui_facts.h"
#include "ui/tui/tui_line.h"

/* tui_save writes what is marked, or where nothing is what the view of messages lists, and says in
 * what how that went. */
void tui_save(const struct tui_facts *facts, const char *folder, const char *format, const void *messages,
              char *what, size_t len);

/* tui_save_formats lists the formats; tui_save_complete completes one. */
void tui_save_formats(char *what, size_t len);
void tui_save_complete(struct tui_line *line, char *what, size_t len);

/* tui_save_name returns what file number i of a folder may be called, with conversions of strftime:
 * those that the program may have opened. NULL behind the last, or when memory ran out. To be
 * freed. */
char *tui_save_name(const char *folder, size_t i);
enum { SAVE_NAMES = 8 };

#endif
