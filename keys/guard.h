/*
 * guard.h - a process that removes the events however this one ends.
 */
#ifndef KEYS_GUARD_H
#define KEYS_GUARD_H

#include <stdbool.h>

/* guard_start starts it, before the events are defined; it removes num events of the group when this
 * process has ended or has called guard_end. Returns what guard_end wants; -1 after an error message. */
int guard_start(const char *group, unsigned num);

/* guard_end waits until the events are removed. False after an error message. */
bool guard_end(int guard, const char *group, unsigned num);

#endif
