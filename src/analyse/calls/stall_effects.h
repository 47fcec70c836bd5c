/*
 * stall_effects.h - what waited behind a stall. A stall ends with a packet; which messages had to
 * wait is known once they have arrived. So the record of its end is delayed until then, at most a
 * second, and emitted with a list of them: the message in transit, those behind it, their calls.
 */
#ifndef SRC_STALL_EFFECTS_H
#define SRC_STALL_EFFECTS_H

#include "record/record.h"

struct stall_effects;

/* stall_effects_new returns NULL if memory ran out. emit gets the records of stalls, with note.held
 * set. */
struct stall_effects *stall_effects_new(record_fn emit, void *context);
void stall_effects_free(struct stall_effects *held_up); /* NULL is allowed */

/* stall_effects_on_record reads every record, in order. True if it was the end of a stall, which is
 * emitted later. */
bool stall_effects_on_record(struct stall_effects *held_up, const struct record *record);

/* stall_effects_time reports the time while nothing comes; stall_effects_end, that no more records
 * come. */
void stall_effects_time(struct stall_effects *held_up, int64_t now_ns);
void stall_effects_end(struct stall_effects *held_up);

#endif
