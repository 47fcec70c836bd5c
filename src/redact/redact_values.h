/*
 * redact_values.h - redacts single values: which word of --redact applies to them, and what is kept.
 */
#ifndef SRC_REDACT_VALUES_H
#define SRC_REDACT_VALUES_H

#include "redact/redact_config.h"

#include <distsniff/rewrite.h>

struct redact_values;

/* redact_values_new returns NULL after an error message. */
struct redact_values *redact_values_new(const struct redact_config *config);
void redact_values_free(struct redact_values *values); /* NULL is allowed */

/* redact_values_failed says whether memory ran out or libcrypto failed since the last call: then
 * results since that call must not be shown. */
bool redact_values_failed(struct redact_values *values);

/* redact_values_num_given_up returns how often a pattern for text that stays took too long. */
uint64_t redact_values_num_given_up(const struct redact_values *values);

typedef void (*redact_text_fn)(struct redact_values *values, struct ds_text text,
                               struct ds_buffer *out);

/* These functions append the redacted form of a text. redact_atom: an atom. redact_node: a node with a
 * host or, as in EPMD, without one. redact_other: text that must only disappear; it is always replaced. */
void redact_atom(struct redact_values *values, struct ds_text text, struct ds_buffer *out);
void redact_node(struct redact_values *values, struct ds_text text, struct ds_buffer *out);
void redact_other(struct redact_values *values, struct ds_text text, struct ds_buffer *out);

/* redact_address replaces 4 or 16 bytes. Returns false if addresses do not change. */
bool redact_address(struct redact_values *values, uint8_t *bytes, size_t len);

/* redact_rewrite appends the redacted form of a term. counts: integers up to 255 in it are counts of
 * the protocol, such as an arity, and do not change. */
enum ds_rewrite_status redact_rewrite(struct redact_values *values, const struct ds_term *term,
                                      bool counts, struct ds_buffer *out);

#endif
