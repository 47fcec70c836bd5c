/*
 * tui_terminal.h - the terminal: it shows cells and delivers keys. Only tui_terminal.c uses
 * ncurses, which supports one terminal, so there is one. One thread at a time may use it.
 */
#ifndef SRC_TUI_TERMINAL_H
#define SRC_TUI_TERMINAL_H

#include "ui/tui/cells.h"
#include "ui/tui/requests.h"

/* tui_terminal_is_built says whether this build has ncurses. */
bool tui_terminal_is_built(void);

/* tui_terminal_open opens the terminal that the program was started from, and all files that it
 * needs: call it before the sandbox. False after an error message. */
bool tui_terminal_open(void);

/* tui_terminal_close restores the terminal. It does nothing if the terminal was not opened. */
void tui_terminal_close(void);

/* tui_terminal_discard discards pending output: the user may have stopped the output. Any thread
 * may call it. */
void tui_terminal_discard(void);

/* tui_terminal_fd returns the descriptor that keys come from. tui_terminal_size asks for the size;
 * false: the terminal is gone. */
int tui_terminal_fd(void);
bool tui_terminal_size(unsigned *rows, unsigned *columns);

/* tui_terminal_has_ascii says whether the terminal shows only ASCII. */
bool tui_terminal_has_ascii(void);

/* tui_terminal_show shows cells; all: including those that did not change. */
void tui_terminal_show(const struct cells *cells, bool all);

/* tui_terminal_key returns the next key that was pressed, TUI_NO_KEY: none. *is_gone: the terminal
 * is gone. */
uint32_t tui_terminal_key(bool *is_gone);

/* tui_terminal_mouse reports the event of TUI_KEY_MOUSE. False: it has no meaning. */
struct tui_mouse {
    unsigned row, column;
    bool is_twice;
};
bool tui_terminal_mouse(struct tui_mouse *mouse);

/* tui_terminal_copy asks the terminal to put a text into its clipboard (OSC 52); some terminals do
 * not. Only the first COPY_LEN bytes are copied. */
enum { COPY_LEN = 65536 };
void tui_terminal_copy(struct ds_text text);

/* tui_terminal_suspend requests that the next tui_terminal_try_suspend stops the program, as
 * SIGTSTP does; the terminal is restored for that time. tui_terminal_try_suspend returns true if
 * the program was stopped, by this or otherwise, and all is to be drawn again. */
void tui_terminal_suspend(void);
bool tui_terminal_try_suspend(void);

#endif
