/*
 * memcap.h - counts the memory kept for later, and limits it. Each session has one: reassembly
 * buffers, unfinished frames, fragments, atoms and inflated terms count here.
 */
#ifndef DISSECT_MEMCAP_H
#define DISSECT_MEMCAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memcap {
    uint64_t used; /* bytes */
    uint64_t max;
    uint64_t hits; /* how often a request was refused */
    const struct memcap *beside; /* its used bytes count too; NULL: none */
};

/* memcap_fits says whether memcap_reserve would reserve len bytes. */
static inline bool memcap_fits(const struct memcap *m, uint64_t len)
{
    const uint64_t used = m->used + (m->beside != NULL ? m->beside->used : 0);
    return len <= m->max && used <= m->max - len;
}

/* memcap_reserve reserves len bytes; false, counted, if that would exceed the cap. */
__attribute__((warn_unused_result)) static inline bool memcap_reserve(struct memcap *m, uint64_t len)
{
    if (!memcap_fits(m, len)) {
        m->hits++;
        return false;
    }
    m->used += len;
    return true;
}

static inline void memcap_release(struct memcap *m, uint64_t len)
{
    m->used -= len;
}

/* memcap_calloc reserves len bytes and allocates them, zeroed; NULL if the cap or memory ran out.
 * memcap_free releases such bytes; bytes may be NULL. */
void *memcap_calloc(struct memcap *m, size_t len);
void memcap_free(struct memcap *m, void *bytes, size_t len);

#endif
