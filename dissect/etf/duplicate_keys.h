/*
 * duplicate_keys.h - finds the maps of a term that have a duplicate key. No node makes such a map,
 * but a peer can send one; every node refuses to read it, and a compiler warns about it.
 */
#ifndef DISSECT_DUPLICATE_KEYS_H
#define DISSECT_DUPLICATE_KEYS_H

#include "etf/duplicate_maps.h"
#include "etf/term.h"

/* Whether 0.0 and -0.0 are the same key: up to OTP 26 they are. */
enum term_zeros { TERM_ZEROS_DIFFER, TERM_ZEROS_EQUAL };

/* Limit on the nesting of a term that has maps of two or more keys: it needs 12 MB. */
enum { DUPLICATE_KEYS_DEPTH = 262144 };

enum duplicate_keys_status {
    DUPLICATE_KEYS_OK,
    DUPLICATE_KEYS_TOO_DEEP, /* nested deeper than DUPLICATE_KEYS_DEPTH: the result is unknown */
    DUPLICATE_KEYS_FAILED, /* memory ran out, or is_stopped, which may be NULL, returned true */
};

/* duplicate_keys_find walks the term. Terms nested deeper than max_depth (0: no limit) are not
 * examined, and count as {'$deep', Bytes}, as they are shown. A damaged term is examined as far as
 * it goes, as code.h shows it. Memory use grows only with the length of the term. If the result is
 * OK, release it with duplicate_keys_free. */
enum duplicate_keys_status duplicate_keys_find(struct duplicate_keys *twice, const struct ds_term *term,
                                               uint64_t max_depth, enum term_zeros zeros,
                                               bool (*is_stopped)(void));
void duplicate_keys_free(struct duplicate_keys *twice);

#endif
