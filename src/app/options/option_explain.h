/*
 * option_explain.h - the commands that reports and --explain end with.
 */
#ifndef SRC_OPTION_EXPLAIN_H
#define SRC_OPTION_EXPLAIN_H

#include "app/options/options.h"

/* option_explain_commands has the reports know which options read the same packets again, if these
 * are in files. Without memory they know none. */
void option_explain_commands(struct options *options);

/* option_explain_commands_of makes these options: those that read file, NULL: the files of this run.
 * *command has a blank behind each, *behind is what stands behind all options. To be freed; NULL
 * without memory, or where the name of the file cannot be typed. */
void option_explain_commands_of(const struct options *options, const char *file, char **command,
                                char **behind);

#endif
