/*
 * screen.c - see screen.h.
 */
#include "core/screen.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* wanted_columns returns the value of COLUMNS, 0 if it is not a width. */
static unsigned wanted_columns(void)
{
    enum { MOST = 9999 };
    const char *text = getenv("COLUMNS");
    char *end;
    const long columns = text != NULL ? strtol(text, &end, 10) : 0;
    return columns > 0 && columns <= MOST && *end == '\0' ? (unsigned)columns : 0;
}

bool screen_find(int fd, struct screen *out)
{
    struct winsize size;
    if (!isatty(fd) || ioctl(fd, TIOCGWINSZ, &size) != 0)
        return false;
    const unsigned wanted = wanted_columns();
    *out = (struct screen){size.ws_row != 0 ? size.ws_row : 24,
                           wanted != 0        ? wanted
                           : size.ws_col != 0 ? size.ws_col
                                              : 80};
    return true;
}

unsigned screen_width(int fd)
{
    enum { LEAST = 20 };
    struct screen screen;
    if (!screen_find(fd, &screen))
        return 0;
    return screen.columns > LEAST ? screen.columns : LEAST;
}
