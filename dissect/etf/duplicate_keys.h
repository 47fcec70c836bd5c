/*
 * duplicate_keys.h - which maps of a term have a key twice. No node makes one, but a peer can send
 * one; every node refuses to read it, and a compiler warns of it.
 */
#ifndef DISSECT_DUPLICATE_KEYS_H
#define DISSECT_DUPLICATE_KEYS_H

#include "etf/duplicate_maps.h"
#include "etf/term.h"

/* Whether 0.0 and -0.0 are the same key: up to OTP 26 they are. */
enum term_zeros { TERM_ZEROS_DIFFER, TERM_ZEROS_EQUAL };

/* Nesting of a term that has maps of two keys or more: 12 MB are needed for it. */
enum { DUPLICATE_KEYS_DEPTH = 262144 };

enum duplicate_keys_status {
    DUPLICATE_KEYS_OK,
    DUPLICATE_KEYS_TOO_DEEP, /* nested deeper than DUPLICATE_KEYS_DEPTH: nothing is known */
    DUPLICATE_KEYS_FAILED, /* memory ran out, or is_stopped, which may be NULL, says so */
};

/* duplicate_keys_find walks the term; nesting beyond max_depth (0: none) is not looked at, and is as
 * it is shown, {'$deep', Bytes}. Of a damaged term it takes what is there, as code.h shows it.
 * Takes memory that grows with the length of the term alone. Release with duplicate_keys_free what is
 * OK. */
enum duplicate_keys_status duplicate_keys_find(struct duplicate_keys *twice, const struct ds_term *term,
                                               uint64_t max_depth, enum term_zeros zeros,
                                               bool (*is_stopped)(void));
void duplicate_keys_free(struct duplicate_keys *twice);

#endif
