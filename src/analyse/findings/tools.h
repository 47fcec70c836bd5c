/*
 * tools.h - recognises nodes that are tools, such as rabbitmqctl or a remote shell: they come, ask,
 * and go, and none is missed when it has gone.
 */
#ifndef SRC_TOOLS_H
#define SRC_TOOLS_H

#include <distsniff/term.h>

/* tools_have_name says whether a node has a name that command lines of well-known programs choose. */
bool tools_have_name(struct ds_text node);

/* Only scripts choose names that end in this many digits or more. */
enum { TOOLS_NUMBER_LEN = 4 };

/* tools_number_len returns the length of a node's name, without its host, before the number at its
 * end. 0: it does not end in that many digits. Scripts number nodes: ask1234@host. */
size_t tools_number_len(struct ds_text node, size_t digits);

/* tools_are_hidden says whether a node is hidden, or lets its peer choose its name, by the flags of
 * its handshake. */
bool tools_are_hidden(uint64_t flags);

/* tools_read_terminal says whether a message asks a terminal for input: {io_request, From, Tag,
 * {get_line, ...}}. label is the message's label, or NULL. */
bool tools_read_terminal(const char *label, const struct ds_term *payload);

#endif
