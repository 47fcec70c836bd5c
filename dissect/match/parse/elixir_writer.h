/*
 * elixir_writer.h - translates a pattern in Elixir's syntax to Erlang word by word: the position in
 * the input, the output so far, and the open brackets, on a stack of fixed depth. Its parts:
 *
 *     match_elixir.c     the driver: which word comes next; words of small letters and signs
 *     elixir_values.c    texts, atoms, modules with their functions, numbers, types of <<...>>
 *     elixir_brackets.c  brackets: maps, keys, functions of guards, in, commas
 *
 * A function that reads begins with w->at on the first character, and leaves it after the last one.
 * False: *error is filled in.
 */
#ifndef DISSECT_ELIXIR_WRITER_H
#define DISSECT_ELIXIR_WRITER_H

#include "match/parse/elixir_words.h"
#include "match/parse/match_elixir.h"

enum elixir_open_kind {
    OPEN_PAREN, /* ( { and others that are the same in both languages */
    OPEN_LIST,  /* [, in which key: value is a pair */
    OPEN_MAP,   /* %{ and %Name{ */
    OPEN_BITS,  /* << */
    OPEN_OTHER, /* a function that is an operator, or has another order of arguments, in Erlang */
};

struct elixir_open {
    uint8_t kind;
    char close;            /* the closing character in Elixir */
    bool in_pair;          /* LIST: a pair is open */
    bool is_member;        /* the list after in */
    const char *ends;      /* the closing text in Erlang */
    const char *comma;     /* what a comma becomes */
    size_t start;          /* its position in the output, including its function */
    size_t first, second;  /* for elem: positions of its arguments in the output */
    bool is_elem;
};

enum { OPEN_MAX = DS_MATCH_MAX_NESTING };

struct elixir_writer {
    const char *text;
    size_t at;
    struct match_elixir *out;
    struct ds_match_error *error;
    struct elixir_open open[OPEN_MAX];
    size_t depth;
    size_t operand; /* position in the output of the operand before this word */
    char member[128]; /* the left side of the in whose list is open */
    bool in_guard;
};

/* elixir_fail reports an error at a position of the given text; it always returns false. */
bool elixir_fail(struct elixir_writer *w, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* These append bytes of Erlang; a later error in them is reported at the current position. */
void elixir_add_bytes(struct elixir_writer *w, const char *bytes, size_t len);
void elixir_add(struct elixir_writer *w, const char *text);
/* elixir_add_atom writes prefix and text as one atom in quotes. */
void elixir_add_atom(struct elixir_writer *w, const char *prefix, const char *text, size_t len);

/* elixir_peek returns the character ahead positions further on; NUL after the end. */
char elixir_peek(const struct elixir_writer *w, size_t ahead);
void elixir_skip_spaces(struct elixir_writer *w);
/* elixir_is_key says whether a colon and a blank follow the word of that length. */
bool elixir_is_key(const struct elixir_writer *w, size_t len);

/* elixir_push opens a bracket; ends: its closing text in Erlang. */
bool elixir_push(struct elixir_writer *w, enum elixir_open_kind kind, char close, const char *ends);

/* elixir_add_quoted translates a quoted text; *wide: it has characters that are not ASCII. */
bool elixir_add_quoted(struct elixir_writer *w, char quote, bool *wide);
bool elixir_read_string(struct elixir_writer *w); /* "text", and "text" <> rest */
bool elixir_read_atom(struct elixir_writer *w);   /* :foo, :"foo bar" and :+ */
bool elixir_read_alias(struct elixir_writer *w);  /* Foo.Bar, and Foo.Bar.fun */
void elixir_read_number(struct elixir_writer *w); /* 1_000, 0xFF, 0b101, 1.5e3 */
bool elixir_read_types(struct elixir_writer *w);  /* after :: in <<...>> */

bool elixir_read_map(struct elixir_writer *w); /* %{, %Name{, %name{ and %_{ */
/* elixir_add_key writes the key of key: value, which begins at at. */
bool elixir_add_key(struct elixir_writer *w, const char *text, size_t len, size_t at);
/* elixir_read_call opens fun( in a guard; len: the length of its name. */
bool elixir_read_call(struct elixir_writer *w, size_t len);
/* elixir_read_member reads the right side of in: a list or a range. */
bool elixir_read_member(struct elixir_writer *w, bool is_not);
/* elixir_end_pair ends the open pair of a list, if there is one. */
void elixir_end_pair(struct elixir_writer *w, struct elixir_open *open);
bool elixir_read_comma(struct elixir_writer *w);
bool elixir_read_close(struct elixir_writer *w, char close);

#endif
