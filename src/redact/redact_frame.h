/*
 * redact_frame.h - newly encoded frames of redacted messages.
 */
#ifndef SRC_REDACT_FRAME_H
#define SRC_REDACT_FRAME_H

#include "redact/redact_parts.h"

/* redact_frame sets frame to that of a redacted message or tick: complete if the message is. Otherwise
 * it is a frame with the size that was sent, but without bytes. Returns false for other events, and
 * when memory ran out. pass_through: the message was sent without a header. */
bool redact_frame(struct redact_parts *parts, const struct ds_event *event, bool pass_through,
                  struct ds_event *frame);

#endif
