/*
 * option_files.h - capture files in place of the BPF expression, and names of outputs that are
 * derived from the name of the capture.
 */
#ifndef SRC_OPTION_FILES_H
#define SRC_OPTION_FILES_H

#include "app/options/option_line.h"

/* option_files_is_capture says whether a file is readable and begins like a capture file. */
bool option_files_is_capture(const char *name);

/* option_files_count returns how many of the words, terminated by NULL, are capture files before
 * the expression begins. A word that begins a valid expression is not one. */
size_t option_files_count(char **words);

/* option_files_is_expression says whether a single word is a BPF expression. It may look up names
 * of hosts, but never treats a word that is named like a capture file as an expression. */
bool option_files_is_expression(const char *word);

/* option_files_base returns the name of the first capture file without folders and endings, which
 * the caller frees; "distsniff" for a live capture, standard input and NATS. NULL if memory ran
 * out. */
char *option_files_base(const struct options *options);

/* option_files_name chooses the name of the --html page, and the module names for -T eunit and
 * exunit that were left open, with the recording they test if -T erlmod is not given. False after a
 * complaint. */
bool option_files_name(struct options *options);

#endif
