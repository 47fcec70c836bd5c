/*
 * tls_past.h - what stands for the past of a connection with TLS (ds_session_past): how far each
 * direction has come, which anybody could have counted, and what was said in it, sealed anew.
 */
#ifndef DISSECT_TLS_PAST_H
#define DISSECT_TLS_PAST_H

#include "past_giver.h"
#include "tls.h"

/* tls_past is such a past while it is given out. */
struct tls_past {
    const struct tls *tls;
    struct past_giver to;
    struct ds_buffer made;
};

/* tls_past_begin gives what comes first: the SYNs, where began, and where the directions stand.
 * Everything must outlive past. */
void tls_past_begin(struct tls_past *past, const struct tls *tls, const struct tcp_conn_view *tcp,
                    const struct tcp_point point[2], int64_t since_ns, ds_past_fn give,
                    void *context);

/* tls_past_take is a ds_past_fn for what was said in it; context is the struct tls_past. */
void tls_past_take(void *context, int64_t ts_ns, const struct ds_segment *segment);

/* tls_past_end gives what is held of records that are not whole or wait for keys. */
void tls_past_end(struct tls_past *past);

/* tls_past_seal seals bytes of that kind, and cut bytes more that are not known, into out. False
 * when memory ran out, which out says, or without secrets. */
bool tls_past_seal(const struct tls *tls, int dir, enum ds_past_kind kind, uint32_t cut,
                   struct cursor bytes, struct ds_buffer *out);

/* tls_past_piece is what was sealed. text lives until the stage is fed again. */
struct tls_past_piece {
    enum ds_past_kind kind;
    uint32_t cut;
    struct cursor text;
};

/* tls_past_open opens what was sealed; false where it cannot be. */
bool tls_past_open(struct tls *tls, int dir, struct cursor sealed, struct tls_past_piece *piece);

/* tls_past_set_state has a direction stand where the payload of a DS_PAST_TLS says. */
void tls_past_set_state(struct tls *tls, int dir, struct cursor state);

#endif
