/*
 * text_plain.h - writes the most common terms in Erlang's syntax as the walk of text_walk.h would,
 * but in one loop: tuples, lists and maps of atoms of the cache, small integers, pids, references
 * and short texts without escapes. At any other term, or at a limit, a mark or the end of the room,
 * it returns, and the walk continues.
 */
#ifndef DISSECT_TEXT_PLAIN_H
#define DISSECT_TEXT_PLAIN_H

#include "etf/text_walk.h"
#include "util/buffer.h"

/* text_atom_is_plain says whether an atom is written unchanged, except for quotes around it. */
TOKEN_INLINE bool text_atom_is_plain(const struct ds_atom *atom,
                                     const struct ds_term_print_options *options)
{
    return (atom->looks & DS_ATOM_SHOWN) != 0 && atom->len <= TEXT_ATOM_MAX &&
           (atom->state != DS_ATOM_LIKELY || options->unmarked);
}

/* text_atom_put writes a plain atom, and returns the position after it. */
TOKEN_INLINE char *text_atom_put(const struct ds_atom *atom, char *pen)
{
    const bool is_quoted = (atom->looks & DS_ATOM_BARE) == 0;
    *pen = '\'';
    pen = buffer_put_short(pen + is_quoted, atom->text, atom->len);
    *pen = '\'';
    return pen + is_quoted;
}

/* text_put_plain writes the plain terms that come next in the open container, maybe none, and its
 * end. When it returns, the walk continues with the containers that are open then. */
void text_put_plain(struct text *text);

#endif
