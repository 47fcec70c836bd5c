/*
 * option_habits.c - see option_habits.h. The answers are rows of core/habits.def.
 */
#include "app/options/option_habits.h"

#include "app/options/option_conflicts.h"
#include "app/options/option_line.h"
#include "core/complain.h"
#include "core/habits.h"

#include <stdio.h>
#include <string.h>

/* is_option says whether a word is an option of this program, in full. */
static bool is_option(const char *word)
{
    if (word[0] != '-')
        return false;
    if (word[1] == '-')
        return option_line_find(word + 2) != NULL;
    for (int i = 0; i < NUM_OPTION_LINES; i++) {
        if (option_lines[i].letter != 0 && option_lines[i].letter == word[1] && word[2] == '\0')
            return true;
    }
    return false;
}

/* check_argument complains about arguments that look like other options: in tcpdump, -e and -A have
 * none. */
static bool check_argument(const struct option_line *line, const char *value)
{
    if (strcmp(line->name, "after-context") == 0 && value[strspn(value, "0123456789")] != '\0') {
        complain("-A takes the number of messages to show after each selected one, not '%s'; "
                 "text always shows the decoded messages, and -x their bytes", value);
        return false;
    }
    if (strcmp(line->name, "regexp") != 0 || !is_option(value))
        return true;
    complain("-e takes a regular expression, not the option %s: to search for that text, write "
             "-e '[-]%s'",
             value, value + 1);
    return false;
}

/* is_abbreviated says whether a word abbreviates an option's long name. */
static bool is_abbreviated(const struct option_line *line, const char *word)
{
    return strncmp(word, "--", 2) == 0 && strlen(line->name) != strcspn(word + 2, "=");
}

/* answer_of returns what to type instead of an option with this argument; NULL: the option is fine. */
static const char *answer_of(const struct option_line *line, const char *value)
{
    enum { KEY_LEN = 64 };
    char key[KEY_LEN];
    const size_t digits = strspn(value, "0123456789");
    const char *answer;
    const int len = snprintf(key, sizeof key, "%c:%s", line->letter, value);
    answer = habit_answer(HABIT_VALUE, key, len < KEY_LEN ? (size_t)len : KEY_LEN - 1);
    if (answer != NULL || digits == 0 || value[digits] != '\0')
        return answer;
    const char number[] = {(char)line->letter, ':', '#'};
    return habit_answer(HABIT_VALUE, number, sizeof number);
}

/* check_next complains if the word after an option whose argument may be missing looks like that
 * argument. */
static bool check_next(const struct option_line *line, const char *next)
{
    enum { KEY_LEN = 96 };
    char key[KEY_LEN];
    const bool is_number = next[0] >= '0' && next[0] <= '9';
    const int len = snprintf(key, sizeof key, "%s:%s", line->name, is_number ? "#" : next);
    const char *answer = habit_answer(HABIT_NEXT, key, len < KEY_LEN ? (size_t)len : KEY_LEN - 1);
    if (answer != NULL)
        complain("--%s %s: %s", line->name, next, answer);
    return answer == NULL;
}

bool option_habits_check(const struct option_line *line, const char *word, const char *value,
                         const char *next)
{
    const char *answer = NULL;
    if (is_abbreviated(line, word)) {
        answer = habit_answer(HABIT_OPTION, word + 2, strcspn(word + 2, "="));
        if (answer != NULL) {
            complain("unknown option %s: %s", word, answer);
            return false;
        }
    }
    /* An option without an argument here may have one in another tool: the next word, unless
     * letters follow. */
    const bool takes_next = value == NULL && line->argument == NULL && word[0] == '-' && word[1] != '-' &&
                            word[strlen(word) - 1] == line->letter;
    const char *given = value != NULL ? value : takes_next ? next : NULL;
    if (given != NULL && line->letter != 0)
        answer = answer_of(line, given);
    if (answer != NULL) {
        complain("-%c %s: %s", line->letter, given, answer);
        return false;
    }
    if (value == NULL && next != NULL && option_line_may_lack_argument(line))
        return check_next(line, next);
    return value == NULL || check_argument(line, value);
}

bool option_habits_check_file(const struct options *o, const struct option_given *given, size_t num)
{
    const char *file = o->keep.write_file;
    bool is_ngrep = false;
    for (size_t i = 0; i < num; i++)
        is_ngrep |= strcmp(given[i].line->name, "input") == 0;
    if (!is_ngrep || file == NULL || strcmp(file, "-") == 0 || strpbrk(file, "./") != NULL)
        return true;
    complain("-w %s with -I: -w writes packets to a file; -e '\\b%s\\b' searches for a word. To write the "
             "file, use -r, or -w ./%s",
             file, file, file);
    return false;
}
