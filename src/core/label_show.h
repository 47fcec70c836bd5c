/*
 * label_show.h - labels of messages as this run writes them: gen:call, in Elixir GenServer.call;
 * erpc:call, in Elixir :erpc.call. Those that no module stands in are the same in both.
 */
#ifndef SRC_LABEL_SHOW_H
#define SRC_LABEL_SHOW_H

#include <distsniff/term.h>

/* label_show appends a label; label_len says how many bytes that is. */
void label_show(const char *label, struct ds_buffer *out);
void label_show_as(enum ds_syntax syntax, const char *label, struct ds_buffer *out);

/* label_read returns the label that a word in Elixir's spelling means, in room; the word itself when
 * it is in none, or too long. GenServer alone means gen, all of them. */
enum { LABEL_ROOM = 128 };
struct ds_text label_read(struct ds_text word, char room[LABEL_ROOM]);

/* label_guess is label_read of a word that may be misspelt: genserver.cal. */
struct ds_text label_guess(struct ds_text word, char room[LABEL_ROOM]);

#endif
