/*
 * option_files.h - capture files that stand where the BPF expression begins, and names of outputs that
 * are made of the name of the capture.
 */
#ifndef SRC_OPTION_FILES_H
#define SRC_OPTION_FILES_H

#include "app/options/option_line.h"

/* option_files_is_capture says whether a file that can be read begins as a capture file does. */
bool option_files_is_capture(const char *name);

/* option_files_count returns how many of the words, which end with NULL, are capture files before the
 * expression begins. A word that begins a valid expression is none. */
size_t option_files_count(char **words);

/* option_files_is_expression says whether the word alone is a BPF expression. It looks up names of hosts,
 * but not what is named like a capture file. */
bool option_files_is_expression(const char *word);

/* option_files_base returns the name of the first capture file without folders and endings, as memory
 * to be freed; "distsniff" for a live capture, standard input and NATS. NULL when memory ran out. */
char *option_files_base(const struct options *options);

/* option_files_name gives the page of --html its name, and names the modules of -T eunit and exunit whose
 * name was left open, with the recording that they test where -T erlmod is not given. False after a
 * complaint. */
bool option_files_name(struct options *options);

#endif
