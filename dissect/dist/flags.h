/*
 * flags.h - capability flags of the handshake.
 */
#ifndef DISSECT_FLAGS_H
#define DISSECT_FLAGS_H

#include "util/arena.h"

#include <stdint.h>

enum flag_bit {
#define FLAG(bit, id, since) FLAG_BIT_##id = bit,
#include "dist/flags.def"
#undef FLAG
};

#define FLAG_MASK(id) ((uint64_t)1 << FLAG_BIT_##id)

/* flags_missing returns the flags that OTP release requires of every peer and that are not set.
 * MANDATORY_25_DIGEST implies all those of OTP 25. */
uint64_t flags_missing(uint64_t flags, unsigned release);

/* flags_print returns the names of flags, separated by commas, in arena memory; NULL if memory ran
 * out. */
const char *flags_print(uint64_t flags, struct arena *arena);

#endif
