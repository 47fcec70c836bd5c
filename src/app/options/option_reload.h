/*
 * option_reload.h - reads --config again while the program runs; option_reload.def lists what can
 * change.
 */
#ifndef SRC_OPTION_RELOAD_H
#define SRC_OPTION_RELOAD_H

#include "app/options/options.h"

/* option_reload reads the options again. False after a complaint: they are invalid. It names
 * options that have changed but cannot take effect, in one line. Call options_free in both cases. */
bool option_reload(struct options *options, const struct options *running);

#endif
