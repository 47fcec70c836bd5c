/*
 * tui_terminal.c - see tui_terminal.h. The only file that uses ncurses.
 *
 * ncurses would handle SIGTSTP and SIGWINCH itself and send signals to the program, in any thread.
 * Here a handler only records that they came; the thread that draws does the rest. ncurses ignores
 * SIGTSTP while it writes, so Ctrl-Z is a key and no signal. The size is polled, so that nothing
 * depends on SIGWINCH.
 */
#include "ui/tui/tui_terminal.h"

#include "core/clock.h"
#include "core/complain.h"

#ifdef DISTSNIFF_TUI

#include "ui/tui/ncurses_library.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

enum { ESCAPE_DELAY_MS = 25, CLICK_MS = 0, TWICE_MS = 400 };

/* For a button that is pressed and released at once, ncurses reports only the release. */
#define CLICK (BUTTON1_RELEASED | BUTTON1_CLICKED)

/* Colours and attributes of styles.def, with the names of ncurses. */
enum { DEFAULT = -1, RED = COLOR_RED, YELLOW = COLOR_YELLOW, BLUE = COLOR_BLUE, CYAN = COLOR_CYAN };
#define NONE A_NORMAL
#define DIM A_DIM
#define BOLD A_BOLD
#define UNDERLINE A_UNDERLINE
#define REVERSE A_REVERSE

static const struct {
    short colour;
    attr_t attributes;
} styles[STYLE_COUNT] = {
#define STYLE(id, colour, attributes) {colour, attributes},
#include "ui/tui/styles.def"
#undef STYLE
};

static struct {
    SCREEN *screen;
    FILE *in, *out;
    bool ascii, has_colours;
    unsigned rows, columns; /* the size that ncurses knows */
    struct cell *shown;     /* the present contents of the screen, NULL: unknown */
    struct tui_mouse click; /* the last one */
    bool has_click;
    int64_t click_ns;
} terminal;

static volatile sig_atomic_t suspend_wanted, was_continued;

static void on_signal(int signal)
{
    if (signal == SIGTSTP)
        suspend_wanted = 1;
    else
        was_continued = 1;
}

static void catch_signal(int signal)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, NULL);
}

static void set_default(int signal)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, NULL);
}

bool tui_terminal_is_built(void)
{
    return true;
}

/* moves_cursor says whether the terminal can move the cursor: ncurses opens others as well, and
 * shows nothing there. */
static bool moves_cursor(void)
{
    static char move[] = "cup";
    const char *how = ncurses.tigetstr(move);
    return how != NULL && how != (const char *)-1;
}

static bool open_screen(void)
{
    const char *name = getenv("TERM");
    const int in = open("/dev/tty", O_RDWR | O_CLOEXEC);
    const int out = in >= 0 ? open("/dev/tty", O_RDWR | O_CLOEXEC) : -1;
    terminal.in = in >= 0 ? fdopen(in, "r") : NULL;
    terminal.out = out >= 0 ? fdopen(out, "w") : NULL;
    if (terminal.in == NULL || terminal.out == NULL) {
        complain("--tui needs a terminal: %s", strerror(errno));
        return false;
    }
    terminal.screen = ncurses.newterm(name, terminal.out, terminal.in);
    if (terminal.screen == NULL)
        complain("--tui does not know the terminal %s (TERM): it may need the package ncurses-term",
                 name != NULL ? name : "without a name");
    else if (!moves_cursor())
        complain("--tui needs a terminal whose cursor can be moved, which %s (TERM) has not: without --tui "
                 "records are shown line by line",
                 name);
    else
        return true;
    return false;
}

/* choose_colours sets the colours of styles; the default ones are the terminal's own, dark or
 * light. */
static void choose_colours(void)
{
    const char *no_color = getenv("NO_COLOR");
    terminal.has_colours = (no_color == NULL || no_color[0] == '\0') && ncurses.has_colors() &&
                           ncurses.start_color() == OK && ncurses.use_default_colors() == OK;
    for (short i = 0; i < STYLE_COUNT && terminal.has_colours; i++) {
        if (styles[i].colour != DEFAULT)
            ncurses.init_pair((short)(i + 1), styles[i].colour, -1);
    }
}

/* free_suspend_key makes Ctrl-Z, or the terminal's other suspend key, an ordinary key. */
static void free_suspend_key(void)
{
    struct termios modes;
    if (tcgetattr(fileno(terminal.in), &modes) != 0)
        return;
    modes.c_cc[VSUSP] = _POSIX_VDISABLE;
    tcsetattr(fileno(terminal.in), TCSADRAIN, &modes);
    ncurses.def_prog_mode();
}

bool tui_terminal_open(void)
{
    char bytes[MB_LEN_MAX + 1];
    mbstate_t state;
    memset(&state, 0, sizeof state);
    setlocale(LC_CTYPE, "");
    terminal.ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
    /* The first conversion of a character reads files: do it now. */
    const bool converts = wcrtomb(bytes, L'a', &state) == 1;
    if (!converts || !ncurses_library_load() || !open_screen()) {
        tui_terminal_close();
        return false;
    }
    catch_signal(SIGTSTP);
    catch_signal(SIGCONT);
    set_default(SIGWINCH);
    ncurses.cbreak();
    free_suspend_key();
    ncurses.noecho();
    ncurses.nonl();
    ncurses.keypad(*ncurses.stdscr, true);
    ncurses.nodelay(*ncurses.stdscr, true);
    ncurses.intrflush(*ncurses.stdscr, false);
    ncurses.set_escdelay(ESCAPE_DELAY_MS);
    ncurses.curs_set(0);
    ncurses.mousemask(CLICK | BUTTON1_DOUBLE_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
    ncurses.mouseinterval(CLICK_MS);
    choose_colours();
    return true;
}

void tui_terminal_discard(void)
{
    tcflush(fileno(terminal.out), TCOFLUSH);
}

void tui_terminal_close(void)
{
    if (terminal.screen != NULL) {
        set_default(SIGTSTP);
        set_default(SIGCONT);
        ncurses.endwin();
        ncurses.delscreen(terminal.screen);
    }
    if (terminal.in != NULL)
        fclose(terminal.in);
    if (terminal.out != NULL)
        fclose(terminal.out);
    free(terminal.shown);
    memset(&terminal, 0, sizeof terminal);
}

int tui_terminal_fd(void)
{
    return fileno(terminal.in);
}

bool tui_terminal_has_ascii(void)
{
    return terminal.ascii;
}

bool tui_terminal_size(unsigned *rows, unsigned *columns)
{
    struct winsize size;
    if (ioctl(fileno(terminal.out), TIOCGWINSZ, &size) != 0)
        return false;
    *rows = size.ws_row != 0 ? size.ws_row : 24;
    *columns = size.ws_col != 0 ? size.ws_col : 80;
    return true;
}

/* follow_size sets ncurses to the size of the cells. */
static bool follow_size(const struct cells *cells)
{
    if (terminal.shown != NULL && cells->rows == terminal.rows && cells->columns == terminal.columns)
        return true;
    if (ncurses.resizeterm((int)cells->rows, (int)cells->columns) != OK)
        return false;
    free(terminal.shown);
    terminal.shown = calloc((size_t)cells->rows * cells->columns + 1, sizeof *terminal.shown);
    terminal.rows = cells->rows;
    terminal.columns = cells->columns;
    ncurses.wclear(*ncurses.stdscr);
    return terminal.shown != NULL;
}

static void show_cell(unsigned row, unsigned column, const struct cell *cell)
{
    const wchar_t text[2] = {(wchar_t)cell->character, 0};
    const unsigned style = cell->style < STYLE_COUNT ? cell->style : STYLE_PLAIN;
    const bool has_colour = terminal.has_colours && styles[style].colour != DEFAULT;
    cchar_t shown;
    if (cell->character != 0 &&
        ncurses.setcchar(&shown, text, styles[style].attributes, has_colour ? (short)(style + 1) : 0,
                         NULL) == OK &&
        ncurses.wmove(*ncurses.stdscr, (int)row, (int)column) == OK)
        ncurses.wadd_wch(*ncurses.stdscr, &shown);
}

void tui_terminal_show(const struct cells *cells, bool all)
{
    if (cells->rows == 0 || !follow_size(cells))
        return;
    for (unsigned row = 0; row < cells->rows; row++) {
        const size_t first = (size_t)row * cells->columns;
        for (unsigned column = 0; column < cells->columns; column++) {
            const struct cell *cell = &cells->cell[first + column];
            struct cell *shown = &terminal.shown[first + column];
            if (all || shown->character != cell->character || shown->style != cell->style)
                show_cell(row, column, cell);
            *shown = *cell;
        }
    }
    if (all)
        ncurses.clearok(*ncurses.stdscr, true);
    ncurses.wrefresh(*ncurses.stdscr);
}

/* key_of translates a key of ncurses. */
static uint32_t key_of(wint_t key)
{
    static const struct {
        wint_t theirs;
        uint32_t ours;
    } keys[] = {
        {KEY_UP, TUI_KEY_UP},           {KEY_DOWN, TUI_KEY_DOWN},   {KEY_LEFT, TUI_KEY_LEFT},
        {KEY_RIGHT, TUI_KEY_RIGHT},     {KEY_PPAGE, TUI_KEY_PAGE_UP}, {KEY_NPAGE, TUI_KEY_PAGE_DOWN},
        {KEY_HOME, TUI_KEY_HOME},       {KEY_END, TUI_KEY_END},     {KEY_ENTER, TUI_KEY_ENTER},
        {KEY_BACKSPACE, TUI_KEY_BACKSPACE}, {KEY_BTAB, TUI_KEY_BACK_TAB}, {KEY_F(1), TUI_KEY_F1},
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (keys[i].theirs == key)
            return keys[i].ours;
    }
    return TUI_KEY_END_OF_LIST; /* a key without a meaning */
}

static uint32_t key_of_character(wint_t character)
{
    switch (character) {
    case '\r':
    case '\n':
        return TUI_KEY_ENTER;
    case 27:
        return TUI_KEY_ESCAPE;
    case 8:
    case 127:
        return TUI_KEY_BACKSPACE;
    case '\t':
        return TUI_KEY_TAB;
    case 'A' - '@':
        return TUI_KEY_CTRL_A;
    case 'B' - '@':
        return TUI_KEY_CTRL_B;
    case 'E' - '@':
        return TUI_KEY_CTRL_E;
    case 'F' - '@':
        return TUI_KEY_CTRL_F;
    case 'L' - '@':
        return TUI_KEY_CTRL_L;
    case 'U' - '@':
        return TUI_KEY_CTRL_U;
    case 'Z' - '@':
        return TUI_KEY_CTRL_Z;
    default:
        return character < ' ' ? TUI_KEY_END_OF_LIST : (uint32_t)character;
    }
}

/* mouse_key returns the key for a turn of the wheel, or MOUSE. */
static uint32_t mouse_key(void)
{
    MEVENT event;
    terminal.has_click = false;
    if (ncurses.getmouse(&event) != OK)
        return TUI_KEY_END_OF_LIST;
    if ((event.bstate & BUTTON4_PRESSED) != 0)
        return TUI_KEY_UP;
    if ((event.bstate & BUTTON5_PRESSED) != 0)
        return TUI_KEY_DOWN;
    const bool is_double = (event.bstate & BUTTON1_DOUBLE_CLICKED) != 0;
    if (event.x < 0 || event.y < 0 || ((event.bstate & CLICK) == 0 && !is_double))
        return TUI_KEY_END_OF_LIST;
    const int64_t now_ns = clock_now_ns();
    const struct tui_mouse before = terminal.click;
    terminal.click = (struct tui_mouse){.row = (unsigned)event.y, .column = (unsigned)event.x};
    const bool is_same = before.row == terminal.click.row && before.column == terminal.click.column;
    terminal.click.is_twice =
        is_double || (is_same && now_ns - terminal.click_ns < TWICE_MS * INT64_C(1000000));
    terminal.click_ns = terminal.click.is_twice ? 0 : now_ns;
    terminal.has_click = true;
    return TUI_KEY_MOUSE;
}

uint32_t tui_terminal_key(bool *is_gone)
{
    wint_t key = 0;
    errno = 0;
    const int status = ncurses.wget_wch(*ncurses.stdscr, &key);
    *is_gone = status == ERR && (errno == EIO || errno == ENXIO || errno == EBADF);
    if (status == ERR)
        return TUI_NO_KEY;
    if (status == KEY_CODE_YES && key == KEY_MOUSE)
        return mouse_key();
    return status == KEY_CODE_YES ? key_of(key) : key_of_character(key);
}

bool tui_terminal_mouse(struct tui_mouse *mouse)
{
    *mouse = terminal.click;
    return terminal.has_click;
}

void tui_terminal_copy(struct ds_text text)
{
    struct ds_buffer out = {0};
    ds_buffer_add_text(&out, "\033]52;c;");
    ds_buffer_add_base64(&out, text.data, text.len < COPY_LEN ? text.len : COPY_LEN);
    ds_buffer_add_text(&out, "\a");
    if (!out.failed) {
        fwrite(out.data, 1, out.len, terminal.out);
        fflush(terminal.out);
    }
    ds_buffer_free(&out);
}

void tui_terminal_suspend(void)
{
    suspend_wanted = 1;
}

bool tui_terminal_try_suspend(void)
{
    const bool is_asked = suspend_wanted;
    if (is_asked) {
        suspend_wanted = 0;
        ncurses.endwin();
        raise(SIGSTOP); /* SIGTSTP is handled here; SIGSTOP stops the whole program */
    }
    const bool was = is_asked || was_continued;
    was_continued = 0;
    if (was) {
        ncurses.reset_prog_mode();
        ncurses.curs_set(0);
    }
    return was;
}

#else

bool tui_terminal_is_built(void)
{
    return false;
}

bool tui_terminal_open(void)
{
    return false;
}

void tui_terminal_discard(void)
{
}

void tui_terminal_close(void)
{
}

int tui_terminal_fd(void)
{
    return -1;
}

bool tui_terminal_has_ascii(void)
{
    return true;
}

bool tui_terminal_size(unsigned *rows, unsigned *columns)
{
    *rows = *columns = 0;
    return false;
}

void tui_terminal_show(const struct cells *cells, bool all)
{
    (void)cells;
    (void)all;
}

uint32_t tui_terminal_key(bool *is_gone)
{
    *is_gone = true;
    return TUI_NO_KEY;
}

bool tui_terminal_mouse(struct tui_mouse *mouse)
{
    *mouse = (struct tui_mouse){0};
    return false;
}

void tui_terminal_copy(struct ds_text text)
{
    (void)text;
}

void tui_terminal_suspend(void)
{
}

bool tui_terminal_try_suspend(void)
{
    return false;
}

#endif
