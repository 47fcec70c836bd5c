/*
 * label_show.c - see label_show.h.
 */
#include "core/label_show.h"

#include "core/term_show.h"

#include <string.h>
#include <strings.h>

/* Modules whose name is different in Elixir. */
static const struct {
    const char *erlang, *elixir;
} modules[] = {
    {"gen", "GenServer"},
    {"supervisor", "Supervisor"},
};

enum { NUM_MODULES = sizeof modules / sizeof modules[0] };

static bool is_word(const char *text, size_t len, const char *word)
{
    return strlen(word) == len && memcmp(text, word, len) == 0;
}

void label_show(const char *label, struct ds_buffer *out)
{
    label_show_as(term_show_syntax(), label, out);
}

void label_show_as(enum ds_syntax syntax, const char *label, struct ds_buffer *out)
{
    const char *colon = strchr(label, ':');
    if (colon == NULL || syntax == DS_SYNTAX_ERLANG) {
        ds_buffer_add_text(out, label);
        return;
    }
    const size_t len = (size_t)(colon - label);
    size_t i = 0;
    while (i < NUM_MODULES && !is_word(label, len, modules[i].erlang))
        i++;
    if (i < NUM_MODULES) {
        ds_buffer_add_text(out, modules[i].elixir);
    } else {
        ds_buffer_add(out, ":", 1);
        ds_buffer_add(out, label, len);
    }
    ds_buffer_add(out, ".", 1);
    ds_buffer_add_text(out, colon + 1);
}

static struct ds_text read_label(struct ds_text word, bool any_case, char room[LABEL_ROOM])
{
    const char *dot = memchr(word.data, '.', word.len);
    const size_t len = dot != NULL ? (size_t)(dot - word.data) : word.len;
    struct ds_text module = {word.data, len};
    for (size_t i = 0; i < NUM_MODULES; i++) {
        if (is_word(word.data, len, modules[i].elixir) ||
            (any_case && strlen(modules[i].elixir) == len &&
             strncasecmp(word.data, modules[i].elixir, len) == 0))
            module = (struct ds_text){modules[i].erlang, strlen(modules[i].erlang)};
    }
    if (module.data == word.data && word.len != 0 && word.data[0] == ':')
        module = (struct ds_text){word.data + 1, len - 1};
    const size_t rest = word.len - len;
    if (module.data == word.data || module.len + rest > LABEL_ROOM)
        return word;
    memcpy(room, module.data, module.len);
    if (rest != 0) {
        memcpy(room + module.len, dot, rest);
        room[module.len] = ':';
    }
    return (struct ds_text){room, module.len + rest};
}

struct ds_text label_read(struct ds_text word, char room[LABEL_ROOM])
{
    return read_label(word, false, room);
}

struct ds_text label_guess(struct ds_text word, char room[LABEL_ROOM])
{
    return read_label(word, true, room);
}
