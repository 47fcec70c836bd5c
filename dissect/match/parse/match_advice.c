/*
 * match_advice.c - see match_advice.h.
 */
#include "match/parse/match_advice.h"
#include "match/parse/elixir_words.h"

#include <stdio.h>

/* Spellings that only one of the languages has; of those with the same beginning, the longest
 * first. */
static const struct {
    const char *erlang, *elixir;
} spellings[] = {
    {"=:=", "==="}, {"=/=", "!=="},   {"/=", "!="},    {"=<", "<="},
    {"#{", "%{"},   {"->", "::"},
};

enum { NUM_SPELLINGS = sizeof spellings / sizeof spellings[0], BACK_MAX = 2 };

/* add appends to the message, as far as there is room. */
static void add(struct ds_match_error *error, const char *format, const char *word, size_t word_len,
                const char *other, size_t other_len)
{
    const size_t used = strlen(error->what);
    snprintf(error->what + used, sizeof error->what - used, format, (int)word_len, word,
             (int)other_len, other);
}

/* find_spelling finds a spelling that contains a position, and begins at most BACK_MAX bytes before
 * it. */
static bool find_spelling(const char *text, size_t at, bool is_elixir, size_t *which)
{
    for (size_t back = 0; back <= BACK_MAX && back <= at; back++) {
        for (size_t i = 0; i < NUM_SPELLINGS; i++) {
            const char *word = is_elixir ? spellings[i].erlang : spellings[i].elixir;
            const char *other = is_elixir ? spellings[i].elixir : spellings[i].erlang;
            const size_t len = strlen(word);
            if (len > back && strncmp(text + at - back, word, len) == 0 && strcmp(word, other) != 0) {
                *which = i;
                return true;
            }
        }
    }
    return false;
}

/* word_before returns the start of the word that ends at a position. */
static size_t word_before(const char *text, size_t end)
{
    while (end != 0 && (is_part(text[end - 1]) || text[end - 1] == '@'))
        end--;
    return end;
}

/* advise_call explains mod:fun in Elixir, and mod.fun in Erlang. between is the position of the
 * colon or dot. */
static void advise_call(const char *text, size_t between, bool is_elixir, struct ds_match_error *error)
{
    const size_t start = word_before(text, between);
    const size_t len = between - start, fun_len = word_len(text + between + 1, true);
    if (len == 0 || fun_len == 0 || !is_lower(text[start]) || !is_lower(text[between + 1]))
        return;
    add(error, is_elixir ? "; Elixir writes :%.*s.%.*s" : "; Erlang writes %.*s:%.*s", text + start,
        len, text + between + 1, fun_len);
    if (!is_elixir)
        add(error, ", Elixir :%.*s.%.*s", text + start, len, text + between + 1, fun_len);
}

void match_advise(const char *text, bool is_elixir, struct ds_match_error *error)
{
    const size_t at = error->column - 1;
    const char between = is_elixir ? ':' : '.';
    size_t which;
    const bool is_open = strncmp(error->what, "expected", strlen("expected")) == 0 ||
                         strstr(error->what, "no meaning") != NULL; /* else it has the advice */
    if (error->column == 0 || at > strlen(text) || !is_open)
        return;
    if (find_spelling(text, at, is_elixir, &which)) {
        const char *word = is_elixir ? spellings[which].erlang : spellings[which].elixir;
        const char *other = is_elixir ? spellings[which].elixir : spellings[which].erlang;
        add(error,
            is_elixir ? ": %.*s is Erlang's, Elixir writes %.*s"
                      : ": %.*s is Elixir's, Erlang writes %.*s",
            word, strlen(word), other, strlen(other));
    } else if (text[at] == between) {
        advise_call(text, at, is_elixir, error);
    } else if (at != 0 && text[at - 1] == between) {
        advise_call(text, at - 1, is_elixir, error);
    }
}
