/*
 * text_numbers.h - the texts that a database has, each with its number, so that what is often the same is
 * written once.
 *
 * It knows the latest short ones, up to a cap of 1 MB; then it forgets all. A text that it has forgotten
 * gets another number: then it is there twice, and rows refer to either. That depends on the texts alone,
 * so that a capture always becomes the same database.
 */
#ifndef SRC_TEXT_NUMBERS_H
#define SRC_TEXT_NUMBERS_H

#include <distsniff/term.h>

struct text_numbers;

/* text_numbers_new returns NULL when memory runs out. */
struct text_numbers *text_numbers_new(void);

/* text_numbers_get returns the number of a text, from 1 on. is_new: it was not given before, and the text
 * has to be written. Without memory each text is new. */
int64_t text_numbers_get(struct text_numbers *numbers, struct ds_text text, bool *is_new);

/* text_numbers_free: NULL is allowed. */
void text_numbers_free(struct text_numbers *numbers);

#endif
