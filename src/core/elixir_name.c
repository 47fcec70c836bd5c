/*
 * elixir_name.c - see elixir_name.h.
 */
#include "core/elixir_name.h"

#include <string.h>

static bool is_same(struct ds_text a, struct ds_text b)
{
    return a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}

static struct ds_text behind(struct ds_text text, size_t len)
{
    return (struct ds_text){text.data + len, text.len - len};
}

bool elixir_name_means(struct ds_text word, struct ds_text name)
{
    static const char prefix[] = "Elixir.";
    const size_t prefix_len = sizeof prefix - 1;
    if (word.data == NULL || name.data == NULL || word.len == 0)
        return false;
    if (word.data[0] >= 'A' && word.data[0] <= 'Z')
        return name.len > prefix_len && memcmp(name.data, prefix, prefix_len) == 0 &&
               is_same(word, behind(name, prefix_len));
    if (word.data[0] != ':')
        return false;
    word = behind(word, 1);
    if (word.len >= 2 && word.data[0] == '"' && word.data[word.len - 1] == '"')
        word = (struct ds_text){word.data + 1, word.len - 2};
    return is_same(word, name);
}
