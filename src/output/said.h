/*
 * said.h - what terms of messages were written as, for the records of the calls that they belong to:
 * those say the same again, soon after. Of the latest calls alone, and of what is short.
 */
#ifndef SRC_SAID_H
#define SRC_SAID_H

#include <distsniff/term.h>

enum said_what { SAID_REQUEST, SAID_ANSWER, SAID_NUM };

struct said;

/* said_new returns one that knows nothing; NULL when memory ran out. */
struct said *said_new(void);
void said_free(struct said *said); /* NULL is allowed */

/* said_wants says whether a term is short enough. */
bool said_wants(const struct ds_term *term);

/* said_keep keeps the text of a term that was asked or answered in the call of that number, unless
 * memory runs out. */
void said_keep(struct said *said, uint64_t call, enum said_what what, const struct ds_term *term,
               struct ds_text text);

/* said_find returns the text of the same term of the same call, which lives until the next said_keep;
 * absent when it is not known. */
struct ds_text said_find(const struct said *said, uint64_t call, enum said_what what,
                         const struct ds_term *term);

#endif
