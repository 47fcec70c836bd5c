/*
 * target.h - the files of a process in which the function is.
 */
#ifndef KEYS_TARGET_H
#define KEYS_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { MAX_TARGETS = 64 };

/* target is a file with the function. path opens the file itself as long as the process has it mapped,
 * also one that was replaced or is in a container. */
struct target {
    dev_t device;
    ino_t inode;
    uint64_t offset;
    char path[128];
};

struct targets {
    struct target items[MAX_TARGETS];
    unsigned num;
};

/* targets_add adds the files of a process, each once. False after an error message. */
bool targets_add(struct targets *targets, pid_t pid);

#endif
