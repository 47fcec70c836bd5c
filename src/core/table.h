/*
 * table.h - a hash table of entries of one size, with a cap, that knows its oldest entry.
 *
 * An entry is a struct that begins with struct table_entry. Its address and its number stay
 * the same for as long as it is in the table. To find an entry, the caller writes a loop, so that the
 * table need not know about keys:
 *
 *     for (struct thing *t = table_first(table, hash); t != NULL; t = table_next(table, t))
 *         if (thing_is(t, key))
 *             return t;
 *
 * New entries reuse the memory of removed ones: the table only allocates memory beyond its largest size
 * so far.
 */
#ifndef DISTSNIFF_TABLE_H
#define DISTSNIFF_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { TABLE_CHUNK = 256 }; /* entries allocated at once */

struct table_entry {
    uint32_t hash;
    uint32_t number;       /* from 1; 0 means no entry */
    uint32_t next;         /* next entry of the same bucket, or of the free list */
    uint32_t older, newer; /* neighbours by age */
};

struct table {
    size_t entry_size;
    uint64_t max;
    uint32_t num;        /* number of entries */
    uint32_t num_made;   /* allocated entries, in chunks */
    uint32_t num_buckets; /* a power of two, or 0 */
    uint32_t free, oldest, newest;
    uint64_t num_forgotten; /* evicted by table_add_forgetting */
    uint32_t *buckets;
    unsigned char **chunks;
};

void table_init(struct table *table, size_t entry_size, uint64_t max);
void table_free(struct table *table); /* releases the table; the caller releases what entries own */

static inline void *table_get(const struct table *table, uint32_t number)
{
    if (number == 0)
        return NULL;
    return table->chunks[(number - 1) / TABLE_CHUNK] +
           (number - 1) % TABLE_CHUNK * table->entry_size;
}

static inline void *table_next(const struct table *table, const void *entry)
{
    const struct table_entry *at = entry;
    const uint32_t hash = at->hash;
    do
        at = table_get(table, at->next);
    while (at != NULL && at->hash != hash);
    return table_get(table, at != NULL ? at->number : 0);
}

static inline void *table_first(const struct table *table, uint32_t hash)
{
    if (table->num_buckets == 0)
        return NULL;
    struct table_entry *at = table_get(table, table->buckets[hash & (table->num_buckets - 1)]);
    while (at != NULL && at->hash != hash)
        at = table_get(table, at->next);
    return at;
}

/* An entry that is found by one number, such as a connection's number or a hash, begins like struct
 * table_keyed: TABLE_KEYED asserts that. The number is also the hash of the entry. The caller hashes a
 * number that a peer can choose. */
struct table_keyed {
    struct table_entry entry;
    uint64_t key;
};
enum { TABLE_KEY_AT = offsetof(struct table_keyed, key) };
#define TABLE_KEYED(type, field)                                                                   \
    _Static_assert(offsetof(type, field) == TABLE_KEY_AT &&                                        \
                       sizeof ((type *)NULL)->field == sizeof(uint64_t),                           \
                   "the key of " #type)

static inline uint64_t table_key(const void *entry)
{
    uint64_t key; /* a copy, since each kind of entry is a different struct */
    memcpy(&key, (const unsigned char *)entry + TABLE_KEY_AT, sizeof key);
    return key;
}

/* table_find returns the newest entry with a key; NULL if there is none. */
static inline void *table_find(const struct table *table, uint64_t key)
{
    void *at = table_first(table, (uint32_t)key);
    while (at != NULL && table_key(at) != key)
        at = table_next(table, at);
    return at;
}

/* table_put adds an entry with a key, as table_add does. table_find_or_put finds it, or adds one as
 * table_add_forgetting does. */
void *table_put(struct table *table, uint64_t key);
void *table_find_or_put(struct table *table, uint64_t key);

/* table_add returns a new entry, the newest, zeroed after its head; NULL if the table has reached its
 * cap (table_is_full) or memory ran out. */
void *table_add(struct table *table, uint32_t hash);

/* table_add_forgetting adds an entry as table_add does. If the table is full, it evicts its oldest
 * entry and counts that. NULL when memory ran out, or the cap is 0: then nothing is evicted. It does
 * not release what entries own: do not use it for entries that own something. */
void *table_add_forgetting(struct table *table, uint32_t hash);

void table_remove(struct table *table, void *entry);

/* table_clear removes all entries; it keeps their memory for others. */
void table_clear(struct table *table);

/* table_renew makes an entry the newest; its address and its number do not change. */
void table_renew(struct table *table, void *entry);

static inline bool table_is_full(const struct table *table)
{
    return table->num >= table->max;
}

static inline void *table_oldest(const struct table *table)
{
    return table_get(table, table->oldest);
}

static inline void *table_newer(const struct table *table, const void *entry)
{
    return table_get(table, ((const struct table_entry *)entry)->newer);
}

/* table_link chains entries of a table into separate lists: link is the offset of a struct table_link
 * in the entry, head is the first entry of the list. */
struct table_link {
    uint32_t next, previous;
};

void table_link(const struct table *table, size_t link, uint32_t *head, void *entry);
void table_unlink(const struct table *table, size_t link, uint32_t *head, void *entry);

#endif
