/*
 * tui_format.c - see tui_format.h.
 */
#include "ui/tui/tui_format.h"

#include "core/duration.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static struct tui_number scaled(uint64_t value, const char *unit)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
    struct tui_number out;
    double number = (double)value;
    size_t i = 0;
    while (number >= 999.5 && i + 1 < sizeof prefixes / sizeof prefixes[0]) {
        number /= 1000;
        i++;
    }
    snprintf(out.text, sizeof out.text, i == 0 || number >= 99.95 ? "%.0f%s%s%s" : "%.1f%s%s%s",
             number, unit[0] != '\0' ? " " : "", prefixes[i], unit);
    return out;
}

struct tui_number tui_bytes(uint64_t bytes)
{
    return scaled(bytes, "B");
}

struct tui_number tui_byte_rate(uint64_t rate)
{
    return scaled(rate, "B/s");
}

struct tui_number tui_count(uint64_t count)
{
    struct tui_number out;
    if (count >= 100000)
        return scaled(count, "");
    snprintf(out.text, sizeof out.text, "%" PRIu64, count);
    return out;
}

struct tui_number tui_span(int64_t ns)
{
    struct tui_number out = {"-"};
    struct ds_buffer text = {0};
    if (ns == 0)
        return out;
    duration_print(ns, &text);
    if (!text.failed)
        snprintf(out.text, sizeof out.text, "%.*s", (int)text.len, text.data);
    ds_buffer_free(&text);
    return out;
}

struct tui_number tui_clock(int64_t ns)
{
    struct tui_number out;
    const int64_t seconds = ns > 0 ? ns / 1000000000 : 0;
    snprintf(out.text, sizeof out.text, "%02" PRId64 ":%02d:%02d", seconds / 3600,
             (int)(seconds / 60 % 60), (int)(seconds % 60));
    return out;
}

struct tui_number tui_time_of_day(int64_t ns)
{
    struct tui_number out;
    const int64_t rest = ns % 1000000000;
    const time_t second = (time_t)((ns - rest) / 1000000000) - (rest < 0);
    struct tm tm = {0};
    localtime_r(&second, &tm);
    snprintf(out.text, sizeof out.text, "%02d:%02d:%02d.%03d", tm.tm_hour, tm.tm_min, tm.tm_sec,
             (int)((rest < 0 ? rest + 1000000000 : rest) / 1000000));
    return out;
}

void tui_bars(const uint64_t *values, size_t num, bool ascii, char text[TUI_BARS_LEN])
{
    static const char plain[] = "..::||##";
    uint64_t largest = 0;
    char *at = text;
    for (size_t i = 0; i < num; i++)
        largest = values[i] > largest ? values[i] : largest;
    for (size_t i = 0; i < num; i++) {
        unsigned height = largest != 0 ? (unsigned)((double)values[i] / (double)largest * 8) : 0;
        height = height > 7 ? 7 : height;
        if (values[i] == 0) {
            *at++ = ' ';
        } else if (ascii) {
            *at++ = plain[height];
        } else { /* U+2581 and the following */
            memcpy(at, "\xe2\x96", 2);
            at[2] = (char)(0x81 + height);
            at += 3;
        }
    }
    *at = '\0';
}
