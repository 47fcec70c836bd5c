/*
 * event_text.h - an event as the text format writes it, for searching: without its time, and with
 * complete terms.
 */
#ifndef SRC_EVENT_TEXT_H
#define SRC_EVENT_TEXT_H

#include "record/record.h"

struct event_text;

/* event_text_new returns NULL if memory ran out. */
struct event_text *event_text_new(void);
void event_text_free(struct event_text *text);

/* event_text_new_shown returns one for people: with terms as long as with verbose times -v. NULL if
 * memory ran out. */
struct event_text *event_text_new_shown(int verbose);

/* event_text_print_shown appends what the text format writes for a record, without its time and the
 * end of the line; nothing if the format leaves it out. */
void event_text_print_shown(struct event_text *text, const struct record *record,
                            struct ds_buffer *out);

/* event_text_print appends the event of the record. */
void event_text_print(struct event_text *text, const struct record *record, struct ds_buffer *out);

#endif
