/*
 * unnamed_file.h - a temporary file without a name: it disappears when it is closed, or the process
 * ends.
 */
#ifndef SRC_UNNAMED_FILE_H
#define SRC_UNNAMED_FILE_H

/* unnamed_file_open creates one in a folder, for reading and writing. On failure it returns -1 and sets
 * errno. */
int unnamed_file_open(const char *folder);

#endif
