/*
 * copy_portable.h - what stands in a portable copy (term_copy.c) for leaves that not all nodes read,
 * and the parts that it has in common with other copies.
 */
#ifndef DISSECT_COPY_PORTABLE_H
#define DISSECT_COPY_PORTABLE_H

#include "etf/term.h"
#include "util/buffer.h"

/* portable_cached adds an atom of the cache, portable_name the one at names, which it passes.
 * Portable: one that no node would take becomes '?atom'. */
void portable_cached(struct ds_buffer *out, const struct ds_atom *atom, bool portable);
void portable_name(struct ds_buffer *out, struct cursor *names, const struct term_env *env,
                   bool portable);

/* portable_tag begins a tuple of num elements, and adds the first, an atom that says what it is.
 * portable_list begins a list of num elements, none of them the tail; nothing for 0. */
void portable_tag(struct ds_buffer *out, const char *tag, uint8_t num);
void portable_list(struct ds_buffer *out, uint64_t num);

/* portable_is_large says whether an integer has more bytes than all nodes have room for;
 * portable_large adds {'$integer', Sign, Magnitude}. */
bool portable_is_large(const struct term_token *token);
void portable_large(struct ds_buffer *out, const struct term_token *token);

/* portable_is_odd says whether not all nodes read such a pid, port or reference: an old tag, where
 * a number can be too large for them, or one that is said to be the reader's own and is none.
 * portable_identity adds it with a new tag, or as the tuple that says what it is. */
bool portable_is_odd(const struct term_token *token);
void portable_identity(struct ds_buffer *out, const struct term_token *token,
                       const struct term_env *env);

/* portable_is_odd_fun says the same of a fun; portable_fun begins the tuple for it, up to its free
 * variables. */
bool portable_is_odd_fun(const struct term_token *token, const struct term_env *env);
void portable_fun(struct ds_buffer *out, const struct term_token *token, const struct term_env *env);

#endif
