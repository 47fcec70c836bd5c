/*
 * tui_format.h - numbers as columns show them: short, with their unit.
 */
#ifndef SRC_TUI_FORMAT_H
#define SRC_TUI_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tui_number {
    char text[32];
};

struct tui_number tui_bytes(uint64_t bytes);    /* "1.4 MB" */
struct tui_number tui_byte_rate(uint64_t rate); /* "1.4 MB/s" */
struct tui_number tui_count(uint64_t count);    /* "1812", "18.1k" */
struct tui_number tui_span(int64_t ns);         /* "41.2 ms", "-" for 0 */
struct tui_number tui_clock(int64_t ns);        /* a length of time, "00:12:31" */
struct tui_number tui_time_of_day(int64_t ns);  /* "12:04:11.214", local */

enum { TUI_BARS_LEN = 3 * 60 + 1 };

/* tui_bars writes values as bars, the oldest first: a character each. */
void tui_bars(const uint64_t *values, size_t num, bool ascii, char text[TUI_BARS_LEN]);

#endif
