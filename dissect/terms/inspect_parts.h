/*
 * inspect_parts.h - what the parts of Elixir's text have to know of each other: leaves and the walk's
 * table in term_inspect.c, structs with a text of their own in inspect_struct.c.
 */
#ifndef DISSECT_INSPECT_PARTS_H
#define DISSECT_INSPECT_PARTS_H

#include "inspect_word.h"
#include "text_walk.h"

/* inspect_name is an atom's text in UTF-8, in room where it is latin-1; absent of what is unknown. */
struct inspect_room {
    char bytes[VALUE_ATOM_LEN];
};
struct cursor inspect_name(const struct term_token *token, struct inspect_room *room);

/* inspect_add_name and inspect_add_field write an atom, or a key, with its mark if it is only
 * likely. */
void inspect_add_name(struct text *text, const struct term_token *token);
void inspect_add_field(struct text *text, const struct term_token *token);

/* inspect_open begins one of enum text_open. */
void inspect_open(struct text *text, enum text_open class, uint64_t num);

/* inspect_struct writes the struct of that name that a map of num_pairs at text->at is, and passes
 * it, or opens it. False: it has no text of its own, and nothing was done. */
bool inspect_struct(struct text *text, struct cursor name, uint64_t num_pairs);

#endif
