/*
 * table.c - a capped hash table with chaining, see table.h.
 */
#include "core/table.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BUCKETS = 256 };

void table_init(struct table *table, size_t entry_size, uint64_t max)
{
    *table = (struct table){.entry_size = (entry_size + 7) & ~(size_t)7,
                            .max = max < UINT32_MAX ? max : UINT32_MAX - 1};
}

void table_free(struct table *table)
{
    for (uint32_t i = 0; i < table->num_made / TABLE_CHUNK; i++)
        free(table->chunks[i]);
    free(table->chunks);
    free(table->buckets);
    table_init(table, table->entry_size, table->max);
}

static bool grow_buckets(struct table *table)
{
    uint32_t num = table->num_buckets == 0 ? FIRST_BUCKETS : table->num_buckets * 2;
    uint32_t *buckets = calloc(num, sizeof *buckets);
    if (buckets == NULL)
        return false;
    for (struct table_entry *e = table_oldest(table); e != NULL; e = table_newer(table, e)) {
        e->next = buckets[e->hash & (num - 1)];
        buckets[e->hash & (num - 1)] = e->number;
    }
    free(table->buckets);
    table->buckets = buckets;
    table->num_buckets = num;
    return true;
}

static bool grow_entries(struct table *table)
{
    uint32_t num_chunks = table->num_made / TABLE_CHUNK;
    if ((num_chunks & (num_chunks - 1)) == 0) { /* doubled at each power of two */
        size_t cap = num_chunks == 0 ? 1 : (size_t)num_chunks * 2;
        unsigned char **chunks = realloc(table->chunks, cap * sizeof *chunks);
        if (chunks == NULL)
            return false;
        table->chunks = chunks;
    }
    unsigned char *chunk = malloc(TABLE_CHUNK * table->entry_size);
    if (chunk == NULL)
        return false;
    table->chunks[num_chunks] = chunk;
    table->num_made += TABLE_CHUNK;
    for (uint32_t number = table->num_made; number > table->num_made - TABLE_CHUNK; number--) {
        struct table_entry *entry = table_get(table, number);
        entry->number = number;
        entry->next = table->free;
        table->free = number;
    }
    return true;
}

/* enter_newest appends an entry to the list of entries by age, and leave_age removes it from that list. */
static inline void enter_newest(struct table *table, struct table_entry *entry)
{
    struct table_entry *newest = table_get(table, table->newest);
    entry->older = table->newest;
    entry->newer = 0;
    if (newest != NULL)
        newest->newer = entry->number;
    else
        table->oldest = entry->number;
    table->newest = entry->number;
}

static inline void leave_age(struct table *table, const struct table_entry *entry)
{
    struct table_entry *older = table_get(table, entry->older);
    struct table_entry *newer = table_get(table, entry->newer);
    if (older != NULL)
        older->newer = entry->newer;
    else
        table->oldest = entry->newer;
    if (newer != NULL)
        newer->older = entry->older;
    else
        table->newest = entry->older;
}

void *table_add(struct table *table, uint32_t hash)
{
    if (table_is_full(table) ||
        (table->num >= table->num_buckets && !grow_buckets(table) && table->num_buckets == 0) ||
        (table->free == 0 && !grow_entries(table)))
        return NULL;
    struct table_entry *entry = table_get(table, table->free);
    uint32_t *bucket = &table->buckets[hash & (table->num_buckets - 1)];
    const uint32_t number = entry->number;
    table->free = entry->next;
    memset(entry, 0, table->entry_size);
    *entry = (struct table_entry){.hash = hash, .number = number, .next = *bucket};
    *bucket = number;
    enter_newest(table, entry);
    table->num++;
    return entry;
}

void table_remove(struct table *table, void *removed)
{
    struct table_entry *entry = removed;
    uint32_t *at = &table->buckets[entry->hash & (table->num_buckets - 1)];
    while (*at != entry->number)
        at = &((struct table_entry *)table_get(table, *at))->next;
    *at = entry->next;
    leave_age(table, entry);
    entry->next = table->free;
    table->free = entry->number;
    table->num--;
}

void table_clear(struct table *table)
{
    while (table->num != 0)
        table_remove(table, table_oldest(table));
}

/* The oldest entry's place is free for the new one, so adding it cannot fail after the eviction. */
void *table_add_forgetting(struct table *table, uint32_t hash)
{
    if (table_is_full(table) && table->num != 0) {
        table_remove(table, table_oldest(table));
        table->num_forgotten++;
    }
    return table_add(table, hash);
}

static void *with_key(void *entry, uint64_t key)
{
    if (entry != NULL)
        memcpy((unsigned char *)entry + TABLE_KEY_AT, &key, sizeof key);
    return entry;
}

void *table_put(struct table *table, uint64_t key)
{
    return with_key(table_add(table, (uint32_t)key), key);
}

void *table_find_or_put(struct table *table, uint64_t key)
{
    void *entry = table_find(table, key);
    return entry != NULL ? entry : with_key(table_add_forgetting(table, (uint32_t)key), key);
}

void table_renew(struct table *table, void *renewed)
{
    struct table_entry *entry = renewed;
    if (table->newest == entry->number)
        return;
    leave_age(table, entry);
    enter_newest(table, entry);
}

static struct table_link *link_of(void *entry, size_t link)
{
    return (struct table_link *)(void *)((unsigned char *)entry + link);
}

void table_link(const struct table *table, size_t link, uint32_t *head, void *entry)
{
    const uint32_t number = ((struct table_entry *)entry)->number;
    *link_of(entry, link) = (struct table_link){.next = *head};
    if (*head != 0)
        link_of(table_get(table, *head), link)->previous = number;
    *head = number;
}

void table_unlink(const struct table *table, size_t link, uint32_t *head, void *entry)
{
    const struct table_link *at = link_of(entry, link);
    if (at->next != 0)
        link_of(table_get(table, at->next), link)->previous = at->previous;
    if (at->previous != 0)
        link_of(table_get(table, at->previous), link)->next = at->next;
    else
        *head = at->next;
}
