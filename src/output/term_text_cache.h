/*
 * term_text_cache.h - the written text of messages' terms, for the records of their calls, which
 * repeat them shortly after. Only for the latest calls, and for short terms.
 */
#ifndef SRC_TERM_TEXT_CACHE_H
#define SRC_TERM_TEXT_CACHE_H

#include <distsniff/term.h>

enum cached_what { CACHED_REQUEST, CACHED_ANSWER, CACHED_NUM };

struct term_text_cache;

/* term_text_cache_new returns an empty cache; NULL if memory ran out. */
struct term_text_cache *term_text_cache_new(void);
void term_text_cache_free(struct term_text_cache *said); /* NULL is allowed */

/* term_text_cache_wants says whether a term is short enough. */
bool term_text_cache_wants(const struct ds_term *term);

/* term_text_cache_keep keeps the text of a request or answer in the call of that number, unless
 * memory runs out. */
void term_text_cache_keep(struct term_text_cache *said, uint64_t call, enum cached_what what,
                          const struct ds_term *term, struct ds_text text);

/* term_text_cache_find returns the text of the same term of the same call; absent if unknown. Valid
 * until the next term_text_cache_keep. */
struct ds_text term_text_cache_find(const struct term_text_cache *said, uint64_t call,
                                    enum cached_what what, const struct ds_term *term);

#endif
