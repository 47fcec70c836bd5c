/*
 * tools.h - nodes that are tools, such as rabbitmqctl or a remote shell: they come, ask, and go. None of
 * them is missed when it has gone.
 */
#ifndef SRC_TOOLS_H
#define SRC_TOOLS_H

#include <distsniff/term.h>

/* tools_have_name says whether a node has a name as command lines of well-known programs choose it. */
bool tools_have_name(struct ds_text node);

/* So many digits at the end of its name, or more, does only a script give a node. */
enum { TOOLS_NUMBER_LEN = 4 };

/* tools_number_len returns how many of the characters of a node's name, without its host, stand before the
 * number that it ends in, 0: it ends in none of so many digits. Scripts number nodes: ask1234@host. */
size_t tools_number_len(struct ds_text node, size_t digits);

/* tools_are_hidden says whether a node is hidden, or wants its peer to choose its name, by the flags of its
 * handshake. */
bool tools_are_hidden(uint64_t flags);

/* tools_read_terminal says whether a message, whose label is given, NULL: none, asks a terminal for what
 * somebody types there: {io_request, From, Tag, {get_line, ...}}. */
bool tools_read_terminal(const char *label, const struct ds_term *payload);

#endif
