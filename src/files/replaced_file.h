/*
 * replaced_file.h - a file that is replaced as a whole: readers get either the old one or the new one,
 * never a mixture.
 */
#ifndef SRC_REPLACED_FILE_H
#define SRC_REPLACED_FILE_H

#include "privsep/safe_open.h"

#include <distsniff/term.h>

#include <stdio.h>

/* replaced_file_put writes a text to a new file, whose name is that of the old one with .new, and then
 * renames it to the old name. how: OPEN_NEW, or OPEN_NEW_SHARED so that others can read it. On failure
 * it returns false and sets errno; the old file still exists then. */
bool replaced_file_put(const char *fresh, enum open_use how, const struct ds_buffer *text);

/* replaced_file_open opens the file that was put last, for reading. *file is NULL if there is none yet.
 * Returns false after an error message. */
bool replaced_file_open(const char *name, FILE **file);

#endif
