/*
 * option_reload.c - see option_reload.h.
 */
#include "app/options/option_reload.h"

#include "app/options/option_conflicts.h"
#include "core/complain.h"

#include <string.h>

static const char *const changing[] = {
#define CHANGES(name) name,
#include "app/options/option_reload.def"
#undef CHANGES
};

static bool may_change(const char *name)
{
    for (size_t i = 0; i < sizeof changing / sizeof changing[0]; i++) {
        if (strcmp(changing[i], name) == 0)
            return true;
    }
    return false;
}

static bool is_same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* next_of returns the index of the next value of an option, or num_given. */
static size_t next_of(const struct options *o, const struct option_line *line, size_t from)
{
    while (from < o->num_given && o->given[from].line != line)
        from++;
    return from;
}

static bool has_changed(const struct options *now, const struct options *before,
                        const struct option_line *line)
{
    size_t i = next_of(now, line, 0), j = next_of(before, line, 0);
    while (i < now->num_given && j < before->num_given &&
           is_same(now->given[i].value, before->given[j].value)) {
        i = next_of(now, line, i + 1);
        j = next_of(before, line, j + 1);
    }
    return i < now->num_given || j < before->num_given;
}

static void add(struct ds_buffer *names, const char *prefix, const char *name)
{
    ds_buffer_printf(names, "%s%s%s", names->len != 0 ? ", " : "", prefix, name);
}

/* say_what_stays names the options that have changed, but only take effect after a restart. */
static void say_what_stays(const struct options *now, const struct options *before)
{
    struct ds_buffer names = {0};
    for (int i = 0; i < NUM_OPTION_LINES; i++) {
        const struct option_line *line = &option_lines[i];
        if (line->kind != OPTION_SECTION && !may_change(line->name) && has_changed(now, before, line))
            add(&names, "", line->name);
    }
    for (int i = 0; i < DS_LIMIT_COUNT; i++) {
        if (now->config.limits[i] != before->config.limits[i])
            add(&names, "max-", ds_limit_name((enum ds_limit)i));
    }
    if (!is_same(now->follow.expression, before->follow.expression))
        add(&names, "", "expression");
    if (names.len != 0 && !names.failed)
        complain("%s: the changes to %.*s take effect when the program is restarted",
                 now->config_file, (int)names.len, names.data);
    ds_buffer_free(&names);
}

bool option_reload(struct options *options, const struct options *running)
{
    if (!options_parse_again(options, running))
        return false;
    if (options->action != ACTION_SNIFF) {
        complain("%s no longer asks for a capture", options->config_file);
        return false;
    }
    say_what_stays(options, running);
    return true;
}
