/*
 * community_id.h - the name of a connection in Zeek, Suricata, Wireshark and other programs, by which
 * their data about it can be joined (Community ID Flow Hashing, version 1):
 *
 *   "1:" base64(SHA-1(seed:2 address:4|16 address:4|16 protocol:1 0:1 port:2 port:2))
 *
 * The smaller end, by address and then by port, comes first; the seed is 0.
 */
#ifndef SRC_COMMUNITY_ID_H
#define SRC_COMMUNITY_ID_H

#include <distsniff/event.h>

enum { COMMUNITY_ID_SIZE = 31 }; /* including the NUL */

/* community_id_print writes the id of a TCP connection between these two ends. Returns false if
 * libcrypto has no SHA-1. */
bool community_id_print(const struct ds_endpoint ends[2], char out[COMMUNITY_ID_SIZE]);

#endif
