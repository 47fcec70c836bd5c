/*
 * option_values.c - see option_values.h.
 */
#include "app/options/option_values.h"

#include "core/complain.h"
#include "core/suggest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool option_parse_number(const char *option, const char *value, uint64_t min, uint64_t max,
                         uint64_t *out)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 || number < min ||
        number > max) {
        if (max == UINT64_MAX)
            complain("%s takes a whole number from %llu, not '%s'", option,
                     (unsigned long long)min, value);
        else
            complain("%s takes a whole number from %llu to %llu, not '%s'", option,
                     (unsigned long long)min, (unsigned long long)max, value);
        return false;
    }
    *out = number;
    return true;
}

struct choices option_print_choices(const char *value, size_t value_len, const char *const *names,
                                    size_t num)
{
    struct choices choices = {{0}, {0}};
    const char *nearest = suggest_find(value, value_len, names, num);
    size_t len = 0;
    for (size_t i = 0; i < num && len < sizeof choices.all; i++) {
        const char *between = i == 0 ? "" : i + 1 == num ? " or " : ", ";
        len += (size_t)snprintf(choices.all + len, sizeof choices.all - len, "%s%s", between,
                                names[i]);
    }
    if (nearest != NULL)
        snprintf(choices.meant, sizeof choices.meant, ": did you mean %s?", nearest);
    return choices;
}

bool option_parse_choice(const char *option, const char *value, const char *const *names,
                         size_t num, size_t *out)
{
    for (size_t i = 0; i < num; i++) {
        if (strcmp(value, names[i]) == 0) {
            *out = i;
            return true;
        }
    }
    const struct choices choices = option_print_choices(value, strlen(value), names, num);
    complain("%s takes %s, not '%s'%s", option, choices.all, value, choices.meant);
    return false;
}
