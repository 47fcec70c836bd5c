/*
 * message_frame.c - see message_frame.h. A frame has an empty header, and its atoms are inline.
 *
 *     length:4 131 68 0 control payload
 *     length:4 112 131 control 131 payload         passed through
 */
#include "core/message_frame.h"

#include <string.h>

enum { LENGTH_LEN = 4, VERSION_LEN = 1, FRAME_PASS_THROUGH = 112 };

bool message_frame_is_pass_through(const struct ds_event *event)
{
    return event->bytes_len > LENGTH_LEN && event->bytes[LENGTH_LEN] == FRAME_PASS_THROUGH;
}

/* put_whole appends a term, without 131 if there is a header. Returns false if it could not be read
 * back. */
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

bool message_frame(const struct ds_event *event, bool pass_through, struct ds_buffer *out)
{
    static const uint8_t header[] = {131, 68, 0}, pass[] = {FRAME_PASS_THROUGH};
    const struct ds_message *m = &event->message;
    const size_t at = out->len;
    if (m->control.data == NULL || event->fault.kind != DS_FAULT_NONE)
        return false;
    ds_buffer_add(out, "\0\0\0\0", LENGTH_LEN);
    if (pass_through)
        ds_buffer_add(out, pass, sizeof pass);
    else
        ds_buffer_add(out, header, sizeof header);
    if (!put_whole(out, &m->control, pass_through) || !put_whole(out, &m->payload, pass_through))
        return false;
    const size_t len = out->len - at - LENGTH_LEN;
    for (size_t i = 0; i < LENGTH_LEN && !out->failed; i++)
        out->data[at + i] = (char)(len >> (8 * (LENGTH_LEN - 1 - i)));
    return !out->failed;
}
