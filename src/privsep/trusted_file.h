/*
 * trusted_file.h - whether only root and the user of sudo can have written a file, or replaced it: root
 * follows only the instructions in such files.
 *
 * That is true if the file belongs to one of them and others may not write it, and each folder above it
 * belongs to one of them and lets no one else create entries in it, or is like /tmp: its sticky bit
 * prevents others from removing entries that they do not own.
 */
#ifndef SRC_TRUSTED_FILE_H
#define SRC_TRUSTED_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* trusted_file_check checks an open file, and the name by which it was opened. Users other than root
 * trust every file that they name. Pipes have no folders. Returns false after an error message that
 * says what to do. */
bool trusted_file_check(const char *name, FILE *file);

#endif
