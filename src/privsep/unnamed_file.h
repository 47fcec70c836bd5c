/*
 * unnamed_file.h - a file for a while that has no name: it goes when it is closed, or the process ends.
 */
#ifndef SRC_UNNAMED_FILE_H
#define SRC_UNNAMED_FILE_H

/* unnamed_file_open makes one that is read and written, in a folder. -1 and errno where it cannot be. */
int unnamed_file_open(const char *folder);

#endif
