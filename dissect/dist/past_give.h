/*
 * past_give.h - the past of a connection as segments: see ds_session_past.
 */
#ifndef DISSECT_PAST_GIVE_H
#define DISSECT_PAST_GIVE_H

#include "conn.h"

/* past_rest is what is held of one direction behind its past. */
struct past_rest {
    struct cursor bytes;
    uint64_t lost_before; /* bytes that are missing before them, and after them */
    uint64_t lost_after;
};

/* past_give gives out conn, which stands at point. began: its beginning is in its past, or in
 * rest, so that a SYN comes first. */
void past_give(const struct conn *conn, const struct tcp_point point[2],
               const struct past_rest rest[2], bool began, ds_past_fn give, void *context);

#endif
