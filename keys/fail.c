/*
 * fail.c - see fail.h.
 */
#include "fail.h"

#include <stdarg.h>
#include <stdio.h>

void fail_say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("distsniff-keys: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}
