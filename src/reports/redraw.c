/*
 * redraw.c - see redraw.h.
 */
#include "redraw.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool screen_find(int fd, struct screen *out)
{
    struct winsize size;
    if (!isatty(fd) || ioctl(fd, TIOCGWINSZ, &size) != 0)
        return false;
    *out =
        (struct screen){size.ws_row != 0 ? size.ws_row : 24, size.ws_col != 0 ? size.ws_col : 80};
    return true;
}

/* cut returns how many bytes of a line are its first characters, one column each. */
static size_t cut(const char *line, size_t len, unsigned columns)
{
    size_t at = 0;
    for (unsigned i = 0; i < columns && at < len; i++) {
        at++;
        while (at < len && ((unsigned char)line[at] & 0xc0) == 0x80)
            at++;
    }
    return at;
}

void redraw_text(const struct screen *screen, struct ds_text text, struct ds_buffer *out)
{
    static const char clear[] = "\033[H\033[J"; /* to the first place, and all from there */
    size_t at = 0;
    ds_buffer_add_text(out, clear);
    /* The last row is where the cursor stands afterwards. */
    for (unsigned row = 1; row < screen->rows && at < text.len; row++) {
        const char *line = text.data + at;
        const char *end = memchr(line, '\n', text.len - at);
        const size_t len = end != NULL ? (size_t)(end - line) : text.len - at;
        ds_buffer_add(out, line, cut(line, len, screen->columns));
        ds_buffer_add_text(out, "\n");
        at += len + 1;
    }
}
