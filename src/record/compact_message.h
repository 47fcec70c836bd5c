/*
 * compact_message.h - what most messages are in a block of records: those whose terms all lie in their
 * frame and have the same atoms. Of such a one the frame stands there, and what is not terms; its
 * terms are
 * stretches of the frame: all that is a third of the event, and goes from one processor to another. What
 * lies elsewhere or is rare, as guesses and damaged terms are, is not packed.
 */
#ifndef SRC_COMPACT_MESSAGE_H
#define SRC_COMPACT_MESSAGE_H

#include "record/copier.h"

/* compact_message_add packs a message, with what it refers to. NULL when it cannot be, or there is no
 * room; where its frame has been copied by then, that copy is found again. */
const struct compact_message *compact_message_add(struct copier *c, const struct ds_event *event);

/* compact_message_get unpacks one into a view, which need not be empty: what another one left there is
 * taken out. */
const struct ds_event *compact_message_get(const struct compact_message *packed,
                                           struct record_view *view);

#endif
