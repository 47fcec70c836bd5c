/*
 * text_line.h - what the parts of a line of the text format are written with, and these parts:
 * one function for each type of event that says more than its name. See sink_text.c.
 */
#ifndef SRC_TEXT_LINE_H
#define SRC_TEXT_LINE_H

#include "core/timestamp.h"
#include "output/endpoint_cache.h"
#include "output/sink.h"

#include <string.h>

enum paint {
    PAINT_CALL,
    PAINT_TIME,
    PAINT_PEERS,
    PAINT_EPMD,
    PAINT_HANDSHAKE,
    PAINT_CONN,
    PAINT_OP,
    PAINT_TROUBLE,
    PAINT_DIM,
    PAINT_OFF
};

struct text_state {
    struct ds_buffer *out;
    const struct note *note; /* on the event being shown */
    struct ds_term_print_options limits;
    struct endpoint_cache *endpoints;
    struct timestamp_cache clock;
    bool colored;
    bool is_dimmed;          /* the line being written is housekeeping: no colour but of trouble */
    bool in_trouble;         /* the colour of trouble is on */
    int terminal;            /* the descriptor of the terminal that lines are for, -1: none */
    bool cuts;               /* lines are cut at its width */
    struct ds_buffer whole;  /* a line before it is cut */
    struct ds_buffer shorter; /* one that was cut a little, before it is cut more */
    bool has_first;
    int64_t first_ns, last_ns; /* of the lines shown */
};

/* text_add adds a text of this program; of most the compiler knows the length. */
static inline __attribute__((always_inline)) void text_add(struct text_state *s, const char *text)
{
    struct ds_buffer *out = s->out;
    const size_t len = strlen(text);
    if (len == 0 || (out->cap - out->len < len && !ds_buffer_reserve(out, len)))
        return;
    memcpy(out->data + out->len, text, len);
    out->len += len;
}

/* text_paint begins a color, or ends it, on a terminal. */
void text_add_paint(struct text_state *s, enum paint which);
static inline void text_paint(struct text_state *s, enum paint which)
{
    if (s->colored)
        text_add_paint(s, which);
}

void text_add_word(struct text_state *s, enum paint color, const char *word);

/* text_add_term adds a term, shortened as -v says. */
void text_add_term(struct text_state *s, const struct ds_term *term);

/* text_add_quoted adds what a peer sent as text, escaped where it is none. */
void text_add_quoted(struct text_state *s, struct ds_text text);

/* text_add_call_number adds "#17 ". */
void text_add_call_number(struct text_state *s, uint64_t number);

/* text_add_endpoint adds the node at one end of a connection, or its address. */
void text_add_endpoint(struct text_state *s, const struct ds_conn *conn, unsigned end);

/* text_print_peers is how both ends are shown, for the cache of text_state. */
void text_print_peers(const struct ds_conn *conn, unsigned from, struct ds_buffer *out);

/* text_add_peers adds "a@h > b@h": the node at the end that sends, or its address, and the other one. */
void text_add_peers(struct text_state *s, const struct ds_conn *conn, unsigned from);

/* What the event says, behind who speaks to whom. */
void text_add_epmd(struct text_state *s, const struct sink *sink, const struct ds_event *event);
void text_add_handshake(struct text_state *s, const struct sink *sink, const struct ds_event *event);
void text_add_conn(struct text_state *s, const struct sink *sink, const struct ds_event *event);
void text_add_stall(struct text_state *s, const struct sink *sink, const struct ds_event *event);
void text_add_message(struct text_state *s, const struct sink *sink, const struct ds_event *event);

#endif
