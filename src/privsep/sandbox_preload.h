/*
 * sandbox_preload.h - reads the files that libraries read at their first use, before the process can
 * open no more files.
 */
#ifndef SRC_SANDBOX_PRELOAD_H
#define SRC_SANDBOX_PRELOAD_H

#include <stdbool.h>

/* sandbox_preload reads the time zone, the settings for malloc, and, if with_crypto is true, the
 * configuration of libcrypto; otherwise libcrypto does without it. */
void sandbox_preload(bool with_crypto);

/* sandbox_preload_names loads the libraries for the resolution of host names (nsswitch.conf), for a
 * process that cannot load any later. It sends nothing over the network. */
void sandbox_preload_names(void);

#endif
