/*
 * redact_keep.h - what --redact leaves as it is: atoms of Erlang/OTP itself, by a table, and what the
 * user names with --redact-keep.
 */
#ifndef SRC_REDACT_KEEP_H
#define SRC_REDACT_KEEP_H

#include "core/string_list.h"

#include <distsniff/term.h>

#include <stdbool.h>

struct redact_keep;

/* redact_keep_new takes the patterns of --redact-keep: each is a whole text, in which * stands for
 * any characters, ? for one and [...] for one of a set. NULL after a complaint. */
struct redact_keep *redact_keep_new(const struct string_list *patterns);
void redact_keep_free(struct redact_keep *kept); /* NULL is allowed */

/* redact_keep_is_named says whether a pattern matches the whole of text, which is UTF-8. One of more
 * than REDACT_KEEP_MAX_LEN bytes never matches. */
enum { REDACT_KEEP_MAX_LEN = 1024 };
bool redact_keep_is_named(struct redact_keep *kept, struct ds_text text);

/* redact_keep_num_given_up returns how often telling took too long, so that a text was not kept. */
uint64_t redact_keep_num_given_up(const struct redact_keep *kept);

/* redact_keep_is_otp says whether an atom is one of Erlang/OTP or Elixir. */
bool redact_keep_is_otp(struct ds_text atom);

#endif
