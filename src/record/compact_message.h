/*
 * compact_message.h - the compact form of most messages in a block of records. It is for messages whose
 * terms all lie in their frame and have the same atoms: the block contains the frame and the fields
 * that are not terms; the terms become positions in the frame. That is a third of the event's size, and
 * less to move from one processor to another. Terms that lie elsewhere, and rare things such as guesses
 * and damaged terms, are not packed.
 */
#ifndef SRC_COMPACT_MESSAGE_H
#define SRC_COMPACT_MESSAGE_H

#include "record/copier.h"

/* compact_message_add packs a message, with the data that it refers to. NULL if it cannot be packed, or
 * there is no room. If its frame was copied before that, the copy is used again later. */
const struct compact_message *compact_message_add(struct copier *c, const struct ds_event *event);

/* compact_message_get unpacks a message into a view. The view need not be empty: the fields of an
 * earlier message are removed. */
const struct ds_event *compact_message_get(const struct compact_message *packed,
                                           struct record_view *view);

#endif
