/*
 * redact_parts.h - the parts of a redacted record: texts and terms in separate memory, which is freed
 * as a whole before the next record.
 */
#ifndef SRC_REDACT_PARTS_H
#define SRC_REDACT_PARTS_H

#include "record/record.h"
#include "redact/redact_values.h"

struct redact_piece;

/* redact_parts is the state while a record is redacted. New parts are written to scratch first. */
struct redact_parts {
    struct redact_values *values;
    struct ds_buffer scratch;
    struct redact_piece *pieces;
    const struct ds_atom *atoms, *new_atoms; /* the table replaced last, and its replacement */
    uint32_t num_atoms;                      /* of both */
    bool failed; /* memory ran out: nothing of the record may be shown */
};

/* redact_parts_begin frees what was made so far. redact_parts_free frees the values as well. */
void redact_parts_begin(struct redact_parts *parts);
void redact_parts_free(struct redact_parts *parts);

/* redact_parts_failed says whether memory ran out or libcrypto failed since the last call. */
bool redact_parts_failed(struct redact_parts *parts);

/* redact_allocate allocates memory; redact_get_scratch returns the contents of scratch, and their length:
 * if they are large, it returns the memory of scratch itself, which is empty then. NULL, with length 0,
 * when memory ran out. */
void *redact_allocate(struct redact_parts *parts, size_t len);
void *redact_get_scratch(struct redact_parts *parts, size_t *len);

/* redact_put appends bytes to scratch; redact_put_term appends the redacted form of a term; counts is
 * as for redact_rewrite. Returns false if the term is incomplete. */
void redact_put(struct redact_parts *parts, const void *bytes, size_t len);
bool redact_put_term(struct redact_parts *parts, const struct ds_term *term, bool counts);

/* Each of these functions replaces something that may be absent. how is a function of redact_values.h.
 * After redact_part_atoms, a term has only those of its atoms that are unknown, or only likely. */
void redact_part_text(struct redact_parts *parts, redact_text_fn how, struct ds_text *text);
void redact_part_term(struct redact_parts *parts, struct ds_term *term);
void redact_part_atoms(struct redact_parts *parts, struct ds_term *term);

#endif
