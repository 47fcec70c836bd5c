/*
 * learned_file.h - --learned: what was learned of the atoms of nodes, and of the contexts in which atoms
 * stand, from run to run. The file is for its owner alone, and is replaced as a whole.
 */
#ifndef SRC_LEARNED_FILE_H
#define SRC_LEARNED_FILE_H

#include <distsniff/dissect.h>

/* The format that is written; older ones from LEARNED_OLDEST on are read. */
enum { LEARNED_OLDEST = 1, LEARNED_FORMAT = 2 };

/* learned_file_read adds what stands in the file; one that is not there yet is empty. False after a
 * complaint. */
bool learned_file_read(const char *name, struct ds_atom_memory *memory);

/* learned_file_write replaces the file by what memory has. False after a complaint. */
bool learned_file_write(const char *name, const struct ds_atom_memory *memory);

#endif
