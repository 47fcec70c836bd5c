/*
 * flags.c - capability flags of the handshake: their names, which of them a release requires, and
 * which releases send them.
 */
#include "dist/flags.h"

#include <distsniff/dissect.h>

#include <stdio.h>
#include <string.h>

static const struct flag {
    const char *name;
    unsigned since;
} flags_table[64] = {
#define FLAG(bit, id, since) [bit] = {#id, since},
#include "dist/flags.def"
#undef FLAG
};

#define FLAG(bit, id, since)                                                                       \
    _Static_assert((bit) < 64 && ((since) == 0 || ((since) >= 25 && (since) <= 26)), #id);
#include "dist/flags.def"
#undef FLAG

const char *ds_flag_name(unsigned bit)
{
    return bit < 64 ? flags_table[bit].name : NULL;
}

/* Flags that a release was the first to send. The newest flag found decides. A release after the
 * newest known here may look the same, so the last range is open. C and Java nodes never have the
 * atom cache of the distribution header, and set few flags that identify a release. */
#define BEAM FLAG_MASK(DIST_HDR_ATOM_CACHE)
static const struct release {
    uint64_t set, clear;
    const char *name, *hidden_name;
} releases[] = {
    {BEAM | FLAG_MASK(NATIVE_RECORDS), 0, "OTP 29 or later", "OTP 29 or later, hidden"},
    {BEAM | FLAG_MASK(ALTACT_SIG), 0, "OTP 28", "OTP 28, hidden"},
    {BEAM | FLAG_MASK(MANDATORY_25_DIGEST), 0, "OTP 25-27", "OTP 25-27, hidden"},
    {BEAM | FLAG_MASK(ALIAS), 0, "OTP 24", "OTP 24, hidden"},
    {BEAM | FLAG_MASK(SPAWN), 0, "OTP 23", "OTP 23, hidden"},
    {BEAM | FLAG_MASK(HANDSHAKE_23), 0, "OTP 23-24", "OTP 23-24, hidden"}, /* in an old send_name */
    {BEAM | FLAG_MASK(FRAGMENTS), FLAG_MASK(HANDSHAKE_23), "OTP 22", "OTP 22, hidden"},
    {BEAM | FLAG_MASK(BIG_SEQTRACE_LABELS), FLAG_MASK(HANDSHAKE_23), "OTP 21", "OTP 21, hidden"},
    {BEAM, FLAG_MASK(HANDSHAKE_23), "OTP 20 or earlier", "OTP 20 or earlier, hidden"},
    {FLAG_MASK(MANDATORY_25_DIGEST), BEAM, "C or Java node, OTP 25 or later",
     "C or Java node, OTP 25 or later"},
    {FLAG_MASK(HANDSHAKE_23), BEAM, "C or Java node, OTP 23-24", "C or Java node, OTP 23-24"},
    {FLAG_MASK(EXTENDED_REFERENCES), BEAM, "C or Java node, OTP 22 or earlier",
     "C or Java node, OTP 22 or earlier"},
};

const char *ds_flags_release(uint64_t flags)
{
    /* A node that asks for a dynamic name, and the node it asks, both leave PUBLISHED out. */
    bool hidden = (flags & (FLAG_MASK(PUBLISHED) | FLAG_MASK(NAME_ME))) == 0;
    for (size_t i = 0; i < sizeof releases / sizeof releases[0]; i++) {
        const struct release *r = &releases[i];
        if ((flags & r->set) == r->set && (flags & r->clear) == 0)
            return hidden ? r->hidden_name : r->name;
    }
    return NULL;
}

const char *ds_flags_release_at(size_t i)
{
    const struct release *r = &releases[i / 2];
    if (i / 2 >= sizeof releases / sizeof releases[0])
        return NULL;
    return i % 2 == 0 ? r->name : r->hidden_name;
}

uint64_t flags_missing(uint64_t flags, unsigned release)
{
    bool digest = (flags & FLAG_MASK(MANDATORY_25_DIGEST)) != 0;
    uint64_t missing = 0;
    for (unsigned bit = 0; bit < 64; bit++) {
        unsigned since = flags_table[bit].since;
        if (since == 0 || since > release || (flags >> bit & 1) != 0)
            continue;
        if (!(digest && since == 25))
            missing |= (uint64_t)1 << bit;
    }
    return missing;
}

const char *flags_print(uint64_t flags, struct arena *arena)
{
    size_t len = 1;
    for (unsigned bit = 0; bit < 64; bit++) {
        if ((flags >> bit & 1) != 0)
            len += (flags_table[bit].name ? strlen(flags_table[bit].name) : sizeof "bit 63") + 2;
    }
    char *text = arena_alloc(arena, len);
    if (text == NULL)
        return NULL;
    size_t used = 0;
    text[0] = '\0';
    for (unsigned bit = 0; bit < 64; bit++) {
        if ((flags >> bit & 1) == 0)
            continue;
        const char *comma = used != 0 ? ", " : "";
        int n = flags_table[bit].name != NULL
                    ? snprintf(&text[used], len - used, "%s%s", comma, flags_table[bit].name)
                    : snprintf(&text[used], len - used, "%sbit %u", comma, bit);
        used += (size_t)n;
    }
    return text;
}

uint64_t ds_flags_missing(uint64_t flags, unsigned release)
{
    return flags_missing(flags, release);
}
