/*
 * tui_rates.h - how fast counters of the rows of a book grow, of links for example: the differences
 * between snapshots, by second of the last minute. It counts nothing itself.
 */
#ifndef SRC_TUI_RATES_H
#define SRC_TUI_RATES_H

#include "ui/tui/tui_books.h"

enum { RATES_SECONDS = 61, RATES_ROWS = 1024 }; /* a minute, and the present second */

struct rate_row {
    uint64_t id; /* 0: free */
    uint64_t messages, bytes; /* as reported last */
    uint32_t new_bytes[RATES_SECONDS]; /* by second; capped at 4 GB */
    uint32_t new_messages[RATES_SECONDS];
    uint64_t used; /* the number of the latest snapshot with the row */
};

struct tui_rates {
    struct rate_row *rows; /* RATES_ROWS; NULL: memory ran out, or no snapshot yet */
    struct rate_row all;
    int64_t second;    /* of the newest value, by the monotonic clock */
    int64_t began;     /* the second since which there are values without a break */
    int64_t told_ns;   /* when the latest snapshot came */
    uint64_t num_told;
};

/* rate_of writes what identifies a row of a book, and its counters. */
typedef void rate_of(const cJSON *row, uint64_t *id, uint64_t *messages, uint64_t *bytes);

/* tui_rates_add records the counters of rows at this time, and those of all together. After a
 * break of some seconds, as when a book was not asked for, rates begin anew. */
void tui_rates_add(struct tui_rates *rates, const cJSON *rows, rate_of *of, const struct snapshot *all,
                   int64_t now_ns);

/* tui_rates_find returns a row, NULL if it is unknown. */
const struct rate_row *tui_rates_find(const struct tui_rates *rates, uint64_t id);

/* tui_rates_has says whether there is a complete second: before that no rate is known. */
bool tui_rates_has(const struct tui_rates *rates);

/* These return the rate per second over the last complete seconds, as far as there are values. */
uint64_t tui_rates_bytes(const struct tui_rates *rates, const struct rate_row *row, unsigned seconds);
uint64_t tui_rates_messages(const struct tui_rates *rates, const struct rate_row *row, unsigned seconds);

/* tui_rates_value returns the bytes of the second that many seconds ago; 0: the last complete one. */
uint64_t tui_rates_value(const struct tui_rates *rates, const struct rate_row *row, unsigned ago);

void tui_rates_free(struct tui_rates *rates);

#endif
