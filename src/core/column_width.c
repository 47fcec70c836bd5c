/*
 * column_width.c - see column_width.h.
 */
#include "core/column_width.h"

#include <stddef.h>

static const struct {
    uint32_t first, last, columns;
} ranges[] = {
#define COLUMNS_OF(first, last, columns) {first, last, columns},
#include "core/column_widths.def"
#undef COLUMNS_OF
};

unsigned column_width(uint32_t character)
{
    size_t low = 0, high = sizeof ranges / sizeof ranges[0];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (character > ranges[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sizeof ranges / sizeof ranges[0] && character >= ranges[low].first
               ? ranges[low].columns
               : 1;
}
