/*
 * option_values.h - parsers for arguments of options. Each returns false after a complaint that
 * names the option.
 */
#ifndef SRC_OPTION_VALUES_H
#define SRC_OPTION_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* option_parse_number reads a whole number between min and max. */
bool option_parse_number(const char *option, const char *value, uint64_t min, uint64_t max,
                         uint64_t *out);

/* choices describes the valid values, "text or json", and a suggestion for a wrong one, ": did you
 * mean json?", which may be empty. */
struct choices {
    char all[256], meant[64];
};
struct choices option_print_choices(const char *value, size_t value_len, const char *const *names,
                                    size_t num);

/* option_parse_choice parses one of num names; *out is its index. */
bool option_parse_choice(const char *option, const char *value, const char *const *names,
                         size_t num, size_t *out);

#endif
