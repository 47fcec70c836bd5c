/*
 * synthetic_atoms.c - see synthetic_atoms.h. A frame has a header (erl_ext_dist, "Distribution
 * Header") that gives slots their atoms, and a control message that no node knows:
 *
 *     length:4 131 68 refs:1 flags:refs/2+1 {slot:1 length:2 text}... 104 1 97 0
 *
 * The flags are half bytes, the low one first: 8 for a new entry, plus the segment. In the half
 * byte after the last one, 1 means that lengths have 2 bytes.
 */
#include "dist/synthetic_atoms.h"

#include "dist/decoder_state.h"

enum { LENGTH_LEN = 4, MAX_IN_FRAME = 64, NEW_ENTRY = 8, LONG_ATOMS = 1 };

struct given_atom {
    uint16_t slot;
    struct ds_text text;
};

static void put_u8(struct ds_buffer *out, unsigned value)
{
    const char byte = (char)value;
    ds_buffer_add(out, &byte, 1);
}

static void put_frame(struct ds_buffer *out, const struct given_atom *entries, unsigned num)
{
    const size_t at = out->len;
    ds_buffer_add(out, "\0\0\0\0\203\104", LENGTH_LEN + 2);
    put_u8(out, num);
    for (unsigned i = 0; i < num / 2 + 1; i++) {
        unsigned half[2];
        for (unsigned j = 0; j < 2; j++) {
            const unsigned which = 2 * i + j;
            half[j] = which < num    ? NEW_ENTRY | entries[which].slot / ATOM_SEGMENT_SLOTS
                      : which == num ? LONG_ATOMS
                                     : 0u;
        }
        put_u8(out, half[0] | half[1] << 4);
    }
    for (unsigned i = 0; i < num; i++) {
        put_u8(out, entries[i].slot % ATOM_SEGMENT_SLOTS);
        put_u8(out, (unsigned)(entries[i].text.len >> 8));
        put_u8(out, (unsigned)entries[i].text.len & 0xff);
        ds_buffer_add(out, entries[i].text.data, entries[i].text.len);
    }
    ds_buffer_add(out, "\150\1\141\0", 4);
    const size_t len = out->len - at - LENGTH_LEN;
    for (size_t i = 0; i < LENGTH_LEN && !out->failed; i++)
        out->data[at + i] = (char)(len >> (8 * (LENGTH_LEN - 1 - i)));
}

/* put_atoms writes frames with the atoms of the wanted certainty that no kept frame defined. */
static void put_atoms(struct ds_buffer *out, const struct decoder_state *state, int dir,
                      const struct atom_cache *atoms, bool certain)
{
    struct given_atom entries[MAX_IN_FRAME];
    unsigned num = 0;
    for (uint16_t slot = 0; slot < ATOM_SEGMENTS * ATOM_SEGMENT_SLOTS; slot++) {
        const struct ds_atom atom = atoms_get(atoms, slot);
        const bool fits = certain ? ds_atom_is_certain(atom.state) : atom.state == DS_ATOM_LIKELY;
        if (!fits || atom.text == NULL || (state != NULL && state->slot[dir][slot] != NULL))
            continue;
        entries[num++] = (struct given_atom){slot, {(const char *)atom.text, atom.len}};
        if (num == MAX_IN_FRAME) {
            put_frame(out, entries, num);
            num = 0;
        }
    }
    if (num != 0)
        put_frame(out, entries, num);
}

void synthetic_atoms_make(struct synthetic_atoms *given, struct dissect_ctx *env,
                          const struct decoder_state *state, int dir, const struct atom_cache *atoms)
{
    struct ds_buffer *frames = &given->frames;
    ds_buffer_add(frames, "\0\0\0\0", LENGTH_LEN);
    given->first_len = frames->len;
    put_atoms(frames, state, dir, atoms, true);
    given->certain_len = frames->len - given->first_len;
    put_atoms(frames, state, dir, atoms, false);
    if (!frames->failed)
        return;
    env->stats.no_memory++;
    synthetic_atoms_free(given);
}

void synthetic_atoms_free(struct synthetic_atoms *given)
{
    ds_buffer_free(&given->frames);
    *given = (struct synthetic_atoms){0};
}

static struct cursor part(const struct synthetic_atoms *given, size_t at, size_t len)
{
    struct cursor rest = cursor_make((const uint8_t *)given->frames.data, given->frames.len);
    struct cursor found;
    return cursor_skip(&rest, at) && cursor_child(&rest, len, &found) ? found
                                                                      : cursor_make(NULL, 0);
}

struct cursor synthetic_atoms_first(const struct synthetic_atoms *given)
{
    return part(given, 0, given->first_len);
}

struct cursor synthetic_atoms_certain(const struct synthetic_atoms *given)
{
    return part(given, given->first_len, given->certain_len);
}

struct cursor synthetic_atoms_likely(const struct synthetic_atoms *given)
{
    const size_t before = given->first_len + given->certain_len;
    return part(given, before, given->frames.len - before);
}
