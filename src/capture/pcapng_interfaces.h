/*
 * pcapng_interfaces.h - the link types of a pcapng file's packets. libpcap reads a file whose interfaces
 * all have one link type, and does not say which interface a packet is of. The interfaces are all made
 * Ethernet on their way there (pcapng_blocks.c), and here is which link type each packet has, in the order
 * in which libpcap gives them out; and how long a simple one is, whose interface limits it.
 */
#ifndef SRC_PCAPNG_INTERFACES_H
#define SRC_PCAPNG_INTERFACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PCAPNG_INTERFACES_MAX = 1 << 16, /* in a section; packets of others have no link type */
    PCAPNG_WAITING_MAX = 1 << 16,  /* packets that have gone by and were not given out */
    PCAPNG_NO_LINK_TYPE = UINT16_MAX,
};

struct pcapng_packet {
    uint16_t link_type;
    bool is_simple; /* then the packet has this length, and at most so many bytes of it are in the file */
    uint32_t len, cap_max;
};

/* Zero-initialise it. */
struct pcapng_interfaces {
    uint16_t *link_type; /* of each interface of the section */
    size_t num, room;
    uint32_t snap_len; /* of the section's first interface; 0: it has no limit */
    struct pcapng_packet *waiting; /* a ring */
    size_t at, num_waiting, waiting_room;
    uint16_t first_type; /* of the first interface whose packets can be read; if there is none, of
                          * the first */
    bool has_first;
    bool is_wrong; /* memory ran out, or too many packets wait: link types are unknown */
};

/* pcapng_interfaces_section tells that a section begins, which has interfaces of its own;
 * pcapng_interfaces_add, of its next interface; pcapng_interfaces_packet, of a packet of one;
 * pcapng_interfaces_simple_packet, of one of the first, of which the file only says how long it was. */
void pcapng_interfaces_section(struct pcapng_interfaces *interfaces);
void pcapng_interfaces_add(struct pcapng_interfaces *interfaces, uint16_t link_type, uint32_t snap_len);
void pcapng_interfaces_packet(struct pcapng_interfaces *interfaces, uint32_t number);
void pcapng_interfaces_simple_packet(struct pcapng_interfaces *interfaces, uint32_t len);

/* pcapng_interfaces_next gives what is known of the next packet. False when nothing is. */
bool pcapng_interfaces_next(struct pcapng_interfaces *interfaces, struct pcapng_packet *packet);

void pcapng_interfaces_free(struct pcapng_interfaces *interfaces);

#endif
