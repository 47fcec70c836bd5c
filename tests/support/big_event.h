/* big_event.h - a message of any size, for tests of records. */
#ifndef TESTS_BIG_EVENT_H
#define TESTS_BIG_EVENT_H

#include <distsniff/dissect.h>

static inline struct ds_event big_event(struct ds_conn *conn, const uint8_t *bytes, size_t len)
{
    return (struct ds_event){.type = DS_EVENT_MESSAGE,
                             .conn = conn,
                             .bytes = bytes,
                             .bytes_len = len,
                             .message = {.code = -1, .control = {.data = bytes, .len = len}}};
}

#endif
