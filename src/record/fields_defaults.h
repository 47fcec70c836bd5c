/*
 * fields_defaults.h - macros of fields.def that the including file did not define become empty, or
 * FIELD. Only fields.def includes this file, each time: it has no guard.
 */
#ifndef FIELD
#define FIELD(record, name, kind, when, value, help)
#endif
#ifndef HEAD_FIELD
#define HEAD_FIELD(name, kind, when, value, help) FIELD(head, name, kind, when, value, help)
#endif
#ifndef EPMD_FIELD
#define EPMD_FIELD(name, kind, when, value, help) FIELD(epmd, name, kind, when, value, help)
#endif
#ifndef EPMD_NODE_FIELD
#define EPMD_NODE_FIELD(name, kind, when, value, help)                                             \
    FIELD(epmd_node, name, kind, when, value, help)
#endif
#ifndef HANDSHAKE_FIELD
#define HANDSHAKE_FIELD(name, kind, when, value, help)                                             \
    FIELD(handshake, name, kind, when, value, help)
#endif
#ifndef CONN_FIELD
#define CONN_FIELD(name, kind, when, value, help) FIELD(conn, name, kind, when, value, help)
#endif
#ifndef TLS_FIELD
#define TLS_FIELD(name, kind, when, value, help) FIELD(tls, name, kind, when, value, help)
#endif
#ifndef COUNTERS_FIELD
#define COUNTERS_FIELD(name, kind, when, value, help) FIELD(counters, name, kind, when, value, help)
#endif
#ifndef MESSAGE_FIELD
#define MESSAGE_FIELD(name, kind, when, value, help) FIELD(message, name, kind, when, value, help)
#endif
#ifndef TOKEN_FIELD
#define TOKEN_FIELD(name, kind, when, value, help) FIELD(token, name, kind, when, value, help)
#endif
#ifndef GAP_FIELD
#define GAP_FIELD(name, kind, when, value, help) FIELD(gap, name, kind, when, value, help)
#endif
#ifndef STREAM_FIELD
#define STREAM_FIELD(name, kind, when, value, help) FIELD(stream, name, kind, when, value, help)
#endif
#ifndef STALL_FIELD
#define STALL_FIELD(name, kind, when, value, help) FIELD(stall, name, kind, when, value, help)
#endif
#ifndef LINK_FACTS_FIELD
#define LINK_FACTS_FIELD(name, kind, when, value, help)                                            \
    FIELD(link_facts, name, kind, when, value, help)
#endif
#ifndef SIDE_FIELD
#define SIDE_FIELD(name, kind, when, value, help) FIELD(side, name, kind, when, value, help)
#endif
#ifndef ROUND_TRIP_FIELD
#define ROUND_TRIP_FIELD(name, kind, when, value, help)                                            \
    FIELD(round_trip, name, kind, when, value, help)
#endif
#ifndef SOCKET_FIELD
#define SOCKET_FIELD(name, kind, when, value, help) FIELD(socket, name, kind, when, value, help)
#endif
#ifndef NOTE_FIELD
#define NOTE_FIELD(name, kind, when, value, help) FIELD(note, name, kind, when, value, help)
#endif
#ifndef WAITED_FIELD
#define WAITED_FIELD(name, kind, when, value, help) FIELD(waited, name, kind, when, value, help)
#endif
#ifndef WAITED_MESSAGE_FIELD
#define WAITED_MESSAGE_FIELD(name, kind, when, value, help)                                        \
    FIELD(waited_message, name, kind, when, value, help)
#endif
#ifndef TROUBLE_FIELD
#define TROUBLE_FIELD(name, kind, when, value, help) FIELD(trouble, name, kind, when, value, help)
#endif
#ifndef FAULT_FIELD
#define FAULT_FIELD(name, kind, when, value, help) FIELD(fault, name, kind, when, value, help)
#endif
#ifndef GUESS_FIELD
#define GUESS_FIELD(name, kind, when, value, help) FIELD(guess, name, kind, when, value, help)
#endif
#ifndef GUESS_ATOM_FIELD
#define GUESS_ATOM_FIELD(name, kind, when, value, help)                                            \
    FIELD(guess_atom, name, kind, when, value, help)
#endif
#ifndef CALL_FIELD
#define CALL_FIELD(name, kind, when, value, help) FIELD(call, name, kind, when, value, help)
#endif
#ifndef PARTY_FIELD
#define PARTY_FIELD(name, kind, when, value, help) FIELD(party, name, kind, when, value, help)
#endif
#ifndef MONITOR_FIELD
#define MONITOR_FIELD(name, kind, when, value, help) FIELD(monitor, name, kind, when, value, help)
#endif
#ifndef FINDING_FIELD
#define FINDING_FIELD(name, kind, when, value, help) FIELD(finding, name, kind, when, value, help)
#endif
#ifndef PACKET_FIELD
#define PACKET_FIELD(name, kind, when, value, help) FIELD(packet, name, kind, when, value, help)
#endif
#ifndef TIMELINE_FIELD
#define TIMELINE_FIELD(name, kind, when, value, help) FIELD(timeline, name, kind, when, value, help)
#endif
#ifndef LOST_FIELD
#define LOST_FIELD(name, kind, when, value, help) FIELD(lost, name, kind, when, value, help)
#endif
#ifndef TCP_FIELD
#define TCP_FIELD(name, kind, when, value, help) SIDE_FIELD(name, kind, when, value, help)
#endif
