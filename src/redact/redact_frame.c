/*
 * redact_frame.c - see redact_frame.h. A message has an empty header, its atoms inline.
 *
 *     length:4 131 68 0 control payload            length:4, of a tick 0
 *     length:4 112 131 control 131 payload         passed through
 */
#include "redact_frame.h"

#include <string.h>

enum { LENGTH_LEN = 4, VERSION_LEN = 1, FRAME_PASS_THROUGH = 112 };

bool redact_is_pass_through(const struct ds_event *event)
{
    return event->bytes_len > LENGTH_LEN && event->bytes[LENGTH_LEN] == FRAME_PASS_THROUGH;
}

/* put_whole appends a term, without 131 behind a header; false when it cannot be read back. */
static bool put_whole(struct ds_buffer *out, const struct ds_term *term, bool pass_through)
{
    const size_t at = out->len;
    if (term->data == NULL)
        return true;
    if (!ds_term_copy_etf(term, out) || out->failed)
        return false;
    if (pass_through)
        return true;
    memmove(out->data + at, out->data + at + VERSION_LEN, out->len - at - VERSION_LEN);
    out->len -= VERSION_LEN;
    return true;
}

/* put_message writes all of the frame; false when the message is not whole. */
static bool put_message(struct ds_buffer *out, const struct ds_event *event, bool pass_through)
{
    static const uint8_t header[] = {131, 68, 0}, pass[] = {FRAME_PASS_THROUGH};
    const struct ds_message *m = &event->message;
    if (m->control.data == NULL || event->fault.kind != DS_FAULT_NONE)
        return false;
    if (pass_through)
        ds_buffer_add(out, pass, sizeof pass);
    else
        ds_buffer_add(out, header, sizeof header);
    if (!put_whole(out, &m->control, pass_through) || !put_whole(out, &m->payload, pass_through))
        return false;
    const size_t len = out->len - LENGTH_LEN;
    for (size_t i = 0; i < LENGTH_LEN && !out->failed; i++)
        out->data[i] = (char)(len >> (8 * (LENGTH_LEN - 1 - i)));
    return !out->failed;
}

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
    redact_put(p, "\0\0\0\0", LENGTH_LEN);
    if (!is_tick && !put_message(&p->scratch, event, pass_through)) {
        frame->frame_sent.size = event->message.size;
        return !p->scratch.failed;
    }
    frame->bytes = redact_take_scratch(p);
    frame->bytes_len = frame->frame_sent.size = p->scratch.len;
    return frame->bytes != NULL;
}
