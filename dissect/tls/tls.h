/*
 * tls.h - the stage of TLS: the stream of a connection in, what is inside of it out, where the
 * key log (distsniff/keylog.h) has the secrets; what can be known without them besides.
 */
#ifndef DISSECT_TLS_H
#define DISSECT_TLS_H

#include "conn/conn.h"

/* tls_events is what becomes of a connection, at the moment of tls_get_moment. text is only valid during
 * the call. */
struct tls_events {
    void (*text)(void *context, int dir, struct cursor text);
    /* So many bytes on the wire could not be opened. */
    void (*gap)(void *context, int dir, uint64_t len, enum tcp_gap why);
    /* There are no keys, as far as is known. Comes once; text may come all the same, when the
     * keys come. */
    void (*sealed)(void *context);
    /* What TCP said (tls_note_), behind what came before it. */
    void (*stall)(void *context, int dir, const struct ds_stall *stall);
    void (*icmp)(void *context, int dir);
    void (*end)(void *context, int dir);
    void (*close)(void *context, enum tcp_close why); /* last */
    /* What a connection has waited with is told between these two, be it another one that is fed. Behind
     * leave the stage uses it no more, where close has come. */
    void (*enter)(void *context);
    void (*leave)(void *context);
};

/* tls_stage is what the connections of a session share. */
struct tls_stage;

struct tls_stage *tls_stage_new(struct dissect_ctx *env, const struct tls_events *events);
void tls_stage_free(struct tls_stage *stage); /* NULL is allowed */

/* tls_stage_time tells how late it is while nothing comes: what waits for its keys gets those that have
 * come meanwhile, or has waited for long enough. */
void tls_stage_time(struct tls_stage *stage, int64_t now_ns);

/* tls_stage_end: no more keys come, once these were looked for; no connection that is closed waits on. */
void tls_stage_end(struct tls_stage *stage);

struct tls;

/* tls_probe says whether bytes begin with a record of TLS: with a hello, or, where is_late, with
 * records that fill all of them. */
bool tls_probe(struct cursor bytes, bool is_late);

/* tls_new: context goes to the events. tcp and the stage must outlive it. NULL when memory ran
 * out. */
struct tls *tls_new(struct tls_stage *stage, const struct tcp_conn_view *tcp, void *context);
void tls_free(struct tls *tls); /* NULL is allowed */

/* tls_feed, tls_gap: what TCP says of a direction. */
void tls_feed(struct tls *tls, int dir, struct cursor data);
void tls_gap(struct tls *tls, int dir, uint64_t len, enum tcp_gap why);

/* tls_note_stall, tls_note_icmp and tls_note_end take what else TCP says of a direction: it is handed on
 * at once, or waits as what was sent before it does. */
void tls_note_stall(struct tls *tls, int dir, const struct ds_stall *stall);
void tls_note_icmp(struct tls *tls, int dir);
void tls_note_end(struct tls *tls, int dir);

/* tls_get_moment returns where TCP stood when what is told came: now, or, of what had to wait for its
 * keys, then. It lives until the event returns. */
const struct tcp_conn_view *tls_get_moment(const struct tls *tls);

/* tls_get_rest returns how many bytes have come behind the record whose text is at hand. */
uint64_t tls_get_rest(const struct tls *tls, int dir);

/* tls_close hands on the end of a connection, at once or behind what waits for its keys, and may do so for
 * a while yet. tls_end: it cannot wait any longer. */
void tls_close(struct tls *tls, enum tcp_close why);
void tls_end(struct tls *tls);

/* tls_is_closed says whether TCP had closed the connection before that could be handed on. */
bool tls_is_closed(const struct tls *tls);

/* tls_view returns what is known of the connection; it lives as long as tls. */
const struct ds_tls *tls_view(const struct tls *tls);

#endif
