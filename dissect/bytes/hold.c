/*
 * hold.c - bytes of one direction kept until the rest of a message comes.
 */
#include "hold.h"

#include <stdlib.h>

enum { HOLD_MIN_LEN = 256 };

bool hold_add(struct hold *hold, struct env *env, struct cursor data)
{
    size_t len = cursor_left(&data);
    if (len == 0)
        return true;
    if (len > hold->cap - hold->len) {
        size_t need = hold->len + len;
        size_t cap = need > 2 * hold->cap ? need : 2 * hold->cap;
        if (cap < HOLD_MIN_LEN)
            cap = HOLD_MIN_LEN;
        if (!meter_take(&env->meter, cap - hold->cap))
            return false;
        uint8_t *bytes = realloc(hold->bytes, cap);
        if (bytes == NULL) {
            meter_give(&env->meter, cap - hold->cap);
            env->stats.no_memory++;
            return false;
        }
        hold->bytes = bytes;
        hold->cap = cap;
    }
    size_t old_len = hold->len;
    hold->len += len;
    return cursor_read_bytes(&data, &hold->bytes[old_len], len);
}

void hold_drop(struct hold *hold, size_t len)
{
    if (len > hold->len)
        len = hold->len;
    hold->len -= len;
    if (hold->len != 0)
        memmove(hold->bytes, &hold->bytes[len], hold->len);
}

void hold_free(struct hold *hold, struct env *env)
{
    meter_give(&env->meter, hold->cap);
    free(hold->bytes);
    *hold = (struct hold){0};
}
