/*
 * tls_snapshot.h - a snapshot of a connection with TLS (ds_session_snapshot): the position of each
 * direction, which any observer could have counted, and its content, encrypted again.
 */
#ifndef DISSECT_TLS_SNAPSHOT_H
#define DISSECT_TLS_SNAPSHOT_H

#include "tcp/snapshot_writer.h"
#include "tls/tls.h"

/* tls_snapshot is a snapshot while it is written. */
struct tls_snapshot {
    const struct tls *tls;
    struct snapshot_writer to;
    struct ds_buffer made;
};

/* tls_snapshot_begin emits the beginning: the SYNs, if one was seen, and the positions of the
 * directions. Everything must outlive past. */
void tls_snapshot_begin(struct tls_snapshot *past, const struct tls *tls,
                        const struct tcp_conn_view *tcp, const struct tcp_point point[2],
                        int64_t since_ns, ds_snapshot_fn give, void *context);

/* tls_snapshot_add is a ds_snapshot_fn for the content; context is the struct tls_snapshot. */
void tls_snapshot_add(void *context, int64_t ts_ns, const struct ds_segment *segment);

/* tls_snapshot_end emits the records that are incomplete or wait for keys. */
void tls_snapshot_end(struct tls_snapshot *past);

/* tls_snapshot_seal encrypts bytes of that kind into out; cut more bytes are missing. False if
 * memory ran out (see out), or without secrets. */
bool tls_snapshot_seal(const struct tls *tls, int dir, enum ds_snapshot_kind kind, uint32_t cut,
                       struct cursor bytes, struct ds_buffer *out);

/* tls_snapshot_piece is decrypted content. text is valid until the stage is fed again. */
struct tls_snapshot_piece {
    enum ds_snapshot_kind kind;
    uint32_t cut;
    struct cursor text;
};

/* tls_snapshot_open decrypts a payload; false if it cannot. */
bool tls_snapshot_open(struct tls *tls, int dir, struct cursor sealed,
                       struct tls_snapshot_piece *piece);

/* tls_snapshot_set_state sets the position of a direction from the payload of a DS_SNAPSHOT_TLS. */
void tls_snapshot_set_state(struct tls *tls, int dir, struct cursor state);

#endif
