/*
 * match_habits.c - see match_habits.h.
 */
#include "select/match_habits.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static const char every_message[] =
    "every message is sent and received: leave out -m, or name an operation with --op; for the "
    "atom itself, write X when X =:= Atom";
static const char pids[] = "expected no pid: use --process for a pid, or is_pid(X) for any pid";
static const char funs[] = "expected no fun: use is_function(X) for a fun; calls are "
                           "Mod:Fun(Args), Mod:Fun/Arity or Mod:Fun";

/* Patterns that would match only an atom or a module of that name. */
static const struct {
    const char *text, *why;
} wholes[] = {
    {"send", every_message}, {"'send'", every_message}, {"receive", every_message},
    {"'receive'", every_message}, {"fun", funs},
};

/* Text before the place, or at the place. */
static const struct {
    const char *before, *here, *why;
} places[] = {
    {"", "++", "expected no ++, which no guard may have: a list that begins so is \"text\" ++ X in "
               "the pattern"},
    {"", "--", "expected no --, which no guard may have"},
    {"", "<<", NULL},
    {"", "<", pids},
    {"pid", "(", pids},
    {"fun", "", funs},
    {"->", "count", "expected return, not count: -c counts messages, --report calls shows the calls"},
};

static size_t trimmed_len(const char *text)
{
    size_t len = strlen(text);
    while (len != 0 && isspace((unsigned char)text[len - 1]))
        len--;
    return len;
}

const char *match_habits_whole(const char *text)
{
    text += strspn(text, " \t\n");
    for (size_t i = 0; i < sizeof wholes / sizeof wholes[0]; i++) {
        const size_t len = strlen(wholes[i].text);
        if (trimmed_len(text) == len && memcmp(text, wholes[i].text, len) == 0)
            return wholes[i].why;
    }
    return NULL;
}

const char *match_habits_at(const char *text, size_t at)
{
    size_t end = at;
    while (end != 0 && isspace((unsigned char)text[end - 1]))
        end--;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const size_t len = strlen(places[i].before);
        const bool is_word = len == 0 || end == len ||
                             (end > len && isalnum((unsigned char)text[end - len - 1]) == 0);
        if (end >= len && is_word && memcmp(text + end - len, places[i].before, len) == 0 &&
            strncmp(text + at, places[i].here, strlen(places[i].here)) == 0)
            return places[i].why;
    }
    return NULL;
}

size_t match_habits_module(const char *text)
{
    text += strspn(text, " \t\n");
    size_t len = 0;
    while (isalnum((unsigned char)text[len]) || text[len] == '_')
        len++;
    /* People call variables M, Mod and Module; a name that is used again is also a variable. */
    if (len < 3 || !isupper((unsigned char)text[0]) || !islower((unsigned char)text[1]) ||
        text[len] != ':' || strncmp(text, "Mod", 3) == 0)
        return 0;
    for (const char *again = text + len; *again != '\0'; again++) {
        if (strncmp(again, text, len) == 0)
            return 0;
    }
    return len;
}
