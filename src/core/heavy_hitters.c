/*
 * heavy_hitters.c - see heavy_hitters.h.
 *
 * Weights only grow, so the heap may be out of date: a place has the weight that its entry had when it
 * was last checked. To find the lightest entry, the top is updated until its weight is right.
 */
#include "core/heavy_hitters.h"

#include <stdlib.h>

void hitters_init(struct heavy_hitters *hitters, size_t entry_size, uint64_t max,
                  hitters_forget_fn forget)
{
    *hitters = (struct heavy_hitters){.forget = forget};
    table_init(&hitters->table, entry_size, max != 0 ? max : 1);
}

/* release_all releases everything that the entries own. */
static void release_all(struct heavy_hitters *hitters)
{
    struct table_entry *e = table_oldest(&hitters->table);
    for (; e != NULL && hitters->forget != NULL; e = table_newer(&hitters->table, e))
        hitters->forget(e);
}

void hitters_clear(struct heavy_hitters *hitters)
{
    release_all(hitters);
    table_clear(&hitters->table);
    free(hitters->heap);
    hitters->heap = NULL;
    hitters->num_heap = 0;
    hitters->num_forgotten = 0;
}

void hitters_free(struct heavy_hitters *hitters)
{
    release_all(hitters);
    free(hitters->heap);
    table_free(&hitters->table);
    *hitters = (struct heavy_hitters){0};
}

static void sift_down(struct heavy_hitters *hitters, uint32_t i)
{
    struct hitters_place *heap = hitters->heap;
    const struct hitters_place moved = heap[i];
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= hitters->num_heap)
            break;
        if (child + 1 < hitters->num_heap && heap[child + 1].weight < heap[child].weight)
            child++;
        if (heap[child].weight >= moved.weight)
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = moved;
}

/* make_heap builds the heap when the cap is reached. */
static bool make_heap(struct heavy_hitters *hitters)
{
    hitters->heap = malloc((size_t)hitters->table.num * sizeof *hitters->heap);
    if (hitters->heap == NULL)
        return false;
    struct hitters_entry *e = table_oldest(&hitters->table);
    for (; e != NULL; e = table_newer(&hitters->table, e))
        hitters->heap[hitters->num_heap++] = (struct hitters_place){e->weight, e->entry.number};
    for (uint32_t i = hitters->num_heap / 2; i-- > 0;)
        sift_down(hitters, i);
    return true;
}

/* find_lightest puts the entry with the least weight on top of the heap. */
static struct hitters_entry *find_lightest(struct heavy_hitters *hitters)
{
    struct hitters_entry *e;
    while ((e = table_get(&hitters->table, hitters->heap[0].number))->weight !=
           hitters->heap[0].weight) {
        hitters->heap[0].weight = e->weight;
        sift_down(hitters, 0);
    }
    return e;
}

void *hitters_find(const struct heavy_hitters *hitters, uint64_t key)
{
    return table_find(&hitters->table, key);
}

/* replace evicts the lightest entry in favour of another kind. */
static struct hitters_entry *replace(struct heavy_hitters *hitters, uint64_t key)
{
    if (hitters->heap == NULL && !make_heap(hitters))
        return NULL;
    struct hitters_entry *lightest = find_lightest(hitters);
    const uint64_t inherited = lightest->weight;
    if (hitters->forget != NULL)
        hitters->forget(lightest);
    table_remove(&hitters->table, lightest);
    struct hitters_entry *e = table_put(&hitters->table, key); /* it reuses the place that has just
                                                                  become free */
    hitters->num_forgotten++;
    hitters->heap[0].number = e->entry.number;
    e->weight = e->most_missing = inherited;
    return e;
}

/* add makes a new entry. Not inline: nearly always there is one already. */
static __attribute__((noinline)) struct hitters_entry *add(struct heavy_hitters *hitters, uint64_t key)
{
    struct hitters_entry *e =
        table_is_full(&hitters->table) ? replace(hitters, key) : table_put(&hitters->table, key);
    hitters->no_memory += e == NULL;
    return e;
}

void *hitters_add(struct heavy_hitters *hitters, uint64_t key, uint64_t weight, bool *is_new)
{
    struct hitters_entry *e = hitters_find(hitters, key);
    *is_new = e == NULL;
    if (e == NULL)
        e = add(hitters, key);
    if (e != NULL)
        e->weight += weight;
    return e;
}

uint64_t hitters_most_missing(struct heavy_hitters *hitters)
{
    return hitters->heap != NULL ? find_lightest(hitters)->weight : 0;
}

void **hitters_list(const struct heavy_hitters *hitters, int (*compare)(const void *, const void *))
{
    void **list = hitters->table.num != 0 ? malloc(hitters->table.num * sizeof *list) : NULL;
    size_t num = 0;
    if (list == NULL)
        return NULL;
    for (void *e = table_oldest(&hitters->table); e != NULL; e = table_newer(&hitters->table, e))
        list[num++] = e;
    qsort(list, num, sizeof *list, compare);
    return list;
}
