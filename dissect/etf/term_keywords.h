/*
 * term_keywords.h - which lists and maps of a term have keys that are atoms. Where a language
 * has a form of its own for these, it has to be known before the first element is written.
 */
#ifndef DISSECT_TERM_KEYWORDS_H
#define DISSECT_TERM_KEYWORDS_H

#include "etf/term.h"

/* Elixir's source takes no atom of more bytes. */
enum { CODE_KEY_LEN_MAX = 255 };

/* term_keywords_is_key says whether a token is an atom that can be written as a key. */
bool term_keywords_is_key(const struct term_token *token);

/* What is known of a list or map: each a bit, of the bytes that it begins with, of which there are
 * five. */
enum keywords_bit {
    KEYWORDS_ALL,       /* its keys are all atoms */
    KEYWORDS_IS_SET,    /* of a map: its values are all [] */
    KEYWORDS_IS_MAPSET, /* of a map with such keys: __struct__, map, and version or not */
    KEYWORDS_IS_ERROR,  /* ... __exception__ is one of them */
    KEYWORDS_IS_PAIRS,  /* of a map: its keys are pairs whose first is a key */
    KEYWORDS_NUM_BITS
};

/* keywords_struct is a map with the key __struct__ and an atom behind it, as offsets. */
struct keywords_struct {
    size_t map, name;
};

/* term_keywords is what is known of lists and maps, by their offset in the term. */
struct term_keywords {
    uint8_t *bits;
    struct keywords_struct *structs; /* where they are asked for; sorted */
    size_t num_structs, cap_structs;
};

/* term_keywords_find walks the term; nesting beyond max_depth (0: none) is not looked at.
 * Takes time and memory that grow with the length of the term alone. False when memory ran
 * out, or is_stopped, which may be NULL, says so. Release with term_keywords_free. */
bool term_keywords_find(struct term_keywords *keywords, const struct ds_term *term,
                        uint64_t max_depth, bool (*is_stopped)(void));
void term_keywords_free(struct term_keywords *keywords);

/* term_keywords_inspect does the same for what is to be shown: aliases are no keys, all other atoms
 * are, and structs are found: the first KEYWORDS_MAX_STRUCTS, the others count as maps. */
enum { KEYWORDS_MAX_STRUCTS = 1 << 16 };
bool term_keywords_inspect(struct term_keywords *keywords, const struct ds_term *term,
                           bool (*is_stopped)(void));

/* term_keywords_is says whether that is true of the list or map at that offset; term_keywords_has,
 * whether its keys are all atoms. Of none where keywords is empty. */
static inline bool term_keywords_is(const struct term_keywords *keywords, size_t offset,
                                    enum keywords_bit bit)
{
    offset += bit;
    return keywords->bits != NULL && (keywords->bits[offset / 8] >> offset % 8 & 1) != 0;
}

static inline bool term_keywords_has(const struct term_keywords *keywords, size_t offset)
{
    return term_keywords_is(keywords, offset, KEYWORDS_ALL);
}

/* term_keywords_struct gives the offset of the name of the struct that the map at that offset is.
 * False: it is none, or has two names. */
bool term_keywords_struct(const struct term_keywords *keywords, size_t offset, size_t *name);

#endif
