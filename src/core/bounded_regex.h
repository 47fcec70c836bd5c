/*
 * bounded_regex.h - a regular expression of PCRE2 whose search in a text takes a bounded time,
 * whatever the expression and the text are.
 */
#ifndef SRC_BOUNDED_REGEX_H
#define SRC_BOUNDED_REGEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* GAVE_UP: it would take too much time or memory, or the end has been asked for (signals.h). */
enum regex_result { REGEX_NO, REGEX_YES, REGEX_GAVE_UP };

/* regex_error is what is wrong with a pattern, and where; column 0: memory ran out. */
struct regex_error {
    size_t column; /* of the byte, from 1 */
    char what[160];
};

struct bounded_regex;

/* bounded_regex_new returns NULL with *error filled in when the pattern is wrong. options are
 * those of pcre2_compile. */
struct bounded_regex *bounded_regex_new(const char *pattern, size_t len, uint32_t options,
                                        struct regex_error *error);
void bounded_regex_free(struct bounded_regex *regex); /* NULL is allowed */

/* bounded_regex_interpret has no expression compiled to machine code from now on: there may be no
 * memory that can be run. They are slower then. */
void bounded_regex_interpret(void);

/* bounded_regex_search is for one thread at a time. */
enum regex_result bounded_regex_search(struct bounded_regex *regex, const char *text, size_t len);

#endif
