/*
 * message_frame.h - encodes a message as a new frame of the distribution that depends on no other frame.
 */
#ifndef SRC_MESSAGE_FRAME_H
#define SRC_MESSAGE_FRAME_H

#include <distsniff/dissect.h>

/* message_frame appends the frame, beginning with its length. Returns false if the message is incomplete
 * or could not be read back, or if memory ran out (out->failed). pass_through: without a header. */
bool message_frame(const struct ds_event *event, bool pass_through, struct ds_buffer *out);

/* message_frame_is_pass_through says whether a message was sent without a header. */
bool message_frame_is_pass_through(const struct ds_event *event);

#endif
