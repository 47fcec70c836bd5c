/*
 * term_keywords.h - which lists and maps of a term have keys that are atoms. Where a language
 * has a form of its own for these, it has to be known before the first element is written.
 */
#ifndef DISSECT_TERM_KEYWORDS_H
#define DISSECT_TERM_KEYWORDS_H

#include "term.h"

/* Elixir's source takes no atom of more bytes. */
enum { CODE_KEY_LEN_MAX = 255 };

/* term_keywords_is_key says whether a token is an atom that can be written as a key. */
bool term_keywords_is_key(const struct term_token *token);

/* term_keywords is a set of offsets into the term: those of such lists and maps. */
struct term_keywords {
    uint8_t *bits;
};

/* term_keywords_find walks the term; nesting beyond max_depth (0: none) is not looked at.
 * Takes time and memory that grow with the length of the term alone. False when memory ran
 * out. Release with term_keywords_free. */
bool term_keywords_find(struct term_keywords *keywords, const struct ds_term *term,
                        uint64_t max_depth);
void term_keywords_free(struct term_keywords *keywords);

/* term_keywords_has says whether a list or map at that offset is one. Of none where keywords
 * is empty. */
static inline bool term_keywords_has(const struct term_keywords *keywords, size_t offset)
{
    return keywords->bits != NULL && (keywords->bits[offset / 8] >> offset % 8 & 1) != 0;
}

#endif
