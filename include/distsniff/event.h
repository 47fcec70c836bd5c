/*
 * distsniff/event.h - what the dissector reports: one struct, read-only.
 *
 * Everything reachable from an event lives until the callback returns. To keep an event, copy
 * it.
 */
#ifndef DISTSNIFF_EVENT_H
#define DISTSNIFF_EVENT_H

#include <distsniff/tcp_stats.h>
#include <distsniff/term.h>

DS_BEGIN_PUBLIC

/* ds_addr is an IP address. family is 4 or 6; IPv4 uses the first 4 bytes and the rest
 * is zero. */
struct ds_addr {
    uint8_t family;
    uint8_t bytes[16];
};

/* ds_endpoint is one end of a connection. node is absent until it is known. */
struct ds_endpoint {
    struct ds_addr addr;
    uint16_t port;
    bool node_inferred;  /* known from control messages, not from handshake or EPMD */
    struct ds_text node; /* "alice@host" */
    uint32_t creation;   /* of the node, 0 until known */
};

/* ds_counters counts one direction of a connection. */
struct ds_counters {
    uint64_t bytes;    /* of the stream, in order */
    uint64_t frames;   /* handshake messages, ticks and frames */
    uint64_t messages; /* control messages, a fragmented one once */
    uint64_t ticks;
    uint64_t gaps;
    uint64_t gap_bytes;
    uint64_t faults;
    uint64_t unknown_atoms;
    uint64_t likely_atoms;
    uint64_t ignored; /* packets that look like this connection's and that no node accepts */
};

/* Whether the keys of a TLS connection are known. */
enum ds_tls_keys {
    DS_TLS_KEYS_MISSING,
    DS_TLS_KEYS_FOUND,
    DS_TLS_KEYS_SWAPPED, /* each stands under the other's label, as OTP 27 writes them */
    DS_TLS_KEYS_LATE,    /* they came after packets that they would have decrypted */
};

/* ds_tls is what is known of TLS on a connection. TLS 1.3 encrypts certificates and more: these fields are
 * absent while the secrets of the handshake are unknown. Arrays have an element for each direction. */
struct ds_tls {
    uint16_t version; /* 0x0303 is TLS 1.2, 0x0304 is 1.3; 0: not seen */
    uint16_t suite;
    const char *suite_name; /* NULL: unknown */
    const char *group;      /* of the key exchange, TLS 1.3 only; NULL: unknown */
    struct ds_text sni;     /* the host name that the client asks for */
    enum ds_tls_keys keys;
    bool asks_certificate;  /* the server asks the client for a certificate */
    struct ds_text certificate[2]; /* its subject */
    int64_t valid_until[2];        /* of the certificate, seconds since 1970; 0: unknown */
    bool has_alert[2];
    uint8_t alert_code[2];            /* of the last alert */
    const char *alert[2];             /* in words; NULL: unknown */
    uint64_t records[2], undecrypted[2]; /* undecrypted: bytes */
    uint64_t ticks[2];        /* records that are as long as a tick */
    uint64_t key_updates[2];  /* TLS 1.2: renegotiations */
    int64_t valid_from[2];    /* of the certificate, seconds since 1970; 0: unknown */
    uint64_t data_records[2]; /* records of application data; TLS 1.3: all encrypted records */
    uint16_t offered;         /* the newest version that the client offers; 0: not seen */
    bool has_ech;      /* sni comes from an outer hello: the real name may be encrypted (ECH) */
    const char *packed[2]; /* how the certificate is compressed (RFC 8879), if it was not read for that
                              reason; otherwise NULL */
    bool has_hello[2]; /* its ClientHello or ServerHello was seen */
    bool is_amid[2];   /* its data so far ends within a record or within a handshake message */
    bool has_ended[2]; /* its latest handshake message is one after which the other end has to go on:
                          ClientHello, ServerHelloDone, Finished */
    /* TLS 1.3: the encrypted records that this end sent after the other end had sent one, and whether the
     * last of them is as long as an alert. An end that refuses the handshake sends an alert first. */
    uint64_t answers[2];
    bool ends_like_alert[2];
};

/* ds_conn is a connection. end[0] sent the SYN, or the first packet seen. */
struct ds_conn {
    uint64_t number; /* from 1 */
    uint64_t tcp;    /* its number in struct ds_where */
    struct ds_endpoint end[2];
    struct ds_counters counters[2]; /* counters[d]: what end[d] sent */
    const struct ds_tcp_stats *link; /* NULL: ds_config.facts is false, or memory ran out */
    const struct ds_tls *tls;       /* NULL: no TLS */
    const char *proto; /* "gen_rpc" and others; NULL: it carries distribution or EPMD */
    uint64_t changes; /* how often a name, a creation, a gap, a fault or are_both_seen of it has changed:
                         while this number stays the same, so do they. 0: they may have changed */
    bool are_both_seen; /* packets of both ends were captured, be they only acknowledgements */
};

/* Why something could not be decoded in full. */
enum ds_fault_kind {
    DS_FAULT_NONE,
    DS_FAULT_MALFORMED,   /* the peer sent invalid bytes */
    DS_FAULT_TRUNCATED,   /* the snap length of the capture cut it off */
    DS_FAULT_GAP,         /* packets are missing */
    DS_FAULT_JOINED_LATE, /* it depends on packets from before the capture */
    DS_FAULT_CAP,         /* it exceeds one of the limits in limits.def */
};

struct ds_fault {
    enum ds_fault_kind kind;
    uint64_t offset;  /* of the first byte not decoded, from the start of the frame */
    const char *what; /* a static string */
};

enum ds_event_type {
    DS_EVENT_EPMD,
    DS_EVENT_HANDSHAKE,
    DS_EVENT_CONN,
    DS_EVENT_MESSAGE,
    DS_EVENT_TICK,
    DS_EVENT_GAP,
    DS_EVENT_STALL, /* only where ds_config.facts asks for it */
    DS_EVENT_STREAM, /* only where ds_conn.proto is set */
    DS_EVENT_LOOKUP, /* only where ds_config.lookups asks for it */
    DS_EVENT_PART,   /* only where ds_config.parts asks for it */
    /* Only where ds_config.raw asks for them: */
    DS_EVENT_DATA,
    DS_EVENT_FRAME,
};

/* EPMD: erl_dist_protocol, "Protocol between nodes and EPMD". epmd.def has the names, in this order. */
enum ds_epmd_op {
#define EPMD(code, id, name) DS_EPMD_##id,
#include <distsniff/epmd.def>
#undef EPMD
    DS_EPMD_COUNT
};

struct ds_epmd_node {
    struct ds_text name;
    uint16_t port;
    int32_t fd; /* of DUMP, -1 otherwise */
    bool active; /* of DUMP: active, not old/unused */
};

struct ds_epmd {
    enum ds_epmd_op op;
    struct ds_text name; /* of requests that have one, and of port2_resp */
    struct ds_text extra;
    uint16_t port;
    uint8_t node_type;
    uint8_t protocol;
    uint16_t highest_version, lowest_version;
    uint8_t result;
    uint32_t creation;
    uint32_t epmd_port; /* of NAMES and DUMP replies */
    const struct ds_epmd_node *nodes;
    size_t num_nodes;
    struct ds_text raw; /* kill_resp, stop_resp: the answer as sent */
};

/* Handshake: erl_dist_protocol, "Distribution Handshake". handshake.def has the names. */
enum ds_handshake_step {
#define STEP(id, name) DS_STEP_##id,
#include <distsniff/handshake.def>
#undef STEP
    DS_STEP_COUNT
};

enum ds_cookie_check { DS_COOKIE_UNCHECKED, DS_COOKIE_OK, DS_COOKIE_WRONG };

struct ds_handshake {
    enum ds_handshake_step step;
    uint8_t version; /* of send_name and challenge: 5 or 6 */
    uint64_t flags;
    bool has_flags;
    struct ds_text name;
    uint32_t creation;
    struct ds_text status; /* as sent: "ok", "named:", "true" ... */
    uint32_t challenge;
    bool has_challenge;
    uint8_t digest[16];
    bool has_digest;
    enum ds_cookie_check cookie;
    const char *cookie_note; /* which side is wrong, in words; NULL: there is nothing to say */
};

enum ds_conn_state {
    DS_CONN_OPEN,
    DS_CONN_UP,
    DS_CONN_FAILED,
    DS_CONN_CLOSED,
    DS_CONN_JOINED_LATE,
    DS_CONN_HALF_CLOSED, /* one end has sent its FIN, the other has not yet */
    DS_CONN_OPEN_AT_END, /* final: as far as is known it was still open when the capture ended */
    DS_CONN_ICMP_ERROR,  /* a router or host reports that a packet of it does not arrive */
    DS_CONN_CONTINUED,   /* its first captured packet, after packets that stand for its past
                            (ds_packet.past) */
};

struct ds_conn_change {
    enum ds_conn_state state;
    const char *reason; /* NULL: there is nothing to say */
    bool final;         /* the last event of this connection: its counters are complete */
    bool unfollowed;    /* it may still be open: the capture ended, or a cap was reached */
    struct ds_addr from; /* who sent the ICMP error; family 0: absent */
};

/* What a control message does. Several ops can do the same; ops.def names the kind of each. */
enum ds_op_kind {
    DS_KIND_UNKNOWN, /* its op is not in ops.def, or its elements are not those of that op */
    DS_KIND_OTHER,   /* an op that nodes no longer send */
    DS_KIND_SEND,    /* to a process, a name or an alias */
    DS_KIND_LINK,
    DS_KIND_UNLINK,
    DS_KIND_UNLINK_ACK,
    DS_KIND_EXIT,  /* a link ends because a process ended */
    DS_KIND_EXIT2, /* a call of exit/2 */
    DS_KIND_MONITOR,
    DS_KIND_DEMONITOR,
    DS_KIND_DOWN, /* a monitor ends because its process ended */
    DS_KIND_SPAWN,
    DS_KIND_SPAWNED,
    DS_KIND_LEADER,
    DS_KIND_COUNT
};

/* ds_op describes one control message, a row of ops.def. */
struct ds_op {
    uint8_t code;         /* first element of the control tuple */
    enum ds_op_kind kind; /* of altact_sig_send, see ds_message_kind */
    const char *name;   /* "send_sender", as the protocol writes it but in lower case */
    const char *roles;  /* one letter for each further element, see ops.def */
    bool has_payload;
};

enum ds_role {
#define ROLE(letter, id, key, is) DS_ROLE_##id,
#include <distsniff/roles.def>
#undef ROLE
    DS_ROLE_COUNT
};

/* ds_token is a decoded seq_trace token: {Flags, Label, Serial, From, Prev}. */
struct ds_token {
    bool present;
    int64_t flags;
    struct ds_term label;
    int64_t serial;
    struct ds_term from;
    int64_t previous;
};

/* ds_guess lists what an unknown atom may be, the most probable first: atoms that its slot held in this or
 * another connection of the sender, and atoms that the sender's release has there. The list may lack the
 * true one. */
enum { DS_GUESS_ATOMS = 4 };
struct ds_guess {
    uint16_t slot;
    uint8_t num;
    struct {
        struct ds_text text; /* UTF-8 */
        uint8_t percent;     /* its probability, 1 to 98 */
    } atom[DS_GUESS_ATOMS];
};

struct ds_message {
    int64_t code;           /* the op code; -1 when the control term is no such tuple */
    const struct ds_op *op; /* NULL: unknown */
    struct ds_term control; /* the whole control tuple */
    struct ds_term payload; /* absent when there is none */
    uint64_t size;          /* bytes on the wire with framing, all fragments */
    uint64_t atom_bytes;    /* of all references to the atom cache, if each were written out as text */
    uint32_t fragments;     /* 1 when not fragmented */
    uint32_t role_set;      /* a bit 1 << DS_ROLE_x for each role that may be present. 0: any may be */
    int64_t wire_ns;        /* from its first byte to its last */
    int64_t stalled_ns;     /* how long its direction was stalled, up to this message, since it last had
                               nothing to send; 0 without ds_config.facts */
    uint64_t atom_texts;    /* if two messages of a session have the same number, not 0, equal pointers to
                               the texts of atoms mean equal texts: to copy atoms for later, copy the text
                               behind each pointer once */
    struct ds_term role[DS_ROLE_COUNT]; /* absent where the op has no such element; see role_set */
    struct ds_token token;
    const struct ds_guess *guesses; /* of its unknown atoms, where ds_config.guesses asks for them */
    uint32_t num_guesses;
};

/* ds_message_roles returns a bit 1 << DS_ROLE_x for each role that may be present in a message. */
static inline uint32_t ds_message_roles(const struct ds_message *message)
{
    return message->role_set != 0 ? message->role_set : (1u << DS_ROLE_COUNT) - 1;
}

struct ds_gap {
    uint64_t bytes;   /* not captured, or skipped in search of the next frame */
    int64_t messages; /* lost with them; -1: unknown */
};

/* LOOKUP: a DNS question for a host's address, or the answer (RFC 1035, over UDP). It belongs to no
 * connection: ds_event.conn has the number 0, and its ends are the client and the server. */
enum { DS_LOOKUP_A = 1, DS_LOOKUP_AAAA = 28, DS_LOOKUP_NO_NAME = 3 };
struct ds_lookup {
    struct ds_text name; /* in lower case, without a dot at its end */
    uint16_t id;         /* the same in a question and in its answer */
    uint16_t type;       /* DS_LOOKUP_A and others */
    bool is_answer;
    bool has_address;    /* of an answer: an A or AAAA record is in it */
    uint8_t code;        /* of an answer, its RCODE: 0 no error, 3 no such name */
    const char *icmp;    /* the ICMP error that this question caused, a static string; NULL: none. The
                            question itself was an event before */
};

/* PART: a fragment of a message has come, or the message was abandoned. The event of the last fragment
 * comes before that of the message. */
struct ds_part {
    uint64_t sequence;  /* id of the message in its direction */
    uint64_t left;      /* fragments still to come; 0: none will */
    uint64_t size;      /* bytes on the wire so far */
    uint32_t num;       /* fragments so far */
    int64_t began_ns;   /* when its first byte came, nanoseconds since 1970 */
};

/* STREAM: data other than terms, on a connection that has ds_conn.proto. */
struct ds_stream {
    const char *what; /* "chunk", a static string */
    uint64_t bytes;   /* on the wire */
    bool has_offset;  /* a chunk of a RabbitMQ stream, of which the fields below are known: */
    uint64_t offset;  /* of its first record */
    uint64_t epoch;
    uint32_t entries, records;
    int64_t written_ns; /* when the leader wrote it, nanoseconds since 1970 */
};

/* DATA: the bytes that one TCP segment added to the stream, in order, in ds_event.bytes. Retransmitted
 * bytes appear once. The event comes before what is decoded from it. For missing bytes there is an event
 * without bytes, whose fault says why. */
struct ds_data {
    uint64_t missing; /* bytes that belong here and are missing */
};

/* FRAME: a handshake message, a tick, a message or a fragment, as sent, its length first. It comes after
 * the event that it completes. A gap between frames is a GAP event. frame.def has the names. */
enum ds_frame_kind {
#define FRAME(id, name) DS_FRAME_##id,
#include <distsniff/frame.def>
#undef FRAME
    DS_FRAME_COUNT
};

struct ds_frame {
    enum ds_frame_kind kind;
    uint64_t sequence, fragment; /* of FIRST and FURTHER; fragment counts down to 1 */
    uint64_t size;  /* bytes on the wire; ds_event.bytes_len is less when some are missing */
    bool completes; /* it completed the connection's event before this one: handshake, tick or message */
};

struct ds_event {
    enum ds_event_type type;
    uint8_t dir;    /* sent by conn->end[dir] */
    bool past;      /* a message from before the capture that may still have an effect, such as an answer */
    uint64_t frame; /* number of the packet that completed it, from 1 */
    int64_t ts_ns;  /* of that packet, nanoseconds since 1970 UTC */
    const struct ds_conn *conn; /* never NULL */
    struct ds_fault fault;
    uint32_t unknown_atoms;
    uint32_t inferred_atoms;
    uint32_t likely_atoms;  /* in the state DS_ATOM_LIKELY, */
    uint32_t address_atoms; /* and in DS_ATOM_ADDRESS: the node is certain, its name is unknown */
    bool has_seq;     /* end_seq is known: of messages and ticks, where the segments came in order */
    uint32_t end_seq; /* a TCP sequence number, the same at each capture point. MESSAGE, TICK: the one after
                         the last byte (in TLS, within the record that ended it). CONN: that of the
                         direction's next byte. EPMD, HANDSHAKE: that of the first byte */
    const uint8_t *bytes; /* of the frame or message on the wire, without TCP headers; or NULL */
    size_t bytes_len;
    union {
        struct ds_epmd epmd;
        struct ds_handshake handshake;
        struct ds_conn_change change;
        struct ds_message message;
        struct ds_gap gap;
        struct ds_stall stall;
        struct ds_lookup lookup;
        struct ds_part part;
        struct ds_stream stream;
        struct ds_data data;
        struct ds_frame frame_sent;
    };
};

/* ds_event_is_raw says whether an event has bytes as sent and nothing decoded. */
static inline bool ds_event_is_raw(const struct ds_event *event)
{
    return event->type == DS_EVENT_DATA || event->type == DS_EVENT_FRAME;
}

/* ds_event_is_of_tables says whether an event serves counts and comparisons: outputs do not show it. */
static inline bool ds_event_is_of_tables(const struct ds_event *event)
{
    return event->type == DS_EVENT_LOOKUP || event->type == DS_EVENT_PART;
}

DS_END_PUBLIC

#endif
