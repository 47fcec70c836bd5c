/*
 * tui_terminal.h - the terminal: cells go there, keys come from there. ncurses stands in tui_terminal.c
 * alone, and knows one terminal, so there is one. It belongs to
 * one thread at a time.
 */
#ifndef SRC_TUI_TERMINAL_H
#define SRC_TUI_TERMINAL_H

#include "ui/tui/cells.h"
#include "ui/tui/requests.h"

/* tui_terminal_is_built says whether this build has ncurses. */
bool tui_terminal_is_built(void);

/* tui_terminal_open takes the terminal that the program was started from, and all that it needs of files:
 * to be called before the sandbox. False after a complaint. */
bool tui_terminal_open(void);

/* tui_terminal_close gives it back as it was. Nothing where it was not opened. */
void tui_terminal_close(void);

/* tui_terminal_discard throws away what waits to be shown: somebody has stopped the output. In any
 * thread. */
void tui_terminal_discard(void);

/* tui_terminal_fd is where keys come from. tui_terminal_size asks for the size; false: the terminal is
 * gone. */
int tui_terminal_fd(void);
bool tui_terminal_size(unsigned *rows, unsigned *columns);

/* tui_terminal_has_ascii says whether it shows nothing but ASCII. */
bool tui_terminal_has_ascii(void);

/* tui_terminal_show shows cells; all: also those that did not change. */
void tui_terminal_show(const struct cells *cells, bool all);

/* tui_terminal_key returns the next key that was pressed, TUI_NO_KEY: none. *is_gone: the terminal is. */
uint32_t tui_terminal_key(bool *is_gone);

/* tui_terminal_mouse says what TUI_KEY_MOUSE was about. False: nothing that means anything. */
struct tui_mouse {
    unsigned row, column;
    bool is_twice;
};
bool tui_terminal_mouse(struct tui_mouse *mouse);

/* tui_terminal_copy asks the terminal to put a text into its clipboard (OSC 52); some do not. Of a
 * long one the first COPY_LEN bytes. */
enum { COPY_LEN = 65536 };
void tui_terminal_copy(struct ds_text text);

/* tui_terminal_suspend stops the program at the next tui_terminal_try_suspend, as SIGTSTP does. That gives
 * the terminal back meanwhile. True when it was stopped, by that or else, and all is to be drawn again. */
void tui_terminal_suspend(void);
bool tui_terminal_try_suspend(void);

#endif
