/*
 * syntax_words.c - ds_syntax_words, see term.h.
 */
#include <distsniff/term.h>

static const char *const erlang[] = {
#define SYNTAX_WORD(syntax, text) SYNTAX_WORD_##syntax(text)
#define SYNTAX_WORD_ERLANG(text) text,
#define SYNTAX_WORD_ELIXIR(text)
#include "etf/syntax_words.def"
#undef SYNTAX_WORD_ERLANG
#undef SYNTAX_WORD_ELIXIR
};

static const char *const elixir[] = {
#define SYNTAX_WORD_ERLANG(text)
#define SYNTAX_WORD_ELIXIR(text) text,
#include "etf/syntax_words.def"
#undef SYNTAX_WORD_ERLANG
#undef SYNTAX_WORD_ELIXIR
};

const char *const *ds_syntax_words(enum ds_syntax syntax, size_t *num)
{
    if (syntax == DS_SYNTAX_ELIXIR) {
        *num = sizeof elixir / sizeof elixir[0];
        return elixir;
    }
    *num = sizeof erlang / sizeof erlang[0];
    return erlang;
}
