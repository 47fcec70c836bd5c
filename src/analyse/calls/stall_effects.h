/*
 * stall_effects.h - what waited behind a stall. A stall ends with a packet; which messages had to wait
 * is known once they have come. So the record of its end is kept back until then, at most a second, and
 * given out with a list of them: the message that was under way, those behind it, their calls.
 */
#ifndef SRC_STALL_EFFECTS_H
#define SRC_STALL_EFFECTS_H

#include "record/record.h"

struct stall_effects;

/* stall_effects_new returns NULL when memory ran out. emit is given records of stalls, with note.held
 * set. */
struct stall_effects *stall_effects_new(record_fn emit, void *context);
void stall_effects_free(struct stall_effects *held_up); /* NULL is allowed */

/* stall_effects_take takes every record, in order. True when it was the end of a stall, which comes
 * later. */
bool stall_effects_take(struct stall_effects *held_up, const struct record *record);

/* stall_effects_time tells how late it is while nothing comes; stall_effects_end that nothing more does. */
void stall_effects_time(struct stall_effects *held_up, int64_t now_ns);
void stall_effects_end(struct stall_effects *held_up);

#endif
