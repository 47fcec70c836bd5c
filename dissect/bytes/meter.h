/*
 * meter.h - how much memory is held for later, against its cap. One meter a session:
 * reassembly buffers, unfinished frames, fragments, atoms and inflated terms count here.
 */
#ifndef DISSECT_METER_H
#define DISSECT_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct meter {
    uint64_t used; /* bytes */
    uint64_t max;
    uint64_t hits; /* times something was refused */
    const struct meter *beside; /* what is used there counts too; NULL: nothing does */
};

/* meter_fits says whether meter_take would reserve len bytes. */
static inline bool meter_fits(const struct meter *m, uint64_t len)
{
    const uint64_t used = m->used + (m->beside != NULL ? m->beside->used : 0);
    return len <= m->max && used <= m->max - len;
}

/* meter_take reserves len bytes; false, and counted, when that would pass the cap. */
__attribute__((warn_unused_result)) static inline bool meter_take(struct meter *m, uint64_t len)
{
    if (!meter_fits(m, len)) {
        m->hits++;
        return false;
    }
    m->used += len;
    return true;
}

static inline void meter_give(struct meter *m, uint64_t len)
{
    m->used -= len;
}

#endif
