/*
 * kept.h - what --redact leaves as it is: atoms of Erlang/OTP itself, by a table, and what the
 * user names with --redact-keep.
 */
#ifndef SRC_KEPT_H
#define SRC_KEPT_H

#include "words.h"

#include <distsniff/term.h>

#include <stdbool.h>

struct kept;

/* kept_new takes the patterns of --redact-keep: each is a whole text, in which * stands for
 * any characters, ? for one and [...] for one of a set. NULL after a complaint. */
struct kept *kept_new(const struct words *patterns);
void kept_free(struct kept *kept); /* NULL is allowed */

/* kept_is_named says whether a pattern matches the whole of text, which is UTF-8. One of more
 * than KEPT_MAX_LEN bytes never matches. */
enum { KEPT_MAX_LEN = 1024 };
bool kept_is_named(struct kept *kept, struct ds_text text);

/* kept_num_given_up returns how often telling took too long, so that a text was not kept. */
uint64_t kept_num_given_up(const struct kept *kept);

/* kept_is_otp says whether an atom is one of Erlang/OTP or Elixir. */
bool kept_is_otp(struct ds_text atom);

#endif
