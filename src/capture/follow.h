/*
 * follow.h - which packets pass: those that match the BPF expression, errors of ICMP about such
 * packets, and those of the ports that EPMD and handshakes revealed. The same rule holds live and
 * for files, and it is applied here, packet by packet in their order, so that a port is known
 * before the first packet that needs it is judged.
 */
#ifndef SRC_FOLLOW_H
#define SRC_FOLLOW_H

#include "capture.h"

struct follow;

enum { MAX_DIST_PORTS = 64 };

/* follow_config says which packets are wanted. */
struct follow_config {
    char *expression;        /* BPF, NULL when there is none */
    const char *filter_file; /* that has it instead, or NULL */
    bool no_follow;          /* the expression as it stands */
    bool with_dns;           /* without an expression: also questions of DNS and answers */
    bool all_packets;        /* without an expression: also those that cannot hold TCP */
    uint16_t dist_ports[MAX_DIST_PORTS];
    size_t num_dist_ports;
};

/* follow_new reads the rule, before rights are given up: it may be in a file. NULL after a
 * complaint. */
struct follow *follow_new(const struct follow_config *config, struct capture *capture);

/* follow_needs_names says whether the expression may hold names of hosts, networks or ports, for
 * which files are read and servers asked: then follow_begin is to be called where that can be
 * done. */
bool follow_needs_names(const struct follow *follow);

/* follow_begin prepares the rule for all inputs of the capture, when they have begun. False after
 * a complaint. */
bool follow_begin(struct follow *follow);

/* follow_widens says whether the kernel's filter may change once the capture has begun. Where it does not,
 * follow_begin locks it. */
bool follow_widens(const struct follow *follow);

/* follow_pass says whether a packet passes. */
bool follow_pass(struct follow *follow, const struct ds_packet *packet);

/* follow_may_yet_pass says whether a packet that does not pass would if its port were learned from what
 * was captured before it, and nothing of its connection has been seen without it: it opens one. */
bool follow_may_yet_pass(const struct follow *follow, const struct ds_packet *packet);

/* follow_learn adds a port, and says so the first time when there is an expression. */
void follow_learn(struct follow *follow, uint16_t port, struct ds_text name);

void follow_free(struct follow *follow);

/* follow_strip_vlan copies an Ethernet packet without its VLAN tags; false when it has none.
 * out has room for packet->cap_len bytes. */
bool follow_strip_vlan(const struct ds_packet *packet, uint8_t *out, uint32_t *cap_len,
                       uint32_t *len);

/* follow_kernel_expression writes the expression of the kernel's filter: all that could ever
 * pass. excluded are busy ports that nobody learned. expression may be NULL. To be freed;
 * NULL when memory ran out. */
char *follow_kernel_expression(const char *expression, const uint16_t *excluded,
                               size_t num_excluded, bool with_vlan);

#endif
