/*
 * label_show.h - labels of messages in the syntax of this run: gen:call, in Elixir GenServer.call;
 * erpc:call, in Elixir :erpc.call. Labels without a module are the same in both.
 */
#ifndef SRC_LABEL_SHOW_H
#define SRC_LABEL_SHOW_H

#include <distsniff/term.h>

/* label_show appends a label; label_len returns its length in bytes. */
void label_show(const char *label, struct ds_buffer *out);
void label_show_as(enum ds_syntax syntax, const char *label, struct ds_buffer *out);

/* label_read returns the label for a word in Elixir's syntax, in room; the word itself if it is not in
 * that syntax, or too long. GenServer alone means all labels of gen. */
enum { LABEL_ROOM = 128 };
struct ds_text label_read(struct ds_text word, char room[LABEL_ROOM]);

/* label_guess does the same with a word that may be misspelt: genserver.cal. */
struct ds_text label_guess(struct ds_text word, char room[LABEL_ROOM]);

#endif
