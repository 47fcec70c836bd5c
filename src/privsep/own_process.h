/*
 * own_process.h - what a process drops for itself, whichever user runs it.
 */
#ifndef SRC_OWN_PROCESS_H
#define SRC_OWN_PROCESS_H

#include <stdbool.h>

/* own_process_hide keeps its memory out of core dumps, and protects it from other processes of the user
 * if the system can: there are secrets in it. On failure it returns false and sets errno. */
bool own_process_hide(void);

/* own_process_gain_nothing prevents programs that are run from now on from gaining privileges, for
 * example from a set-user-ID file. On systems without such a call it does nothing. On failure it
 * returns false and sets errno. */
bool own_process_gain_nothing(void);

#endif
