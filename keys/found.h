/*
 * found.h - the keys that were found: each is written once.
 */
#ifndef KEYS_FOUND_H
#define KEYS_FOUND_H

#include "probe.h"

#include <stdio.h>

struct found;

/* found_new returns NULL if memory ran out. Lines are written to out. */
struct found *found_new(FILE *out);
void found_free(struct found *found);

/* found_on_call is a probe_fn; context is the struct found. */
void found_on_call(void *context, pid_t pid, const struct probe_call *call);

/* found_num returns how many keys a process was seen to use, those that encrypt or decrypt.
 * found_num_written returns how many different ones were written, found_is_failed whether one could not
 * be. */
unsigned found_num(const struct found *found, pid_t pid, bool encrypts);
unsigned found_num_written(const struct found *found);
bool found_is_failed(const struct found *found);

#endif
