/*
 * option_line.c - see option_line.h.
 */
#include "app/options/option_line.h"

#include "app/options/option_set.h"
#include "core/suggest.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

const struct option_line option_lines[NUM_OPTION_LINES] = {
#define SECTION(title) {OPTION_SECTION, NULL, 0, title, 0, NULL, NULL, NULL, NULL},
#define OPTION(setter, name, letter, argument, help)                                              \
    {OPTION_SETTER, option_set_##setter, 0, name, letter, argument, help, NULL, NULL},
#define FLAG(field, name, letter, help)                                                            \
    {OPTION_FLAG, NULL, offsetof(struct options, field), name, letter, NULL, help, NULL, NULL},
#define WORD(field, name, letter, argument, help)                                                  \
    {OPTION_WORD, NULL, offsetof(struct options, field), name, letter, argument, help, NULL, NULL},
#define SAME(name, other, value)                                                                   \
    {OPTION_SAME, NULL, 0, name, 0, NULL, "the same as --" other " " value, other, value},
#include "app/options/options.def"
#undef SECTION
#undef OPTION
#undef FLAG
#undef WORD
#undef SAME
};

const struct option_line *option_line_find(const char *name)
{
    for (int i = 0; i < NUM_OPTION_LINES; i++) {
        if (option_lines[i].kind != OPTION_SECTION && strcmp(option_lines[i].name, name) == 0)
            return &option_lines[i];
    }
    return NULL;
}

bool option_line_may_lack_argument(const struct option_line *line)
{
    const char *argument = line->argument;
    return argument != NULL && argument[0] == '[' && argument[strlen(argument) - 1] == ']';
}

const char *option_line_nearest(const char *name, size_t len)
{
    static char caps[DS_LIMIT_COUNT][48];
    const char *names[NUM_OPTION_LINES + DS_LIMIT_COUNT];
    size_t num = 0;
    for (int i = 0; i < NUM_OPTION_LINES; i++) {
        if (option_lines[i].kind != OPTION_SECTION)
            names[num++] = option_lines[i].name;
    }
    for (int i = 0; i < DS_LIMIT_COUNT; i++) {
        snprintf(caps[i], sizeof caps[i], "max-%s", ds_limit_name((enum ds_limit)i));
        names[num++] = caps[i];
    }
    return suggest_find(name, len, names, num);
}

bool option_apply(struct options *options, const struct option_line *line, const char *value)
{
    void *field = (char *)options + line->offset;
    switch (line->kind) {
    case OPTION_SECTION:
        break;
    case OPTION_SAME:
        return option_apply(options, option_line_find(line->same_as), line->value);
    case OPTION_SETTER:
        return line->set(options, value);
    case OPTION_FLAG:
        *(bool *)field = true;
        break;
    case OPTION_WORD:
        *(const char **)field = value;
        break;
    }
    return true;
}
