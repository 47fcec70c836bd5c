/*
 * detect_parts.h - the parts of detect_connect.c, a file each: the stages of a connection until it
 * is up.
 */
#ifndef SRC_DETECT_PARTS_H
#define SRC_DETECT_PARTS_H

#include "analyse/findings/detect.h"

/* An initiator that closes after this time got no answer from the acceptor: by default it waits 7 s
 * (net_setuptime). */
#define ACCEPTOR_NS INT64_C(5000000000)

/* One that closes after this time has a shorter net_setuptime, or has ended. */
#define STALLED_NS INT64_C(1000000000)

/* Names and ports (detect_reach.c). detect_find_asked finds the latest answer of EPMD that led to
 * this connection, or to one of the other IP version if other_family. NULL: none did. */
void detect_epmd(struct detect *d, const struct ds_event *event);
/* detect_node_starts handles the first sign of a node on a host: that host has an EPMD. */
void detect_node_starts(struct detect *d, const struct ds_addr *addr);
void detect_epmd_left(struct detect *d, const struct ds_event *event); /* of a connection to EPMD */
void detect_unreachable(struct detect *d, const struct ds_event *event);
void detect_reach_time(struct detect *d, bool at_end);
const struct epmd_lookup *detect_find_asked(const struct detect *d, const struct ds_conn *conn,
                                            int64_t ts_ns, bool other_family);

/* detect_accepts records that a link is up: its port accepts connections, at that address. */
void detect_accepts(struct detect *d, const struct ds_endpoint *end);

/* detect_find_told finds the latest answer of EPMD with this address and port, to any client, or
 * returns NULL. */
const struct epmd_lookup *detect_find_told(const struct detect *d, const struct ds_endpoint *end);

/* Clients that are not nodes (detect_scan.c). detect_add_nodes_host records an address of a node;
 * detect_scan_end handles a connection that has ended without a handshake. */
void detect_add_nodes_host(struct detect *d, const struct ds_addr *addr);
void detect_scan_epmd(struct detect *d, const struct ds_event *event);
void detect_scan_end(struct detect *d, const struct ds_event *event);
void detect_scan_time(struct detect *d, bool at_end);

/* Names that do not resolve (detect_names.c). detect_add_host and detect_add_name record nodes;
 * detect_add_host returns true for a host without a node so far. detect_dials records that a host
 * connects to an EPMD: its lookup was answered. */
void detect_lookup(struct detect *d, const struct ds_event *event);
void detect_lookup_time(struct detect *d, bool at_end);
bool detect_add_host(struct detect *d, const struct ds_addr *addr);
void detect_add_name(struct detect *d, struct ds_text name);
void detect_dials(struct detect *d, const struct ds_addr *client);

/* The steps of a handshake (detect_handshake.c), and why it was ended (detect_refusal.c). */
void detect_handshake(struct detect *d, const struct ds_event *event);
void detect_refusal(struct detect *d, const struct ds_event *event, struct conn_watch *w);

/* detect_lacking handles the status not_allowed. True: missing flags explain it, which is reported. */
bool detect_lacking(struct detect *d, const struct ds_event *event, const struct conn_watch *w);

/* Simultaneous attempts of both sides (detect_simultaneous.c). detect_dialled handles a status that
 * says so; is_kept: this attempt is to go on. detect_gave_way says whether a connection is the one
 * that had to be closed. */
void detect_dialled(struct detect *d, const struct ds_event *event, bool is_kept);
void detect_dialled_up(struct detect *d, const struct ds_event *event);
bool detect_gave_way(const struct detect *d, const struct ds_conn *conn);
void detect_dialled_time(struct detect *d);

#endif
