/*
 * option_explain.h - the commands that reports and --explain end with.
 */
#ifndef SRC_OPTION_EXPLAIN_H
#define SRC_OPTION_EXPLAIN_H

#include "app/options/options.h"

/* option_explain_commands has the reports know which options read the same packets again, if these are in
 * files. Without memory they know none. */
void option_explain_commands(struct options *options);

#endif
