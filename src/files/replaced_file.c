/*
 * replaced_file.c - see replaced_file.h.
 */
#include "files/replaced_file.h"

#include "core/complain.h"
#include "privsep/file_helper.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static bool write_all(int fd, const struct ds_buffer *text)
{
    size_t done = 0;
    while (done < text->len) {
        const ssize_t len = write(fd, text->data + done, text->len - done);
        if (len < 0 && errno == EINTR)
            continue;
        if (len <= 0)
            return false;
        done += (size_t)len;
    }
    return true;
}

bool replaced_file_put(const char *fresh, enum open_use how, const struct ds_buffer *text)
{
    struct open_trouble trouble = {0};
    if (file_helper_exists(fresh))
        file_helper_remove(fresh); /* left by a run that failed */
    const int fd = file_helper_open(fresh, how, &trouble);
    if (fd < 0) {
        errno = trouble.error;
        return false;
    }
    bool ok = write_all(fd, text);
    int error = errno;
    if (close(fd) != 0 && ok) {
        error = errno;
        ok = false;
    }
    if (ok && file_helper_replace(fresh))
        return true;
    error = ok ? errno : error;
    file_helper_remove(fresh);
    errno = error;
    return false;
}

bool replaced_file_open(const char *name, FILE **file)
{
    *file = file_helper_fopen(name);
    if (*file != NULL || errno == ENOENT)
        return true;
    complain("%s: %s", name, strerror(errno));
    return false;
}
