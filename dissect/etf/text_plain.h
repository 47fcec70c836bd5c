/*
 * text_plain.h - what most terms are made of, written in Erlang's syntax as the walk of text_walk.h
 * would, but in one go: tuples, lists and maps of atoms of the cache, small integers, pids, references
 * and short texts of which nothing is escaped. Whatever is something else, or where a limit, a mark or
 * the end of the room comes first, is left to the walk, which goes on behind.
 */
#ifndef DISSECT_TEXT_PLAIN_H
#define DISSECT_TEXT_PLAIN_H

#include "etf/text_walk.h"
#include "util/buffer.h"

/* text_atom_is_plain says whether all of an atom is written as it is, but for quotes around it. */
TOKEN_INLINE bool text_atom_is_plain(const struct ds_atom *atom,
                                     const struct ds_term_print_options *options)
{
    return (atom->looks & DS_ATOM_SHOWN) != 0 && atom->len <= TEXT_ATOM_MAX &&
           (atom->state != DS_ATOM_LIKELY || options->unmarked);
}

/* text_atom_put writes such an atom, and returns what is behind it. */
TOKEN_INLINE char *text_atom_put(const struct ds_atom *atom, char *pen)
{
    const bool is_quoted = (atom->looks & DS_ATOM_BARE) == 0;
    *pen = '\'';
    pen = buffer_put_short(pen + is_quoted, atom->text, atom->len);
    *pen = '\'';
    return pen + is_quoted;
}

/* text_put_plain writes terms of what is open, and its end, as long as they are such; it may be none.
 * What is open when it returns is what the walk finds. */
void text_put_plain(struct text *text);

#endif
