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

/* ds_addr is an IP address. family is 4 or 6. An IPv4 address is in the first 4 bytes; the others are
 * zero. */
struct ds_addr {
    uint8_t family;
    uint8_t bytes[16];
};

/* ds_endpoint is one end of a connection. node is absent until it is known. */
struct ds_endpoint {
    struct ds_addr addr;
    uint16_t port;
    bool node_inferred;  /* inferred from control messages, not read from a handshake or EPMD */
    struct ds_text node; /* "alice@host" */
    uint32_t creation;   /* of the node, 0 until known */
};

/* ds_counters counts one direction of a connection. */
struct ds_counters {
    uint64_t bytes;    /* bytes of the stream, in order */
    uint64_t frames;   /* handshake messages, ticks and frames */
    uint64_t messages; /* control messages; a fragmented message counts once */
    uint64_t ticks;
    uint64_t gaps;
    uint64_t gap_bytes;
    uint64_t faults;
    uint64_t unknown_atoms;
    uint64_t likely_atoms;
    uint64_t ignored; /* packets that look like part of this connection, but no node accepts them */
};

/* Whether the keys of a TLS connection are known. */
enum ds_tls_keys {
    DS_TLS_KEYS_MISSING,
    DS_TLS_KEYS_FOUND,
    DS_TLS_KEYS_SWAPPED, /* the labels of the two ends are swapped, as OTP 27 writes them */
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
    bool asks_certificate;  /* the server requests a certificate from the client */
    struct ds_text certificate[2]; /* the subject of its certificate */
    int64_t valid_until[2];        /* of its certificate, seconds since 1970; 0: unknown */
    bool has_alert[2];
    uint8_t alert_code[2];            /* of its last alert */
    const char *alert[2];             /* its last alert in words; NULL: unknown */
    uint64_t records[2], undecrypted[2]; /* records that were not decrypted; their bytes */
    uint64_t ticks[2];        /* records that are as long as a tick */
    uint64_t key_updates[2];  /* TLS 1.2: renegotiations */
    int64_t valid_from[2];    /* of its certificate, seconds since 1970; 0: unknown */
    uint64_t data_records[2]; /* records of application data; TLS 1.3: all encrypted records */
    uint16_t offered;         /* the newest version that the client offers; 0: not seen */
    bool has_ech;      /* sni comes from an outer hello: the real name may be encrypted (ECH) */
    const char *packed[2]; /* how the certificate is compressed (RFC 8879), if it was not read for that
                              reason; otherwise NULL */
    bool has_hello[2]; /* its ClientHello or ServerHello was seen */
    bool is_amid[2];   /* its data so far ends within a record or within a handshake message */
    bool has_ended[2]; /* its latest handshake message is one that the other end must answer:
                          ClientHello, ServerHelloDone, Finished */
    /* TLS 1.3: the encrypted records that this end sent after the other end had sent one, and whether the
     * last of them is as long as an alert. An end that refuses the handshake sends an alert first. */
    uint64_t answers[2];
    bool ends_like_alert[2];
};

/* ds_conn is a connection. end[0] sent the SYN, or the first packet that was captured. */
struct ds_conn {
    uint64_t number; /* from 1 */
    uint64_t tcp;    /* as in struct ds_where */
    struct ds_endpoint end[2];
    struct ds_counters counters[2]; /* counters[d]: what end[d] sent */
    const struct ds_tcp_stats *link; /* NULL: ds_config.facts is false, or memory ran out */
    const struct ds_tls *tls;       /* NULL: no TLS */
    const char *proto; /* such as "gen_rpc"; NULL: it carries distribution or EPMD */
    uint64_t changes; /* incremented when a name, a creation, a gap, a fault or are_both_seen changes:
                         if it is the same as before, so are they. 0: they may have changed */
    bool are_both_seen; /* packets of both ends were captured, even if only acknowledgements */
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
    DS_EVENT_STALL, /* only if ds_config.facts is true */
    DS_EVENT_STREAM, /* only if ds_conn.proto is set */
    DS_EVENT_LOOKUP, /* only if ds_config.lookups is true */
    DS_EVENT_PART,   /* only if ds_config.parts is true */
    /* Only if ds_config.raw is true: */
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
    int32_t fd; /* of DUMP; otherwise -1 */
    bool active; /* of DUMP: true if active, false if old/unused */
};

struct ds_epmd {
    enum ds_epmd_op op;
    struct ds_text name; /* of port2_resp, and of requests that have a name */
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
    const char *cookie_note; /* which side is wrong, in words; or NULL */
};

enum ds_conn_state {
    DS_CONN_OPEN,
    DS_CONN_UP,
    DS_CONN_FAILED,
    DS_CONN_CLOSED,
    DS_CONN_JOINED_LATE,
    DS_CONN_HALF_CLOSED, /* one end has sent its FIN, the other has not yet */
    DS_CONN_OPEN_AT_END, /* final event: as far as is known, it was still open when the capture ended */
    DS_CONN_ICMP_ERROR,  /* a router or host reports that a packet of it does not arrive */
    DS_CONN_CONTINUED,   /* its first captured packet, after packets that represent earlier ones
                            (ds_packet.past) */
};

struct ds_conn_change {
    enum ds_conn_state state;
    const char *reason; /* NULL: none */
    bool final;         /* the last event of this connection: its counters are complete */
    bool unfollowed;    /* it may still be open: the capture ended, or a cap was reached */
    struct ds_addr from; /* who sent the ICMP error; family 0: absent */
};

/* What a control message does. Several ops can do the same; ops.def gives the kind of each. */
enum ds_op_kind {
    DS_KIND_UNKNOWN, /* its op is not in ops.def, or its elements are not those of that op */
    DS_KIND_OTHER,   /* an op that nodes no longer send */
    DS_KIND_SEND,    /* to a process, a name or an alias */
    DS_KIND_LINK,
    DS_KIND_UNLINK,
    DS_KIND_UNLINK_ACK,
    DS_KIND_EXIT,  /* a link ends because a process ended */
    DS_KIND_EXIT2, /* a process called exit/2 */
    DS_KIND_MONITOR,
    DS_KIND_DEMONITOR,
    DS_KIND_DOWN, /* a monitor ends because the monitored process ended */
    DS_KIND_SPAWN,
    DS_KIND_SPAWNED,
    DS_KIND_LEADER,
    DS_KIND_COUNT
};

/* ds_op describes one control message, a row of ops.def. */
struct ds_op {
    uint8_t code;         /* first element of the control tuple */
    enum ds_op_kind kind; /* of altact_sig_send, see ds_message_kind */
    const char *name;   /* such as "send_sender": the protocol's name in lower case */
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

/* ds_guess lists the atoms that an unknown atom may be, the most probable first: atoms that its slot
 * had in this or another connection of the sender, and atoms that the sender's release has there. The
 * true one may be missing. */
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
    int64_t code;           /* the op code; -1 if the control term is not a tuple with such a code */
    const struct ds_op *op; /* NULL: unknown */
    struct ds_term control; /* the whole control tuple */
    struct ds_term payload; /* absent if there is none */
    uint64_t size;          /* bytes on the wire with framing, all fragments */
    uint64_t atom_bytes;    /* size of all references to the atom cache if they were written out as text */
    uint32_t fragments;     /* 1: the message is not fragmented */
    uint32_t role_set;      /* a bit 1 << DS_ROLE_x for each role that may be present. 0: any may be */
    int64_t wire_ns;        /* time from its first byte to its last */
    int64_t stalled_ns;     /* how long its direction was stalled, up to this message, since it last had
                               nothing to send; always 0 without ds_config.facts */
    uint64_t atom_texts;    /* if two messages of a session have the same number, not 0, equal pointers
                               to texts of atoms mean equal texts: a caller that keeps atoms can copy
                               the text behind each pointer once */
    struct ds_term role[DS_ROLE_COUNT]; /* absent if the op has no such element; see role_set */
    struct ds_token token;
    const struct ds_guess *guesses; /* guesses for its unknown atoms, if ds_config.guesses is true */
    uint32_t num_guesses;
};

/* ds_message_roles returns a bit 1 << DS_ROLE_x for each role that may be present in a message. */
static inline uint32_t ds_message_roles(const struct ds_message *message)
{
    return message->role_set != 0 ? message->role_set : (1u << DS_ROLE_COUNT) - 1;
}

struct ds_gap {
    uint64_t bytes;   /* bytes not captured, or skipped in search of the next frame */
    int64_t messages; /* messages lost with them; -1: unknown */
};

/* LOOKUP: a DNS question for a host's address, or the answer (RFC 1035, over UDP). It belongs to no
 * connection: ds_event.conn has the number 0, and its ends are the client and the server. */
enum { DS_LOOKUP_A = 1, DS_LOOKUP_AAAA = 28, DS_LOOKUP_NO_NAME = 3 };
struct ds_lookup {
    struct ds_text name; /* in lower case, without a final dot */
    uint16_t id;         /* the same in a question and in its answer */
    uint16_t type;       /* such as DS_LOOKUP_A */
    bool is_answer;
    bool has_address;    /* of an answer: it contains an A or AAAA record */
    uint8_t code;        /* of an answer, its RCODE: 0 no error, 3 no such name */
    const char *icmp;    /* the ICMP error that this question caused, a static string; NULL: none. An
                            earlier event reported the question itself */
};

/* PART: a fragment of a message has come, or the message was abandoned. The event of the last fragment
 * comes before that of the message. */
struct ds_part {
    uint64_t sequence;  /* id of the message in its direction */
    uint64_t left;      /* fragments still to come; 0: none */
    uint64_t size;      /* bytes on the wire so far */
    uint32_t num;       /* fragments so far */
    int64_t began_ns;   /* when its first byte came, nanoseconds since 1970 */
};

/* STREAM: data other than terms, on a connection that has ds_conn.proto. */
struct ds_stream {
    const char *what; /* such as "chunk", a static string */
    uint64_t bytes;   /* on the wire */
    bool has_offset;  /* it is a chunk of a RabbitMQ stream, whose fields below are known: */
    uint64_t offset;  /* of its first record */
    uint64_t epoch;
    uint32_t entries, records;
    int64_t written_ns; /* when the leader wrote it, nanoseconds since 1970 */
};

/* DATA: ds_event.bytes are the bytes that one TCP segment added to the stream, in order. Retransmitted
 * bytes appear once. The event comes before those that are decoded from it. For missing bytes there is
 * an event without bytes, whose fault says why. */
struct ds_data {
    uint64_t missing; /* number of bytes that are missing here */
};

/* FRAME: a handshake message, a tick, a message or a fragment, as sent, beginning with its length. It
 * comes after the event that it completes. A gap between frames is a GAP event. frame.def has the names. */
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
    bool completes; /* it completed the preceding event of the connection: a handshake, a tick or a
                       message */
};

struct ds_event {
    enum ds_event_type type;
    uint8_t dir;    /* sent by conn->end[dir] */
    bool past;      /* a message from before the capture that may still have an effect, such as an answer */
    uint64_t frame; /* number of the packet that completed it, from 1 */
    int64_t ts_ns;  /* time of that packet, nanoseconds since 1970 UTC */
    const struct ds_conn *conn; /* never NULL */
    struct ds_fault fault;
    uint32_t unknown_atoms;
    uint32_t inferred_atoms;
    uint32_t likely_atoms;  /* atoms in the state DS_ATOM_LIKELY */
    uint32_t address_atoms; /* atoms in the state DS_ATOM_ADDRESS: the node is certain, its name is
                               unknown */
    bool has_seq;     /* end_seq is known: for messages and ticks, if the segments came in order */
    uint32_t end_seq; /* a TCP sequence number, the same at each capture point. MESSAGE, TICK: of the
                         byte after the last one (in TLS, within the record that ended it). CONN: of the
                         direction's next byte. EPMD, HANDSHAKE: of the first byte */
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

/* ds_event_is_raw says whether an event contains bytes as sent and nothing decoded. */
static inline bool ds_event_is_raw(const struct ds_event *event)
{
    return event->type == DS_EVENT_DATA || event->type == DS_EVENT_FRAME;
}

/* ds_event_is_of_tables says whether an event is only for counts and comparisons: outputs do not show
 * it. */
static inline bool ds_event_is_of_tables(const struct ds_event *event)
{
    return event->type == DS_EVENT_LOOKUP || event->type == DS_EVENT_PART;
}

DS_END_PUBLIC

#endif
