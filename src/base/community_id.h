/*
 * community_id.h - the name that Zeek, Suricata, Wireshark and others give a connection, so that what
 * they know of it can be joined (Community ID Flow Hashing, version 1):
 *
 *   "1:" base64(SHA-1(seed:2 address:4|16 address:4|16 protocol:1 0:1 port:2 port:2))
 *
 * The smaller end, by address and then by port, comes first; the seed is 0.
 */
#ifndef SRC_COMMUNITY_ID_H
#define SRC_COMMUNITY_ID_H

#include <distsniff/event.h>

/* community_id_print appends that of a TCP connection between these two ends. */
void community_id_print(const struct ds_endpoint ends[2], struct ds_buffer *out);

#endif
