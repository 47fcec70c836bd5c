/*
 * match_language.c - see match_language.h. It reads word by word, up to the first one that only one
 * of the languages has.
 */
#include "match/parse/match_language.h"
#include "match/parse/elixir_words.h"

/* is_guard_word says whether a word occurs only in guards of Elixir. */
static bool is_guard_word(const char *at)
{
    static const char *const words[] = {"in ",        "in[",          "is_nil(", "elem(",
                                        "is_struct(", "is_exception(", "div(",    "rem("};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strncmp(at, words[i], strlen(words[i])) == 0)
            return true;
    }
    return false;
}

/* is_in_both_languages says whether a word occurs in guards of both languages. */
static bool is_in_both_languages(const char *at, size_t len)
{
    static const char *const words[] = {"true", "false", "and", "or", "not", "when"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i]) == len && memcmp(at, words[i], len) == 0)
            return true;
    }
    return false;
}

/* has_small_variable says whether a word of small letters before the guard also occurs in it: a
 * guard in Erlang would not test an atom. */
static bool has_small_variable(const char *text, const char *guard)
{
    char before = ' ';
    for (const char *at = text; at < guard; before = *at++) {
        const size_t len = word_len(at, false);
        if (*at == '"' || *at == '\'')
            return false;
        if (len == 0 || is_part(before) || !is_lower(*at) || at[len] == '(' || at[len] == ':')
            continue;
        for (const char *found = guard; (found = strpbrk(found, "abcdefghijklmnopqrstuvwxyz")) != NULL;) {
            const size_t found_len = word_len(found, false);
            if (found_len == len && memcmp(found, at, len) == 0 && found[len] != '(' &&
                !is_in_both_languages(found, len))
                return true;
            found += found_len;
        }
        at += len - 1;
    }
    return false;
}

bool match_is_elixir(const char *text)
{
    const char *guard = NULL;
    bool has_variable = false; /* in Erlang's syntax */
    char before = ' ';
    for (const char *at = text; *at != '\0'; before = *at++) {
        if (*at == '"' || *at == '\'') {
            const size_t len = quoted_len(at);
            if (len == 0)
                return false;
            if (*at == '"' && strncmp(at + len + strspn(at + len, " "), "<>", 2) == 0)
                return true;
            if (*at == '"' && at[len] == ':' && at[len + 1] == ' ')
                return true;
            at += len - 1;
            continue;
        }
        const bool in_word = is_part(before) || before == '@';
        if (*at == '%' || *at == '^' || *at == '~' || (*at == '?' && !in_word && is_lower(at[1])))
            return true;
        if (guard != NULL && !in_word && is_guard_word(at))
            return true;
        if (guard == NULL && !in_word && strncmp(at, "when ", 5) == 0)
            guard = at + 5;
        has_variable = has_variable || (!in_word && (is_upper(*at) || (*at == '_' && is_part(at[1]))));
        if (*at == ':' && at[1] == ':')
            return strstr(at, "::return") != NULL || strstr(at, ":: return") != NULL ||
                   strstr(text, "<<") != NULL;
        const bool is_behind = in_word || strchr(")\"'", before) != NULL; /* "ab":16, 'mod':fun */
        if (*at == ':' && !is_behind && (is_lower(at[1]) || is_upper(at[1]) || at[1] == '"'))
            return true;
        if (*at == ':' && in_word && (at[1] == ' ' || at[1] == '\t'))
            return true;
        if (is_upper(*at) && !in_word && at[alias_len(at)] == '.' && is_lower(at[alias_len(at) + 1]))
            return true;
        if (is_upper(*at) && !in_word && memchr(at, '.', alias_len(at)) != NULL)
            return true;
    }
    return guard != NULL && !has_variable && has_small_variable(text, guard);
}
