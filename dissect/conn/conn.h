/*
 * conn.h - a connection as the protocol stages see it, and the functions they may use.
 */
#ifndef DISSECT_CONN_H
#define DISSECT_CONN_H

#include "tcp/tcp.h"
#include "util/arena.h"
#include "util/cursor.h"
#include "util/expansion_budget.h"
#include "util/memcap.h"

#include <distsniff/dissect.h>

struct conn;
struct decoder_state; /* state needed for decoding, see decoder_state.h */
struct all_node_atoms;
struct registry;      /* which node is registered where, see registry.h */
struct socket_places; /* other listeners of nodes, see socket_places.h */

/* dissect_ctx is shared by the stages of one session. */
struct dissect_ctx {
    struct ds_config config;
    struct ds_stats stats;
    struct memcap memcap;
    struct arena arena; /* of the current event: reset after each one */
    struct registry *registry; /* NULL: no node is known */
    struct socket_places *places; /* NULL: none are known */
    bool atoms_in_doubt; /* an atom was unknown */
    uint64_t num_forgotten; /* texts of atoms that were dropped: their addresses may be reused */
    enum ds_snapshot_kind past; /* of the current packet */
    uint64_t num_connections; /* connections that have a number */
    struct all_node_atoms *books; /* known atoms of nodes, node_atoms.h; NULL: none are inferred */
};

/* proto is one protocol on a TCP connection. proto.c has the table of them. */
enum proto_guess { PROTO_NO, PROTO_MORE, PROTO_YES };

struct proto {
    const char *name;
    /* probe says whether the first bytes of direction dir are in this protocol; PROTO_MORE if it
     * needs more bytes. late: the bytes are from anywhere in the stream. */
    enum proto_guess (*probe)(const struct dissect_ctx *env, const struct conn *conn, int dir,
                              struct cursor bytes, bool late);
    bool (*start)(struct dissect_ctx *env, struct conn *conn); /* creates conn->state */
    void (*feed)(struct dissect_ctx *env, struct conn *conn, int dir, struct cursor data);
    void (*gap)(struct dissect_ctx *env, struct conn *conn, int dir, uint64_t len,
                enum tcp_gap why);
    void (*end)(struct dissect_ctx *env, struct conn *conn, int dir);
    /* The content is encrypted with TLS, and there are no keys. NULL: ignored. */
    void (*sealed)(struct dissect_ctx *env, struct conn *conn);
    void (*close)(struct dissect_ctx *env, struct conn *conn, enum tcp_close why); /* frees state */
    /* suspend is called instead of close for a connection that may continue: it keeps state.
     * Then comes resume, or release, which frees state. Before close, resume with was_closed
     * false means that one direction continues after its end. All three NULL: these connections
     * never continue. */
    void (*suspend)(struct dissect_ctx *env, struct conn *conn, enum tcp_close why);
    void (*resume)(struct dissect_ctx *env, struct conn *conn, bool was_closed);
    void (*release)(struct dissect_ctx *env, struct conn *conn);
    /* progress reports the size of the current unfinished message of a direction, and how much of
     * it has come; 0 between two messages. NULL: there are no large ones. */
    void (*progress)(const struct conn *conn, int dir, uint64_t *size, uint64_t *passed);
    /* write_snapshot is ds_session_snapshot for one connection; NULL: it has no past that matters. */
    void (*write_snapshot)(struct dissect_ctx *env, const struct conn *conn,
                           const struct tcp_point point[2],
                           ds_snapshot_fn give, void *context);
    /* syn_again: the SYN is retransmitted because no answer comes. NULL: ignored. */
    void (*syn_again)(struct dissect_ctx *env, struct conn *conn);
    /* read_frame processes a frame from outside the stream; NULL: there are none. */
    void (*read_frame)(struct dissect_ctx *env, struct conn *conn, int dir, struct cursor frame);
};

/* conn is one connection above TCP. */
struct conn {
    struct ds_conn view; /* number 0 until something was reported */
    const struct tcp_conn_view *tcp;
    const struct proto *proto;     /* NULL until known */
    void *state;                   /* of proto */
    struct decoder_state *decoder; /* NULL: it is not kept */
    bool late[2];    /* the capture lacks the beginning of the direction */
    char *node[2];   /* memory of view.end[].node */
    bool certain[2]; /* the node itself gave its name: in a handshake, perhaps another one at the
                      * same place with the same creation, or with its own pids */
    bool said[2];    /* a pid or reference here contains its name */
    uint32_t told_seen[2];    /* number of changes in the registry at the last look-up of its name */
    uint32_t names_seen[2];   /* the number of known node names when this end had no name, */
    uint32_t slots_seen[2][2]; /* and when no name was found for a slot that is its name */
    bool creation_certain[2]; /* false: creation may be that of the previous node there */
    struct expansion_budget growth; /* for its messages */
    bool counted;         /* in ds_stats */
    /* The part of the current data that is not decoded yet, of direction rest_dir; NULL: unknown.
     * behind is the data after it, or NULL; sealed_rest, of the same direction, is the number of
     * TLS bytes after the record that contained them. */
    const struct cursor *rest, *behind;
    int rest_dir;
    uint64_t sealed_rest;
};

/* conn_mark_changed records that a counted part of the view has changed. */
static inline void conn_mark_changed(struct conn *conn)
{
    conn->view.changes++;
}

/* env_is_past says whether the current events of a connection are from before the capture: the
 * current packet is a pseudo packet, or no others have come. They are not counted then. */
static inline bool env_is_past(const struct dissect_ctx *env, const struct conn *conn)
{
    return env->past != DS_SNAPSHOT_NONE || conn->tcp->only_past;
}

/* env_emit completes an event (the caller sets type, dir and the body; this sets frame, time and
 * conn), numbers the connection if necessary, counts, calls the callback, and resets the arena. It
 * counts, for the session and the direction, what the event contains: messages, ticks, gaps,
 * faults, unknown atoms. Counted elsewhere, as no event contains them: counters.bytes by the
 * session, counters.frames by the stage that reads them (a frame is a handshake message, a tick, a
 * whole message or one fragment). */
void env_emit(struct dissect_ctx *env, struct conn *conn, struct ds_event *event);

/* env_emit_raw is the last part of env_emit: for events that are not counted, with frame and time
 * set by the caller. */
void env_emit_raw(struct dissect_ctx *env, struct conn *conn, struct ds_event *event);

/* cursor_text returns the rest of a cursor as text, for an event. */
static inline struct ds_text cursor_text(struct cursor c)
{
    return (struct ds_text){(const char *)c.at, cursor_left(&c)};
}

/* conn_gap_fault returns the kind of fault for a gap. */
static inline enum ds_fault_kind conn_gap_fault(enum tcp_gap why)
{
    switch (why) {
    case TCP_GAP_SNAPLEN:
        return DS_FAULT_TRUNCATED;
    case TCP_GAP_CAP:
        return DS_FAULT_CAP;
    case TCP_GAP_LOST:
        break;
    }
    return DS_FAULT_GAP;
}

/* conn_set_node names an end of a connection. name is copied. inferred: from control messages, or
 * the name without a host that EPMD has; it never replaces the name of a handshake, or a name with
 * a host. Counts no_memory on failure. */
void conn_set_node(struct dissect_ctx *env, struct conn *conn, int end, struct ds_text name,
                   uint32_t creation, bool inferred);

/* conn_forget_inferred removes a name that was inferred. */
void conn_forget_inferred(struct conn *conn, int end);

/* conn_correct_node names an end as it first did itself in this connection; a name inferred
 * elsewhere may be that of the previous node there. */
void conn_correct_node(struct dissect_ctx *env, struct conn *conn, int end, struct ds_text name);

/* conn_forget_nodes releases the names of both ends. */
void conn_forget_nodes(struct conn *conn);

/* conn_emit_change reports a change of the connection that end dir caused. */
void conn_emit_change(struct dissect_ctx *env, struct conn *conn, int dir,
                      struct ds_conn_change change);

/* conn_explain_failure explains why a connection was never established, and sets *dir to the end
 * concerned. False if it was established. */
bool conn_explain_failure(struct dissect_ctx *env, const struct conn *conn, enum tcp_close why,
                          int *dir, struct ds_conn_change *change);

/* conn_report_icmp reports conn->tcp->icmp for a connection that continues. */
void conn_report_icmp(struct dissect_ctx *env, struct conn *conn, int dir);

/* conn_goes_on says whether a connection that is no longer followed may continue. */
static inline bool conn_goes_on(enum tcp_close why)
{
    return why == TCP_CLOSE_CAPTURE || why == TCP_CLOSE_EVICTED || why == TCP_CLOSE_CAPTURE_RESTART;
}

/* env_print formats a text like printf. Valid until the end of the current event. NULL, counted, if
 * memory ran out. */
const char *env_print(struct dissect_ctx *env, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* conn_end_text returns the end's node, or else its address and port, as printable ASCII. Valid
 * until the end of the current event; never NULL. */
const char *conn_end_text(struct dissect_ctx *env, const struct conn *conn, int end);

#endif
