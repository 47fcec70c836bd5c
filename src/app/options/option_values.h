/*
 * option_values.h - what the arguments of options are made of. Each of these returns false
 * after a complaint that names the option.
 */
#ifndef SRC_OPTION_VALUES_H
#define SRC_OPTION_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* option_parse_number reads a whole number between min and max. */
bool option_parse_number(const char *option, const char *value, uint64_t min, uint64_t max,
                         uint64_t *out);

/* choices is what a value may be, "text or json", and what a wrong one was meant to be:
 * ": did you mean json?", or nothing. */
struct choices {
    char all[256], meant[64];
};
struct choices option_print_choices(const char *value, size_t value_len, const char *const *names,
                                    size_t num);

/* option_parse_choice reads one of num names; *out is its place among them. */
bool option_parse_choice(const char *option, const char *value, const char *const *names,
                         size_t num, size_t *out);

#endif
