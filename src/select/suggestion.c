/*
 * suggestion.c - see suggestion.h.
 */
#include "select/suggestion.h"

#include "core/complain.h"
#include "core/hash.h"
#include "core/printable.h"
#include "core/suggest.h"

#include <string.h>

enum { NUM_SEEN = sizeof((struct suggestion *)0)->seen / sizeof(uint64_t) };

static struct ds_text behind(struct ds_text text, const char *prefix)
{
    const size_t len = strlen(prefix);
    if (text.len <= len || memcmp(text.data, prefix, len) != 0)
        return text;
    return (struct ds_text){text.data + len, text.len - len};
}

/* bare removes the characters that only distinguish atoms from modules: Shop.Cart is
 * 'Elixir.Shop.Cart', :cart cart. */
static struct ds_text bare(struct ds_text text)
{
    return behind(behind(text, "Elixir."), ":");
}

/* contains says whether a name contains the word: a part of a name counts as similar as a name with one
 * different letter. */
static bool contains(struct ds_text name, struct ds_text word)
{
    enum { LEAST = 3 };
    for (size_t i = 0; word.len >= LEAST && i + word.len <= name.len; i++) {
        if (memcmp(name.data + i, word.data, word.len) == 0)
            return true;
    }
    return false;
}

void suggestion_add(struct suggestion *near, struct ds_text word, struct ds_text name)
{
    if (near->occurs || name.data == NULL || name.len == 0 || name.len > SUGGESTION_MAX ||
        word.len == 0 || strchr("<#[{\"", word.data[0]) != NULL)
        return;
    const uint64_t hash = hash_more(0, name.data, name.len);
    uint64_t *seen = &near->seen[hash % NUM_SEEN];
    if (*seen == hash)
        return;
    *seen = hash;
    word = bare(word);
    name = bare(name);
    size_t changes = suggest_changes(word.data, word.len, name.data, name.len);
    if (changes > 1 && contains(name, word))
        changes = 1;
    if (changes == SIZE_MAX || (near->len != 0 && changes >= near->changes))
        return;
    near->changes = changes;
    near->len = name.len;
    memcpy(near->nearest, name.data, name.len);
}

bool suggestion_say(const struct suggestion *near, const char *option, const char *field,
                    struct ds_text word)
{
    struct ds_buffer text = {0};
    if (near->occurs || near->len == 0)
        return false;
    printable_text(word, &text);
    ds_buffer_add_text(&text, field != NULL ? " matched nothing; there was "
                                            : " never occurred; there was ");
    printable_text((struct ds_text){near->nearest, near->len}, &text);
    if (!text.failed)
        complain("%s%s%s: %.*s", option, field != NULL ? " " : "", field != NULL ? field : "",
                 (int)text.len, text.data);
    ds_buffer_free(&text);
    return true;
}
