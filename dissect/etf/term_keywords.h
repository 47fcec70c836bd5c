/*
 * term_keywords.h - which lists and maps of a term have keys that are atoms. A language with a
 * special form for these must know it before it writes the first element.
 */
#ifndef DISSECT_TERM_KEYWORDS_H
#define DISSECT_TERM_KEYWORDS_H

#include "etf/term.h"

/* The longest atom, in bytes, that Elixir's source allows. */
enum { CODE_KEY_LEN_MAX = 255 };

/* term_keywords_is_key says whether a token is an atom that can be written as a key. */
bool term_keywords_is_key(const struct term_token *token);

/* Properties of a list or map. There is one bit for each byte of the term: property i is the bit of
 * the byte at its offset + i. Its head has five bytes. */
enum keywords_bit {
    KEYWORDS_ALL,       /* its keys are all atoms */
    KEYWORDS_IS_SET,    /* a map: its values are all [] */
    KEYWORDS_IS_MAPSET, /* a map with only these keys: __struct__, map, and maybe version */
    KEYWORDS_IS_ERROR,  /* a map like KEYWORDS_ALL with the key __exception__ */
    KEYWORDS_IS_PAIRS,  /* a map: its keys are pairs whose first is a key */
    KEYWORDS_NUM_BITS
};

/* keywords_struct is a map with the key __struct__ whose value is an atom, as offsets. */
struct keywords_struct {
    size_t map, name;
};

/* term_keywords contains the properties of lists and maps by their offset in the term. */
struct term_keywords {
    uint8_t *bits;
    struct keywords_struct *structs; /* if requested; sorted */
    size_t num_structs, cap_structs;
};

/* term_keywords_find walks the term; terms nested deeper than max_depth (0: no limit) are not
 * examined. Time and memory grow only with the length of the term. False if memory ran out, or
 * is_stopped, which may be NULL, returned true. Release with term_keywords_free. */
bool term_keywords_find(struct term_keywords *keywords, const struct ds_term *term,
                        uint64_t max_depth, bool (*is_stopped)(void));
void term_keywords_free(struct term_keywords *keywords);

/* term_keywords_inspect does the same for inspect: aliases are not keys, all other atoms are. It
 * finds the first KEYWORDS_MAX_STRUCTS structs; further ones count as maps. */
enum { KEYWORDS_MAX_STRUCTS = 1 << 16 };
bool term_keywords_inspect(struct term_keywords *keywords, const struct ds_term *term,
                           bool (*is_stopped)(void));

/* term_keywords_is says whether the list or map at that offset has a property; term_keywords_has,
 * whether its keys are all atoms. False if keywords is empty. */
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

/* term_keywords_struct returns the offset of the name of the struct at that offset. False if the
 * map is not a struct, or has two names. */
bool term_keywords_struct(const struct term_keywords *keywords, size_t offset, size_t *name);

#endif
