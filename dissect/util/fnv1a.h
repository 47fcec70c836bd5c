/*
 * fnv1a.h - the hash FNV-1a of 32 bits (draft-eastlake-fnv). It has no secret and is the same in
 * each run: generated tables and files of --learned depend on it. Tables that peers can fill have a
 * cap, or use the secret hash of core/hash.h.
 */
#ifndef DISSECT_FNV1A_H
#define DISSECT_FNV1A_H

#include <distsniff/term.h>

#define FNV1A_BASIS UINT32_C(2166136261)

static inline uint32_t fnv1a_add(uint32_t hash, char byte)
{
    return (hash ^ (uint8_t)byte) * UINT32_C(16777619);
}

static inline uint32_t fnv1a(struct ds_text text)
{
    uint32_t hash = FNV1A_BASIS;
    for (size_t i = 0; i < text.len; i++)
        hash = fnv1a_add(hash, text.data[i]);
    return hash;
}

/* fnv1a_string hashes a C string. */
static inline uint32_t fnv1a_string(const char *string)
{
    uint32_t hash = FNV1A_BASIS;
    for (; *string != '\0'; string++)
        hash = fnv1a_add(hash, *string);
    return hash;
}

#endif
