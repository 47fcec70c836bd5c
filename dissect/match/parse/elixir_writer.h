/*
 * elixir_writer.h - what turns a pattern in Elixir's syntax into Erlang word by word: where it reads, what
 * it has written, and the brackets that are open, on a stack of a fixed depth. Its parts:
 *
 *     match_elixir.c     the driver: which word comes next; words of small letters and signs
 *     elixir_values.c    texts, atoms, modules with their functions, numbers, types of <<...>>
 *     elixir_brackets.c  what opens and closes: maps, keys, functions of guards, in, commas
 *
 * A part that reads stands at its first character, and leaves w->at behind its last. False: the error
 * is filled in.
 */
#ifndef DISSECT_ELIXIR_WRITER_H
#define DISSECT_ELIXIR_WRITER_H

#include "match/parse/elixir_words.h"
#include "match/parse/match_elixir.h"

enum elixir_open_kind {
    OPEN_PAREN, /* ( { and all that is the same in both */
    OPEN_LIST,  /* [, in which key: value is a pair */
    OPEN_MAP,   /* %{ and %Name{ */
    OPEN_BITS,  /* << */
    OPEN_OTHER, /* a function that is an operator, or turned round, in Erlang */
};

struct elixir_open {
    uint8_t kind;
    char close;            /* how it ends here */
    bool in_pair;          /* of a list: a pair is open */
    bool is_member;        /* the list behind in */
    const char *ends;      /* and there */
    const char *comma;     /* what a comma is */
    size_t start;          /* where it begins in the output, its function with it */
    size_t first, second;  /* of elem: where its arguments begin in the output */
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
    size_t operand; /* where in the output the operand before this word begins */
    char member[128]; /* what stands before the in whose list is open */
    bool in_guard;
};

/* elixir_fail says what is wrong at a place of the given text; it always returns false. */
bool elixir_fail(struct elixir_writer *w, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* These write bytes of Erlang; an error then is told at where the reading stands now. */
void elixir_add_bytes(struct elixir_writer *w, const char *bytes, size_t len);
void elixir_add(struct elixir_writer *w, const char *text);
/* elixir_add_atom writes prefix and text as one atom in quotes. */
void elixir_add_atom(struct elixir_writer *w, const char *prefix, const char *text, size_t len);

/* elixir_peek returns the character that many further on; NUL: it is behind the end. */
char elixir_peek(const struct elixir_writer *w, size_t ahead);
void elixir_skip_spaces(struct elixir_writer *w);
/* elixir_is_key says whether a colon and a blank follow the word of that length. */
bool elixir_is_key(const struct elixir_writer *w, size_t len);

/* elixir_push opens a bracket; ends: what its end is in Erlang. */
bool elixir_push(struct elixir_writer *w, enum elixir_open_kind kind, char close, const char *ends);

/* elixir_add_quoted writes a text in quotes between such as Erlang has; *wide: it has other characters
 * than ASCII. */
bool elixir_add_quoted(struct elixir_writer *w, char quote, bool *wide);
bool elixir_read_string(struct elixir_writer *w); /* "text", and "text" <> rest */
bool elixir_read_atom(struct elixir_writer *w);   /* :foo, :"foo bar" and :+ */
bool elixir_read_alias(struct elixir_writer *w);  /* Foo.Bar, and Foo.Bar.fun */
void elixir_read_number(struct elixir_writer *w); /* 1_000, 0xFF, 0b101, 1.5e3 */
bool elixir_read_types(struct elixir_writer *w);  /* behind :: in <<...>> */

bool elixir_read_map(struct elixir_writer *w); /* %{, %Name{, %name{ and %_{ */
/* elixir_add_key writes what stands before the value of key: value, which begins at at. */
bool elixir_add_key(struct elixir_writer *w, const char *text, size_t len, size_t at);
/* elixir_read_call opens fun( in a guard; len: of its name. */
bool elixir_read_call(struct elixir_writer *w, size_t len);
/* elixir_read_member reads what stands behind in: a list or a range. */
bool elixir_read_member(struct elixir_writer *w, bool is_not);
/* elixir_end_pair ends the pair of a list that is open, if one is. */
void elixir_end_pair(struct elixir_writer *w, struct elixir_open *open);
bool elixir_read_comma(struct elixir_writer *w);
bool elixir_read_close(struct elixir_writer *w, char close);

#endif
