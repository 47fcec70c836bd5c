/*
 * tui_index.c - see tui_index.h.
 */
#include "ui/tui/tui_index.h"

#include "core/clock.h"

#include <stdlib.h>
#include <string.h>

size_t tui_index_find(const struct tui_index *index, uint64_t number)
{
    size_t low = 0, high = index->num;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (tui_index_get(index, middle) < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void leave_out_gone(struct tui_index *index, uint64_t first)
{
    const size_t num = tui_index_find(index, first);
    index->first += num;
    index->num -= num;
    if (index->first > index->num) { /* most numbers are of records that are gone */
        if (index->num != 0)
            memmove(index->numbers, index->numbers + index->first, index->num * sizeof *index->numbers);
        index->first = 0;
    }
}

/* add appends a number; if memory ran out it is left out. */
static void add(struct tui_index *index, uint64_t number)
{
    if (index->first + index->num == index->cap) {
        const size_t cap = index->cap != 0 ? 2 * index->cap : 256;
        uint64_t *numbers = realloc(index->numbers, cap * sizeof *numbers);
        if (numbers == NULL)
            return;
        index->numbers = numbers;
        index->cap = cap;
    }
    index->numbers[index->first + index->num++] = number;
}

bool tui_index_follow(struct tui_index *index, const struct store_look *look, index_fn *picks,
                      const void *context, size_t budget, int64_t until_ns)
{
    struct record_view view = {0};
    bool is_late = false;
    leave_out_gone(index, look->first);
    if (index->seen + 1 < look->first)
        index->seen = look->first - 1;
    for (; index->seen + 1 < look->end && budget != 0 && !is_late; budget--) {
        const struct record *record = store_look_get(look, ++index->seen, &view);
        if (record != NULL && picks(context, record, index->seen))
            add(index, index->seen);
        is_late = clock_now_ns() >= until_ns;
    }
    return index->seen + 1 >= look->end;
}

void tui_index_clear(struct tui_index *index)
{
    index->first = index->num = 0;
    index->seen = 0;
}

void tui_index_free(struct tui_index *index)
{
    free(index->numbers);
    *index = (struct tui_index){0};
}
