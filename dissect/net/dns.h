/*
 * dns.h - questions for the addresses of hosts, and the answers, as far as one has to know them to
 * say that a name does not resolve.
 */
#ifndef DISSECT_DNS_H
#define DISSECT_DNS_H

#include "util/cursor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DNS_NAME_LEN = 255 };

struct dns_message {
    uint16_t id, type;
    uint8_t code;
    bool is_answer, has_address;
    size_t name_len;
    char name[DNS_NAME_LEN]; /* any bytes but upper-case letters, labels with dots between */
};

/* dns_is_port says whether a UDP header is that of a packet to or from the port of DNS. */
bool dns_is_port(struct cursor udp);

/* dns_read reads a UDP packet. False when it is no question for one name, nor its answer, or is cut
 * before it says so; records that are cut count as not there. */
bool dns_read(struct cursor udp, uint16_t *src_port, uint16_t *dst_port, struct dns_message *out);

#endif
