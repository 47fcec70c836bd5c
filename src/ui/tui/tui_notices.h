/*
 * tui_notices.h - messages that the program writes to standard error while a screen is drawn there:
 * they go into a pipe, the latest line is shown, and all are written out when the terminal is
 * restored. Writers never wait: what does not fit into the pipe is lost.
 */
#ifndef SRC_TUI_NOTICES_H
#define SRC_TUI_NOTICES_H

#include <distsniff/term.h>

struct tui_notices {
    int from;  /* the read end, -1: none */
    int saved; /* the original standard error, -1: it was not redirected */
    struct ds_buffer kept;
    bool is_cut; /* there was more text than is stored */
};

/* tui_notices_begin redirects standard error. False, with nothing changed, if there are no
 * descriptors. */
bool tui_notices_begin(struct tui_notices *notices);

/* tui_notices_read reads new messages, and copies the last line, without the program's name, to
 * line. False: there were none. */
bool tui_notices_read(struct tui_notices *notices, char *line, size_t len);

/* tui_notices_end restores standard error, and writes the stored messages to it. */
void tui_notices_end(struct tui_notices *notices);

#endif
