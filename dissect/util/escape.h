/*
 * escape.h - makes peer text safe for a terminal, with the escapes of Erlang's strings and quoted
 * atoms, so that erl_scan reads the same text back: \n \t \" \x{202E}. It escapes all characters
 * that move the cursor, change the direction of text or are invisible.
 */
#ifndef DISSECT_ESCAPE_H
#define DISSECT_ESCAPE_H

#include "util/buffer.h"

/* escape_is_printable says whether Erlang's shell would show a list of such characters as a string
 * with +pc unicode (io_lib:printable_unicode_list/1): visible ones, and \b \t \n \v \f \r \e. */
bool escape_is_printable(uint32_t code);

/* escape_is_listed says the same without +pc unicode: only Latin-1. */
static inline bool escape_is_listed(uint32_t code)
{
    return code <= 0xff && escape_is_printable(code);
}

/* escape_style is the destination of the text: between these quotes (0: none), which get a
 * backslash. in_string: the result is part of a string of another language, so double quotes and
 * backslashes get another backslash. */
struct escape_style {
    char quote;
    bool in_string;
};

/* escape_add_char appends one character. */
void escape_add_char(struct ds_buffer *out, uint32_t code, struct escape_style style);

/* escape_joins_next says whether Unicode joins a character with the next one. Elixir's tokenizer
 * does that: after such a character it recognizes no quote and no backslash. */
bool escape_joins_next(uint32_t code);

/* escape_add_elixir appends one character for Elixir's strings, charlists and atoms in double
 * quotes: \u{202E}, \# to prevent interpolation, and escapes of characters that join the next one. */
void escape_add_elixir(struct ds_buffer *out, uint32_t code);

/* escape_add_utf8 appends text that should be UTF-8; invalid bytes are escaped one by one. */
void escape_add_utf8(struct ds_buffer *out, struct cursor text, struct escape_style style);

/* escape_reads_back says whether Erlang's scanner accepts all characters of an atom, even escaped:
 * that of OTP 25 rejects U+FFFE and U+FFFF, which nodes do have in atoms. */
bool escape_reads_back(struct cursor text);

/* escape_add_atom appends an atom, quoted if Erlang needs it. text should be UTF-8. */
void escape_add_atom(struct ds_buffer *out, struct cursor text);
void escape_add_atom_in(struct ds_buffer *out, struct cursor text, bool in_string);

/* escape_look_at_atom returns which enum ds_atom_looks apply to an atom in any style. */
uint8_t escape_look_at_atom(struct cursor text);

/* escape_add_latin1 appends text with one byte per character. */
void escape_add_latin1(struct ds_buffer *out, struct cursor text, struct escape_style style);

/* escape_all_shown says whether all bytes are visible ASCII without double quotes and backslashes,
 * so that nothing needs an escape between double quotes. */
bool escape_all_shown(struct cursor text);

enum escape_kind {
    ESCAPE_BYTES, /* not text */
    ESCAPE_ASCII,
    ESCAPE_UTF8, /* with at least one character above ASCII */
};

/* escape_guess says whether bytes are text of printable characters. cut: they may end in the middle
 * of a character; then text ends before it. */
enum escape_kind escape_guess(struct cursor *text, bool cut);

/* escape_is_latin1 says whether all bytes are printable characters. */
bool escape_is_latin1(struct cursor text);

#endif
