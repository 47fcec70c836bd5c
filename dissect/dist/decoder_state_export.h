/*
 * decoder_state_export.h - writes the past of a connection as segments: see ds_session_snapshot.
 */
#ifndef DISSECT_DECODER_STATE_EXPORT_H
#define DISSECT_DECODER_STATE_EXPORT_H

#include "atoms/atom_cache.h"

/* decoder_state_rest is what one direction keeps of the bytes after its past. */
struct decoder_state_rest {
    enum ds_snapshot_kind kind;     /* BYTES, HANDSHAKE or FRAMES */
    const struct atom_cache *atoms; /* for FRAMES; otherwise NULL */
    struct cursor bytes;
    uint64_t lost_before; /* bytes missing before them, and after them */
    uint64_t lost_after;
};

/* decoder_state_export emits the past of conn, which has reached point. began: its beginning is in
 * its state or in rest, so the first segment is a SYN. */
void decoder_state_export(struct dissect_ctx *env, const struct conn *conn,
                          const struct tcp_point point[2], const struct decoder_state_rest rest[2],
                          bool began, ds_snapshot_fn give, void *context);

#endif
