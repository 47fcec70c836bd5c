/*
 * dist_header.c - the distribution header (erl_ext_dist, "Distribution Header").
 *
 *     131 68 N FLAGS REFS                           a whole message
 *     131 69 SEQUENCE:64 FRAGMENT:64 N FLAGS REFS   its first fragment
 *     131 70 SEQUENCE:64 FRAGMENT:64                a further fragment
 *
 * FLAGS and REFS are absent if N is 0. FLAGS has N/2 + 1 bytes, half a byte for each reference, the
 * low half first: 1 bit new entry, 3 bits segment. The low bit of the half byte after the last
 * reference is LongAtoms. A reference is INDEX:8; for a new entry LENGTH (16 bits with LongAtoms,
 * otherwise 8) and the text follow.
 */
#include "dist/dist_header.h"

enum { FLAG_NEW_ENTRY = 0x8, FLAG_SEGMENT = 0x7, FLAG_LONG_ATOMS = 0x1 };

/* flag_of returns the half byte of reference i. */
static inline uint8_t flag_of(struct cursor flags, uint32_t i)
{
    uint8_t pair = 0;
    if (!cursor_skip(&flags, i / 2) || !cursor_read_u8(&flags, &pair))
        return 0;
    return i % 2 == 0 ? pair & 0xf : pair >> 4;
}

/* at_risk_of returns the segments in which references from i on make new entries. */
static unsigned at_risk_of(struct cursor flags, uint32_t i, uint32_t num_refs)
{
    unsigned mask = 0;
    for (; i < num_refs; i++) {
        uint8_t flag = flag_of(flags, i);
        if ((flag & FLAG_NEW_ENTRY) != 0)
            mask |= 1u << (flag & FLAG_SEGMENT);
    }
    return mask;
}

/* read_text reads the new entry of a segment at *at. */
static __attribute__((noinline)) enum header_status
read_text(struct cursor *at, unsigned segment, bool long_atoms,
                                    struct ds_atom *ref, const char **what)
{
    struct cursor entry = *at;
    struct cursor text;
    uint8_t index, short_len;
    uint16_t len;
    if (!cursor_read_u8(&entry, &index))
        return HEADER_CUT;
    if (long_atoms) {
        if (!cursor_read_u16(&entry, &len))
            return HEADER_CUT;
    } else {
        if (!cursor_read_u8(&entry, &short_len))
            return HEADER_CUT;
        len = short_len;
    }
    if (len > ATOM_MAX_LEN) {
        *what = "an atom of the distribution header is too long";
        return HEADER_MALFORMED;
    }
    if (!cursor_child(&entry, len, &text))
        return HEADER_CUT;
    *ref = (struct ds_atom){.text = text.at,
                            .len = len,
                            .slot = (uint16_t)(segment * ATOM_SEGMENT_SLOTS + index),
                            .state = DS_ATOM_KNOWN,
                            .is_new = true};
    *at = entry;
    return HEADER_OK;
}

/* read_old_refs reads references in pairs, while neither of the two makes a new entry, and returns
 * how many it read. */
static inline uint32_t read_old_refs(struct cursor *flags, struct cursor *at,
                                     const struct atom_cache *cache, struct ds_atom *refs,
                                     uint32_t num_refs)
{
    const uint8_t new_entries = FLAG_NEW_ENTRY << 4 | FLAG_NEW_ENTRY;
    uint32_t i = 0;
    uint16_t both;
    uint8_t pair;
    for (; i + 1 < num_refs; i += 2) {
        struct cursor rest = *flags;
        if (!cursor_read_u8(&rest, &pair) || (pair & new_entries) != 0 || !cursor_read_u16(at, &both))
            break;
        *flags = rest;
        atoms_read(cache, pair & FLAG_SEGMENT, both >> 8, &refs[i]);
        atoms_read(cache, pair >> 4 & FLAG_SEGMENT, both & UINT8_MAX, &refs[i + 1]);
    }
    return i;
}

enum header_status dist_header_read_refs(struct cursor *at, struct dist_header *header,
                                         const struct atom_cache *cache, const char **what)
{
    uint8_t num_refs, index;
    struct cursor flags;
    if (!cursor_read_u8(at, &num_refs))
        return HEADER_CUT;
    if (num_refs == 0) {
        header->at_risk = 0;
        return HEADER_OK;
    }
    if (!cursor_child(at, num_refs / 2 + 1u, &flags))
        return HEADER_CUT;
    bool long_atoms = (flag_of(flags, num_refs) & FLAG_LONG_ATOMS) != 0;

    struct cursor left = flags, next = *at; /* no pointer to it: it stays in a register */
    uint8_t pair = 0;
    uint32_t i = read_old_refs(&left, &next, cache, header->refs, num_refs);
    enum header_status status = HEADER_OK;
    for (; i < num_refs; i++) {
        if (i % 2 == 0 && !cursor_read_u8(&left, &pair))
            return HEADER_MALFORMED;
        const unsigned segment = pair & FLAG_SEGMENT;
        if ((pair & FLAG_NEW_ENTRY) != 0) {
            struct cursor entry = next;
            status = read_text(&entry, segment, long_atoms, &header->refs[i], what);
            header->num_new += status == HEADER_OK;
            next.at = entry.at;
        } else if (cursor_read_u8(&next, &index)) {
            atoms_read(cache, segment, index, &header->refs[i]);
        } else {
            status = HEADER_CUT;
        }
        if (status != HEADER_OK)
            break;
        pair >>= 4;
    }
    *at = next;
    header->num_refs = i;
    header->at_risk = status == HEADER_OK ? 0 : at_risk_of(flags, i, num_refs);
    return status;
}

enum header_status dist_header_begin(struct cursor *at, struct dist_header *header, const char **what)
{
    uint8_t version;

    header->type = 0;
    header->sequence = header->fragment = 0;
    header->num_refs = header->num_new = 0;
    header->at_risk = ATOM_ALL_SEGMENTS;
    if (!cursor_read_u8(at, &version) || !cursor_peek_u8(at, &header->type))
        return HEADER_CUT;
    if (version != TERM_VERSION || header->type < HEADER_PLAIN || header->type > HEADER_FURTHER) {
        *what = "not a distribution header";
        return HEADER_MALFORMED;
    }
    if (!cursor_skip(at, 1))
        return HEADER_CUT;
    if (header->type != HEADER_PLAIN) {
        if (header->type == HEADER_FURTHER)
            header->at_risk = 0;
        if (!cursor_read_u64(at, &header->sequence) || !cursor_read_u64(at, &header->fragment))
            return HEADER_CUT;
        if (header->fragment == 0) {
            *what = "a fragment has number 0";
            return HEADER_MALFORMED;
        }
    }
    return HEADER_OK;
}

enum header_status dist_header_read(struct cursor *at, struct dist_header *header, const char **what)
{
    static const struct atom_cache nothing;
    const enum header_status status = dist_header_begin(at, header, what);
    return status == HEADER_OK && header->type != HEADER_FURTHER
               ? dist_header_read_refs(at, header, &nothing, what)
               : status;
}

/* keep_text copies the text of a slot that is about to be overwritten, if an earlier reference of
 * the same header uses it. The BEAM writes no such header. */
static void keep_text(struct dist_header *header, uint32_t num, struct ds_atom old,
                      struct dissect_ctx *env)
{
    uint8_t *copy = NULL;
    for (uint32_t i = 0; i < num; i++) {
        struct ds_atom *ref = &header->refs[i];
        if (ref->text != old.text)
            continue;
        if (copy == NULL)
            copy = arena_alloc(&env->arena, ATOM_MAX_LEN);
        if (copy == NULL) {
            env->stats.no_memory++;
            *ref = (struct ds_atom){.slot = old.slot, .state = DS_ATOM_UNKNOWN};
            continue;
        }
        struct cursor text = cursor_make(old.text, old.len);
        if (cursor_read_bytes(&text, copy, old.len))
            ref->text = copy;
    }
}

void dist_header_apply(struct dist_header *header, struct atom_cache *cache, struct dissect_ctx *env,
                       bool latin1)
{
    if (header->num_new == 0)
        return;
    for (uint32_t i = 0; i < header->num_refs; i++) {
        struct ds_atom *ref = &header->refs[i];
        if (!ref->is_new) {
            *ref = atoms_get(cache, ref->slot); /* an earlier reference may have changed the slot */
            continue;
        }
        struct ds_text text = {(const char *)ref->text, ref->len};
        struct ds_atom old = atoms_get(cache, ref->slot);
        if (old.text != NULL)
            keep_text(header, i, old, env);
        atoms_set(cache, env, ref->slot, text, latin1, DS_ATOM_KNOWN);
        if (latin1) {
            *ref = atoms_get(cache, ref->slot);
            ref->is_new = true;
        }
    }
}
