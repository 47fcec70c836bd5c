/*
 * option_explain.h - the commands at the end of reports and --explain.
 */
#ifndef SRC_OPTION_EXPLAIN_H
#define SRC_OPTION_EXPLAIN_H

#include "app/options/options.h"

/* option_explain_commands gives the reports the options that read the same packets again, if these
 * are in files. If memory runs out, they get none. */
void option_explain_commands(struct options *options);

/* option_explain_quote appends a word, quoted for a shell. */
void option_explain_quote(struct ds_buffer *out, const char *word);

/* option_explain_input appends an option that names an input, and a blank; it ignores all other options. */
void option_explain_input(const struct option_given *given, struct ds_buffer *out);

/* option_explain_commands_of makes the options that read file (NULL: the files of this run).
 * *command ends with a blank, *behind comes after all options. The caller frees both; NULL
 * if memory ran out, or if the name of the file cannot be typed. */
void option_explain_commands_of(const struct options *options, const char *file, char **command,
                                char **behind);

#endif
