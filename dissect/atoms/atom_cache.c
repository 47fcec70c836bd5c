/*
 * atom_cache.c - the atom cache of one direction (erl_ext_dist, "Distribution Header").
 *
 * An entry is a ds_atom, so that a reference in a header is resolved by copying 16 bytes. Each
 * entry has its own copy of the text, reserved from the memory limit like the segments.
 */
#include "atoms/atom_cache.h"

#include "util/escape.h"
#include "util/utf8.h"

#include <math.h>
#include <stdlib.h>

enum {
    SEGMENT_LEN = sizeof(struct atom_segment),
    DOUBTS_LEN = ATOM_SEGMENT_SLOTS * sizeof(struct atom_doubt),
};

static void *allocate(struct dissect_ctx *env, size_t len)
{
    if (!memcap_reserve(&env->memcap, len))
        return NULL;
    void *bytes = malloc(len);
    if (bytes == NULL) {
        memcap_release(&env->memcap, len);
        env->stats.no_memory++;
    }
    return bytes;
}

static struct atom_segment *segment_of(struct atom_cache *cache, struct dissect_ctx *env,
                                       unsigned number)
{
    if (cache->segment[number] == NULL) {
        struct atom_segment *segment = allocate(env, SEGMENT_LEN);
        if (segment == NULL)
            return NULL;
        segment->doubts = NULL;
        for (unsigned i = 0; i < ATOM_SEGMENT_SLOTS; i++) {
            struct ds_atom *atom = &segment->atoms[i]; /* member by member: each is written once */
            atom->text = NULL;
            atom->len = 0;
            atom->slot = (uint16_t)(number * ATOM_SEGMENT_SLOTS + i);
            atom->state = DS_ATOM_UNKNOWN;
            atom->looks = 0;
            atom->is_new = false;
        }
        cache->segment[number] = segment;
    }
    return cache->segment[number];
}

static void forget(struct atom_cache *cache, struct dissect_ctx *env, struct ds_atom *atom)
{
    cache->num_certain -= ds_atom_is_certain(atom->state);
    if (atom->text != NULL) {
        memcap_release(&env->memcap, atom->len);
        free((void *)(uintptr_t)atom->text);
        env->num_forgotten++;
    }
    atom->text = NULL;
    atom->len = 0;
    atom->looks = 0;
    atom->state = DS_ATOM_UNKNOWN;
}

/* end_doubt resets the doubt of a slot that is certain now. */
static void end_doubt(const struct atom_cache *cache, const struct atom_segment *segment, uint16_t slot)
{
    if (segment->doubts != NULL)
        segment->doubts[slot % ATOM_SEGMENT_SLOTS] =
            (struct atom_doubt){.lost = (float)cache->num_lost};
}

void atoms_set(struct atom_cache *cache, struct dissect_ctx *env, uint16_t slot, struct ds_text text,
               bool latin1, enum ds_atom_state state)
{
    uint8_t converted[2 * ATOM_MAX_CHARS];
    struct atom_segment *segment = segment_of(cache, env, slot / ATOM_SEGMENT_SLOTS);
    cache->num_defined += state == DS_ATOM_KNOWN;
    if (segment == NULL)
        return;
    struct ds_atom *atom = &segment->atoms[slot % ATOM_SEGMENT_SLOTS];
    end_doubt(cache, segment, slot);
    forget(cache, env, atom);

    struct cursor from = cursor_make(text.data, text.len);
    if (latin1 && text.len > ATOM_MAX_CHARS)
        return;
    if (latin1)
        from = cursor_make(converted, utf8_from_latin1(from, (char *)converted));
    size_t len = cursor_left(&from);
    if (len > ATOM_MAX_LEN)
        return;
    /* The empty atom '' needs a text that is not NULL. */
    uint8_t *copy = allocate(env, len != 0 ? len : 1);
    if (copy == NULL)
        return;
    if (len == 0)
        memcap_release(&env->memcap, 1);
    const uint8_t looks = escape_look_at_atom(from);
    if (!cursor_read_bytes(&from, copy, len))
        len = 0;
    atom->text = copy;
    atom->len = (uint16_t)len;
    atom->looks = looks;
    atom->state = (uint8_t)state;
    cache->num_certain += ds_atom_is_certain(state);
}

void atoms_forget(struct atom_cache *cache, struct dissect_ctx *env, unsigned mask)
{
    for (unsigned s = 0; s < ATOM_SEGMENTS; s++) {
        if ((mask & 1u << s) == 0 || cache->segment[s] == NULL)
            continue;
        for (unsigned i = 0; i < ATOM_SEGMENT_SLOTS; i++) {
            struct ds_atom *atom = &cache->segment[s]->atoms[i];
            if (atom->text != NULL || atom->state != DS_ATOM_UNKNOWN)
                forget(cache, env, atom);
        }
    }
}

void atoms_doubt(struct atom_cache *cache, struct dissect_ctx *env, unsigned mask)
{
    for (unsigned s = 0; s < ATOM_SEGMENTS; s++) {
        struct atom_segment *segment = cache->segment[s];
        if ((mask & 1u << s) == 0 || segment == NULL)
            continue;
        const bool is_first = segment->doubts == NULL;
        if (is_first)
            segment->doubts = allocate(env, DOUBTS_LEN);
        if (segment->doubts == NULL) {
            atoms_forget(cache, env, 1u << s);
            continue;
        }
        for (uint16_t i = 0; i < ATOM_SEGMENT_SLOTS; i++) {
            struct ds_atom *atom = &segment->atoms[i];
            if (is_first)
                end_doubt(cache, segment, i);
            /* Its place in later messages shows again which node it is. */
            if (atom->state == DS_ATOM_ADDRESS)
                forget(cache, env, atom);
            if (!ds_atom_is_certain(atom->state))
                continue;
            atom->state = DS_ATOM_LIKELY;
            cache->num_certain--;
        }
    }
}

void atoms_on_loss(struct atom_cache *cache, uint64_t bytes, uint64_t seen)
{
    const struct atom_rate *from = &cache->marks[1];
    /* After few bytes, a rate of one definition in a hundred bytes is possible. */
    cache->num_lost += (double)bytes * ((double)(cache->num_defined - from->num_defined) + 1) /
                       ((double)(seen - from->seen) + 100);
    if (seen / 2 >= cache->marks[0].seen) {
        cache->marks[1] = cache->marks[0];
        cache->marks[0] = (struct atom_rate){cache->num_defined, seen};
    }
}

struct atom_doubt *atoms_doubt_of(const struct atom_cache *cache, uint16_t slot)
{
    const struct atom_segment *segment = cache->segment[slot / ATOM_SEGMENT_SLOTS];
    return segment != NULL && segment->doubts != NULL ? &segment->doubts[slot % ATOM_SEGMENT_SLOTS]
                                                      : NULL;
}

double atoms_changed(const struct atom_cache *cache, const struct atom_doubt *doubt, double *lost)
{
    const float now = (float)cache->num_lost;
    const double since = now > doubt->lost ? now - doubt->lost : 0;
    *lost = since / ((double)cache->num_defined + cache->num_lost + 1);
    return 1 - exp(-since / ATOM_SLOTS_USED);
}

void atoms_settle(struct atom_cache *cache, struct dissect_ctx *env, uint16_t slot, bool holds)
{
    struct atom_segment *segment = cache->segment[slot / ATOM_SEGMENT_SLOTS];
    if (segment == NULL)
        return;
    end_doubt(cache, segment, slot);
    if (!holds)
        forget(cache, env, &segment->atoms[slot % ATOM_SEGMENT_SLOTS]);
}

void atoms_free(struct atom_cache *cache, struct dissect_ctx *env)
{
    for (unsigned s = 0; s < ATOM_SEGMENTS; s++) {
        struct atom_segment *segment = cache->segment[s];
        if (segment == NULL)
            continue;
        for (struct ds_atom *atom = segment->atoms; atom < segment->atoms + ATOM_SEGMENT_SLOTS; atom++) {
            if (atom->text != NULL)
                forget(cache, env, atom);
        }
        memcap_release(&env->memcap, SEGMENT_LEN);
        if (segment->doubts != NULL)
            memcap_release(&env->memcap, DOUBTS_LEN);
        free(segment->doubts);
        free(segment);
        cache->segment[s] = NULL;
    }
    cache->num_certain = 0;
}
