/*
 * code_leaf.h - the parts of a term as source text that are written in one piece: numbers,
 * atoms, texts, and the tagged tuples of code.h.
 */
#ifndef DISSECT_CODE_LEAF_H
#define DISSECT_CODE_LEAF_H

#include "etf/code_write.h"
#include "etf/term.h"

/* What stands where a term cannot be decoded further. */
#define LEAF_DAMAGED "$damaged"

/* leaf is what they are written with. */
struct leaf {
    struct code_writer w;
    const struct ds_code_options *options;
    struct ds_term term; /* in which all of them stand */
    struct term_env env; /* its atoms */
    bool failed;         /* memory ran out */
};

/* leaf_word writes an atom of ours. */
void leaf_word(struct leaf *leaf, const char *word);

/* leaf_read_atom and leaf_read_key pass an atom at at, which has been checked, and write it, as
 * itself or as a key. */
void leaf_read_atom(struct leaf *leaf, struct cursor *at);
void leaf_read_key(struct leaf *leaf, struct cursor *at);

/* leaf_tag begins a tuple that says what it is; leaf_end_tag ends it. */
void leaf_tag(struct leaf *leaf, const char *tag);
void leaf_end_tag(struct leaf *leaf);

/* leaf_add writes a token that is a whole term. */
void leaf_add(struct leaf *leaf, const struct term_token *token);

/* leaf_fun writes what is known of a fun, up to the beginning of the list of its free
 * variables. False, and nothing is written, when it cannot be decoded. */
bool leaf_fun(struct leaf *leaf, const struct term_token *token);

/* leaf_is_exact says whether every node reads what leaf_add writes of a token back as the very same term:
 * of an exported function with quotes in its name and of -0.0 not all do. */
bool leaf_is_exact(const struct leaf *leaf, const struct term_token *token);

/* leaf_term returns the term from token on to end. */
struct ds_term leaf_term(const struct leaf *leaf, const struct term_token *token, const uint8_t *end);

/* leaf_char_list writes a list of num elements, which begins at at, as a string where all of
 * them are printable characters, and passes it; false, and nothing moves, when it is another
 * list. */
bool leaf_char_list(struct leaf *leaf, struct cursor *at, uint64_t num);

#endif
