/*
 * text_line.c - see text_line.h.
 */
#include "text_line.h"

#include "printable.h"
#include "term_show.h"

static const char *const paints[] = {
    [PAINT_CALL] = "\033[1;34m", [PAINT_TIME] = "\033[2m",       [PAINT_PEERS] = "\033[36m",
    [PAINT_EPMD] = "\033[35m",   [PAINT_HANDSHAKE] = "\033[33m", [PAINT_CONN] = "\033[32m",
    [PAINT_OP] = "\033[1m",      [PAINT_TROUBLE] = "\033[31m",   [PAINT_OFF] = "\033[0m",
};

void text_add_paint(struct text_state *s, enum paint which)
{
    text_add(s, paints[which]);
}

void text_add_word(struct text_state *s, enum paint color, const char *word)
{
    text_paint(s, color);
    text_add(s, word);
    if (color != PAINT_OFF)
        text_paint(s, PAINT_OFF);
}

void text_add_term(struct text_state *s, const struct ds_term *term)
{
    term_show(term, &s->limits, s->out);
}

void text_add_quoted(struct text_state *s, struct ds_text text)
{
    printable_text(text, s->out);
}

void text_add_call_number(struct text_state *s, uint64_t number)
{
    char text[1 + DS_DIGITS_MAX + 1] = "#";
    char *end = ds_digits_put(text + 1, number);
    *end++ = ' ';
    ds_buffer_add(s->out, text, (size_t)(end - text));
}

void text_add_endpoint(struct text_state *s, const struct ds_conn *conn, unsigned end)
{
    struct ds_text text = endpoint_cache_get(s->endpoints, conn, end);
    if (text.data != NULL)
        ds_buffer_add(s->out, text.data, text.len);
    else
        s->out->failed = true;
}
