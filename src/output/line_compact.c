/*
 * line_compact.c - see line_compact.h.
 */
#include "output/line_compact.h"

#include <string.h>

/* What begins so, up to the end, has "..." between the two. */
static const struct {
    const char *begin;
    char end;
} rules[] = {
    {"{'$gen_call',{", '}'},
    {"{:\"$gen_call\", {", '}'},
    {"#Ref<", '>'},
    {"#Reference<", '>'},
};

/* find_rule returns how long the beginning is that a text has, 0: none, and where its end is. */
static size_t find_rule(struct ds_text text, size_t *end)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const size_t len = strlen(rules[i].begin);
        if (text.len <= len || memcmp(text.data, rules[i].begin, len) != 0)
            continue;
        const char *found = memchr(text.data + len, rules[i].end, text.len - len);
        if (found == NULL)
            continue;
        *end = (size_t)(found - text.data);
        return len;
    }
    return 0;
}

void line_compact(struct ds_text text, struct ds_buffer *out)
{
    size_t from = 0, end;
    for (size_t at = 0; at < text.len; at++) {
        if (text.data[at] != '{' && text.data[at] != '#')
            continue;
        const size_t len = find_rule((struct ds_text){text.data + at, text.len - at}, &end);
        if (len == 0)
            continue;
        ds_buffer_add(out, text.data + from, at + len - from);
        ds_buffer_add_text(out, "...");
        from = at + end;
        at = from;
    }
    ds_buffer_add(out, text.data + from, text.len - from);
}
