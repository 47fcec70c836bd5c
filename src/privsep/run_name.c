/*
 * run_name.c - see run_name.h.
 *
 * The pattern becomes a sequence of steps, each a character or any number of characters of a kind. All
 * ways through the steps are tried in parallel, so that no name accepts long.
 */
#include "privsep/run_name.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum run_step_kind {
    STEP_CHAR,
    STEP_DIGITS, /* of conversions without words: digits and the characters between them */
    STEP_TIME,   /* the result of most strftime conversions; no point, no slash */
    STEP_DATE,   /* %D and %x: 12/31/26 */
    STEP_NUMBER, /* 7, -2, -20261231-235959 */
};

struct run_step {
    enum run_step_kind kind;
    char c;
};

struct steps {
    struct run_step step[PATH_MAX + 4];
    bool now[PATH_MAX + 5], next[PATH_MAX + 5];
    size_t num;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool accepts(const struct run_step *step, char c)
{
    switch (step->kind) {
    case STEP_CHAR:
        return step->c == c;
    case STEP_DIGITS: /* the conversion may appear unchanged */
        return is_digit(c) || c == step->c || (c != '\0' && strchr(" :+-%\n\t", c) != NULL);
    case STEP_TIME:
        return is_digit(c) || is_letter(c) || (c != '\0' && strchr(" :+-%\n\t", c) != NULL);
    case STEP_DATE:
        return is_digit(c) || c == '/' || c == '%' || is_letter(c);
    case STEP_NUMBER:
        return is_digit(c) || c == '-';
    }
    return false;
}

static void add(struct steps *steps, enum run_step_kind kind, char c)
{
    steps->step[steps->num++] = (struct run_step){kind, c};
}

/* conversion_len returns the length of a conversion, with glibc's flags and width. */
static size_t conversion_len(const char *at)
{
    size_t len = 1 + strspn(at + 1, "_-0^#+");
    len += strspn(at + len, "0123456789");
    len += strspn(at + len, "EO");
    return at[len] != '\0' ? len + 1 : 1;
}

static void add_conversion(struct steps *steps, char conversion)
{
    if (strchr("Dx", conversion) != NULL)
        add(steps, STEP_DATE, 0);
    else if (strchr("CdeFgGHIjklmMnRsStTuUVwWyYz%", conversion) != NULL)
        add(steps, STEP_DIGITS, conversion);
    else
        add(steps, STEP_TIME, 0);
}

static void read_pattern(struct steps *steps, const char *pattern)
{
    const char *slash = strrchr(pattern, '/');
    const char *suffix = strrchr(pattern, '.');
    if (suffix != NULL && (suffix == pattern || (slash != NULL && suffix <= slash + 1)))
        suffix = NULL;
    for (const char *at = pattern; *at != '\0';) {
        const size_t len = *at == '%' ? conversion_len(at) : 1;
        if (at == suffix)
            add(steps, STEP_NUMBER, 0);
        if (len > 1)
            add_conversion(steps, at[len - 1]);
        else
            add(steps, STEP_CHAR, *at);
        at += len;
    }
    add(steps, STEP_NUMBER, 0);
}

/* skip adds the places that are reached without reading a character. */
static void skip(const struct steps *steps, bool *places)
{
    for (size_t i = 0; i < steps->num; i++) {
        if (places[i] && steps->step[i].kind != STEP_CHAR)
            places[i + 1] = true;
    }
}

bool run_name_fits(const char *pattern, const char *name)
{
    struct steps *steps = strlen(pattern) < PATH_MAX ? calloc(1, sizeof *steps) : NULL;
    if (steps == NULL)
        return false;
    read_pattern(steps, pattern);
    steps->now[0] = true;
    skip(steps, steps->now);
    for (const char *c = name; *c != '\0'; c++) {
        memset(steps->next, 0, sizeof steps->next);
        for (size_t i = 0; i < steps->num; i++) {
            if (steps->now[i] && accepts(&steps->step[i], *c))
                steps->next[steps->step[i].kind == STEP_CHAR ? i + 1 : i] = true;
        }
        skip(steps, steps->next);
        memcpy(steps->now, steps->next, sizeof steps->now);
    }
    const bool fits = steps->now[steps->num];
    free(steps);
    return fits;
}
