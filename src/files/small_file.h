/*
 * small_file.h - files with credentials and certificates, read at once.
 */
#ifndef SRC_SMALL_FILE_H
#define SRC_SMALL_FILE_H

#include <stdbool.h>

/* small_file_read returns all of a file as a text, to be freed; NULL after a complaint. One that is secret
 * is refused where others than its owner and group may read it. */
char *small_file_read(const char *name, bool is_secret);

#endif
