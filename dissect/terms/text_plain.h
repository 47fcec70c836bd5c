/*
 * text_plain.h - what most terms are made of, written in Erlang's syntax as the walk of text_walk.h
 * would, but in one go: tuples, lists and maps of atoms of the cache, small integers, pids, references
 * and short texts of which nothing is escaped. Whatever is something else, or where a limit, a mark or
 * the end of the room comes first, is left to the walk, which goes on behind.
 */
#ifndef DISSECT_TEXT_PLAIN_H
#define DISSECT_TEXT_PLAIN_H

#include "text_walk.h"

/* text_put_plain writes terms of what is open, and its end, as long as they are such; it may be none.
 * What is open when it returns is what the walk finds. */
void text_put_plain(struct text *text);

#endif
