/*
 * redact_keep.h - what --redact does not change: atoms of Erlang/OTP, listed in a table, and the texts
 * chosen with --redact-keep.
 */
#ifndef SRC_REDACT_KEEP_H
#define SRC_REDACT_KEEP_H

#include "core/string_list.h"

#include <distsniff/term.h>

#include <stdbool.h>

struct redact_keep;

/* redact_keep_new reads the patterns of --redact-keep: each matches a whole text; * matches any
 * characters, ? one character, and [...] one of a set. NULL after an error message. */
struct redact_keep *redact_keep_new(const struct string_list *patterns);
void redact_keep_free(struct redact_keep *kept); /* NULL is allowed */

/* redact_keep_is_named says whether a pattern matches the whole of text, which is UTF-8. A text of more
 * than REDACT_KEEP_MAX_LEN bytes never matches. */
enum { REDACT_KEEP_MAX_LEN = 1024 };
bool redact_keep_is_named(struct redact_keep *kept, struct ds_text text);

/* redact_keep_num_given_up returns how many texts were not kept because matching took too long. */
uint64_t redact_keep_num_given_up(const struct redact_keep *kept);

/* redact_keep_is_otp says whether an atom belongs to Erlang/OTP or Elixir. */
bool redact_keep_is_otp(struct ds_text atom);

#endif
