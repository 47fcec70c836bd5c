/*
 * event_text.h - an event as the text format writes it, for searching: without its time, and
 * with its terms in full.
 */
#ifndef SRC_EVENT_TEXT_H
#define SRC_EVENT_TEXT_H

#include "record.h"

struct event_text;

/* event_text_new returns NULL when memory ran out. */
struct event_text *event_text_new(void);
void event_text_free(struct event_text *text);

/* event_text_print appends the event of the record. */
void event_text_print(struct event_text *text, const struct record *record,
                      struct ds_buffer *out);

#endif
