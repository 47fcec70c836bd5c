/*
 * small_file.h - files with credentials and certificates, which are read completely.
 */
#ifndef SRC_SMALL_FILE_H
#define SRC_SMALL_FILE_H

#include <stdbool.h>

/* small_file_read returns the contents of a file as a text, which the caller frees; NULL after an error
 * message. A secret file is refused if others than its owner and group may read it. */
char *small_file_read(const char *name, bool is_secret);

#endif
