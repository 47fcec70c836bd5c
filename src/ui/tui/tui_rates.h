/*
 * tui_rates.h - how fast counters of links grow: the differences between snapshots, by second of
 * the last minute. It counts nothing itself.
 */
#ifndef SRC_TUI_RATES_H
#define SRC_TUI_RATES_H

#include "ui/tui/tui_books.h"

enum { RATES_SECONDS = 61, RATES_LINKS = 1024 }; /* a minute, and the present second */

struct rate_row {
    uint64_t conn; /* 0: free */
    uint64_t messages, bytes; /* as reported last, of both sides */
    uint32_t new_bytes[RATES_SECONDS]; /* by second; capped at 4 GB */
    uint32_t new_messages[RATES_SECONDS];
    uint64_t used; /* the number of the latest snapshot with the link */
};

struct tui_rates {
    struct rate_row *rows; /* RATES_LINKS; NULL: memory ran out, or no snapshot yet */
    struct rate_row all;
    int64_t second;    /* of the newest value, by the monotonic clock */
    uint64_t num_told;
};

/* tui_rates_add records the counters of a snapshot at this time. */
void tui_rates_add(struct tui_rates *rates, const struct snapshot *snapshot, int64_t now_ns);

/* tui_rates_find returns the row of a link, NULL if it is unknown. */
const struct rate_row *tui_rates_find(const struct tui_rates *rates, uint64_t conn);

/* These return the rate per second over the last complete seconds. */
uint64_t tui_rates_bytes(const struct tui_rates *rates, const struct rate_row *row, unsigned seconds);
uint64_t tui_rates_messages(const struct tui_rates *rates, const struct rate_row *row, unsigned seconds);

/* tui_rates_value returns the bytes of the second that many seconds ago; 0: the last complete one. */
uint64_t tui_rates_value(const struct tui_rates *rates, const struct rate_row *row, unsigned ago);

void tui_rates_free(struct tui_rates *rates);

#endif
