/*
 * term.h - the bounded walk over external terms (erl_ext_dist).
 *
 * A term is read as a flat sequence of tokens: a container token announces how many terms follow, a
 * leaf token contains its bytes. Nothing here recurses or allocates: a reader that needs to know
 * where a container ends counts the terms itself.
 */
#ifndef DISSECT_TERM_H
#define DISSECT_TERM_H

#include "util/arena.h"
#include "util/cursor.h"

#include <distsniff/dissect.h>

/* term_env is the context in which a term is read. */
struct term_env {
    const struct ds_atom *atoms; /* ATOM_CACHE_REF n is atoms[n] */
    uint32_t num_atoms;
};

enum term_tag {
#define TAG(code, id, kind) TERM_TAG_##id = code,
#include "etf/tags.def"
#undef TAG
};

enum term_class {
    TERM_INTEGER, /* all sizes: bytes are the whole leaf, tag first */
    TERM_FLOAT,
    TERM_ATOM,
    TERM_BINARY,
    TERM_BIT_BINARY,
    TERM_STRING, /* STRING_EXT: a list of bytes */
    TERM_NIL,
    TERM_PID,
    TERM_PORT,
    TERM_REFERENCE,
    TERM_EXPORT,
    TERM_TUPLE,  /* num_terms elements follow */
    TERM_LIST,   /* num_terms elements follow, the tail included */
    TERM_MAP,    /* num_terms follow: key, value, key, value ... */
    TERM_FUN,    /* num_terms free variables follow; the leaf part is in bytes */
    TERM_RECORD, /* num_terms values follow; names are in record_names */
    TERM_LOCAL,  /* LOCAL_EXT: an opaque leaf; its hash and its term are in body */
    TERM_NUM_CLASSES,
};

/* term_token is one token. The last three members are only set for the classes named there. */
struct term_token {
    enum term_class class;
    uint8_t tag;
    bool latin1;                /* the text of the atom or node is latin-1, not UTF-8 */
    uint64_t num_terms;         /* terms that follow directly below it */
    struct cursor bytes;        /* the token's own bytes, the tag included */
    struct cursor body;         /* leaf contents: atom text, binary bytes, string bytes; for pids,
                                 * ports and references the numbers after the node */
    const struct ds_atom *atom; /* entry that the atom, or the node, refers to; NULL if inline */
    struct cursor node;         /* TERM_PID, TERM_PORT, TERM_REFERENCE: the node's text */
    struct cursor record_names; /* TERM_RECORD: module, name, then the field names */
    uint8_t last_bits;          /* TERM_BIT_BINARY: bits used of the last byte */
};

enum term_status {
    TERM_OK,
    TERM_CUT,       /* the bytes end inside the term */
    TERM_MALFORMED, /* invalid; term_read_token left at there */
};

/* term_read_token reads the next token and advances past it. It never reads past at->end
 * and checks every count against the bytes left. On failure at stays before the token and
 * *what (if what is not NULL) is set to a static string. */
enum term_status term_read_token(struct cursor *at, const struct term_env *env,
                                 struct term_token *token, const char **what);

/* term_check walks one whole term and advances past it. On failure, at is before the failed token.
 * It adds to unknown and inferred the number of references to atoms in these states; likely atoms
 * and addresses count as unknown. This is the fast path: no stack, and no tokens are kept. */
enum term_status term_check(struct cursor *at, const struct term_env *env, uint32_t *unknown,
                            uint32_t *inferred, const char **what);

/* term_counts is the result of a walk; atom_bytes is the total text of all references to the atom
 * cache, if each were written out. */
struct term_counts {
    uint32_t unknown, inferred, likely, address;
    uint64_t atom_bytes;
};

/* term_check_counted is term_check with all counts. */
enum term_status term_check_counted(struct cursor *at, const struct term_env *env,
                                    struct term_counts *counts, const char **what);

/* term_skip walks num whole terms and advances past them, like term_check. */
enum term_status term_skip(struct cursor *at, const struct term_env *env, uint64_t num,
                           const char **what);

/* term_inflate replaces a term that is compressed at its top (tag 80: uncompressed length 4 bytes,
 * then zlib data) by its contents, in arena memory, at most max_len bytes. at is on the tag and
 * advances past the zlib data. Also TERM_MALFORMED if memory or the cap ran out: *what says which,
 * and *capped is set. */
enum term_status term_inflate(struct cursor *at, struct arena *arena, uint64_t max_len,
                              struct cursor *out, bool *capped, const char **what);

/* The values of leaves, decoded by value.h. Each function returns false if the term is not of that
 * class or does not fit. */
bool term_get_integer(const struct ds_term *term, int64_t *out);

bool term_get_binary(const struct ds_term *term, struct ds_text *out);

/* term_get_atom returns UTF-8: for cached and UTF-8 atoms, and for latin-1 atoms that are plain
 * ASCII. False for a reference to an unknown atom. */
bool term_get_atom(const struct ds_term *term, struct ds_text *out);

/* term_is_unknown_atom says whether a term is a reference to an unknown atom. */
bool term_is_unknown_atom(const struct ds_term *term);

/* term_token_creation returns the creation of a pid, port or reference; false for other tokens. */
bool term_token_creation(const struct term_token *token, uint32_t *creation);

/* term_get_node returns the node of a pid, port or reference in *out if it is known. Otherwise (a
 * reference to a cached atom that is unknown, or only likely) *out is absent and *atom is the
 * entry. *atom is NULL if the atom is inline. False for other terms. */
bool term_get_node(const struct ds_term *term, struct ds_text *out, const struct ds_atom **atom,
                   uint32_t *creation);

/* term_get_element returns element i (from 0) of a tuple, as a view. Linear in i. */
bool term_get_element(const struct ds_term *tuple, uint32_t i, struct ds_term *out);

#endif
