/*
 * text_line.h - helpers that write parts of a line in the text format, and one function for each
 * type of event that has more than a name. See sink_text.c.
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
    const struct note *note; /* of the event being shown */
    struct ds_term_print_options limits;
    struct endpoint_cache *endpoints;
    struct timestamp_cache clock;
    bool colored;
    bool is_dimmed;          /* the current line is housekeeping: only trouble is coloured */
    bool in_trouble;         /* the colour for trouble is on */
    int terminal;            /* the descriptor of the output terminal, -1: none */
    bool cuts;               /* lines are cut to its width */
    struct ds_buffer whole;  /* a line before it is cut */
    struct ds_buffer shorter; /* one that was shortened a little, before it is shortened more */
    bool has_first;
    int64_t first_ns, last_ns; /* of the lines shown */
};

/* text_add adds a text of this program; the compiler knows the length of most of them. */
static inline __attribute__((always_inline)) void text_add(struct text_state *s, const char *text)
{
    struct ds_buffer *out = s->out;
    const size_t len = strlen(text);
    if (len == 0 || (out->cap - out->len < len && !ds_buffer_reserve(out, len)))
        return;
    memcpy(out->data + out->len, text, len);
    out->len += len;
}

/* text_add_paint begins or ends a colour, on a terminal. */
void text_add_paint(struct text_state *s, enum paint which);
static inline void text_paint(struct text_state *s, enum paint which)
{
    if (s->colored)
        text_add_paint(s, which);
}

void text_add_word(struct text_state *s, enum paint color, const char *word);

/* text_add_term adds a term, shortened depending on -v. */
void text_add_term(struct text_state *s, const struct ds_term *term);

/* text_add_quoted adds text from a peer, escaped where it is not valid. */
void text_add_quoted(struct text_state *s, struct ds_text text);

/* text_add_call_number adds "#17 ". */
void text_add_call_number(struct text_state *s, uint64_t number);

/* text_add_endpoint adds the node at one end of a connection, or its address. */
void text_add_endpoint(struct text_state *s, const struct ds_conn *conn, unsigned end);

/* text_print_peers prints both ends, for the cache of text_state. */
void text_print_peers(const struct ds_conn *conn, unsigned from, struct ds_buffer *out);

/* text_add_peers adds "a@h > b@h": the sending node or its address, and the other one. */
void text_add_peers(struct text_state *s, const struct ds_conn *conn, unsigned from);

/* What the event says, after the names of both ends. */
void text_add_epmd(struct text_state *s, const struct sink *sink, const struct ds_event *event);
void text_add_handshake(struct text_state *s, const struct sink *sink, const struct ds_event *event);
void text_add_conn(struct text_state *s, const struct sink *sink, const struct ds_event *event);
void text_add_stall(struct text_state *s, const struct sink *sink, const struct ds_event *event);
void text_add_message(struct text_state *s, const struct sink *sink, const struct ds_event *event);

#endif
