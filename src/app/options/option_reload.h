/*
 * option_reload.h - the options as --config says them now, while the program runs; option_reload.def
 * has what of them can change.
 */
#ifndef SRC_OPTION_RELOAD_H
#define SRC_OPTION_RELOAD_H

#include "app/options/options.h"

/* option_reload reads the options again. False after a complaint: something is wrong with them. What
 * has changed but cannot, is named in one line. options_free is needed in both cases. */
bool option_reload(struct options *options, const struct options *running);

#endif
