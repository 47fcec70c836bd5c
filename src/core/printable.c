/*
 * printable.c - see printable.h.
 */
#include "core/printable.h"

void printable_text(struct ds_text text, struct ds_buffer *out)
{
    size_t plain = 0; /* start of the part that is copied unchanged */
    size_t i = 0;
    while (i < text.len) {
        unsigned char byte = (unsigned char)text.data[i];
        if (byte >= 0x20 && byte < 0x7F) {
            i++;
            continue;
        }
        uint32_t c;
        size_t used = ds_text_read_char((struct ds_text){text.data + i, text.len - i}, &c);
        if (used != 0 && ds_char_is_shown(c)) {
            i += used;
            continue;
        }
        ds_buffer_add(out, text.data + plain, i - plain);
        if (used > 1)
            ds_buffer_printf(out, "\\x{%X}", c);
        else
            ds_buffer_printf(out, "\\x%02X", byte);
        i += used > 1 ? used : 1;
        plain = i;
    }
    if (i > plain)
        ds_buffer_add(out, text.data + plain, i - plain);
}
