/*
 * text_numbers.h - numbers for the texts of a database, so that repeated texts are written once.
 *
 * It remembers recent short texts, up to a cap of 1 MB; then it forgets all. A forgotten text gets
 * another number: then it is in the database twice, and rows refer to either. This depends only on
 * the texts, so that a capture always gives the same database.
 */
#ifndef SRC_TEXT_NUMBERS_H
#define SRC_TEXT_NUMBERS_H

#include <distsniff/term.h>

struct text_numbers;

/* text_numbers_new returns NULL if memory ran out. */
struct text_numbers *text_numbers_new(void);

/* text_numbers_get returns the number of a text, from 1 on. is_new: the number is new, and the text
 * has to be written. If memory runs out, each text is new. */
int64_t text_numbers_get(struct text_numbers *numbers, struct ds_text text, bool *is_new);

/* text_numbers_free: NULL is allowed. */
void text_numbers_free(struct text_numbers *numbers);

#endif
