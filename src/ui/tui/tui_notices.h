/*
 * tui_notices.h - what the program says on standard error while a screen is drawn there: it goes into a
 * pipe, the latest line is shown, and all of it is written out when the terminal is given back. Who
 * says something never waits: what does not fit into the pipe is lost.
 */
#ifndef SRC_TUI_NOTICES_H
#define SRC_TUI_NOTICES_H

#include <distsniff/term.h>

struct tui_notices {
    int from;  /* the reading end, -1: none */
    int saved; /* standard error as it was, -1: it still is */
    struct ds_buffer kept;
    bool is_cut; /* there was more than is kept */
};

/* tui_notices_begin takes standard error. False, and nothing changed, when there are no descriptors. */
bool tui_notices_begin(struct tui_notices *notices);

/* tui_notices_read reads what has come, and writes its last line, without the program's name, to line.
 * False: nothing came. */
bool tui_notices_read(struct tui_notices *notices, char *line, size_t len);

/* tui_notices_end gives standard error back, and writes there what was kept. */
void tui_notices_end(struct tui_notices *notices);

#endif
