/*
 * tls.h - TLS: the stream of a connection in, its plain text out if the key log
 * (distsniff/keylog.h) has the secrets; and whatever can be known without them.
 */
#ifndef DISSECT_TLS_H
#define DISSECT_TLS_H

#include "conn/conn.h"

/* tls_events are the callbacks for a connection, at the moment of tls_get_moment. text is only
 * valid during the call. */
struct tls_events {
    void (*text)(void *context, int dir, struct cursor text);
    /* len bytes on the wire could not be decrypted. */
    void (*gap)(void *context, int dir, uint64_t len, enum tcp_gap why);
    /* There are no keys, as far as is known. Called once; text may still come, if the keys come. */
    void (*sealed)(void *context);
    /* What TCP reported (tls_on_stall and the like), after everything before it. */
    void (*stall)(void *context, int dir, const struct ds_stall *stall);
    void (*icmp)(void *context, int dir);
    void (*end)(void *context, int dir);
    void (*close)(void *context, enum tcp_close why); /* the last call */
    /* Everything that has waited is reported between these two, possibly while another connection
     * is fed. If close was called, TLS does not use the connection after leave. */
    void (*enter)(void *context);
    void (*leave)(void *context);
};

/* tls_stage is shared by the connections of a session. */
struct tls_stage;

struct tls_stage *tls_stage_new(struct dissect_ctx *env, const struct tls_events *events);
void tls_stage_free(struct tls_stage *stage); /* NULL is allowed */

/* tls_stage_time sets the time while no packet comes: waiting records use keys that have come
 * since, or have waited long enough. */
void tls_stage_time(struct tls_stage *stage, int64_t now_ns);

/* tls_stage_end looks for keys a last time; then no more keys come, and no closed connection waits
 * on. */
void tls_stage_end(struct tls_stage *stage);

struct tls;

/* tls_probe says whether bytes begin with a TLS record: with a hello, or, if is_late, with records
 * that fill all of them. */
bool tls_probe(struct cursor bytes, bool is_late);

/* tls_new creates a connection; context is passed to the events. tcp and the stage must outlive it.
 * NULL if memory ran out. */
struct tls *tls_new(struct tls_stage *stage, const struct tcp_conn_view *tcp, void *context);
void tls_free(struct tls *tls); /* NULL is allowed */

/* tls_feed and tls_gap process the bytes and gaps of a direction. */
void tls_feed(struct tls *tls, int dir, struct cursor data);
void tls_gap(struct tls *tls, int dir, uint64_t len, enum tcp_gap why);

/* tls_on_stall, tls_on_icmp and tls_on_end process what else TCP reports of a direction: it
 * is passed on at once, or waits while earlier records wait. */
void tls_on_stall(struct tls *tls, int dir, const struct ds_stall *stall);
void tls_on_icmp(struct tls *tls, int dir);
void tls_on_end(struct tls *tls, int dir);

/* tls_get_moment returns the state of TCP when the reported bytes came: the current one, or for
 * records that waited for keys, the former one. Valid until the event returns. */
const struct tcp_conn_view *tls_get_moment(const struct tls *tls);

/* tls_get_rest returns how many bytes have come after the current record. */
uint64_t tls_get_rest(const struct tls *tls, int dir);

/* tls_close reports the end of a connection, at once or after the records that wait for keys, which
 * may take a while. tls_end ends the waiting. */
void tls_close(struct tls *tls, enum tcp_close why);
void tls_end(struct tls *tls);

/* tls_is_closed says whether TCP had closed the connection before that was reported. */
bool tls_is_closed(const struct tls *tls);

/* tls_view returns what is known of the connection; valid as long as tls. */
const struct ds_tls *tls_view(const struct tls *tls);

#endif
