/*
 * probe.h - the events of the kernel at the function: their definitions, which other tracers see, and
 * what reads them.
 */
#ifndef KEYS_PROBE_H
#define KEYS_PROBE_H

#include "target.h"

/* probe_call is one call of the function. */
struct probe_call {
    bool has_key; /* and a nonce */
    bool encrypts;
    int nid; /* of its cipher, as libcrypto numbers it */
    uint8_t key[32], iv[12];
};

/* probe_define defines an event for each target, and probe_remove removes it; group is the name of all,
 * one for each run. False after an error message. */
bool probe_define(const char *group, const struct targets *targets);
bool probe_remove(const char *group, unsigned num);

/* probe_is_there says whether the kernel has such events; false after an error message. */
bool probe_is_there(void);

struct probe;

/* probe_new prepares for that many targets. NULL after an error message. */
struct probe *probe_new(const char *group, unsigned num_targets);

/* probe_follow begins to report the calls of all threads of a process that are not followed yet: only
 * this process is touched. Returns how many threads it has; 0: it is gone. -1 after an error message. */
int probe_follow(struct probe *probe, pid_t pid);

/* probe_fn gets a call of a process. */
typedef void (*probe_fn)(void *context, pid_t pid, const struct probe_call *call);

/* probe_read waits up to that time, and gives the calls since the last time. Some are lost if there
 * are many. False if memory ran out. */
bool probe_read(struct probe *probe, int timeout_ms, probe_fn give, void *context);

/* probe_free ends all: no process is touched any more. */
void probe_free(struct probe *probe);

#endif
