/*
 * tui_index.h - the numbers of those records in the store that something picks, in their order.
 */
#ifndef SRC_TUI_INDEX_H
#define SRC_TUI_INDEX_H

#include "ui/tui/tui_store.h"

struct tui_index {
    uint64_t *numbers;
    size_t first, num, cap; /* those that there are: numbers[first] to numbers[first + num - 1] */
    uint64_t seen;          /* the latest record that was looked at */
};

/* index_fn says whether a record is picked. */
typedef bool index_fn(const void *context, const struct record *record, uint64_t number);

/* tui_index_follow looks at the records that are new, at most budget of them, and leaves out those that are
 * gone. Once it is past until_ns, by the monotonic clock, it looks at one alone. False: there are more to
 * look at. */
bool tui_index_follow(struct tui_index *index, const struct store_look *look, index_fn *picks,
                      const void *context, size_t budget, int64_t until_ns);

static inline uint64_t tui_index_get(const struct tui_index *index, size_t place)
{
    return place < index->num ? index->numbers[index->first + place] : 0;
}

/* tui_index_find returns the place of a record, or of the first behind it. */
size_t tui_index_find(const struct tui_index *index, uint64_t number);

/* tui_index_clear has all be looked at anew. tui_index_free releases it as well. */
void tui_index_clear(struct tui_index *index);
void tui_index_free(struct tui_index *index);

#endif
