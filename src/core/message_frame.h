/*
 * message_frame.h - a frame of the distribution made anew of a message: complete in itself.
 */
#ifndef SRC_MESSAGE_FRAME_H
#define SRC_MESSAGE_FRAME_H

#include <distsniff/dissect.h>

/* message_frame appends the frame, its length first. False when the message is not whole or cannot
 * be read back, and when memory ran out, which out says. pass_through: without a header. */
bool message_frame(const struct ds_event *event, bool pass_through, struct ds_buffer *out);

/* message_frame_is_pass_through says whether a message was sent without a header. */
bool message_frame_is_pass_through(const struct ds_event *event);

#endif
