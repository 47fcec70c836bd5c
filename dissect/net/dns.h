/*
 * dns.h - questions for the addresses of hosts, and the answers, as far as needed to report that a
 * name does not resolve.
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
    char name[DNS_NAME_LEN]; /* any bytes except upper-case letters, labels separated by dots */
};

/* dns_is_port says whether a UDP header has the port of DNS as source or destination. */
bool dns_is_port(struct cursor udp);

/* dns_read reads a UDP packet. False if it is not a question for one name or the answer to one, or
 * is truncated before that is clear. Truncated records do not count. */
bool dns_read(struct cursor udp, uint16_t *src_port, uint16_t *dst_port, struct dns_message *out);

#endif
