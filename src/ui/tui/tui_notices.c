/*
 * tui_notices.c - see tui_notices.h.
 */
#include "ui/tui/tui_notices.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_KEPT = 65536 };

bool tui_notices_begin(struct tui_notices *notices)
{
    int ends[2];
    *notices = (struct tui_notices){.from = -1, .saved = -1};
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return false;
    notices->from = ends[0];
    fflush(stderr);
    notices->saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const bool is_taken = notices->saved >= 0 && dup2(ends[1], STDERR_FILENO) >= 0;
    close(ends[1]);
    if (!is_taken)
        tui_notices_end(notices);
    return is_taken;
}

static void keep(struct tui_notices *notices, const char *bytes, size_t len)
{
    if (notices->kept.len + len > MOST_KEPT || notices->kept.failed)
        notices->is_cut = true;
    else
        ds_buffer_add(&notices->kept, bytes, len);
}

/* copy_last_line copies the last line of some bytes, without the program's name. */
static bool copy_last_line(const char *bytes, size_t len, char *line, size_t room)
{
    static const char name[] = "distsniff: ";
    while (len != 0 && bytes[len - 1] == '\n')
        len--;
    size_t begin = len;
    while (begin != 0 && bytes[begin - 1] != '\n')
        begin--;
    if (len - begin >= strlen(name) && memcmp(bytes + begin, name, strlen(name)) == 0)
        begin += strlen(name);
    snprintf(line, room, "%.*s", (int)(len - begin), bytes + begin);
    return len != begin;
}

bool tui_notices_read(struct tui_notices *notices, char *line, size_t len)
{
    char bytes[4096];
    bool has_come = false;
    ssize_t num;
    if (notices->from < 0)
        return false;
    while ((num = read(notices->from, bytes, sizeof bytes)) > 0) {
        keep(notices, bytes, (size_t)num);
        has_come |= copy_last_line(bytes, (size_t)num, line, len);
    }
    return has_come;
}

static void write_kept(const struct tui_notices *notices)
{
    if (notices->kept.len != 0 && !notices->kept.failed)
        fwrite(notices->kept.data, 1, notices->kept.len, stderr);
    if (notices->is_cut)
        fputs("distsniff: more was said, for which there was no room\n", stderr);
}

void tui_notices_end(struct tui_notices *notices)
{
    char line[2];
    if (notices->saved >= 0) {
        tui_notices_read(notices, line, sizeof line);
        dup2(notices->saved, STDERR_FILENO);
        close(notices->saved);
        write_kept(notices);
    }
    if (notices->from >= 0)
        close(notices->from);
    ds_buffer_free(&notices->kept);
    notices->from = notices->saved = -1;
}
