/*
 * function_file.c - see function_file.h. Linux has fopencookie, with any libc; the BSDs and macOS have
 * funopen, whose lengths are of type int.
 */
#include "files/function_file.h"

#if defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__) ||       \
    defined(__DragonFly__)

#include <stdlib.h>

struct both {
    void *context;
    ssize_t (*read)(void *context, char *bytes, size_t len);
    ssize_t (*write)(void *context, const char *bytes, size_t len);
};

static int read_some(void *cookie, char *bytes, int len)
{
    const struct both *file = cookie;
    return (int)file->read(file->context, bytes, (size_t)len);
}

static int write_some(void *cookie, const char *bytes, int len)
{
    const struct both *file = cookie;
    const ssize_t n = file->write(file->context, bytes, (size_t)len);
    return n > 0 || len == 0 ? (int)n : -1;
}

static int forget(void *cookie)
{
    free(cookie);
    return 0;
}

static FILE *open_file(struct both file)
{
    struct both *cookie = malloc(sizeof *cookie);
    if (cookie == NULL)
        return NULL;
    *cookie = file;
    FILE *made = funopen(cookie, file.read != NULL ? read_some : NULL,
                         file.write != NULL ? write_some : NULL, NULL, forget);
    if (made == NULL)
        free(cookie);
    return made;
}

FILE *function_file_read(void *context, ssize_t (*read)(void *context, char *bytes, size_t len))
{
    return open_file((struct both){.context = context, .read = read});
}

FILE *function_file_write(void *context, ssize_t (*write)(void *context, const char *bytes, size_t len))
{
    return open_file((struct both){.context = context, .write = write});
}

#else

FILE *function_file_read(void *context, ssize_t (*read)(void *context, char *bytes, size_t len))
{
    return fopencookie(context, "rb", (cookie_io_functions_t){.read = read});
}

FILE *function_file_write(void *context, ssize_t (*write)(void *context, const char *bytes, size_t len))
{
    return fopencookie(context, "wb", (cookie_io_functions_t){.write = write});
}

#endif
