/*
 * utf8.c - the UTF-8 functions of the library's interface; see distsniff/term.h.
 */
#include "util/utf8.h"

size_t ds_text_read_char(struct ds_text text, uint32_t *character)
{
    struct cursor c = cursor_make(text.data, text.len);
    return utf8_read(&c, character) ? text.len - cursor_left(&c) : 0;
}

void ds_buffer_add_char(struct ds_buffer *buffer, uint32_t character)
{
    utf8_add(buffer, character);
}
