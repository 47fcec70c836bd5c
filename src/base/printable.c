/*
 * printable.c - see printable.h. UTF-8 is that of RFC 3629: shortest forms only, no surrogates,
 * nothing above U+10FFFF.
 */
#include "printable.h"

size_t printable_read_char(const char *text, size_t len, uint32_t *character)
{
    const unsigned char *bytes = (const unsigned char *)text;
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};

    if (bytes[0] < 0x80) {
        *character = bytes[0];
        return 1;
    }
    size_t need = bytes[0] >= 0xF0 ? 4 : bytes[0] >= 0xE0 ? 3 : 2;
    if (bytes[0] < 0xC2 || bytes[0] > 0xF4 || need > len)
        return 0;
    uint32_t value = bytes[0] & (0x7Fu >> need);
    for (size_t i = 1; i < need; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (bytes[i] & 0x3Fu);
    }
    if (value < smallest[need] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return 0;
    *character = value;
    return need;
}

/* Characters that do not show, or show what comes after them in another order. */
static bool is_unprintable(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xAD || c == 0x61C ||
           (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
           (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFB) ||
           (c >= 0xE0000 && c <= 0xE007F);
}

void printable_text(struct ds_text text, struct ds_buffer *out)
{
    size_t plain = 0; /* start of what is copied as it is */
    size_t i = 0;
    while (i < text.len) {
        unsigned char byte = (unsigned char)text.data[i];
        if (byte >= 0x20 && byte < 0x7F) {
            i++;
            continue;
        }
        uint32_t c;
        size_t used = printable_read_char(text.data + i, text.len - i, &c);
        if (used != 0 && !is_unprintable(c)) {
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

void printable_json(struct ds_text text, struct ds_buffer *out)
{
    size_t plain = 0;
    size_t i = 0;
    while (i < text.len) {
        uint32_t c;
        size_t used = printable_read_char(text.data + i, text.len - i, &c);
        if (used != 0 && c != 0) {
            i += used;
            continue;
        }
        ds_buffer_add(out, text.data + plain, i - plain);
        ds_buffer_add_text(out, "\xEF\xBF\xBD");
        plain = ++i;
    }
    if (i > plain)
        ds_buffer_add(out, text.data + plain, i - plain);
}
