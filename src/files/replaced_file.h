/*
 * replaced_file.h - a file that is replaced as a whole: whoever reads it has the old one or the new
 * one, and never half of one.
 */
#ifndef SRC_REPLACED_FILE_H
#define SRC_REPLACED_FILE_H

#include "privsep/safe_open.h"

#include <distsniff/term.h>

#include <stdio.h>

/* replaced_file_put writes all of a text to a new file, whose name is that of the old one and .new;
 * it then takes the place of the old one. how: OPEN_NEW, or OPEN_NEW_SHARED for others to read.
 * False, and errno is set, when it could not; the old one is still there then. */
bool replaced_file_put(const char *fresh, enum open_how how, const struct ds_buffer *text);

/* replaced_file_open opens the file that was put last, for reading. *file is NULL if there is none yet.
 * False after a complaint. */
bool replaced_file_open(const char *name, FILE **file);

#endif
