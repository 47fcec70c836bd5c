/*
 * rotation.h - when the next capture file begins, and its name: -C, -G and -W as in tcpdump(8).
 */
#ifndef SRC_ROTATION_H
#define SRC_ROTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ROTATION_NAME_LEN = 4096 }; /* PATH_MAX */

/* rotation_rules is the values of the options. 0: not given. */
struct rotation_rules {
    uint64_t size;    /* -C, bytes */
    uint64_t seconds; /* -G */
    uint64_t files;   /* -W */
};

/* rotation is the state of a run. Zero-initialise it. */
struct rotation {
    struct rotation_rules rules;
    int64_t begin;      /* -G: start of the current period, seconds since 1970 */
    int64_t named;      /* -G: the time in its name */
    uint64_t num_begun; /* -G: how often named has changed */
    uint64_t times;     /* -G: how often the name has been used; 0 and 1: it needs no "-2" */
    uint64_t count;     /* -C: number of the current file */
};

enum rotation_step {
    ROTATION_STAY,
    ROTATION_NEXT, /* the next packet goes into the next file */
    ROTATION_END,  /* -W with -G: no more files */
};

/* rotation_is_on says whether there can be more than one file. */
static inline bool rotation_is_on(const struct rotation_rules *rules)
{
    return rules->size != 0 || rules->seconds != 0;
}

/* rotation_begin begins the first file. now: seconds since 1970. */
void rotation_begin(struct rotation *rotation, int64_t now);

/* rotation_step says what must happen before the next packet is written. now: seconds since 1970.
 * file_size: bytes of the current file so far. */
enum rotation_step rotation_step(struct rotation *rotation, int64_t now, uint64_t file_size);

/* rotation_base writes the name without the numbers that rotation_name adds. Returns false as
 * rotation_name does. */
bool rotation_base(const struct rotation *rotation, const char *pattern, char *out, size_t size);

/* rotation_name writes the name of the current file, made from the argument of -w. Returns false if it
 * does not fit into size bytes, or is empty. */
bool rotation_name(const struct rotation *rotation, const char *pattern, char *out, size_t size);

#endif
