/*
 * conn.h - a connection as the protocol stages see it, and what they may use.
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
struct decoder_state; /* what decoding goes by, see decoder_state.h */
struct all_node_atoms;
struct registry;      /* who is registered where, see registry.h */
struct socket_places; /* where else nodes listen, see socket_places.h */

/* env is what the stages of one session share. */
struct dissect_ctx {
    struct ds_config config;
    struct ds_stats stats;
    struct memcap memcap;
    struct arena arena; /* of the current event: reset after each one */
    struct registry *registry; /* NULL: nobody is known */
    struct socket_places *places; /* NULL: none is known */
    bool atoms_in_doubt; /* one was not known */
    uint64_t num_forgotten; /* texts of atoms: where they lay others may be now */
    enum ds_snapshot_kind past; /* of the packet at hand */
    uint64_t num_connections; /* that have a number */
    struct all_node_atoms *books; /* what is known of the atoms of nodes, node_atoms.h; NULL: nothing
                                 is likely */
};

/* proto is one protocol on a TCP connection. The table of them stands in proto.c. */
enum proto_guess { PROTO_NO, PROTO_MORE, PROTO_YES };

struct proto {
    const char *name;
    /* probe says whether the first bytes of direction dir are this protocol's; PROTO_MORE when more bytes
     * are needed to tell. late: the bytes lie anywhere in the stream. */
    enum proto_guess (*probe)(const struct dissect_ctx *env, const struct conn *conn, int dir,
                              struct cursor bytes, bool late);
    bool (*start)(struct dissect_ctx *env, struct conn *conn); /* makes conn->state */
    void (*feed)(struct dissect_ctx *env, struct conn *conn, int dir, struct cursor data);
    void (*gap)(struct dissect_ctx *env, struct conn *conn, int dir, uint64_t len,
                enum tcp_gap why);
    void (*end)(struct dissect_ctx *env, struct conn *conn, int dir);
    /* What follows is sealed by TLS, and there are no keys. NULL: of no interest. */
    void (*sealed)(struct dissect_ctx *env, struct conn *conn);
    void (*close)(struct dissect_ctx *env, struct conn *conn, enum tcp_close why); /* frees state */
    /* suspend is close for one that may go on all the same: state stays. Then comes resume, or release,
     * which frees state; before close, resume with was_closed false: one direction goes on behind its
     * end. NULL, all three: such a connection does not go on. */
    void (*suspend)(struct dissect_ctx *env, struct conn *conn, enum tcp_close why);
    void (*resume)(struct dissect_ctx *env, struct conn *conn, bool was_closed);
    void (*release)(struct dissect_ctx *env, struct conn *conn);
    /* progress tells how large the message is in whose middle a direction stands, and how much of
     * it has come; 0 where it stands between two. NULL: there are no large ones. */
    void (*progress)(const struct conn *conn, int dir, uint64_t *size, uint64_t *passed);
    /* give_past is ds_session_snapshot for one connection; NULL: it has no past that matters. */
    void (*give_past)(struct dissect_ctx *env, const struct conn *conn,
                      const struct tcp_point point[2],
                      ds_snapshot_fn give, void *context);
    /* syn_again: the SYN is retransmitted, as nobody answers it. NULL: it does not matter. */
    void (*syn_again)(struct dissect_ctx *env, struct conn *conn);
    /* take_alone takes a frame that stands outside of the stream; NULL: it has none. */
    void (*take_alone)(struct dissect_ctx *env, struct conn *conn, int dir, struct cursor frame);
};

/* conn is one connection above TCP. */
struct conn {
    struct ds_conn view; /* number 0 until something was reported of it */
    const struct tcp_conn_view *tcp;
    const struct proto *proto;     /* NULL until known */
    void *state;                   /* of proto */
    struct decoder_state *decoder; /* NULL: not remembered */
    bool late[2];    /* proto's first bytes of the direction are not the stream's first */
    char *node[2];   /* memory of view.end[].node */
    bool certain[2]; /* it is the node itself that said its name: in the handshake, be it another one at
                        the same place with the same creation, or as pids of its own */
    bool said[2];    /* a pid or reference here has a name for it */
    uint32_t told_seen[2];    /* how much had been told of who listens where when it was no more certain */
    uint32_t names_seen[2];   /* how many names of nodes were known when this end had none, */
    uint32_t slots_seen[2][2]; /* and when a slot of a direction that means it had none */
    bool creation_certain[2]; /* likewise; else it may be that of who was there before */
    struct expansion_budget growth; /* of its messages */
    bool counted;         /* in ds_stats */
    /* What is still to be decoded of the data at hand, of direction rest_dir; NULL: that is not known.
     * behind is what follows on it, or NULL; sealed_rest, of the same direction, the bytes of TLS behind
     * the record that all of it was in. */
    const struct cursor *rest, *behind;
    int rest_dir;
    uint64_t sealed_rest;
};

/* conn_note_change tells that something of the view is another one that its changes count. */
static inline void conn_note_change(struct conn *conn)
{
    conn->view.changes++;
}

/* env_is_past says whether what happens to a connection is of the time before the capture: a
 * packet that stands for it is at hand, or no other has come. Then nothing is counted. */
static inline bool env_is_past(const struct dissect_ctx *env, const struct conn *conn)
{
    return env->past != DS_SNAPSHOT_NONE || conn->tcp->only_past;
}

/* env_emit completes an event (type, dir and the body are set by the caller; frame, time
 * and conn here), gives the connection its number if it has none, counts, calls back, and
 * resets the arena. What it counts, of the session and of the direction, is what the event
 * says: messages, ticks, gaps, faults, unknown atoms. Not in an event, and so counted
 * elsewhere: counters.bytes by the session, counters.frames by the stage that reads them
 * (a frame is a handshake message, a tick, a whole message or one fragment). */
void env_emit(struct dissect_ctx *env, struct conn *conn, struct ds_event *event);

/* env_emit_raw is the end of env_emit: for events that count nowhere, with frame and time set
 * by the caller. */
void env_emit_raw(struct dissect_ctx *env, struct conn *conn, struct ds_event *event);

/* cursor_text is the rest of a cursor as text, for an event. */
static inline struct ds_text cursor_text(struct cursor c)
{
    return (struct ds_text){(const char *)c.at, cursor_left(&c)};
}

/* conn_gap_fault says what a gap is called in a fault. */
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

/* conn_set_node names an end of a connection. name is copied. inferred: from control
 * messages, or the name without a host that EPMD knows; it never replaces what a handshake
 * said, and no name with a host. Counts no_memory on failure. */
void conn_set_node(struct dissect_ctx *env, struct conn *conn, int end, struct ds_text name,
                   uint32_t creation, bool inferred);

/* conn_forget_inferred takes away a name that was inferred. */
void conn_forget_inferred(struct conn *conn, int end);

/* conn_correct_node names an end as itself does in this connection, for the first time; what was inferred
 * of it elsewhere may have been of who was there before. */
void conn_correct_node(struct dissect_ctx *env, struct conn *conn, int end, struct ds_text name);

/* conn_forget_nodes releases the names of both ends. */
void conn_forget_nodes(struct conn *conn);

/* conn_emit_change reports a change of the connection that end dir brought about. */
void conn_emit_change(struct dissect_ctx *env, struct conn *conn, int dir,
                      struct ds_conn_change change);

/* conn_explain_failure says why a connection never came about, and in dir which end it is
 * that has to be spoken of. False when it did come about. */
bool conn_explain_failure(struct dissect_ctx *env, const struct conn *conn, enum tcp_close why,
                          int *dir, struct ds_conn_change *change);

/* conn_report_icmp reports what conn->tcp->icmp says of a connection that goes on. */
void conn_report_icmp(struct dissect_ctx *env, struct conn *conn, int dir);

/* conn_goes_on says whether a connection may well go on that is not followed any more. */
static inline bool conn_goes_on(enum tcp_close why)
{
    return why == TCP_CLOSE_CAPTURE || why == TCP_CLOSE_EVICTED || why == TCP_CLOSE_CAPTURE_RESTART;
}

/* env_print returns a text made as printf would, which lives as long as the current event;
 * NULL, and counted, when memory ran out. */
const char *env_print(struct dissect_ctx *env, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* conn_end_text returns the end's node, else its address and port, as printable ASCII that
 * lives as long as the current event; never NULL. */
const char *conn_end_text(struct dissect_ctx *env, const struct conn *conn, int end);

#endif
