/*
 * tui_rates.c - see tui_rates.h. The value of a second is at the index of that second modulo
 * RATES_SECONDS. The present second is incomplete: rates are of the seconds before it.
 */
#include "ui/tui/tui_rates.h"

#include <stdlib.h>
#include <string.h>

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
        for (size_t i = 0; rates->rows != NULL && i < RATES_LINKS; i++)
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

/* get_row returns the row of a link; a new one replaces one that is no longer reported. */
static struct rate_row *get_row(struct tui_rates *rates, uint64_t conn, bool *is_new)
{
    struct rate_row *oldest = &rates->rows[0];
    for (size_t i = 0; i < RATES_LINKS; i++) {
        struct rate_row *row = &rates->rows[i];
        *is_new = row->conn != conn;
        if (row->conn == conn)
            return row;
        if (row->used < oldest->used)
            oldest = row;
    }
    *oldest = (struct rate_row){.conn = conn};
    return oldest;
}

void tui_rates_add(struct tui_rates *rates, const struct snapshot *snapshot, int64_t now_ns)
{
    const bool is_first = rates->num_told == 0;
    if (rates->rows == NULL)
        rates->rows = calloc(RATES_LINKS, sizeof *rates->rows);
    move_on(rates, now_ns / 1000000000);
    rates->num_told++;
    const cJSON *link = told_list(snapshot->book[BOOK_LINKS], "rows");
    for (; link != NULL && rates->rows != NULL; link = link->next) {
        uint64_t messages = 0, bytes = 0;
        bool is_new;
        for (const cJSON *side = told_list(link, "side"); side != NULL; side = side->next) {
            messages += told_number(side, "messages");
            bytes += told_number(side, "bytes");
        }
        struct rate_row *row = get_row(rates, told_number(link, "conn"), &is_new);
        note(rates, row, messages, bytes, is_first && is_new);
    }
    note(rates, &rates->all, snapshot->num_messages, snapshot->num_bytes, is_first);
}

const struct rate_row *tui_rates_find(const struct tui_rates *rates, uint64_t conn)
{
    for (size_t i = 0; rates->rows != NULL && i < RATES_LINKS; i++) {
        if (rates->rows[i].conn == conn)
            return &rates->rows[i];
    }
    return NULL;
}

static uint64_t mean(const struct tui_rates *rates, const uint32_t *values, unsigned seconds)
{
    uint64_t sum = 0;
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
