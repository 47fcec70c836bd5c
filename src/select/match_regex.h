/*
 * match_regex.h - one -e: a PCRE2 regular expression, searched for in events as event_text.h writes
 * them.
 */
#ifndef SRC_MATCH_REGEX_H
#define SRC_MATCH_REGEX_H

#include "core/bounded_regex.h"
#include "record/record.h"

enum { MAX_REGEX_LEN = 4096 };

struct match_regex;

/* match_regex_compile returns NULL and sets *error if the pattern is wrong. */
struct match_regex *match_regex_compile(const char *pattern, bool ignore_case,
                                        struct regex_error *error);

/* match_regex_new returns NULL after an error message that says where the pattern is wrong. */
struct match_regex *match_regex_new(const char *pattern, bool ignore_case);
void match_regex_free(struct match_regex *regex);

/* match_regex_may returns false if the text of the record cannot match: something that every match
 * contains is not in the bytes of the message. Then the text need not be made. */
bool match_regex_may(const struct match_regex *regex, const struct record *record);

/* match_regex_text searches a text. It gives up if that would need too much time or memory. */
enum regex_result match_regex_text(struct match_regex *regex, const char *text, size_t len);

#endif
