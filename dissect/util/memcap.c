/*
 * memcap.c - see memcap.h.
 */
#include "util/memcap.h"

#include <stdlib.h>

void *memcap_calloc(struct memcap *m, size_t len)
{
    if (!memcap_reserve(m, len))
        return NULL;
    void *bytes = calloc(1, len);
    if (bytes == NULL)
        memcap_release(m, len);
    return bytes;
}

void memcap_free(struct memcap *m, void *bytes, size_t len)
{
    if (bytes != NULL)
        memcap_release(m, len);
    free(bytes);
}
