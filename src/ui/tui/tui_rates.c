/*
 * tui_rates.c - see tui_rates.h. The value of a second is at the index of that second modulo
 * RATES_SECONDS. The present second is incomplete: rates are of the seconds before it.
 */
#include "ui/tui/tui_rates.h"

#include <stdlib.h>
#include <string.h>

#define SECOND_NS INT64_C(1000000000)
#define BREAK_NS (5 * SECOND_NS) /* snapshots come more often, unless a large book takes that long */

static unsigned place_of(int64_t second)
{
    return (unsigned)(second % RATES_SECONDS);
}

static void clear_place(struct rate_row *row, unsigned place)
{
    row->new_bytes[place] = 0;
    row->new_messages[place] = 0;
}

/* move_on clears the values of the seconds that have begun. */
static void move_on(struct tui_rates *rates, int64_t second)
{
    int64_t from = rates->second + 1;
    if (second - from >= RATES_SECONDS)
        from = second - RATES_SECONDS + 1;
    for (int64_t s = from; s <= second; s++) {
        clear_place(&rates->all, place_of(s));
        for (size_t i = 0; rates->rows != NULL && i < RATES_ROWS; i++)
            clear_place(&rates->rows[i], place_of(s));
    }
    rates->second = second;
}

static void add(uint32_t *to, uint64_t more)
{
    *to = more > UINT32_MAX - *to ? UINT32_MAX : *to + (uint32_t)more;
}

static void note(struct tui_rates *rates, struct rate_row *row, uint64_t messages, uint64_t bytes,
                 bool is_first)
{
    const unsigned place = place_of(rates->second);
    if (!is_first) {
        add(&row->new_messages[place], messages > row->messages ? messages - row->messages : 0);
        add(&row->new_bytes[place], bytes > row->bytes ? bytes - row->bytes : 0);
    }
    row->messages = messages;
    row->bytes = bytes;
    row->used = rates->num_told;
}

/* get_row returns a row; a new one replaces one that is no longer reported. */
static struct rate_row *get_row(struct tui_rates *rates, uint64_t id, bool *is_new)
{
    struct rate_row *oldest = &rates->rows[0];
    for (size_t i = 0; i < RATES_ROWS; i++) {
        struct rate_row *row = &rates->rows[i];
        *is_new = row->id != id;
        if (row->id == id)
            return row;
        if (row->used < oldest->used)
            oldest = row;
    }
    *oldest = (struct rate_row){.id = id};
    return oldest;
}

void tui_rates_add(struct tui_rates *rates, const cJSON *rows, rate_of *of, const struct snapshot *all,
                   int64_t now_ns)
{
    const int64_t second = now_ns / SECOND_NS;
    const bool is_first = rates->num_told == 0 || now_ns - rates->told_ns > BREAK_NS;
    if (rates->rows == NULL)
        rates->rows = calloc(RATES_ROWS, sizeof *rates->rows);
    move_on(rates, second);
    rates->began = is_first ? second : rates->began;
    rates->told_ns = now_ns;
    rates->num_told++;
    for (const cJSON *row = rows; row != NULL && rates->rows != NULL; row = row->next) {
        uint64_t id = 0, messages = 0, bytes = 0;
        bool is_new;
        of(row, &id, &messages, &bytes);
        struct rate_row *found = get_row(rates, id, &is_new);
        note(rates, found, messages, bytes, is_first);
    }
    note(rates, &rates->all, all->num_messages, all->num_bytes, is_first);
}

const struct rate_row *tui_rates_find(const struct tui_rates *rates, uint64_t id)
{
    for (size_t i = 0; rates->rows != NULL && i < RATES_ROWS; i++) {
        if (rates->rows[i].id == id)
            return &rates->rows[i];
    }
    return NULL;
}

bool tui_rates_has(const struct tui_rates *rates)
{
    return rates->num_told != 0 && rates->second > rates->began;
}

static uint64_t mean(const struct tui_rates *rates, const uint32_t *values, unsigned seconds)
{
    uint64_t sum = 0;
    if (!tui_rates_has(rates))
        return 0;
    if (rates->second - rates->began < (int64_t)seconds)
        seconds = (unsigned)(rates->second - rates->began);
    for (unsigned i = 1; i <= seconds; i++)
        sum += values[place_of(rates->second + RATES_SECONDS - i)];
    return sum / seconds;
}

uint64_t tui_rates_bytes(const struct tui_rates *rates, const struct rate_row *row, unsigned seconds)
{
    return row != NULL ? mean(rates, row->new_bytes, seconds) : 0;
}

uint64_t tui_rates_messages(const struct tui_rates *rates, const struct rate_row *row, unsigned seconds)
{
    return row != NULL ? mean(rates, row->new_messages, seconds) : 0;
}

uint64_t tui_rates_value(const struct tui_rates *rates, const struct rate_row *row, unsigned ago)
{
    return row->new_bytes[place_of(rates->second + RATES_SECONDS - 1 - (int64_t)ago)];
}

void tui_rates_free(struct tui_rates *rates)
{
    free(rates->rows);
    *rates = (struct tui_rates){0};
}
