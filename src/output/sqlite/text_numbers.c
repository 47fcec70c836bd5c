/*
 * text_numbers.c - see text_numbers.h. A direct-mapped table: a text has one place, by its hash,
 * and the latest text occupies it.
 */
#include "output/sqlite/text_numbers.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Longer texts rarely repeat. All texts together are limited to MAX_BYTES, with malloc's overhead;
 * when one more would exceed that, all are forgotten. */
enum { NUM_PLACES = 32768, MAX_LEN = 256, OVERHEAD = 32, MAX_BYTES = 1024 * 1024 };

struct text_numbers {
    int64_t num_given;
    size_t num_bytes;
    struct number_place {
        char *text; /* NULL: free */
        size_t len;
        int64_t number;
    } places[NUM_PLACES];
};

struct text_numbers *text_numbers_new(void)
{
    return calloc(1, sizeof(struct text_numbers));
}

static void forget(struct text_numbers *numbers, struct number_place *place)
{
    if (place->text == NULL)
        return;
    numbers->num_bytes -= place->len + OVERHEAD;
    free(place->text);
    *place = (struct number_place){NULL, 0, 0};
}

static void keep(struct text_numbers *numbers, struct number_place *place, struct ds_text text,
                 int64_t number)
{
    forget(numbers, place);
    const bool is_full = numbers->num_bytes + text.len + OVERHEAD > MAX_BYTES;
    for (size_t i = 0; is_full && i < NUM_PLACES; i++)
        forget(numbers, &numbers->places[i]);
    char *copy = malloc(text.len != 0 ? text.len : 1);
    if (copy == NULL)
        return;
    if (text.len != 0)
        memcpy(copy, text.data, text.len);
    numbers->num_bytes += text.len + OVERHEAD;
    *place = (struct number_place){copy, text.len, number};
}

int64_t text_numbers_get(struct text_numbers *numbers, struct ds_text text, bool *is_new)
{
    *is_new = true;
    if (text.len > MAX_LEN)
        return ++numbers->num_given;
    struct number_place *place = &numbers->places[XXH3_64bits(text.data, text.len) % NUM_PLACES];
    *is_new = place->text == NULL || place->len != text.len ||
              memcmp(place->text, text.data, text.len) != 0;
    if (*is_new)
        keep(numbers, place, text, ++numbers->num_given);
    else
        return place->number;
    return numbers->num_given;
}

void text_numbers_free(struct text_numbers *numbers)
{
    if (numbers == NULL)
        return;
    for (size_t i = 0; i < NUM_PLACES; i++)
        free(numbers->places[i].text);
    free(numbers);
}
