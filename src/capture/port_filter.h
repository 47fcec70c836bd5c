/*
 * port_filter.h - which packets pass: those that match the BPF expression, errors of ICMP about such
 * packets, and those of the ports that EPMD and handshakes revealed. The same rule holds live and
 * for files, and it is applied here, packet by packet in their order, so that a port is known
 * before the first packet that needs it is judged.
 */
#ifndef SRC_PORT_FILTER_H
#define SRC_PORT_FILTER_H

#include "capture/capture.h"

struct port_filter;

enum { MAX_DIST_PORTS = 64 };

/* port_filter_config says which packets are wanted. */
struct port_filter_config {
    char *expression;        /* BPF, NULL when there is none */
    const char *filter_file; /* that has it instead, or NULL */
    bool no_follow;          /* the expression as it stands */
    bool with_dns;           /* without an expression: also questions of DNS and answers */
    bool all_packets;        /* without an expression: also those that cannot hold TCP */
    uint16_t dist_ports[MAX_DIST_PORTS];
    size_t num_dist_ports;
};

/* port_filter_new reads the rule, before rights are given up: it may be in a file. NULL after a
 * complaint. */
struct port_filter *port_filter_new(const struct port_filter_config *config, struct capture *capture);

/* port_filter_needs_names says whether the expression may hold names of hosts, networks or ports, for
 * which files are read and servers asked: then port_filter_begin is to be called where that can be
 * done. */
bool port_filter_needs_names(const struct port_filter *follow);

/* port_filter_begin prepares the rule for all inputs of the capture, when they have begun. False after
 * a complaint. */
bool port_filter_begin(struct port_filter *follow);

/* port_filter_widens says whether the kernel's filter may change once the capture has begun. Where it
 * does not,
 * port_filter_begin locks it. */
bool port_filter_widens(const struct port_filter *follow);

/* port_filter_pass says whether a packet passes. */
bool port_filter_pass(struct port_filter *follow, const struct ds_packet *packet);

/* port_filter_may_yet_pass says whether a packet that does not pass would if its port were learned
 * from what
 * was captured before it, and nothing of its connection has been seen without it: it opens one. */
bool port_filter_may_yet_pass(const struct port_filter *follow, const struct ds_packet *packet);

/* port_filter_learn adds a port, and says so the first time when there is an expression. */
void port_filter_learn(struct port_filter *follow, uint16_t port, struct ds_text name);

void port_filter_free(struct port_filter *follow);

/* port_filter_strip_vlan copies an Ethernet packet without its VLAN tags; false when it has none.
 * out has room for packet->cap_len bytes. */
bool port_filter_strip_vlan(const struct ds_packet *packet, uint8_t *out, uint32_t *cap_len,
                            uint32_t *len);

/* port_filter_kernel_expression writes the expression of the kernel's filter: all that could ever
 * pass. excluded are busy ports that nobody learned. expression may be NULL. To be freed;
 * NULL when memory ran out. */
char *port_filter_kernel_expression(const char *expression, const uint16_t *excluded,
                                    size_t num_excluded, bool with_vlan);

#endif
