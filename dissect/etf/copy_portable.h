/*
 * copy_portable.h - what a portable copy (term_copy.c) writes for leaves that not all nodes read,
 * and the parts that it shares with other copies.
 */
#ifndef DISSECT_COPY_PORTABLE_H
#define DISSECT_COPY_PORTABLE_H

#include "etf/term.h"
#include "util/buffer.h"

/* portable_cached appends an atom of the cache, portable_name the one at names, and advances past
 * it. portable: an atom that no node would accept becomes '?atom'. */
void portable_cached(struct ds_buffer *out, const struct ds_atom *atom, bool portable);
void portable_name(struct ds_buffer *out, struct cursor *names, const struct term_env *env,
                   bool portable);

/* portable_tag begins a tuple of num elements and appends the first, an atom that names its kind.
 * portable_list begins a list of num elements, the tail not counted; nothing for 0. */
void portable_tag(struct ds_buffer *out, const char *tag, uint8_t num);
void portable_list(struct ds_buffer *out, uint64_t num);

/* portable_is_large says whether an integer has more bytes than some nodes accept. portable_large
 * appends {'$integer', Sign, Magnitude}. */
bool portable_is_large(const struct term_token *token);
void portable_large(struct ds_buffer *out, const struct term_token *token);

/* portable_is_odd says whether some nodes do not read this pid, port or reference: an old tag, with
 * which nodes may reject a number as too large, or one that wrongly claims to be the reader's own.
 * portable_identity appends it with a new tag, or as a tuple that names its kind. */
bool portable_is_odd(const struct term_token *token);
void portable_identity(struct ds_buffer *out, const struct term_token *token,
                       const struct term_env *env);

/* portable_is_odd_fun says the same of a fun. portable_fun begins the tuple for it, up to its free
 * variables. */
bool portable_is_odd_fun(const struct term_token *token, const struct term_env *env);
void portable_fun(struct ds_buffer *out, const struct term_token *token, const struct term_env *env);

#endif
