/*
 * option_conflicts.c - see option_conflicts.h.
 */
#include "app/options/option_conflicts.h"

#include "core/complain.h"

#include <string.h>

static const struct conflict {
    enum { EXCLUDES, NEEDS, HAS_NO_USE } kind;
    const char *these, *those, *unless, *why;
} conflicts[] = {
#define EXCLUDES(these, those, why) {EXCLUDES, these, those, "", why},
#define NEEDS(these, those, why) {NEEDS, these, those, "", why},
#define HAS_NO_USE(these, those, unless, why) {HAS_NO_USE, these, those, unless, why},
#include "app/options/option_conflicts.def"
#undef EXCLUDES
#undef NEEDS
#undef HAS_NO_USE
};

enum { NUM_CONFLICTS = sizeof conflicts / sizeof conflicts[0] };

/* is_meant says whether the word "name" or "name=value", len long, matches a given option. */
static bool is_meant(const char *word, size_t len, const struct option_given *given)
{
    const char *equals = memchr(word, '=', len);
    const size_t name_len = equals != NULL ? (size_t)(equals - word) : len;
    if (strncmp(given->line->name, word, name_len) != 0 || given->line->name[name_len] != '\0')
        return false;
    if (equals == NULL)
        return true;
    const size_t value_len = len - name_len - 1;
    return given->value != NULL && strcspn(given->value, "=:") == value_len &&
           memcmp(given->value, equals + 1, value_len) == 0;
}

/* find returns the first given option of a list, or NULL. */
static const struct option_given *find(const char *list, const struct option_given *given, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        for (const char *word = list; *word != '\0'; word += *word == '|') {
            const size_t len = strcspn(word, "|");
            if (is_meant(word, len, &given[i]))
                return &given[i];
            word += len;
        }
    }
    return NULL;
}

/* add_option appends an option as people write it: -e, or --node. */
static void add_option(char *out, size_t size, const char *name, size_t len)
{
    const size_t used = strlen(out);
    for (int i = 0; i < NUM_OPTION_LINES; i++) {
        const struct option_line *line = &option_lines[i];
        if (line->kind != OPTION_SECTION && line->letter != 0 && strlen(line->name) == len &&
            memcmp(line->name, name, len) == 0) {
            snprintf(out + used, size - used, "-%c", line->letter);
            return;
        }
    }
    snprintf(out + used, size - used, "--%.*s", (int)len, name);
}

/* add_word appends a word of a list, "report=calls" as "--report calls". */
static void add_word(char *out, size_t size, const char *word, size_t len)
{
    const char *equals = memchr(word, '=', len);
    const size_t name_len = equals != NULL ? (size_t)(equals - word) : len;
    add_option(out, size, word, name_len);
    const size_t used = strlen(out);
    if (equals != NULL)
        snprintf(out + used, size - used, " %.*s", (int)(len - name_len - 1), equals + 1);
}

static void add_list(char *out, size_t size, const char *list)
{
    for (const char *word = list; *word != '\0'; word += *word == '|') {
        const size_t len = strcspn(word, "|");
        const size_t used = strlen(out);
        if (word != list)
            snprintf(out + used, size - used, "%s", word[len] == '\0' ? " or " : ", ");
        add_word(out, size, word, len);
        word += len;
    }
}

/* add_given appends a given option, with its value if the list is about values. */
static void add_given(char *out, size_t size, const struct option_given *given, const char *list)
{
    add_option(out, size, given->line->name, strlen(given->line->name));
    const size_t used = strlen(out);
    if (given->value != NULL && strchr(list, '=') != NULL)
        snprintf(out + used, size - used, " %s", given->value);
}

/* complain_of complains about one option, and about the other unless that is missing. */
static void complain_of(const struct conflict *conflict, const struct option_given *one,
                        const struct option_given *other)
{
    static const char *const links[] = {
        [EXCLUDES] = " and ", [NEEDS] = " needs ", [HAS_NO_USE] = " has no effect with "};
    char text[320] = "";
    add_given(text, sizeof text, one, conflict->these);
    const size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "%s", links[conflict->kind]);
    if (conflict->kind == NEEDS)
        add_list(text, sizeof text, conflict->those);
    else
        add_given(text, sizeof text, other, conflict->those);
    complain("%s%s: %s", text, conflict->kind == EXCLUDES ? " do not go together" : "",
             conflict->why);
}

bool option_check_conflicts(const struct option_given *given, size_t num)
{
    for (int i = 0; i < NUM_CONFLICTS; i++) {
        const struct conflict *conflict = &conflicts[i];
        const struct option_given *one = find(conflict->these, given, num);
        const struct option_given *other = find(conflict->those, given, num);
        if (one == NULL || (other == NULL) != (conflict->kind == NEEDS) ||
            find(conflict->unless, given, num) != NULL)
            continue;
        complain_of(conflict, one, other);
        if (conflict->kind != HAS_NO_USE)
            return false;
    }
    return true;
}
