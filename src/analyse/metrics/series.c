/*
 * series.c - see series.h.
 */
#include "analyse/metrics/series.h"

#include "core/hash.h"

#include <stdlib.h>

/* other is a combination of labels without an entry. */
struct other {
    struct hitters_entry head;
    char *text;
    uint8_t len[SERIES_LABELS];
};

enum { MAX_OTHERS = 1024, HEAVIER = 2 };

static void forget_other(void *entry)
{
    free(((struct other *)entry)->text);
}

void series_init(struct series_set *set, size_t entry_size, unsigned num_labels, uint64_t max)
{
    *set = (struct series_set){.num_labels = num_labels, .generation = 1};
    table_init(&set->table, entry_size, max);
    hitters_init(&set->others, sizeof(struct other), max < MAX_OTHERS ? max : MAX_OTHERS,
                 forget_other);
}

void series_free(struct series_set *set)
{
    struct series *s = table_oldest(&set->table);
    for (; s != NULL; s = table_newer(&set->table, s))
        free(s->text);
    table_free(&set->table);
    hitters_free(&set->others);
}

static size_t truncated_len(struct ds_text label)
{
    return label.len < SERIES_LABEL_LEN ? label.len : SERIES_LABEL_LEN;
}

static uint64_t hash_labels(const struct series_set *set, const struct ds_text *labels)
{
    uint64_t hash = 0;
    for (unsigned i = 0; i < set->num_labels; i++) {
        const uint8_t len = (uint8_t)truncated_len(labels[i]);
        hash = hash_more(hash, &len, sizeof len);
        hash = hash_more(hash, len != 0 ? labels[i].data : "", len);
    }
    return hash;
}

/* copy_labels returns a copy of all labels; NULL if memory ran out. */
static char *copy_labels(const struct series_set *set, const struct ds_text *labels, uint8_t *len)
{
    size_t all = 0;
    for (unsigned i = 0; i < set->num_labels; i++)
        all += truncated_len(labels[i]);
    char *text = malloc(all + 1), *at = text;
    for (unsigned i = 0; i < set->num_labels && text != NULL; i++) {
        len[i] = (uint8_t)truncated_len(labels[i]);
        if (len[i] != 0)
            memcpy(at, labels[i].data, len[i]);
        at += len[i];
    }
    return text;
}

struct ds_text series_label(const struct series *series, unsigned i)
{
    size_t at = 0;
    for (unsigned j = 0; j < i; j++)
        at += series->len[j];
    return (struct ds_text){series->text + at, series->len[i]};
}

static bool is_of(const struct series_set *set, const struct series *series,
                  const struct ds_text *labels)
{
    for (unsigned i = 0; i < set->num_labels; i++) {
        const struct ds_text own = series_label(series, i);
        if (own.len != truncated_len(labels[i]) ||
            (own.len != 0 && memcmp(own.data, labels[i].data, own.len) != 0))
            return false;
    }
    return true;
}

void *series_get(struct series_set *set, const struct ds_text *labels)
{
    const uint64_t hash = hash_labels(set, labels);
    struct series *s = table_first(&set->table, (uint32_t)hash);
    for (; s != NULL; s = table_next(&set->table, s)) {
        if (s->hash == hash && is_of(set, s, labels))
            return s;
    }
    if (table_is_full(&set->table))
        return NULL;
    uint8_t len[SERIES_LABELS] = {0};
    char *text = copy_labels(set, labels, len);
    s = text != NULL ? table_add(&set->table, (uint32_t)hash) : NULL;
    if (s == NULL) {
        free(text);
        set->no_memory++;
        return NULL;
    }
    s->hash = hash;
    s->text = text;
    memcpy(s->len, len, sizeof len);
    return s;
}

void series_weigh_other(struct series_set *set, const struct ds_text *labels, uint64_t weight)
{
    bool is_new;
    struct other *other = hitters_add(&set->others, hash_labels(set, labels), weight, &is_new);
    if (other != NULL && is_new)
        other->text = copy_labels(set, labels, other->len);
}

static void drop(struct series_set *set, struct series *series)
{
    free(series->text);
    table_remove(&set->table, series);
    set->generation++;
}

static void drop_silent(struct series_set *set, int64_t before_ns)
{
    struct series *next;
    for (struct series *s = table_oldest(&set->table); s != NULL; s = next) {
        next = table_newer(&set->table, s);
        if (s->last_ns < before_ns)
            drop(set, s);
    }
}

static int heaviest_first(const void *a, const void *b)
{
    const struct hitters_entry *x = *(void *const *)a, *y = *(void *const *)b;
    const uint64_t own_x = x->weight - x->most_missing, own_y = y->weight - y->most_missing;
    return (own_x < own_y) - (own_x > own_y);
}

static int lightest_first(const void *a, const void *b)
{
    const struct series *x = *(void *const *)a, *y = *(void *const *)b;
    return (x->recent > y->recent) - (x->recent < y->recent);
}

static void **list_lightest(const struct series_set *set, size_t *num)
{
    void **list = malloc((set->table.num + 1) * sizeof *list);
    *num = 0;
    if (list == NULL)
        return NULL;
    for (void *s = table_oldest(&set->table); s != NULL; s = table_newer(&set->table, s))
        list[(*num)++] = s;
    qsort(list, *num, sizeof *list, lightest_first);
    return list;
}

/* let_in adds an entry for one of the others. */
static void let_in(struct series_set *set, const struct other *other, int64_t now_ns)
{
    struct ds_text labels[SERIES_LABELS];
    const char *at = other->text;
    for (unsigned i = 0; i < set->num_labels; i++) {
        labels[i] = (struct ds_text){at, other->len[i]};
        at += other->len[i];
    }
    struct series *s = series_get(set, labels);
    if (s == NULL)
        return;
    s->last_ns = now_ns;
    set->generation++;
}

static void exchange(struct series_set *set, int64_t now_ns)
{
    size_t num = 0, next = 0;
    void **others = hitters_list(&set->others, heaviest_first);
    void **light = others != NULL ? list_lightest(set, &num) : NULL;
    const size_t num_others = light != NULL ? set->others.table.num : 0;
    for (size_t i = 0; i < num_others; i++) {
        const struct other *other = others[i];
        const uint64_t own = other->head.weight - other->head.most_missing;
        if (other->text == NULL)
            continue;
        if (table_is_full(&set->table)) {
            if (next == num || own <= HEAVIER * ((struct series *)light[next])->recent)
                break;
            drop(set, light[next++]);
        }
        let_in(set, other, now_ns);
    }
    free(light);
    free(others);
}

void series_review(struct series_set *set, int64_t before_ns, int64_t now_ns)
{
    drop_silent(set, before_ns);
    exchange(set, now_ns);
    hitters_clear(&set->others);
    struct series *s = table_oldest(&set->table);
    for (; s != NULL; s = table_newer(&set->table, s))
        s->recent = 0;
}
