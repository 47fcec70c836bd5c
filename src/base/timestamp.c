/*
 * timestamp.c - see timestamp.h.
 */
#include "timestamp.h"

#include <stdio.h>
#include <time.h>

enum { SECOND_NS = 1000000000 };

/* Splits towards the past, so that the fraction is never negative. */
static int64_t split(int64_t ns, uint32_t *fraction)
{
    int64_t second = ns / SECOND_NS;
    int64_t rest = ns % SECOND_NS;
    if (rest < 0) {
        rest += SECOND_NS;
        second--;
    }
    *fraction = (uint32_t)rest;
    return second;
}

/* Appends the point, the digits, and last when it is not 0. */
static void add_fraction(uint32_t fraction, unsigned digits, char last, struct ds_buffer *out)
{
    enum { NS_DIGITS = 9 };
    char text[DS_DIGITS_MAX + 1];
    if (digits > NS_DIGITS)
        digits = NS_DIGITS;
    /* A second more puts the zeros in front of it; its digit is where the point is. */
    ds_digits_put(text, (uint64_t)SECOND_NS + fraction);
    text[0] = '.';
    text[1 + digits] = last;
    ds_buffer_add(out, text, 1 + digits + (last != 0));
}

static void add_calendar(struct timestamp_cache *cache, int64_t second, bool utc,
                         const char *format, struct ds_buffer *out)
{
    if (cache->len == 0 || cache->second != second) {
        time_t t = (time_t)second;
        struct tm tm = {0};
        if (utc)
            gmtime_r(&t, &tm);
        else
            localtime_r(&t, &tm);
        cache->len = strftime(cache->text, sizeof cache->text, format, &tm);
        cache->second = second;
    }
    ds_buffer_add(out, cache->text, cache->len);
}

void timestamp_print_utc(struct timestamp_cache *cache, int64_t ns, unsigned digits,
                         struct ds_buffer *out)
{
    uint32_t fraction;
    int64_t second = split(ns, &fraction);
    add_calendar(cache, second, true, "%Y-%m-%dT%H:%M:%S", out);
    add_fraction(fraction, digits, 'Z', out);
}

void timestamp_print_local(struct timestamp_cache *cache, int64_t ns, unsigned digits, bool date,
                           struct ds_buffer *out)
{
    uint32_t fraction;
    int64_t second = split(ns, &fraction);
    add_calendar(cache, second, false, date ? "%Y-%m-%d %H:%M:%S" : "%H:%M:%S", out);
    add_fraction(fraction, digits, 0, out);
}

void timestamp_print_epoch(int64_t ns, unsigned digits, struct ds_buffer *out)
{
    uint32_t fraction;
    int64_t second = split(ns, &fraction);
    ds_buffer_printf(out, "%lld", (long long)second);
    add_fraction(fraction, digits, 0, out);
}

void timestamp_print_span(int64_t ns, unsigned digits, struct ds_buffer *out)
{
    uint32_t fraction;
    if (ns < 0) {
        ds_buffer_add(out, "-", 1);
        ns = ns == INT64_MIN ? INT64_MAX : -ns;
    }
    int64_t second = split(ns, &fraction);
    ds_buffer_printf(out, "%02lld:%02d:%02d", (long long)(second / 3600),
                     (int)(second / 60 % 60), (int)(second % 60));
    add_fraction(fraction, digits, 0, out);
}
