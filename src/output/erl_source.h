/*
 * erl_source.h - pieces of Erlang source, for generated modules: the fields of a map, a line
 * each, and clauses. Whatever a peer sent is written as a literal that it cannot leave.
 */
#ifndef SRC_ERL_SOURCE_H
#define SRC_ERL_SOURCE_H

#include "record.h"

/* erl_clause begins a clause NAME(NUMBER) that is a map; erl_clause_end ends it. */
void erl_clause(const char *name, uint64_t number, struct ds_buffer *out);
void erl_clause_end(struct ds_buffer *out);

/* Fields. The first one of a map is erl_first. Keys are constants. */
void erl_first(const char *key, uint64_t number, struct ds_buffer *out);
void erl_number(const char *key, int64_t number, struct ds_buffer *out);
void erl_word(const char *key, const char *atom, struct ds_buffer *out); /* NULL: no field */
void erl_atom(const char *key, struct ds_text atom, struct ds_buffer *out); /* absent: none */
void erl_put_atom(struct ds_text atom, struct ds_buffer *out); /* only the value */
void erl_binary(const char *key, struct ds_text bytes, struct ds_buffer *out); /* the same */

/* erl_term adds a term as itself, pids and the like exactly; none when it is absent. False when
 * memory ran out. */
bool erl_term(const char *key, const struct ds_term *term, uint32_t max_depth,
              struct ds_buffer *out);

/* erl_put_term adds only the value. */
bool erl_put_term(const struct ds_term *term, uint32_t indent, uint32_t max_depth,
                  struct ds_buffer *out);

/* erl_bytes adds any bytes as hex(<<"83...">>). */
void erl_bytes(const char *key, const uint8_t *bytes, size_t len, struct ds_buffer *out);
void erl_put_bytes(const uint8_t *bytes, size_t len, struct ds_buffer *out);

/* erl_end adds a node's name, or as long as it is not known {{127,0,0,1},4711}. */
void erl_end(const char *key, const struct ds_endpoint *end, struct ds_buffer *out);
void erl_put_address(const struct ds_endpoint *end, struct ds_buffer *out);

/* erl_fault adds what is wrong with an event; nothing when nothing is. */
void erl_fault(const struct ds_fault *fault, struct ds_buffer *out);

/* erl_party adds who calls or is called, as a map. False when memory ran out. */
bool erl_party(const char *key, const struct party *party, struct ds_buffer *out);

#endif
