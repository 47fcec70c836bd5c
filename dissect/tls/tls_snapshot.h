/*
 * tls_snapshot.h - what stands for the past of a connection with TLS (ds_session_snapshot): how far
 * each direction has come, which anybody could have counted, and what was said in it, sealed anew.
 */
#ifndef DISSECT_TLS_SNAPSHOT_H
#define DISSECT_TLS_SNAPSHOT_H

#include "tcp/snapshot_writer.h"
#include "tls/tls.h"

/* tls_snapshot is such a past while it is given out. */
struct tls_snapshot {
    const struct tls *tls;
    struct snapshot_writer to;
    struct ds_buffer made;
};

/* tls_snapshot_begin gives what comes first: the SYNs, where began, and where the directions stand.
 * Everything must outlive past. */
void tls_snapshot_begin(struct tls_snapshot *past, const struct tls *tls,
                        const struct tcp_conn_view *tcp, const struct tcp_point point[2],
                        int64_t since_ns, ds_snapshot_fn give, void *context);

/* tls_snapshot_take is a ds_snapshot_fn for what was said in it; context is the struct tls_snapshot. */
void tls_snapshot_take(void *context, int64_t ts_ns, const struct ds_segment *segment);

/* tls_snapshot_end gives what is held of records that are not whole or wait for keys. */
void tls_snapshot_end(struct tls_snapshot *past);

/* tls_snapshot_seal seals bytes of that kind, and cut bytes more that are not known, into out. False
 * when memory ran out, which out says, or without secrets. */
bool tls_snapshot_seal(const struct tls *tls, int dir, enum ds_snapshot_kind kind, uint32_t cut,
                       struct cursor bytes, struct ds_buffer *out);

/* tls_snapshot_piece is what was sealed. text lives until the stage is fed again. */
struct tls_snapshot_piece {
    enum ds_snapshot_kind kind;
    uint32_t cut;
    struct cursor text;
};

/* tls_snapshot_open opens what was sealed; false where it cannot be. */
bool tls_snapshot_open(struct tls *tls, int dir, struct cursor sealed,
                       struct tls_snapshot_piece *piece);

/* tls_snapshot_set_state has a direction stand where the payload of a DS_SNAPSHOT_TLS says. */
void tls_snapshot_set_state(struct tls *tls, int dir, struct cursor state);

#endif
