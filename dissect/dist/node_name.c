/*
 * node_name.c - see node_name.h. A latin-1 byte is the code point of its character.
 */
#include "dist/node_name.h"

#include "util/utf8.h"

/* is_utf8 also counts the characters that are not ASCII if every byte is a character. */
static bool is_utf8(struct cursor c, size_t *num_high)
{
    bool is = true;
    uint8_t byte;
    uint32_t character;
    for (struct cursor at = c; is && cursor_left(&at) != 0;)
        is = utf8_read(&at, &character);
    for (*num_high = 0; cursor_read_u8(&c, &byte);)
        *num_high += byte >= 0x80;
    return is;
}

bool node_name_to_utf8(struct arena *arena, struct ds_text *name)
{
    struct cursor c = cursor_make(name->data, name->len);
    size_t num_high;
    if (is_utf8(c, &num_high))
        return true;
    char *text = arena_alloc(arena, name->len + num_high);
    if (text == NULL)
        return false;
    *name = (struct ds_text){text, utf8_from_latin1(c, text)};
    return true;
}
