/*
 * redact_frame.c - see redact_frame.h. A tick is only its length, 0 in 4 bytes.
 */
#include "redact/redact_frame.h"

#include "core/message_frame.h"

enum { LENGTH_LEN = 4 };

bool redact_frame(struct redact_parts *p, const struct ds_event *event, bool pass_through,
                  struct ds_event *frame)
{
    const bool is_tick = event->type == DS_EVENT_TICK;
    if (!is_tick && event->type != DS_EVENT_MESSAGE)
        return false;
    *frame = (struct ds_event){
        .type = DS_EVENT_FRAME,
        .dir = event->dir,
        .frame = event->frame,
        .ts_ns = event->ts_ns,
        .conn = event->conn,
        .fault = event->fault,
        .frame_sent = {.kind = is_tick        ? DS_FRAME_TICK
                               : pass_through ? DS_FRAME_PASS_THROUGH
                                              : DS_FRAME_MESSAGE,
                       .completes = true},
    };
    p->scratch.len = 0;
    if (is_tick)
        redact_put(p, "\0\0\0\0", LENGTH_LEN);
    else if (!message_frame(event, pass_through, &p->scratch)) {
        frame->frame_sent.size = event->message.size;
        return !p->scratch.failed;
    }
    frame->bytes = redact_get_scratch(p, &frame->bytes_len);
    frame->frame_sent.size = frame->bytes_len;
    return frame->bytes != NULL;
}
