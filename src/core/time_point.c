/*
 * time_point.c - see time_point.h.
 */
#include "core/time_point.h"

#include "core/units.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define SECOND_NS INT64_C(1000000000)

const char time_point_forms[] = "23:59, 23:59:59, 2026-01-31T23:59:59Z, seconds since 1970, or +10s after "
                            "the first packet";

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* read_fraction reads a fraction such as .5, if there is one. */
static const char *read_fraction(const char *at, int64_t *ns)
{
    *ns = 0;
    if (at[0] != '.' || !is_digit(at[1]))
        return at;
    int64_t weight = SECOND_NS;
    for (at++; is_digit(*at); at++) {
        weight /= 10;
        *ns += (*at - '0') * weight;
    }
    return at;
}

/* read_two reads two digits, at most max, after the character `before`. */
static bool read_two(const char **at, char before, int max, int *out)
{
    const char *p = *at;
    if (before != '\0' && *p++ != before)
        return false;
    if (!is_digit(p[0]) || !is_digit(p[1]))
        return false;
    *out = (p[0] - '0') * 10 + (p[1] - '0');
    *at = p + 2;
    return *out <= max;
}

/* read_clock reads HH:MM, or HH:MM:SS with or without a fraction. */
static bool read_clock(const char **at, struct tm *tm, int64_t *fraction)
{
    *fraction = 0;
    if (!read_two(at, '\0', 23, &tm->tm_hour) || !read_two(at, ':', 59, &tm->tm_min))
        return false;
    if (**at != ':')
        return true;
    if (!read_two(at, ':', 60, &tm->tm_sec))
        return false;
    *at = read_fraction(*at, fraction);
    return true;
}

/* read_zone reads the time zone: Z, +01:00, or nothing, which is local time. */
static bool read_zone(const char *at, struct tm *tm, int64_t *second)
{
    int hours, minutes;
    if (*at == '\0') {
        tm->tm_isdst = -1;
        *second = mktime(tm);
        return true;
    }
    *second = timegm(tm);
    if (strcmp(at, "Z") == 0 || strcmp(at, "z") == 0)
        return true;
    const bool is_behind = *at == '-';
    if ((!is_behind && *at != '+') || (at++, !read_two(&at, '\0', 23, &hours)) ||
        !read_two(&at, ':', 59, &minutes) || *at != '\0')
        return false;
    const int64_t offset = hours * INT64_C(3600) + minutes * INT64_C(60);
    *second += is_behind ? offset : -offset;
    return true;
}

static bool parse_date(const char *text, struct time_point *out)
{
    struct tm tm = {0};
    int century, year;
    int64_t second, fraction;
    const char *at = text;
    if (!read_two(&at, '\0', 22, &century) || !read_two(&at, '\0', 99, &year) ||
        !read_two(&at, '-', 12, &tm.tm_mon) || !read_two(&at, '-', 31, &tm.tm_mday) ||
        (*at != 'T' && *at != 't' && *at != ' '))
        return false;
    at++;
    tm.tm_year = century * 100 + year - 1900;
    tm.tm_mon -= 1;
    struct tm day = {.tm_year = tm.tm_year, .tm_mon = tm.tm_mon, .tm_mday = tm.tm_mday};
    if (timegm(&day) == -1 || day.tm_mday != tm.tm_mday)
        return false; /* such as 30 February */
    if (!read_clock(&at, &tm, &fraction) || century * 100 + year < 1970 || tm.tm_mon < 0 ||
        tm.tm_mday < 1 || century * 100 + year > 2261 || !read_zone(at, &tm, &second))
        return false;
    *out = (struct time_point){TIME_POINT_ABSOLUTE, second * SECOND_NS + fraction};
    return true;
}

static bool parse_of_day(const char *text, struct time_point *out)
{
    struct tm tm = {0};
    int64_t fraction;
    if (!read_clock(&text, &tm, &fraction) || *text != '\0')
        return false;
    const int64_t second = tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec;
    *out = (struct time_point){TIME_POINT_OF_DAY, second * SECOND_NS + fraction};
    return true;
}

static bool parse_epoch(const char *text, struct time_point *out)
{
    int64_t second = 0, fraction;
    const char *at = text;
    for (; is_digit(*at) && second < SECOND_NS * 10; at++)
        second = second * 10 + (*at - '0');
    if (at == text || second >= INT64_MAX / SECOND_NS)
        return false;
    at = read_fraction(at, &fraction);
    *out = (struct time_point){TIME_POINT_ABSOLUTE, second * SECOND_NS + fraction};
    return *at == '\0';
}

bool time_point_parse(const char *text, struct time_point *out)
{
    if (text[0] == '+') {
        *out = (struct time_point){TIME_POINT_RELATIVE, 0};
        return units_parse(QUANTITY_DURATION, text + 1, SECOND_NS, &out->ns);
    }
    return parse_date(text, out) || parse_of_day(text, out) || parse_epoch(text, out);
}

/* on_day returns the time of day on the day of start, or that many days later. */
static int64_t on_day(int64_t of_day_ns, int64_t start_ns, int days)
{
    const time_t start = (time_t)(start_ns / SECOND_NS);
    struct tm tm;
    localtime_r(&start, &tm);
    const int64_t second = of_day_ns / SECOND_NS;
    tm.tm_mday += days;
    tm.tm_hour = (int)(second / 3600);
    tm.tm_min = (int)(second / 60 % 60);
    tm.tm_sec = (int)(second % 60);
    tm.tm_isdst = -1;
    return (int64_t)mktime(&tm) * SECOND_NS + of_day_ns % SECOND_NS;
}

int64_t time_point_resolve(const struct time_point *moment, int64_t start_ns, int64_t not_before_ns)
{
    int64_t ns = moment->ns;
    switch (moment->kind) {
    case TIME_POINT_NONE:
    case TIME_POINT_ABSOLUTE:
        break;
    case TIME_POINT_RELATIVE:
        if (__builtin_add_overflow(start_ns, ns, &ns))
            ns = INT64_MAX;
        break;
    case TIME_POINT_OF_DAY:
        ns = on_day(moment->ns, start_ns, 0);
        if (ns < not_before_ns)
            ns = on_day(moment->ns, start_ns, 1);
        break;
    }
    return ns;
}

int64_t time_point_last(const struct time_point *of_day, int64_t before_ns)
{
    const int64_t ns = on_day(of_day->ns, before_ns, 0);
    return ns <= before_ns ? ns : on_day(of_day->ns, before_ns, -1);
}

void time_point_format(int64_t ns, char *out, size_t size)
{
    const time_t second = (time_t)(ns / SECOND_NS);
    struct tm tm;
    if (localtime_r(&second, &tm) == NULL || strftime(out, size, "%Y-%m-%d %H:%M:%S", &tm) == 0)
        out[0] = '\0';
}
