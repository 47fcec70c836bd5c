/*
 * code_leaf.h - the parts of a term's source text that are written in one piece: numbers, atoms,
 * texts, and the tagged tuples of code.h.
 */
#ifndef DISSECT_CODE_LEAF_H
#define DISSECT_CODE_LEAF_H

#include "etf/code_write.h"
#include "etf/term.h"

/* Written where a term cannot be decoded further. */
#define LEAF_DAMAGED "$damaged"

/* leaf is the state for writing them. */
struct leaf {
    struct code_writer w;
    const struct ds_code_options *options;
    struct ds_term term; /* the term that contains them */
    struct term_env env; /* its atoms */
    bool failed;         /* memory ran out */
};

/* leaf_word writes an atom of distsniff's own. */
void leaf_word(struct leaf *leaf, const char *word);

/* leaf_read_atom and leaf_read_key read an atom at at, which has been checked, and write it as an
 * atom or as a key. */
void leaf_read_atom(struct leaf *leaf, struct cursor *at);
void leaf_read_key(struct leaf *leaf, struct cursor *at);

/* leaf_tag begins a tuple whose first element is a tag; leaf_end_tag ends it. */
void leaf_tag(struct leaf *leaf, const char *tag);
void leaf_end_tag(struct leaf *leaf);

/* leaf_add writes a token that is a whole term. */
void leaf_add(struct leaf *leaf, const struct term_token *token);

/* leaf_fun writes the known parts of a fun, up to the beginning of the list of its free variables.
 * False, and nothing is written, if it cannot be decoded. */
bool leaf_fun(struct leaf *leaf, const struct term_token *token);

/* leaf_is_exact says whether every node reads the text that leaf_add writes for a token as the same
 * term. Not all nodes do for an exported function with quotes in its name, and for -0.0. */
bool leaf_is_exact(const struct leaf *leaf, const struct term_token *token);

/* leaf_term returns the term from token on to end. */
struct ds_term leaf_term(const struct leaf *leaf, const struct term_token *token, const uint8_t *end);

/* leaf_char_list writes a list of num elements that begins at at as a string if all of them are
 * printable characters, and advances past it. False for any other list, and nothing moves. */
bool leaf_char_list(struct leaf *leaf, struct cursor *at, uint64_t num);

#endif
