/*
 * inspect_word.h - atoms, keys and text as Elixir's inspect writes them: :ok, Shop.Cart, nil, :"foo
 * bar", foo: and "a\n". Peer text cannot end the literal that contains it: "#{" is written \#{, and
 * a character that a terminal does not show is escaped.
 */
#ifndef DISSECT_INSPECT_WORD_H
#define DISSECT_INSPECT_WORD_H

#include "util/buffer.h"

/* inspect_is_printable says whether a binary with this character can be a string; inspect_is_listed
 * says the same of a list: only ASCII. */
bool inspect_is_printable(uint32_t code);
bool inspect_is_listed(uint32_t code);

/* inspect_is_text says whether bytes are a string. cut: they may end in the middle of a character;
 * then text ends before it. */
bool inspect_is_text(struct cursor *text, bool cut);

/* inspect_add_text appends UTF-8 with escapes; quote gets a backslash. Invalid UTF-8 is escaped
 * byte by byte. */
void inspect_add_text(struct ds_buffer *out, struct cursor text, char quote);

/* inspect_add_string appends the same in double quotes. */
void inspect_add_string(struct ds_buffer *out, struct cursor text);

/* inspect_add_char appends one character of a text; next is the one after it, 0 if there is none. */
void inspect_add_char(struct ds_buffer *out, uint32_t code, uint32_t next, char quote);

/* inspect_is_key says whether Elixir writes an atom as a key, foo: - not for an alias. */
bool inspect_is_key(struct cursor text);

/* inspect_add_atom, inspect_add_key ("foo: ") and inspect_add_function (after the dot of a call)
 * append an atom, which should be UTF-8. */
void inspect_add_atom(struct ds_buffer *out, struct cursor text);
void inspect_add_key(struct ds_buffer *out, struct cursor text);
void inspect_add_function(struct ds_buffer *out, struct cursor text);

#endif
