/*
 * capture_streams.h - inputs that are streams of servers, among others: what is there of all is merged by
 * time, and one that brings nothing for a while holds up no other. Each packet that several of them show
 * is shown once. For the files of this room.
 */
#ifndef SRC_CAPTURE_STREAMS_H
#define SRC_CAPTURE_STREAMS_H

#include "capture/capture_input.h"

/* capture_streams_begin makes ready for several streams. False after a complaint. */
bool capture_streams_begin(struct capture *capture);

/* capture_streams_wait waits until each stream has something, or has been quiet for so long that the others
 * go on; where there is nothing at all, until there is, or the user wants to end. */
void capture_streams_wait(struct capture *capture);

/* capture_streams_may_read says whether an input can be read without holding up the others. */
bool capture_streams_may_read(struct capture_input *input);

/* capture_streams_is_copy says whether another stream has shown this packet already. */
bool capture_streams_is_copy(struct capture *capture, const struct capture_input *input,
                             const struct ds_packet *packet);

#endif
