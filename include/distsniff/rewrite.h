/*
 * distsniff/rewrite.h - a term written anew with other contents: tuples, lists, maps and funs
 * stay what they are, their leaves are replaced by whoever asks for it.
 */
#ifndef DISTSNIFF_REWRITE_H
#define DISTSNIFF_REWRITE_H

#include <distsniff/term.h>

DS_BEGIN_PUBLIC

enum { DS_REWRITE_CHARACTERS = 1024 * 1024 };

/* ds_rewriter replaces leaves. Each function is called for every leaf of its kind; one that
 * leaves it as it is does nothing, or appends the text it was given. None may be NULL. */
struct ds_rewriter {
    void *context;
    size_t max_growth; /* by so many bytes a term may become longer; 0: by any number */

    /* Append the text of an atom, or of a node's name in a pid, port or reference, in UTF-8:
     * at most 255 characters. text was UTF-8 or has been made so. */
    void (*atom)(void *context, struct ds_text text, struct ds_buffer *out);
    void (*node)(void *context, struct ds_text text, struct ds_buffer *out);

    /* Append as many bytes. Of the last one only the upper last_bits (1 to 8) count. */
    void (*bytes)(void *context, struct ds_text bytes, unsigned last_bits,
                  struct ds_buffer *out);

    /* Replaces neighbours in a list that could be characters, 0 to 10FFFF: a string, a part of
     * an iolist. Of more than DS_REWRITE_CHARACTERS so many at a time, and the rest last. What is
     * below 256 must stay so. is_text: they are a whole list and Erlang would show it as a
     * string. */
    void (*characters)(void *context, uint32_t *codes, size_t num, bool is_text);

    /* Replaces an integer: its absolute value, the lowest byte first, the highest not 0 (and
     * to stay so). Zero is not asked about. */
    void (*integer)(void *context, bool negative, uint8_t *bytes, size_t len);

    /* Replaces a float by another finite one. */
    void (*real)(void *context, double *value);

    /* Replaces what may be an IP address: a tuple of 4 integers of 8 bits or 8 of 16 bits.
     * False to have it taken for any tuple. */
    bool (*address)(void *context, uint8_t *bytes, size_t len);

    /* Replaces what is derived from contents: the MD5 of a fun's module whose name was
     * replaced, what stands for a term that only its own node can read. */
    void (*fingerprint)(void *context, uint8_t *bytes, size_t len);
};

enum ds_rewrite_status {
    DS_REWRITE_OK,
    DS_REWRITE_DAMAGED,  /* what stands before the damage was appended; or two millions of terms are
                            open at once there, or it has become longer than allowed */
    DS_REWRITE_NO_MEMORY, /* or out->is_stopped said so */
};

/* ds_term_rewrite appends the term without 131 and without references to the atom cache,
 * except those to unknown atoms, which stay. Integers are in their shortest form, floats in
 * the new one. A LOCAL_EXT becomes another one, of no meaning. Memory beside out is at most
 * proportional to the nesting and to the longest string. */
enum ds_rewrite_status ds_term_rewrite(const struct ds_term *term,
                                       const struct ds_rewriter *rewriter,
                                       struct ds_buffer *out);

DS_END_PUBLIC

#endif
