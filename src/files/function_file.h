/*
 * function_file.h - a FILE whose bytes are read or written by a function: libpcap needs a FILE.
 */
#ifndef SRC_FUNCTION_FILE_H
#define SRC_FUNCTION_FILE_H

#include <stdio.h>
#include <sys/types.h>

/* function_file_read makes one for reading. read returns the number of bytes, 0 at the end, -1 on
 * failure. NULL when memory ran out. */
FILE *function_file_read(void *context, ssize_t (*read)(void *context, char *bytes, size_t len));

/* function_file_write makes one for writing. write returns len, or 0 on failure; it sets errno itself.
 * NULL when memory ran out. */
FILE *function_file_write(void *context,
                          ssize_t (*write)(void *context, const char *bytes, size_t len));

#endif
