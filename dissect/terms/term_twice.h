/*
 * term_twice.h - which maps of a term have a key twice. No node makes one, but a peer can send
 * one; every node refuses to read it, and a compiler warns of it.
 */
#ifndef DISSECT_TERM_TWICE_H
#define DISSECT_TERM_TWICE_H

#include "term.h"
#include "twice_maps.h"

/* Whether 0.0 and -0.0 are the same key: up to OTP 26 they are. */
enum term_zeros { TERM_ZEROS_DIFFER, TERM_ZEROS_EQUAL };

/* Nesting of a term that has maps of two keys or more: 12 MB are needed for it. */
enum { TERM_TWICE_DEPTH = 262144 };

enum term_twice_status {
    TERM_TWICE_OK,
    TERM_TWICE_TOO_DEEP, /* nested deeper than TERM_TWICE_DEPTH: nothing is known */
    TERM_TWICE_FAILED,   /* memory ran out, or is_stopped, which may be NULL, says so */
};

/* term_twice_find walks the term; nesting beyond max_depth (0: none) is not looked at, and is as
 * it is shown, {'$deep', Bytes}. Of a damaged term it takes what is there, as code.h shows it.
 * Takes memory that grows with the length of the term alone. Release with term_twice_free what is
 * OK. */
enum term_twice_status term_twice_find(struct term_twice *twice, const struct ds_term *term,
                                       uint64_t max_depth, enum term_zeros zeros,
                                       bool (*is_stopped)(void));
void term_twice_free(struct term_twice *twice);

#endif
