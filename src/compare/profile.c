/*
 * profile.c - see profile.h.
 */
#include "compare/profile.h"

#include "core/hash.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *words;
} kinds[PROFILE_KIND_COUNT] = {
#define PROFILE_KIND(id, name, words, presence) {name, words},
#include "compare/profile_kinds.def"
#undef PROFILE_KIND
};

const char *profile_kind_name(enum profile_kind kind)
{
    return kinds[kind].name;
}

const char *profile_kind_words(enum profile_kind kind)
{
    return kinds[kind].words;
}

void profile_init(struct profile *p, uint64_t max)
{
    *p = (struct profile){.width_ns = PROFILE_LEAST_WIDTH_NS};
    table_init(&p->entries, sizeof(struct profile_entry), max);
}

void profile_free(struct profile *p)
{
    for (struct profile_entry *e = table_oldest(&p->entries); e != NULL;
         e = table_newer(&p->entries, e)) {
        free((void *)(uintptr_t)e->key.data);
        for (int i = 0; i < PROFILE_PARTS; i++)
            histogram_free(&e->parts[i].spans);
        histogram_free(&e->window.spans);
    }
    table_free(&p->entries);
}

/* double_width merges each pair of slices into one. */
static void double_width(struct profile *p)
{
    p->width_ns *= 2;
    for (struct profile_entry *e = table_oldest(&p->entries); e != NULL;
         e = table_newer(&p->entries, e)) {
        for (unsigned i = 0; i < PROFILE_SLICES / 2; i++)
            e->slices[i] = e->slices[2 * i] + e->slices[2 * i + 1];
        memset(e->slices + PROFILE_SLICES / 2, 0, sizeof e->slices / 2);
    }
}

/* can_double says whether the width can be doubled. Time stamps are nanoseconds since 1970 in 63 bits:
 * about fifty times is enough for all of them. */
static bool can_double(const struct profile *p)
{
    return p->width_ns <= INT64_MAX / 2 / PROFILE_SLICES;
}

/* slice_of returns the slice of a time. Packets may be out of order: a time before the first one
 * belongs to the first slice. */
static uint64_t slice_of(const struct profile *p, int64_t ts_ns)
{
    return ts_ns <= p->begin_ns ? 0 : ((uint64_t)ts_ns - (uint64_t)p->begin_ns) / (uint64_t)p->width_ns;
}

unsigned profile_at(struct profile *p, int64_t ts_ns)
{
    if (!p->has_begun) {
        p->has_begun = true;
        p->begin_ns = p->end_ns = ts_ns;
    }
    if (ts_ns > p->end_ns)
        p->end_ns = ts_ns;
    while (slice_of(p, ts_ns) >= PROFILE_SLICES && can_double(p))
        double_width(p);
    const uint64_t slice = slice_of(p, ts_ns);
    return slice < PROFILE_SLICES ? (unsigned)slice : PROFILE_SLICES - 1;
}

static uint32_t hash_of(enum profile_kind kind, struct ds_text key)
{
    return hash_text(key) ^ (uint32_t)kind * UINT32_C(0x9e3779b1);
}

/* cut shortens a key that is too long, at the beginning of a UTF-8 character. */
static struct ds_text cut(struct ds_text key)
{
    if (key.len <= PROFILE_KEY_MAX)
        return key;
    key.len = PROFILE_KEY_MAX;
    while (key.len > 0 && ((unsigned char)key.data[key.len] & 0xc0) == 0x80)
        key.len--;
    return key;
}

static struct profile_entry *find(const struct profile *p, enum profile_kind kind, struct ds_text key)
{
    for (struct profile_entry *e = table_first(&p->entries, hash_of(kind, key)); e != NULL;
         e = table_next(&p->entries, e)) {
        if (e->kind == kind && e->key.len == key.len && memcmp(e->key.data, key.data, key.len) == 0)
            return e;
    }
    return NULL;
}

struct profile_entry *profile_find(const struct profile *p, enum profile_kind kind, struct ds_text key)
{
    return find(p, kind, cut(key));
}

struct profile_entry *profile_entry_get(struct profile *p, enum profile_kind kind, struct ds_text key)
{
    const struct ds_text text = cut(key);
    struct profile_entry *e = find(p, kind, text);
    if (e != NULL)
        return e;
    char *own = malloc(text.len + 1);
    e = own != NULL ? table_add(&p->entries, hash_of(kind, text)) : NULL;
    if (e == NULL) {
        p->no_memory |= own == NULL || !table_is_full(&p->entries);
        p->num_left_out++;
        free(own);
        return NULL;
    }
    memcpy(own, text.data, text.len);
    own[text.len] = '\0';
    e->kind = kind;
    e->key = (struct ds_text){own, text.len};
    return e;
}

struct profile_part *profile_count(struct profile_entry *e, unsigned slice, uint64_t bytes)
{
    struct profile_part *part = &e->parts[slice % PROFILE_PARTS];
    e->slices[slice]++;
    part->count++;
    part->bytes += bytes;
    return part;
}

/* end_window returns the value of a window, and begins another one. */
static uint64_t end_window(struct profile_entry *e)
{
    struct profile_window *w = &e->window;
    const uint64_t value =
        e->kind == PROFILE_CALL ? histogram_quantile(&w->spans, 50) : w->bytes / w->count;
    histogram_free(&w->spans);
    w->spans = (struct histogram){0};
    w->count = w->bytes = 0;
    return value;
}

bool profile_window_add(struct profile *p, struct profile_entry *e, int64_t ts_ns, uint64_t value,
                        uint64_t *least)
{
    struct profile_window *w = &e->window;
    bool is_pair = false;
    const uint64_t age_ns = ts_ns > w->begin_ns ? (uint64_t)ts_ns - (uint64_t)w->begin_ns : 0;
    if (w->count >= PROFILE_WINDOW_LEAST && age_ns >= PROFILE_WINDOW_NS) {
        const uint64_t ended = end_window(e);
        is_pair = w->has_before;
        *least = ended < w->before ? ended : w->before;
        w->before = ended;
        w->has_before = true;
        if (is_pair) {
            e->windows++;
            e->most = *least > e->most ? *least : e->most;
        }
    }
    if (w->count == 0)
        w->begin_ns = ts_ns;
    if (e->kind == PROFILE_CALL && !histogram_add(&w->spans, value)) {
        p->no_memory = true;
        return is_pair;
    }
    w->count++;
    w->bytes += value;
    return is_pair;
}

struct profile_part profile_sum(const struct profile_entry *e)
{
    struct profile_part sum = {0};
    for (int i = 0; i < PROFILE_PARTS; i++) {
        sum.count += e->parts[i].count;
        sum.bytes += e->parts[i].bytes;
        sum.failed += e->parts[i].failed;
    }
    return sum;
}

unsigned profile_num_slices(const struct profile *p)
{
    if (!p->has_begun)
        return 0;
    const uint64_t last = slice_of(p, p->end_ns);
    return last < PROFILE_SLICES ? (unsigned)last + 1 : PROFILE_SLICES;
}

double profile_seconds(const struct profile *p)
{
    return p->has_begun ? ((double)p->end_ns - (double)p->begin_ns) / 1e9 : 0;
}
