/*
 * timestamp.c - see timestamp.h.
 */
#include "core/timestamp.h"

#include <string.h>
#include <time.h>

enum { SECOND_NS = 1000000000 };

/* split returns whole seconds, rounded towards the past so that the fraction is never negative. */
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

/* put_fraction writes the point and the digits, and returns a pointer to the byte after them. at has
 * room for FRACTION_ROOM bytes. */
enum { FRACTION_ROOM = DS_DIGITS_MAX + 1 };
static inline char *put_fraction(uint32_t fraction, unsigned digits, char *at)
{
    enum { US_DIGITS = 6, NS_DIGITS = 9, SECOND_US = 1000000, US_NS = 1000 };
    /* Adding a second makes a number with all leading zeros; the point replaces the second's digit. */
    if (digits <= US_DIGITS)
        ds_digits_put(at, SECOND_US + fraction / US_NS);
    else
        ds_digits_put(at, (uint64_t)SECOND_NS + fraction);
    *at = '.';
    return at + 1 + (digits < NS_DIGITS ? digits : NS_DIGITS);
}

static void add_fraction(uint32_t fraction, unsigned digits, struct ds_buffer *out)
{
    char text[FRACTION_ROOM];
    ds_buffer_add(out, text, (size_t)(put_fraction(fraction, digits, text) - text));
}

/* renew makes the text of another second. */
static __attribute__((noinline)) void renew(struct timestamp_cache *cache, int64_t ns, bool utc,
                                            const char *format)
{
    uint32_t fraction;
    const time_t t = (time_t)split(ns, &fraction);
    struct tm tm = {0};
    if (utc)
        gmtime_r(&t, &tm);
    else
        localtime_r(&t, &tm);
    cache->len = strftime(cache->text, sizeof cache->text, format, &tm);
    cache->begin_ns = (uint64_t)ns - fraction;
}

/* add_moment appends the second and its fraction, and `last` if it is not 0. */
static inline void add_moment(struct timestamp_cache *cache, int64_t ns, unsigned digits, bool utc,
                              const char *format, char last, struct ds_buffer *out)
{
    enum { ROOM = sizeof cache->text + FRACTION_ROOM + sizeof last };
    if (cache->len == 0 || (uint64_t)ns - cache->begin_ns >= SECOND_NS)
        renew(cache, ns, utc, format);
    if (out->cap - out->len < ROOM && !ds_buffer_reserve(out, ROOM))
        return;
    char *at = out->data + out->len;
    memcpy(at, cache->text, sizeof cache->text);
    at = put_fraction((uint32_t)((uint64_t)ns - cache->begin_ns), digits, at + cache->len);
    *at = last;
    out->len = (size_t)(at - out->data) + (last != 0);
}

void timestamp_print_utc(struct timestamp_cache *cache, int64_t ns, unsigned digits,
                         struct ds_buffer *out)
{
    add_moment(cache, ns, digits, true, "%Y-%m-%dT%H:%M:%S", 'Z', out);
}

void timestamp_print_local(struct timestamp_cache *cache, int64_t ns, unsigned digits, bool date,
                           struct ds_buffer *out)
{
    add_moment(cache, ns, digits, false, date ? "%Y-%m-%d %H:%M:%S" : "%H:%M:%S", 0, out);
}

void timestamp_print_epoch(int64_t ns, unsigned digits, struct ds_buffer *out)
{
    uint32_t fraction;
    int64_t second = split(ns, &fraction);
    ds_buffer_printf(out, "%lld", (long long)second);
    add_fraction(fraction, digits, out);
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
    add_fraction(fraction, digits, out);
}
