/*
 * tally.c - see tally.h.
 *
 * Weights only grow, so the heap may lag behind them: a place holds the weight that its entry had
 * when it was looked at last. The lightest is found by putting right the top until it is right.
 */
#include "tally.h"

#include <stdlib.h>

void tally_init(struct tally *tally, size_t entry_size, uint64_t max, tally_forget_fn forget)
{
    *tally = (struct tally){.forget = forget};
    table_init(&tally->table, entry_size, max != 0 ? max : 1);
}

/* release_all releases what all entries own. */
static void release_all(struct tally *tally)
{
    struct table_entry *e = table_oldest(&tally->table);
    for (; e != NULL && tally->forget != NULL; e = table_newer(&tally->table, e))
        tally->forget(e);
}

void tally_clear(struct tally *tally)
{
    release_all(tally);
    table_clear(&tally->table);
    free(tally->heap);
    tally->heap = NULL;
    tally->num_heap = 0;
    tally->num_forgotten = 0;
}

void tally_free(struct tally *tally)
{
    release_all(tally);
    free(tally->heap);
    table_free(&tally->table);
    *tally = (struct tally){0};
}

static void sift_down(struct tally *tally, uint32_t i)
{
    struct tally_place *heap = tally->heap;
    const struct tally_place moved = heap[i];
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= tally->num_heap)
            break;
        if (child + 1 < tally->num_heap && heap[child + 1].weight < heap[child].weight)
            child++;
        if (heap[child].weight >= moved.weight)
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = moved;
}

/* make_heap is called once, when the cap has been reached. */
static bool make_heap(struct tally *tally)
{
    tally->heap = malloc((size_t)tally->table.num * sizeof *tally->heap);
    if (tally->heap == NULL)
        return false;
    struct tally_entry *e = table_oldest(&tally->table);
    for (; e != NULL; e = table_newer(&tally->table, e))
        tally->heap[tally->num_heap++] = (struct tally_place){e->weight, e->entry.number};
    for (uint32_t i = tally->num_heap / 2; i-- > 0;)
        sift_down(tally, i);
    return true;
}

/* find_lightest puts the entry of the least weight on top of the heap. */
static struct tally_entry *find_lightest(struct tally *tally)
{
    struct tally_entry *e;
    while ((e = table_get(&tally->table, tally->heap[0].number))->weight != tally->heap[0].weight) {
        tally->heap[0].weight = e->weight;
        sift_down(tally, 0);
    }
    return e;
}

void *tally_find(const struct tally *tally, uint64_t key)
{
    struct tally_entry *e = table_first(&tally->table, (uint32_t)key);
    while (e != NULL && e->key != key)
        e = table_next(&tally->table, e);
    return e;
}

/* replace gives the place of the lightest to another kind. */
static struct tally_entry *replace(struct tally *tally, uint64_t key)
{
    if (tally->heap == NULL && !make_heap(tally))
        return NULL;
    struct tally_entry *lightest = find_lightest(tally);
    const uint64_t inherited = lightest->weight;
    if (tally->forget != NULL)
        tally->forget(lightest);
    table_remove(&tally->table, lightest);
    struct tally_entry *e = table_add(&tally->table, (uint32_t)key); /* of what was just given up */
    tally->num_forgotten++;
    tally->heap[0].number = e->entry.number;
    e->weight = e->most_missing = inherited;
    return e;
}

/* add makes an entry. Not inline: nearly always there is one. */
static __attribute__((noinline)) struct tally_entry *add(struct tally *tally, uint64_t key)
{
    struct tally_entry *e = table_is_full(&tally->table) ? replace(tally, key)
                                                         : table_add(&tally->table, (uint32_t)key);
    if (e == NULL)
        tally->no_memory++;
    else
        e->key = key;
    return e;
}

void *tally_add(struct tally *tally, uint64_t key, uint64_t weight, bool *is_new)
{
    struct tally_entry *e = tally_find(tally, key);
    *is_new = e == NULL;
    if (e == NULL)
        e = add(tally, key);
    if (e != NULL)
        e->weight += weight;
    return e;
}

uint64_t tally_most_missing(struct tally *tally)
{
    return tally->heap != NULL ? find_lightest(tally)->weight : 0;
}

void **tally_list(const struct tally *tally, int (*compare)(const void *, const void *))
{
    void **list = tally->table.num != 0 ? malloc(tally->table.num * sizeof *list) : NULL;
    size_t num = 0;
    if (list == NULL)
        return NULL;
    for (void *e = table_oldest(&tally->table); e != NULL; e = table_newer(&tally->table, e))
        list[num++] = e;
    qsort(list, num, sizeof *list, compare);
    return list;
}
