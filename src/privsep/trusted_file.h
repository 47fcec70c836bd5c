/*
 * trusted_file.h - whether nobody but root and the user of sudo can have written a file, or put another
 * in its place: what root takes orders from.
 *
 * That is so where the file belongs to one of them and others may not write it, and each folder above
 * it does, too, and lets nobody else put entries into it, or is one like /tmp: its sticky bit keeps
 * others from taking away what is not theirs.
 */
#ifndef SRC_TRUSTED_FILE_H
#define SRC_TRUSTED_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* trusted_file_check is about a file that is open, and the name it was opened by. Users other than root
 * trust what they name. Pipes have no folders. False after a complaint that says what to do. */
bool trusted_file_check(const char *name, FILE *file);

#endif
