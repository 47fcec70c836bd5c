/*
 * escape.h - text of a peer made fit for a terminal, with the escapes of Erlang's strings and
 * quoted atoms, so that erl_scan reads the same text back: \n \t \" \x{202E}. Nothing goes
 * through raw that moves the cursor, changes the direction of writing or cannot be seen.
 */
#ifndef DISSECT_ESCAPE_H
#define DISSECT_ESCAPE_H

#include "util/buffer.h"

/* escape_is_printable says whether Erlang's shell would show a list of such characters as a
 * string with +pc unicode (io_lib:printable_unicode_list/1): those that show, and \b \t \n \v \f \r \e. */
bool escape_is_printable(uint32_t code);

/* escape_is_listed says whether it would without +pc unicode: only Latin-1. */
static inline bool escape_is_listed(uint32_t code)
{
    return code <= 0xff && escape_is_printable(code);
}

/* escape_style is where the text goes: between such quotes (0: none), which get a backslash. in_string:
 * the whole of it is part of a string of another language, where a double quote and a backslash take
 * one more. */
struct escape_style {
    char quote;
    bool in_string;
};

/* escape_add_char appends one character. */
void escape_add_char(struct ds_buffer *out, uint32_t code, struct escape_style style);

/* escape_joins_next says whether a character makes one with whatever follows, for who reads text as
 * Unicode says. Elixir's tokenizer does: behind such a one it sees no quote, and no backslash. */
bool escape_joins_next(uint32_t code);

/* escape_add_elixir appends one character for Elixir's strings, charlists and atoms in double
 * quotes: \u{202E}, \# so that nothing is interpolated, and escapes of those that join the next. */
void escape_add_elixir(struct ds_buffer *out, uint32_t code);

/* escape_add_utf8 appends text that should be UTF-8; what is not is escaped byte by byte. */
void escape_add_utf8(struct ds_buffer *out, struct cursor text, struct escape_style style);

/* escape_reads_back says whether Erlang's scanner takes all characters of an atom, escaped as they
 * may be: that of OTP 25 takes no U+FFFE and U+FFFF, which nodes have in atoms all the same. */
bool escape_reads_back(struct cursor text);

/* escape_add_atom appends an atom, quoted where Erlang needs it. text should be UTF-8. */
void escape_add_atom(struct ds_buffer *out, struct cursor text);
void escape_add_atom_in(struct ds_buffer *out, struct cursor text, bool in_string);

/* escape_look_at_atom returns what an atom looks like in any style: some of enum ds_atom_looks. */
uint8_t escape_look_at_atom(struct cursor text);

/* escape_add_latin1 appends text of one byte a character. */
void escape_add_latin1(struct ds_buffer *out, struct cursor text, struct escape_style style);

/* escape_all_shown says whether all bytes are ASCII that shows, without double quotes and
 * backslashes: between double quotes nothing of it is escaped. */
bool escape_all_shown(struct cursor text);

enum escape_kind {
    ESCAPE_BYTES, /* not text */
    ESCAPE_ASCII,
    ESCAPE_UTF8, /* with at least one character above ASCII */
};

/* escape_guess says whether bytes are text of printable characters. cut: they may end in the
 * middle of a character; if so, text ends before it. */
enum escape_kind escape_guess(struct cursor *text, bool cut);

/* escape_is_latin1 says whether all bytes are printable as characters. */
bool escape_is_latin1(struct cursor text);

#endif
