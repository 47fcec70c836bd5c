/*
 * bounded_regex.h - a PCRE2 regular expression whose search takes a limited time, whatever the
 * expression and the text are.
 */
#ifndef SRC_BOUNDED_REGEX_H
#define SRC_BOUNDED_REGEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* REGEX_GAVE_UP: it would need too much time or memory, or the program must stop (signals.h). */
enum regex_result { REGEX_NO, REGEX_YES, REGEX_GAVE_UP };

/* regex_error says what is wrong with a pattern, and where; column 0: memory ran out. */
struct regex_error {
    size_t column; /* of the byte, from 1 */
    char what[160];
};

struct bounded_regex;

/* bounded_regex_new returns NULL and sets *error if the pattern is wrong. options are those of
 * pcre2_compile. */
struct bounded_regex *bounded_regex_new(const char *pattern, size_t len, uint32_t options,
                                        struct regex_error *error);
void bounded_regex_free(struct bounded_regex *regex); /* NULL is allowed */

/* bounded_regex_interpret turns off compilation to machine code from now on, because the sandbox may
 * forbid executable memory. Searches are slower then. */
void bounded_regex_interpret(void);

/* bounded_regex_search searches a text. One thread at a time may use a regex. */
enum regex_result bounded_regex_search(struct bounded_regex *regex, const char *text, size_t len);

#endif
