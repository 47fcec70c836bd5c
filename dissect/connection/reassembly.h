/*
 * reassembly.h - bytes of one direction kept until the rest of a message comes. What is held
 * counts at the session's meter.
 */
#ifndef DISSECT_REASSEMBLY_H
#define DISSECT_REASSEMBLY_H

#include "conn.h"

struct reassembly {
    uint8_t *bytes;
    size_t len; /* bytes in use */
    size_t cap; /* bytes allocated and charged */
};

/* reassembly_add appends data; false, and counted, when memory or its cap ran out: then nothing
 * was added. */
__attribute__((warn_unused_result)) bool reassembly_add(struct reassembly *reassembly,
                                                        struct env *env, struct cursor data);

/* reassembly_drop removes the first len bytes. */
void reassembly_drop(struct reassembly *reassembly, size_t len);

/* reassembly_free gives all back. */
void reassembly_free(struct reassembly *reassembly, struct env *env);

static inline struct cursor reassembly_cursor(const struct reassembly *reassembly)
{
    return cursor_make(reassembly->bytes, reassembly->len);
}

#endif
