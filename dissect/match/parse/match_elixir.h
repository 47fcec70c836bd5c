/*
 * match_elixir.h - patterns in Elixir's syntax. They become the Erlang that means the same, which the
 * one parser reads: so both have one program, and one meaning.
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

/* match_elixir is a pattern as Erlang, and where in the given text each of its bytes comes from. */
struct match_elixir {
    struct ds_buffer text; /* ends in a NUL */
    struct ds_buffer from; /* uint16_t each */
};

/* match_elixir_write translates a pattern of at most DS_MATCH_MAX_LEN bytes. False with *error filled
 * in: it is none. To be released with match_elixir_free in both cases. */
bool match_elixir_write(const char *text, struct match_elixir *out, struct ds_match_error *error);
void match_elixir_free(struct match_elixir *out);

/* match_elixir_place makes what the parser says of the Erlang say it of the given text. */
void match_elixir_place(const struct match_elixir *out, const char *text, struct ds_match_error *error);

#endif
