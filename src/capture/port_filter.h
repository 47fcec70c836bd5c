/*
 * port_filter.h - decides which packets pass: those that match the BPF expression, ICMP errors about
 * such packets, and those of the ports that EPMD and handshakes revealed. The same rule applies to live
 * captures and files. It is applied here to one packet after the other, in order, so that a port is
 * known before the first packet that needs it.
 */
#ifndef SRC_PORT_FILTER_H
#define SRC_PORT_FILTER_H

#include "capture/capture.h"

struct port_filter;

enum { MAX_DIST_PORTS = 64 };

/* port_filter_config says which packets the user wants. */
struct port_filter_config {
    char *expression;        /* BPF, NULL if there is none */
    const char *filter_file; /* file that contains it instead, or NULL */
    bool no_follow;          /* the expression alone decides */
    bool with_dns;           /* if there is no expression: also DNS questions and answers */
    bool all_packets;        /* if there is no expression: also packets that cannot contain TCP */
    uint16_t dist_ports[MAX_DIST_PORTS];
    size_t num_dist_ports;
};

/* port_filter_new reads the rule, which may be in a file, before privileges are dropped. NULL after an
 * error message. */
struct port_filter *port_filter_new(const struct port_filter_config *config, struct capture *capture);

/* port_filter_needs_names says whether the expression may contain names of hosts, networks or ports. To
 * resolve them, files are read and servers are queried: port_filter_begin must be called where that is
 * possible. */
bool port_filter_needs_names(const struct port_filter *follow);

/* port_filter_begin prepares the rule for all inputs of the capture, after capture_begin. Returns false
 * after an error message. */
bool port_filter_begin(struct port_filter *follow);

/* port_filter_widens says whether the kernel's filter may change after the capture has begun. If not,
 * port_filter_begin locks it. */
bool port_filter_widens(const struct port_filter *follow);

/* port_filter_pass says whether a packet passes. */
bool port_filter_pass(struct port_filter *follow, const struct ds_packet *packet);

/* port_filter_may_yet_pass says whether a packet that does not pass would pass if earlier packets
 * revealed its port. The packet must open a connection, so that nothing of it has been missed. */
bool port_filter_may_yet_pass(const struct port_filter *follow, const struct ds_packet *packet);

/* port_filter_learn adds a port, and reports it the first time if there is an expression. */
void port_filter_learn(struct port_filter *follow, uint16_t port, struct ds_text name);

void port_filter_free(struct port_filter *follow);

/* port_filter_strip_vlan copies an Ethernet packet without its VLAN tags. Returns false if it has none.
 * out has room for packet->cap_len bytes. */
bool port_filter_strip_vlan(const struct ds_packet *packet, uint8_t *out, uint32_t *cap_len,
                            uint32_t *len);

/* port_filter_kernel_expression returns the expression of the kernel's filter: everything that could
 * ever pass. excluded lists busy ports that were not learned. expression may be NULL. The caller frees
 * the result; NULL when memory ran out. */
char *port_filter_kernel_expression(const char *expression, const uint16_t *excluded,
                                    size_t num_excluded, bool with_vlan);

#endif
