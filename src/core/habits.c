/*
 * habits.c - see habits.h.
 */
#include "core/habits.h"

#include <string.h>

static const struct {
    enum habit_where where;
    const char *word, *answer;
} habits[] = {
#define HABIT(where, word, answer) {HABIT_##where, word, answer},
#include "core/habits.def"
#undef HABIT
};

const char *habit_answer(enum habit_where where, const char *word, size_t len)
{
    for (size_t i = 0; i < sizeof habits / sizeof habits[0]; i++) {
        const size_t habit_len = strlen(habits[i].word);
        const size_t begin_len = habit_len - (habits[i].word[habit_len - 1] == '*');
        if (habits[i].where == where && len >= begin_len && (begin_len < habit_len || len == habit_len) &&
            memcmp(word, habits[i].word, begin_len) == 0)
            return habits[i].answer;
    }
    return NULL;
}
