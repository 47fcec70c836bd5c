/*
 * held_up.h - what waited behind a stall. A stall ends with a packet; which messages had to wait is
 * known once they have come. So the record of its end is kept back until then, at most a second, and
 * given out with a list of them: the message that was under way, those behind it, their calls.
 */
#ifndef SRC_HELD_UP_H
#define SRC_HELD_UP_H

#include "record.h"

struct held_up;

/* held_up_new returns NULL when memory ran out. emit is given records of stalls, with note.held set. */
struct held_up *held_up_new(record_fn emit, void *context);
void held_up_free(struct held_up *held_up); /* NULL is allowed */

/* held_up_take takes every record, in order. True when it was the end of a stall, which comes later. */
bool held_up_take(struct held_up *held_up, const struct record *record);

/* held_up_time tells how late it is while nothing comes; held_up_end that nothing more does. */
void held_up_time(struct held_up *held_up, int64_t now_ns);
void held_up_end(struct held_up *held_up);

#endif
