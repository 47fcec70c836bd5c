/*
 * fields_end.h - the end of fields.def: undefines all of its macros.
 */
#undef HEAD_FIELD
#undef EPMD_FIELD
#undef EPMD_NODE_FIELD
#undef HANDSHAKE_FIELD
#undef CONN_FIELD
#undef TLS_FIELD
#undef COUNTERS_FIELD
#undef MESSAGE_FIELD
#undef TOKEN_FIELD
#undef GAP_FIELD
#undef STREAM_FIELD
#undef STALL_FIELD
#undef LINK_FACTS_FIELD
#undef SIDE_FIELD
#undef ROUND_TRIP_FIELD
#undef SOCKET_FIELD
#undef NOTE_FIELD
#undef WAITED_FIELD
#undef WAITED_MESSAGE_FIELD
#undef TROUBLE_FIELD
#undef FAULT_FIELD
#undef GUESS_FIELD
#undef GUESS_ATOM_FIELD
#undef CALL_FIELD
#undef PARTY_FIELD
#undef MONITOR_FIELD
#undef FINDING_FIELD
#undef PACKET_FIELD
#undef TIMELINE_FIELD
#undef LOST_FIELD
#undef TCP_FIELD
#undef FIELD
