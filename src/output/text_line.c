/*
 * text_line.c - see text_line.h.
 */
#include "output/text_line.h"

#include "core/printable.h"
#include "core/term_show.h"

static const char *const paints[] = {
    [PAINT_CALL] = "\033[1;34m", [PAINT_TIME] = "\033[2m",       [PAINT_PEERS] = "\033[36m",
    [PAINT_EPMD] = "\033[35m",   [PAINT_HANDSHAKE] = "\033[33m", [PAINT_CONN] = "\033[32m",
    [PAINT_OP] = "\033[1m",      [PAINT_TROUBLE] = "\033[31m",   [PAINT_DIM] = "\033[2m",
    [PAINT_OFF] = "\033[0m",
};

void text_add_paint(struct text_state *s, enum paint which)
{
    if (s->is_dimmed && which == PAINT_OFF) {
        text_add(s, s->in_trouble ? "\033[0;2m" : "");
        s->in_trouble = false;
    } else if (!s->is_dimmed || which == PAINT_TROUBLE) {
        text_add(s, paints[which]);
        s->in_trouble = which == PAINT_TROUBLE;
    }
}

void text_add_word(struct text_state *s, enum paint color, const char *word)
{
    text_paint(s, color);
    text_add(s, word);
    if (color != PAINT_OFF)
        text_paint(s, PAINT_OFF);
}

/* Not inline: otherwise each function that adds several terms would contain a walk over the memo
 * for each. */
__attribute__((noinline)) void text_add_term(struct text_state *s, const struct ds_term *term)
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

static void print_endpoint(const struct ds_endpoint *endpoint, struct ds_buffer *out)
{
    if (endpoint->node.data != NULL) {
        if (endpoint->node_inferred)
            ds_buffer_add(out, "~", 1);
        printable_text(endpoint->node, out);
        return;
    }
    char addr[DS_ADDR_LEN];
    ds_addr_print(&endpoint->addr, addr);
    ds_buffer_printf(out, "%s.%u", addr, endpoint->port);
}

void text_add_endpoint(struct text_state *s, const struct ds_conn *conn, unsigned end)
{
    print_endpoint(&conn->end[end], s->out);
}

void text_print_peers(const struct ds_conn *conn, unsigned from, struct ds_buffer *out)
{
    print_endpoint(&conn->end[from], out);
    ds_buffer_add_text(out, " > ");
    print_endpoint(&conn->end[!from], out);
}

void text_add_peers(struct text_state *s, const struct ds_conn *conn, unsigned from)
{
    const struct ds_text text = endpoint_cache_get(s->endpoints, conn, from);
    if (text.data != NULL)
        ds_buffer_add(s->out, text.data, text.len);
    else
        s->out->failed = true;
}
