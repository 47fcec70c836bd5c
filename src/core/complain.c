/*
 * complain.c - see complain.h.
 */
#include "core/complain.h"

#include "core/printable.h"

#include <distsniff/term.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Thread_local const char *of_what;
static int nowhere = -1;

void complain_about(const char *what)
{
    of_what = what;
}

void complain(const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);

    struct ds_buffer out = {0};
    ds_buffer_add_text(&out, "distsniff: ");
    if (of_what != NULL) {
        printable_text((struct ds_text){of_what, strlen(of_what)}, &out);
        ds_buffer_add_text(&out, ": ");
    }
    printable_text((struct ds_text){line, strlen(line)}, &out);
    ds_buffer_add(&out, "\n", 1);
    if (out.failed)
        fputs("distsniff: out of memory\n", stderr);
    else
        fwrite(out.data, 1, out.len, stderr);
    ds_buffer_free(&out);
}

void complain_prepare(void)
{
    if (nowhere < 0)
        nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
}

void complain_no_more(void)
{
    complain_prepare();
    if (nowhere < 0 || dup2(nowhere, STDERR_FILENO) < 0)
        _exit(EXIT_FAILURE);
}
