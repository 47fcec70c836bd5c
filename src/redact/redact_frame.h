/*
 * redact_frame.h - frames made anew of redacted messages.
 */
#ifndef SRC_REDACT_FRAME_H
#define SRC_REDACT_FRAME_H

#include "redact/redact_parts.h"

/* redact_frame fills in frame with that of a redacted message or tick: whole, where the message
 * is. Else it is one of as many bytes as were sent, none of which are there. False for other
 * events, and when memory ran out. pass_through: the message was sent without a header. */
bool redact_frame(struct redact_parts *parts, const struct ds_event *event, bool pass_through,
                  struct ds_event *frame);

#endif
