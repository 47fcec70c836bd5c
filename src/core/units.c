/*
 * units.c - see units.h.
 */
#include "core/units.h"

#include <string.h>

static const struct unit {
    const char *name;
    enum quantity quantity;
    int64_t scale;
} units[] = {
    {"ns", QUANTITY_DURATION, 1},
    {"us", QUANTITY_DURATION, 1000},
    {"ms", QUANTITY_DURATION, 1000000},
    {"s", QUANTITY_DURATION, 1000000000},
    {"min", QUANTITY_DURATION, INT64_C(60000000000)},
    {"m", QUANTITY_DURATION, INT64_C(60000000000)},
    {"h", QUANTITY_DURATION, INT64_C(3600000000000)},
    {"B", QUANTITY_SIZE, 1},
    {"KB", QUANTITY_SIZE, 1000},
    {"kB", QUANTITY_SIZE, 1000},
    {"MB", QUANTITY_SIZE, 1000000},
    {"GB", QUANTITY_SIZE, 1000000000},
    {"KiB", QUANTITY_SIZE, 1024},
    {"MiB", QUANTITY_SIZE, 1048576},
    {"GiB", QUANTITY_SIZE, 1073741824},
};

const char *units_list(enum quantity quantity)
{
    return quantity == QUANTITY_SIZE ? "B KB MB GB KiB MiB GiB" : "ns us ms s min h";
}

bool units_find(enum quantity quantity, const char *name, size_t len, int64_t *scale)
{
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (units[i].quantity == quantity && strlen(units[i].name) == len &&
            memcmp(units[i].name, name, len) == 0) {
            *scale = units[i].scale;
            return true;
        }
    }
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* With this many digits after the point, a fraction times the largest unit still fits. */
enum { MAX_WEIGHT = 1000000 };

bool units_parse(enum quantity quantity, const char *text, int64_t default_scale, int64_t *out)
{
    int64_t whole = 0, fraction = 0, weight = 1, scale = default_scale;
    const char *at = text;
    for (; is_digit(*at); at++) {
        if (__builtin_mul_overflow(whole, 10, &whole) ||
            __builtin_add_overflow(whole, *at - '0', &whole))
            return false;
    }
    if (at == text || (*at == '.' && !is_digit(at[1])))
        return false;
    for (at += *at == '.'; is_digit(*at); at++) {
        if (weight < MAX_WEIGHT) {
            fraction = fraction * 10 + (*at - '0');
            weight *= 10;
        }
    }
    if (*at != '\0' ? !units_find(quantity, at, strlen(at), &scale) : scale == 0)
        return false;
    if (__builtin_mul_overflow(whole, scale, &whole) ||
        __builtin_add_overflow(whole, fraction * scale / weight, &whole))
        return false;
    *out = whole;
    return true;
}
