/*
 * sandbox_preload.h - files that libraries read when they are first used, read before nothing can be
 * opened any more.
 */
#ifndef SRC_SANDBOX_PRELOAD_H
#define SRC_SANDBOX_PRELOAD_H

#include <stdbool.h>

/* sandbox_preload has the time zone read, what malloc wants to know, and the configuration of
 * libcrypto where
 * with_crypto is set; else it does without. */
void sandbox_preload(bool with_crypto);

/* sandbox_preload_names has the libraries loaded by which names of hosts are looked up
 * (nsswitch.conf), for a
 * process that may not load any later. Nobody is asked over the network. */
void sandbox_preload_names(void);

#endif
