/*
 * warm_up.h - files that libraries read when they are first used, read before nothing can be
 * opened any more.
 */
#ifndef SRC_WARM_UP_H
#define SRC_WARM_UP_H

#include <stdbool.h>

/* warm_up has the time zone read, what malloc wants to know, and the configuration of libcrypto where
 * with_crypto is set; else it does without. */
void warm_up(bool with_crypto);

/* warm_up_names has the libraries loaded by which names of hosts are looked up (nsswitch.conf), for a
 * process that may not load any later. Nobody is asked over the network. */
void warm_up_names(void);

#endif
