/*
 * capture_streams.h - several inputs, some of which are streams from servers: packets are merged by
 * time as far as they have come, and a stream that is quiet for a while does not block the others. A
 * packet that several of them contain is shown once. Only for files in src/capture.
 */
#ifndef SRC_CAPTURE_STREAMS_H
#define SRC_CAPTURE_STREAMS_H

#include "capture/capture_input.h"

/* capture_streams_begin prepares for several streams. Returns false after an error message. */
bool capture_streams_begin(struct capture *capture);

/* capture_streams_wait waits until each stream has a packet, or has been quiet for so long that the
 * others go on. If no stream has one, it waits until there is one, or the user wants to stop. */
void capture_streams_wait(struct capture *capture);

/* capture_streams_may_read says whether an input can be read without blocking the others. */
bool capture_streams_may_read(struct capture_input *input);

/* capture_streams_is_copy says whether another stream has already had this packet. */
bool capture_streams_is_copy(struct capture *capture, const struct capture_input *input,
                             const struct ds_packet *packet);

#endif
