/*
 * tui_index.h - the numbers of selected records of the store, in order.
 */
#ifndef SRC_TUI_INDEX_H
#define SRC_TUI_INDEX_H

#include "ui/tui/tui_store.h"

struct tui_index {
    uint64_t *numbers;
    size_t first, num, cap; /* the present ones: numbers[first] to numbers[first + num - 1] */
    uint64_t seen;          /* the latest record that was looked at */
};

/* index_fn says whether a record is selected. */
typedef bool index_fn(const void *context, const struct record *record, uint64_t number);

/* tui_index_follow looks at new records, at most budget of them, and removes those that are gone.
 * After until_ns, by the monotonic clock, it looks at only one. False: there are more to look at. */
bool tui_index_follow(struct tui_index *index, const struct store_look *look, index_fn *picks,
                      const void *context, size_t budget, int64_t until_ns);

static inline uint64_t tui_index_get(const struct tui_index *index, size_t place)
{
    return place < index->num ? index->numbers[index->first + place] : 0;
}

/* tui_index_find returns the index of a record, or of the first after it. */
size_t tui_index_find(const struct tui_index *index, uint64_t number);

/* tui_index_clear empties it, so that all records are looked at again. tui_index_free releases it
 * as well. */
void tui_index_clear(struct tui_index *index);
void tui_index_free(struct tui_index *index);

#endif
