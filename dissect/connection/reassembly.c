/*
 * reassembly.c - bytes of one direction kept until the rest of a message comes.
 */
#include "reassembly.h"

#include <stdlib.h>

enum { HOLD_MIN_LEN = 256 };

bool reassembly_add(struct reassembly *reassembly, struct env *env, struct cursor data)
{
    size_t len = cursor_left(&data);
    if (len == 0)
        return true;
    if (len > reassembly->cap - reassembly->len) {
        size_t need = reassembly->len + len;
        size_t cap = need > 2 * reassembly->cap ? need : 2 * reassembly->cap;
        if (cap < HOLD_MIN_LEN)
            cap = HOLD_MIN_LEN;
        if (!meter_take(&env->meter, cap - reassembly->cap))
            return false;
        uint8_t *bytes = realloc(reassembly->bytes, cap);
        if (bytes == NULL) {
            meter_give(&env->meter, cap - reassembly->cap);
            env->stats.no_memory++;
            return false;
        }
        reassembly->bytes = bytes;
        reassembly->cap = cap;
    }
    size_t old_len = reassembly->len;
    reassembly->len += len;
    return cursor_read_bytes(&data, &reassembly->bytes[old_len], len);
}

void reassembly_drop(struct reassembly *reassembly, size_t len)
{
    if (len > reassembly->len)
        len = reassembly->len;
    reassembly->len -= len;
    if (len != 0 && reassembly->len != 0)
        memmove(reassembly->bytes, &reassembly->bytes[len], reassembly->len);
}

void reassembly_free(struct reassembly *reassembly, struct env *env)
{
    meter_give(&env->meter, reassembly->cap);
    free(reassembly->bytes);
    *reassembly = (struct reassembly){0};
}
