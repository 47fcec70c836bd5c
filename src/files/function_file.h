/*
 * function_file.h - a FILE whose bytes come from a function, or go to one: for libpcap, which reads and
 * writes such.
 */
#ifndef SRC_FUNCTION_FILE_H
#define SRC_FUNCTION_FILE_H

#include <stdio.h>
#include <sys/types.h>

/* function_file_read makes one to read. read returns how many bytes it gave, 0 at the end, -1 where it
 * cannot. NULL when memory ran out. */
FILE *function_file_read(void *context, ssize_t (*read)(void *context, char *bytes, size_t len));

/* function_file_write makes one to write. write returns len, or 0 where it cannot: that errno is set then
 * is up to it. NULL when memory ran out. */
FILE *function_file_write(void *context,
                          ssize_t (*write)(void *context, const char *bytes, size_t len));

#endif
