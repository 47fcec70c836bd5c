/*
 * rotation_names.c - see rotation_names.h.
 *
 * strftime shows the cycle of a pattern: it formats two times a minute, an hour ... apart, across a
 * change of year. If they have the same name, all names repeat after that time.
 */
#include "keep/rotation_names.h"

#include "core/hash.h"

#include <string.h>
#include <time.h>

enum { NAME_LEN = 4096, MINUTE = 60, HOUR = 60 * MINUTE, DAY = 24 * HOUR };

/* Names are identified by their hash. If two have the same, a number is added needlessly, but no file
 * is lost. */
struct written_name {
    struct table_entry entry;
    int64_t begin;  /* the time in it when it was used last */
    int64_t taken;  /* when it was used, by the clock of the cycle */
    uint64_t times; /* 0: unknown */
};

/* Pairs of times that have the same name if the cycle is not longer than this. */
static const struct name_span {
    struct tm from, to;
    int64_t cycle;
} spans[] = {
#define AT(year, month, day, hour, minute, second)                                                 \
    {                                                                                              \
        .tm_year = (year)-1900, .tm_mon = (month)-1, .tm_mday = (day), .tm_hour = (hour),          \
        .tm_min = (minute), .tm_sec = (second)                                                     \
    }
    {AT(2026, 12, 31, 23, 59, 59), AT(2027, 1, 1, 0, 0, 0), 0},
    {AT(2026, 12, 31, 23, 59, 30), AT(2027, 1, 1, 0, 0, 30), MINUTE},
    {AT(2026, 12, 31, 23, 30, 30), AT(2027, 1, 1, 0, 30, 30), HOUR},
    {AT(2026, 12, 31, 18, 30, 30), AT(2027, 1, 1, 6, 30, 30), DAY / 2},
    {AT(2026, 12, 31, 18, 30, 30), AT(2027, 1, 1, 18, 30, 30), DAY},
    {AT(2026, 12, 28, 18, 30, 30), AT(2027, 1, 4, 18, 30, 30), 7 * DAY},
    {AT(2026, 12, 15, 18, 30, 30), AT(2027, 1, 15, 18, 30, 30), 28 * DAY},
    {AT(2026, 3, 15, 18, 30, 30), AT(2027, 3, 15, 18, 30, 30), 365 * DAY},
#undef AT
};

static size_t format(const char *pattern, struct tm tm, char *out)
{
    timegm(&tm); /* sets the day of the week */
    return strftime(out, NAME_LEN, pattern, &tm);
}

int64_t rotation_names_cycle(const char *pattern)
{
    char from[NAME_LEN], to[NAME_LEN];
    for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++) {
        const size_t len = format(pattern, spans[i].from, from);
        if (format(pattern, spans[i].to, to) == len && memcmp(from, to, len) == 0)
            return spans[i].cycle;
    }
    return ROTATION_NAMES_NEVER;
}

void rotation_names_init(struct rotation_names *names, const char *pattern, uint64_t max)
{
    *names = (struct rotation_names){
        .cycle = rotation_names_cycle(pattern),
        .forgotten_until = INT64_MIN,
    };
    table_init(&names->table, sizeof(struct written_name), max);
}

void rotation_names_free(struct rotation_names *names)
{
    table_free(&names->table);
}

static void forget(struct rotation_names *names, struct written_name *name)
{
    if (name->begin > names->forgotten_until)
        names->forgotten_until = name->begin;
    table_remove(&names->table, name);
}

static void remember(struct rotation_names *names, uint32_t hash, int64_t begin, int64_t now,
                     uint64_t times)
{
    if (table_is_full(&names->table) && table_oldest(&names->table) != NULL)
        forget(names, table_oldest(&names->table));
    struct written_name *name = table_add(&names->table, hash);
    if (name != NULL) {
        name->begin = begin;
        name->taken = now;
        name->times = times;
    } else if (begin > names->forgotten_until) {
        names->forgotten_until = begin;
    }
}

/* is_over says whether a cycle has passed since then. A cycle may seem a little shorter than it is: the
 * files of an hour may begin late in it, and early on the next day; and daylight saving time begins. */
static bool is_over(int64_t cycle, int64_t then, int64_t now)
{
    return cycle != ROTATION_NAMES_NEVER && now - then >= cycle / 4 * 3;
}

uint64_t rotation_names_use(struct rotation_names *names, const char *name, int64_t begin, int64_t now)
{
    const uint32_t hash = hash_text((struct ds_text){name, strlen(name)});
    struct written_name *before = table_first(&names->table, hash);
    uint64_t times = 1;
    if (names->cycle == 0)
        return times;
    if (before != NULL) {
        if (!is_over(names->cycle, before->taken, now))
            times = before->times != 0 ? before->times + 1 : 0;
        table_remove(&names->table, before);
    } else if (begin <= names->forgotten_until) {
        times = 0;
    }
    remember(names, hash, begin, now, times);
    return times;
}
