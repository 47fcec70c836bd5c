/*
 * learned_file.h - --learned: what was learned about the atoms of nodes, and about the contexts in
 * which atoms are used, from run to run. Only its owner may read the file. It is replaced as a
 * whole.
 */
#ifndef SRC_LEARNED_FILE_H
#define SRC_LEARNED_FILE_H

#include <distsniff/dissect.h>

/* The format that is written; formats from LEARNED_OLDEST on can be read. */
enum { LEARNED_OLDEST = 1, LEARNED_FORMAT = 2 };

/* learned_file_read adds the contents of the file; one that does not exist is empty. False after a
 * complaint. */
bool learned_file_read(const char *name, struct ds_atom_memory *memory);

/* learned_file_write replaces the file by the contents of memory. False after a complaint. */
bool learned_file_write(const char *name, const struct ds_atom_memory *memory);

#endif
