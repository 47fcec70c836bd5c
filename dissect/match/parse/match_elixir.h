/*
 * match_elixir.h - patterns in Elixir's syntax. They are translated to Erlang with the same
 * meaning, which the only parser reads: so both languages have the same programs.
 *
 *     Shop.Cart.add(id, %{name: _}) when is_integer(id) and id in [1, 2] :: return
 *     {:leave, %Cat{name: name}, "Minsk" <> _}
 *
 * becomes
 *
 *     'Elixir.Shop.Cart':add(V_id, #{name := _}) when ... -> return
 */
#ifndef DISSECT_MATCH_ELIXIR_H
#define DISSECT_MATCH_ELIXIR_H

#include "util/buffer.h"

#include <distsniff/match.h>

/* match_elixir is a pattern in Erlang, and the position in the given text for each of its bytes. */
struct match_elixir {
    struct ds_buffer text; /* terminated by a NUL */
    struct ds_buffer from; /* uint16_t each */
};

/* match_elixir_write translates a pattern of at most DS_MATCH_MAX_LEN bytes. False, with *error
 * filled in, if it is invalid. Release with match_elixir_free in both cases. */
bool match_elixir_write(const char *text, struct match_elixir *out, struct ds_match_error *error);
void match_elixir_free(struct match_elixir *out);

/* match_elixir_place converts the position of the parser's error to one in the given text. */
void match_elixir_place(const struct match_elixir *out, const char *text, struct ds_match_error *error);

#endif
