/*
 * distsniff/rewrite.h - copies a term with other contents: tuples, lists, maps and funs stay, and the
 * caller's functions replace the leaves. Redaction uses it.
 */
#ifndef DISTSNIFF_REWRITE_H
#define DISTSNIFF_REWRITE_H

#include <distsniff/term.h>

DS_BEGIN_PUBLIC

enum { DS_REWRITE_CHARACTERS = 1024 * 1024 };

/* ds_rewriter replaces leaves. Each function is called for every leaf of its kind. To keep a leaf, a
 * function does nothing, or appends the text unchanged. None may be NULL. */
struct ds_rewriter {
    void *context;
    size_t max_growth; /* a term may become this many bytes longer; 0: no limit */

    /* Appends the text of an atom, or of a node's name in a pid, port or reference: UTF-8 of at most 255
     * characters. text is UTF-8, converted if necessary. */
    void (*atom)(void *context, struct ds_text text, struct ds_buffer *out);
    void (*node)(void *context, struct ds_text text, struct ds_buffer *out);

    /* Appends as many bytes as `bytes` has. Only the upper last_bits (1 to 8) of the last one count. */
    void (*bytes)(void *context, struct ds_text bytes, unsigned last_bits,
                  struct ds_buffer *out);

    /* Replaces adjacent list elements that could be characters, 0 to 10FFFF: a string, or a part of an
     * iolist. It is called with at most DS_REWRITE_CHARACTERS at a time. Numbers below 256 must stay
     * below 256. is_text: they are a whole list that Erlang would show as a string. */
    void (*characters)(void *context, uint32_t *codes, size_t num, bool is_text);

    /* Replaces an integer other than zero: its absolute value, the lowest byte first. The highest byte is
     * not 0 and must not become 0. */
    void (*integer)(void *context, bool negative, uint8_t *bytes, size_t len);

    /* Replaces a float by another finite one. */
    void (*real)(void *context, double *value);

    /* Replaces a tuple that may be an IP address: 4 integers of 8 bits or 8 of 16 bits. If it returns
     * false, the tuple is treated like any other. */
    bool (*address)(void *context, uint8_t *bytes, size_t len);

    /* Replaces bytes derived from contents: the MD5 of a fun's module, if the module's name was replaced,
     * and the hash of a term that only its own node can read (LOCAL_EXT). */
    void (*fingerprint)(void *context, uint8_t *bytes, size_t len);
};

enum ds_rewrite_status {
    DS_REWRITE_OK,
    DS_REWRITE_DAMAGED,  /* the term is damaged, and the part before the damage was appended; or two million
                            terms are nested, or the term exceeds max_growth */
    DS_REWRITE_NO_MEMORY, /* memory ran out, or out->is_stopped returned true */
};

/* ds_term_rewrite appends the term without 131 and without references to the atom cache; only those to
 * unknown atoms stay. Integers get their shortest form, floats the new form. A LOCAL_EXT becomes a
 * LOCAL_EXT without meaning. Apart from out, memory is at most proportional to the nesting and to the
 * longest string. */
enum ds_rewrite_status ds_term_rewrite(const struct ds_term *term, const struct ds_rewriter *rewriter,
                                       struct ds_buffer *out);

DS_END_PUBLIC

#endif
