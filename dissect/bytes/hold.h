/*
 * hold.h - bytes of one direction kept until the rest of a message comes. What is held
 * counts at the session's meter.
 */
#ifndef DISSECT_HOLD_H
#define DISSECT_HOLD_H

#include "conn.h"

struct hold {
    uint8_t *bytes;
    size_t len; /* bytes in use */
    size_t cap; /* bytes allocated and charged */
};

/* hold_add appends data; false, and counted, when memory or its cap ran out: then nothing
 * was added. */
__attribute__((warn_unused_result)) bool hold_add(struct hold *hold, struct env *env,
                                                  struct cursor data);

/* hold_drop removes the first len bytes. */
void hold_drop(struct hold *hold, size_t len);

/* hold_free gives all back. */
void hold_free(struct hold *hold, struct env *env);

static inline struct cursor hold_cursor(const struct hold *hold)
{
    return cursor_make(hold->bytes, hold->len);
}

#endif
