/*
 * distsniff/dissect.h - packets in, events out. No input, no output, no clock.
 *
 * A session reads the packets of one capture in order, reassembles their TCP streams, finds EPMD and
 * Erlang distribution connections, and calls a callback with each event. A session belongs to one
 * thread at a time; sessions are independent of each other.
 */
#ifndef DISTSNIFF_DISSECT_H
#define DISTSNIFF_DISSECT_H

#include <distsniff/event.h>
#include <distsniff/keylog.h>

DS_BEGIN_PUBLIC

struct ds_session;

enum ds_limit {
#define LIMIT(id, name, value, what) DS_LIMIT_##id,
#include <distsniff/limits.def>
#undef LIMIT
    DS_LIMIT_COUNT
};

/* A packet that was not captured represents earlier packets: ds_session_snapshot makes such packets.
 * The kind says what it contains. */
enum ds_snapshot_kind {
    DS_SNAPSHOT_NONE,  /* it was captured */
    DS_SNAPSHOT_BYTES, /* bytes of a connection whose protocol is not known */
    DS_SNAPSHOT_HANDSHAKE, /* what an end sent during the handshake of the distribution */
    DS_SNAPSHOT_FRAMES, /* what was sent after the handshake */
    DS_SNAPSHOT_LOST,  /* bytes were lost here; the payload was never sent */
    DS_SNAPSHOT_INFERRED, /* a frame that was never sent: atoms of the cache that are certain */
    DS_SNAPSHOT_LIKELY, /* the same for atoms that are DS_ATOM_LIKELY */
    DS_SNAPSHOT_OPEN,  /* a newly encoded frame, with a message that may still have an effect; it is not
                          part of the stream */
    DS_SNAPSHOT_TLS,   /* the state of TLS in a direction; the payload was never sent */
    DS_SNAPSHOT_SEALED, /* one of the others, encrypted with the secrets of its TLS connection; it is
                           not part of the stream */
    DS_SNAPSHOT_KIND_COUNT
};

/* ds_snapshot describes a packet that represents earlier packets of its connection. */
struct ds_snapshot {
    int64_t sent_ns;   /* when its contents were sent */
    uint32_t point[2]; /* the next sequence numbers of its own direction and of the other */
    bool knows[2];     /* which of these are known */
    uint8_t kind;      /* enum ds_snapshot_kind */
    bool begins;       /* this packet is the first of its connection */
};

/* ds_packet is a captured packet, or a packet that represents earlier ones. The session learns from the
 * latter but does not count them. Their only events are messages with ds_event.past. */
struct ds_packet {
    int64_t ts_ns;      /* nanoseconds since 1970 UTC */
    uint64_t frame;     /* its number, from 1 */
    uint32_t link_type; /* LINKTYPE_ value of www.tcpdump.org/linktypes.html */
    const uint8_t *data;
    uint32_t cap_len; /* bytes at data */
    uint32_t len;     /* bytes on the wire */
    struct ds_snapshot past;
};

typedef void (*ds_event_fn)(void *context, const struct ds_event *event);

/* ds_port_fn reports a TCP port on which a node listens, as EPMD or a handshake revealed it. From then on
 * the capture filter must let this port pass. */
typedef void (*ds_port_fn)(void *context, uint16_t port, struct ds_text name);

/* ds_known_fn reports that all atoms in the cache of end dir are known from now on, and that some were not
 * before. */
typedef void (*ds_known_fn)(void *context, const struct ds_conn *conn, unsigned dir);

/* ds_atom_memory is what sessions learn about the atom caches of nodes: which atoms a slot has had, on
 * any connection of the node. It may outlive a session. The next session can use it to read the same
 * packets again, or a later capture. It belongs to one session at a time. */
struct ds_atom_memory;

/* ds_learned is one fact of a memory: an atom that a slot has had, or, without a text, a node's address. */
struct ds_learned {
    struct ds_endpoint node; /* node and creation count; without a name, addr and port */
    uint16_t slot;
    struct ds_text text;     /* the atom, UTF-8; data is NULL: the fact is the node's address */
    const uint32_t *roles;   /* how the atom was used: opaque numbers */
    size_t num_roles;
};

typedef void (*ds_learned_fn)(void *context, const struct ds_learned *learned);

/* ds_atom_memory_new returns an empty memory, or NULL when memory ran out. max_nodes: how many
 * incarnations of nodes it remembers; the least recently seen one is evicted first. */
struct ds_atom_memory *ds_atom_memory_new(uint64_t max_nodes);
void ds_atom_memory_free(struct ds_atom_memory *memory); /* NULL is allowed */

/* ds_atom_memory_each calls give with each fact; ds_atom_memory_add adds one. It returns false when memory
 * ran out or the fact is invalid. */
void ds_atom_memory_each(const struct ds_atom_memory *memory, ds_learned_fn give, void *context);
bool ds_atom_memory_add(struct ds_atom_memory *memory, const struct ds_learned *learned);

/* ds_learned_shape is one fact about the shapes of messages, which stays true after restarts of nodes:
 * an atom; a context in which atoms appear; the shape of a whole message; or a node from which shapes
 * were learned. The others refer to atoms by number: the first atom passed is 0. */
enum ds_learned_kind { DS_LEARNED_ATOM, DS_LEARNED_CONTEXT, DS_LEARNED_WHOLE, DS_LEARNED_PLACE };
struct ds_learned_shape {
    enum ds_learned_kind kind;
    struct ds_text text;     /* of a DS_LEARNED_ATOM, UTF-8 */
    const uint32_t *numbers; /* of the other kinds, opaque */
    size_t num;
};

typedef void (*ds_learned_shape_fn)(void *context, const struct ds_learned_shape *shape);

/* ds_atom_memory_each_shape calls give with each of these facts, atoms first. ds_atom_memory_add_shape
 * adds one to a memory that had no shapes at first. It returns false when memory ran out or the fact is
 * invalid. */
void ds_atom_memory_each_shape(const struct ds_atom_memory *memory, ds_learned_shape_fn give,
                               void *context);
bool ds_atom_memory_add_shape(struct ds_atom_memory *memory, const struct ds_learned_shape *shape);

/* ds_atom_memory_add_static adds the atoms that a build of OTP starts with, in the order of their
 * indices. It is for releases that the library does not know, and for modified builds. The texts are
 * copied. Call it before the memory learns anything else; a second call replaces what the first one
 * added. Returns false when memory ran out, if there are no atoms or more than DS_STATIC_ATOMS_MAX, or
 * if a text is too long for an atom. */
enum { DS_STATIC_ATOMS_MAX = 16384 };
bool ds_atom_memory_add_static(struct ds_atom_memory *memory, const struct ds_text *atoms, size_t num);

/* ds_tcp_peek looks at the TCP headers of packets, without reassembly. */
struct ds_tcp_peek;

/* ds_tcp_peek_new returns a ds_tcp_peek that has seen no packets, or NULL when memory ran out. */
struct ds_tcp_peek *ds_tcp_peek_new(void);
void ds_tcp_peek_free(struct ds_tcp_peek *peek); /* NULL is allowed */

/* ds_tcp_peek_packet says whether packets before this one seem to be missing from the capture: the
 * beginning of its TCP connection (of any protocol), or later segments. It also returns true for
 * reordered packets. */
bool ds_tcp_peek_packet(struct ds_tcp_peek *peek, const struct ds_packet *packet);

/* DS_KEYS_WAIT_NS: with keylog_grows, events can be this much older than the events before them. */
#define DS_KEYS_WAIT_NS INT64_C(10000000000)

struct ds_config {
    ds_event_fn on_event;
    ds_port_fn on_port; /* may be NULL */
    ds_known_fn on_all_known; /* may be NULL */
    void *context;
    uint64_t limits[DS_LIMIT_COUNT]; /* ds_config_init sets the defaults; the caller may change them */
    uint16_t epmd_port;              /* 4369 */
    const uint16_t *dist_ports;      /* ports known to carry distribution; copied */
    size_t num_dist_ports;
    struct ds_text cookie; /* to check the digests of handshakes; absent: they are not checked; copied */
    bool facts; /* ds_conn.link, DS_EVENT_STALL and ds_message.stalled_ns */
    bool sockets; /* the caller will call ds_session_socket: a stall waits for it up to 3 s */
    bool lookups; /* DS_EVENT_LOOKUP */
    bool parts;   /* DS_EVENT_PART */
    struct ds_keylog *keylog; /* secrets of TLS connections; NULL: none */
    bool keylog_grows;        /* data whose keys are missing waits for them, up to DS_KEYS_WAIT_NS: its
                                 events come late, with the times and numbers of their own packets */
    bool keylog_notes;        /* remember which secrets are used, for ds_keylog_used */
    bool raw;      /* DS_EVENT_DATA and DS_EVENT_FRAME, too; counters ignore these */
    bool remember; /* keep what ds_session_snapshot needs */
    /* The memory of session `beside` also counts against limits[DS_LIMIT_MEMORY] of this session. It
     * must outlive this session. NULL: none. */
    const struct ds_session *beside;
    bool certain;          /* an atom is never DS_ATOM_LIKELY: it is unknown instead */
    bool guesses;          /* ds_message.guesses; not together with certain */
    struct ds_atom_memory *atom_memory; /* NULL: the session uses a memory that ends with it */
    bool learn; /* learn how atoms are used from the first packet on, for other sessions; if false, only
                   from the first unknown atom on */
    bool is_ahead; /* the session shows nothing, so it judges no atom to be likely: that is expensive */
};

/* ds_stats counts what a session has seen so far. */
struct ds_stats {
    uint64_t packets, bytes; /* bytes as on the wire */
    uint64_t not_tcp;           /* packets without TCP in them */
    uint64_t unknown_link;      /* packets of an unknown link type */
    uint64_t malformed_packets; /* invalid link, IP or TCP headers */
    uint64_t truncated_packets; /* packets truncated by the snap length */
    uint64_t fragments_ignored;   /* IP fragments ignored because earlier ones cover them */
    uint64_t fragments_discarded; /* IP packets discarded because their fragments contradict each other */
    uint64_t segments, retransmitted, reordered, overlaps_differing, zero_windows;
    uint64_t ignored;           /* segments that no node accepts; included in segments */
    uint64_t connections;       /* EPMD and distribution connections */
    uint64_t tcp_connections;   /* of any protocol */
    uint64_t one_way;           /* closed connections of which only one direction was captured; included
                                   in connections */
    uint64_t gaps, gap_bytes;
    uint64_t epmd_messages, messages, ticks;
    uint64_t handshakes; /* completed */
    uint64_t tls_connections, tls_opened; /* connections with TLS; those whose keys are known */
    uint64_t tls_unknown; /* TLS connections without keys, on ports not known for distribution */
    uint64_t message_bytes;
    uint64_t faults, unknown_atoms, likely_atoms, address_atoms;
    uint64_t no_memory;                /* times that memory ran out and something was dropped */
    uint64_t limits_hit[DS_LIMIT_COUNT];
};

/* ds_config_init fills in the defaults. */
void ds_config_init(struct ds_config *config);

/* ds_session_new returns a session, or NULL when memory ran out. */
struct ds_session *ds_session_new(const struct ds_config *config);

/* ds_where says to which connection a packet belongs. The fragments of one IP packet have the same number
 * `whole`; the connection is known with the last of them. */
struct ds_where {
    uint64_t tcp;   /* number of the TCP connection, from 1; 0: no connection that is followed */
    uint64_t whole; /* number of the IP packet that it is a fragment of; 0: it is not a fragment */
    bool is_complete; /* it is the last missing fragment */
    uint64_t forgotten; /* number of a TCP connection that has just turned out to carry another protocol
                           and is no longer followed; 0: none */
};

/* ds_session_packet reads the next packet and calls on_event for each event that it completes. A bad packet
 * is counted; it is never an error. */
struct ds_where ds_session_packet(struct ds_session *session, const struct ds_packet *packet);

/* ds_session_time gives the session the current time while no packets come, in nanoseconds since 1970
 * UTC: a session reads no clock. Waits that are long enough then time out (missing segments, an
 * unanswered SYN), as they would with the next packet. Their events have this time and the number of
 * the latest packet. Earlier packets may follow, but the session may no longer wait for them: in a live
 * capture, subtract the time for which the kernel keeps packets. A time before that of the latest
 * packet is ignored. Do not call it for captures that are read from files. */
void ds_session_time(struct ds_session *session, int64_t now_ns);

/* ds_session_settle is called if no packet has come for a while and the time is unknown. Up to 32
 * packets may wait, because earlier packets of their connection may have been captured after them: the
 * session reads them now. ds_session_time, ds_session_snapshot and ds_session_end do so as well. */
void ds_session_settle(struct ds_session *session);

/* ds_session_socket gives the session the kernel's state of a socket of the host addr[0]: from
 * addr[0]:port[0] to addr[1]:port[1]. It becomes ds_tcp_side.socket of that connection. Returns false if
 * the connection is not followed, or has no statistics. */
bool ds_session_socket(struct ds_session *session, const struct ds_addr addr[2], const uint16_t port[2],
                       const struct ds_socket *socket);

/* ds_session_name_port reports to the session that the node `name` listens at an address and port, as
 * the caller learned from EPMD. It names ends of connections that have no name yet, as a captured
 * answer of EPMD would. A new port is reported to on_port. */
void ds_session_name_port(struct ds_session *session, const struct ds_addr *addr, uint16_t port,
                          struct ds_text name);

/* ds_session_end ends the session: missing segments become gaps, pending events are emitted, and all
 * connections are closed. Its events have the time of the latest packet, or of ds_session_time if that was
 * later. */
void ds_session_end(struct ds_session *session);

/* ds_session_stats returns the counts; the pointer lives as long as the session. */
const struct ds_stats *ds_session_stats(const struct ds_session *session);

/* ds_fit says which application a node probably runs, judging by the shapes of its messages. num shapes
 * were seen, without those that most applications have; num_known of them are shapes of this
 * application. Likely atoms of the node come from the application's table. */
struct ds_fit {
    struct ds_endpoint node; /* if its name is unknown: addr and port */
    const char *application; /* such as "RabbitMQ 3.10", static */
    uint32_t num_known, num; /* shapes of the application; all shapes */
};

typedef void (*ds_fit_fn)(void *context, const struct ds_fit *fit);

/* ds_session_fits calls fn for each node with an unknown atom, the most recently seen node first. The
 * texts live until fn returns. */
void ds_session_fits(const struct ds_session *session, ds_fit_fn fn, void *context);

/* ds_session_free releases everything. NULL is allowed. */
void ds_session_free(struct ds_session *session);

/* ds_packet_ports finds the TCP ports of a packet, through tunnels, or those of the segment that an ICMP
 * error quotes. It returns false for a packet without ports, such as a later IP fragment. For capture
 * filters. */
bool ds_packet_ports(const struct ds_packet *packet, uint16_t *src, uint16_t *dst);

/* ds_packet_opens says whether a packet, through tunnels, opens a TCP connection: a SYN without ACK
 * (RFC 9293, section 3.5). */
bool ds_packet_opens(const struct ds_packet *packet);

enum { DS_LINK_TYPE_RAW = 101 }; /* the LINKTYPE_ value of IP packets without a link layer */

/* ds_packet_quoted finds the IP packet that an ICMP error quotes, through tunnels: quoted is then a packet
 * of DS_LINK_TYPE_RAW in the memory of packet, as long as the quotation. It returns false if packet is
 * not an ICMP error. For capture filters. */
bool ds_packet_quoted(const struct ds_packet *packet, struct ds_packet *quoted);

/* ds_link_type_known says whether packets of a LINKTYPE_ value can be read. */
bool ds_link_type_known(uint32_t link_type);

/* ds_segment is the TCP segment in a packet. payload points into the packet. */
struct ds_segment {
    struct ds_addr src, dst;
    uint16_t src_port, dst_port;
    uint32_t seq, ack;
    uint16_t window;
    uint8_t flags; /* as in the TCP header: FIN 1, SYN 2, RST 4, PSH 8, ACK 16 */
    const uint8_t *payload;
    uint32_t payload_len; /* bytes at payload */
    uint32_t truncated_len; /* bytes of the payload that the snap length cut off */
    struct ds_snapshot past; /* ds_session_snapshot sets it */
};

/* ds_packet_segment finds the TCP segment of a packet, through tunnels. It returns false if there is none,
 * as in an IP fragment. For comparing packets of several capture points. */
bool ds_packet_segment(const struct ds_packet *packet, struct ds_segment *out);

/* ds_session_snapshot calls give with segments, oldest first. A new session that reads them first decodes
 * the following packets as this session does.
 *
 * They are segments of open connections: a SYN, the handshake, the messages that filled the atom cache,
 * unfinished messages. Their contents and times are as captured (times never go back, even if a clock
 * did), but their sequence numbers follow each other without gaps. Frames that were never sent define
 * the other slots whose atoms are certain or likely.
 *
 * The field `past` of a segment says what it is. Copy it to ds_packet.past: without it, the new session
 * treats the segment as captured, and likely atoms as certain. Messages of TLS stay encrypted: the
 * reader needs the secrets that this session has. ends: only this connection; NULL: all, one after the
 * other. Requires ds_config.remember. */
typedef void (*ds_snapshot_fn)(void *context, int64_t ts_ns, const struct ds_segment *segment);
void ds_session_snapshot(struct ds_session *session, const struct ds_endpoint *ends,
                         ds_snapshot_fn give, void *context);

/* ds_session_seal_snapshot makes a segment of DS_SNAPSHOT_OPEN, which the caller made, fit into the
 * snapshot of its connection. If the connection has TLS, it first empties out, then encrypts the
 * payload into it; otherwise the payload stays as it is. It returns false when memory ran out
 * (out->failed) or the secrets are no longer known. */
bool ds_session_seal_snapshot(const struct ds_session *session, struct ds_segment *segment,
                              struct ds_buffer *out);

/* ds_session_forget drops all state of a connection. It is not followed any more. */
void ds_session_forget(struct ds_session *session, const struct ds_endpoint *ends);

/* These functions return names as static strings; NULL for a value out of range. */
const char *ds_epmd_op_name(enum ds_epmd_op op);
const char *ds_handshake_step_name(enum ds_handshake_step step);
const char *ds_frame_kind_name(enum ds_frame_kind kind);
const char *ds_conn_state_name(enum ds_conn_state state);
const char *ds_stall_why_name(enum ds_stall_why why);
const char *ds_close_name(enum ds_close how);
const char *ds_fault_kind_name(enum ds_fault_kind kind);
const char *ds_role_name(enum ds_role role); /* the JSON key */
bool ds_role_is_number(enum ds_role role);   /* whether it is always a number: IS_INTEGER in roles.def */
const char *ds_proto_name(size_t i); /* the i-th value that ds_conn.proto can have, from 0 */
const char *ds_tls_keys_name(enum ds_tls_keys keys);
const char *ds_tls_version_name(uint16_t version); /* such as "1.3" */
const char *ds_limit_name(enum ds_limit limit);
const char *ds_limit_what(enum ds_limit limit);

/* These list the values that ds_tls.suite_name, ds_tls.group, ds_tls.alert and ds_flags_release() can have,
 * in any order. Each returns a static string for i from 0 on; NULL after the last. */
const char *ds_tls_suite_at(size_t i);
const char *ds_tls_group_at(size_t i);
const char *ds_tls_alert_at(size_t i);
const char *ds_flags_release_at(size_t i);

/* ds_op_find returns the control message with that code, or NULL. */
const struct ds_op *ds_op_find(int64_t code);

/* ds_message_kind returns what a message does: the kind of its op. The flags of altact_sig_send decide
 * its kind: since OTP 28 it carries exit signals, too. DS_KIND_UNKNOWN if message->op is NULL. */
enum ds_op_kind ds_message_kind(const struct ds_message *message);

/* ds_flag_name returns the name of capability flag 1 << bit without DFLAG_, or NULL. */
const char *ds_flag_name(unsigned bit);

/* ds_flags_missing returns the capability flags that an OTP release, 25 or 26, requires of every peer and
 * that flags lacks. */
uint64_t ds_flags_missing(uint64_t flags, unsigned release);

/* ds_cookie_check says whether a digest of a handshake (16 bytes) answers the challenge with this cookie.
 * DS_COOKIE_UNCHECKED if cookie is absent. */
enum ds_cookie_check ds_cookie_check(struct ds_text cookie, uint32_t challenge, const uint8_t *digest);

/* ds_flags_release says which OTP releases send these flags, such as "OTP 25-27", or NULL. */
const char *ds_flags_release(uint64_t flags);

/* ds_endpoint_print appends the name of an end of a connection for reasons and notes: its node, with
 * '?' instead of characters for which ds_char_is_shown is false, or its address and port. */
void ds_endpoint_print(const struct ds_endpoint *endpoint, struct ds_buffer *out);

typedef void (*ds_epmd_node_fn)(void *context, const struct ds_epmd_node *node);

/* ds_epmd_names reads an answer of EPMD to NAMES_REQ, all bytes until the close, and calls give with
 * each node in it. It returns NULL, or a static string that says what is wrong with the answer; give is
 * called for valid lines in either case. */
const char *ds_epmd_names(const void *answer, size_t len, ds_epmd_node_fn give, void *context);

/* ds_addr_print writes an address as text that ends with a NUL. out has DS_ADDR_LEN bytes. */
enum { DS_ADDR_LEN = 46 };
void ds_addr_print(const struct ds_addr *addr, char *out);

DS_END_PUBLIC

#endif
