/*
 * raw.h - the bytes as sent, if the caller asks for them (ds_config.raw): the content of TCP
 * segments, and each frame.
 */
#ifndef DISSECT_RAW_H
#define DISSECT_RAW_H

#include "conn/stream_buffer.h"

/* raw_emit_data reports the next bytes of a direction. */
void raw_emit_data(struct dissect_ctx *env, struct conn *conn, int dir, struct cursor data);

/* raw_emit_missing reports that len bytes are missing here. */
void raw_emit_missing(struct dissect_ctx *env, struct conn *conn, int dir, uint64_t len,
                      struct ds_fault fault);

/* raw_emit_frame reports a frame; bytes is the part of it that came. */
void raw_emit_frame(struct dissect_ctx *env, struct conn *conn, int dir, struct cursor bytes,
                    struct ds_frame frame, struct ds_fault fault);

/* raw_early records when the held bytes came, as long as the protocol of a direction is not known.
 * Zero-initialise it. */
struct raw_early {
    struct stream_buffer chunks;
    uint64_t dropped;      /* bytes before those in chunks */
    struct ds_fault fault; /* why they, or the last of them, were dropped */
};

/* raw_early_add records that len bytes came with the current packet of conn. */
void raw_early_add(struct raw_early *early, struct dissect_ctx *env, const struct conn *conn,
                   size_t len);

/* raw_early_drop records that all bytes so far, and len more, are gone. */
void raw_early_drop(struct raw_early *early, struct dissect_ctx *env, uint64_t len,
                    struct ds_fault fault);

/* raw_early_emit reports both directions in order of time; bytes are the held ones. */
void raw_early_emit(struct raw_early *const early[2], struct dissect_ctx *env, struct conn *conn,
                    const struct cursor bytes[2]);

void raw_early_free(struct raw_early *early, struct dissect_ctx *env);

#endif
