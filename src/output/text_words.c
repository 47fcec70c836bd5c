/*
 * text_words.c - see text_words.h.
 */
#include "output/text_words.h"

#include "record/record.h"

#include <distsniff/term.h>
#include <string.h>

/* Words of Elixir's regular expressions, in any order. */
#define SIGIL_MODIFIERS "imsxufUE"

static const char *const words[] = {
#define TEXT_WORD(id, text) text_word_##id,
#include "output/text_words.def"
#undef TEXT_WORD
};

static bool have(const char *const *list, size_t num, const char *part)
{
    for (size_t i = 0; i < num; i++) {
        if (strstr(list[i], part) != NULL)
            return true;
    }
    return false;
}

bool text_words_have(const char *part)
{
    if (strspn(part, SIGIL_MODIFIERS) == strlen(part))
        return true;
    for (int i = 0; i < NOTE_ROLE_COUNT; i++) {
        if (strstr(note_role_name((enum note_role)i), part) != NULL)
            return true;
    }
    for (int i = 0; i < CALL_OUTCOME_COUNT; i++) {
        if (strstr(call_outcome_name((enum call_outcome)i), part) != NULL)
            return true;
    }
    for (int syntax = 0; syntax < DS_SYNTAX_NUM; syntax++) {
        size_t num;
        const char *const *of_terms = ds_syntax_words((enum ds_syntax)syntax, &num);
        if (have(of_terms, num, part))
            return true;
    }
    return have(words, sizeof words / sizeof words[0], part);
}
