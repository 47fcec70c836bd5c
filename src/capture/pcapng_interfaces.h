/*
 * pcapng_interfaces.h - the link types of a pcapng file's packets. libpcap reads a file whose interfaces
 * all have one link type, and does not say which interface a packet is of. The interfaces are all made
 * Ethernet on their way there (pcapng_blocks.c), and here is which link type each packet has, in the order
 * in which libpcap gives them out.
 */
#ifndef SRC_PCAPNG_INTERFACES_H
#define SRC_PCAPNG_INTERFACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PCAPNG_INTERFACES_MAX = 4096,  /* in a section; packets of others have no link type */
    PCAPNG_WAITING_MAX = 1 << 16,  /* packets that have gone by and were not given out */
    PCAPNG_NO_LINK_TYPE = UINT16_MAX,
};

/* Zero-initialise it. */
struct pcapng_interfaces {
    uint16_t *link_type; /* of each interface of the section */
    size_t num, room;
    uint16_t *waiting; /* link types of packets, a ring */
    size_t at, num_waiting, waiting_room;
    uint16_t first_type; /* of the file's first interface whose packets can be read, else of the first */
    bool has_first;
    bool is_wrong; /* memory ran out, or too many packets wait: what packets are is not known any more */
};

/* pcapng_interfaces_section tells that a section begins, which has interfaces of its own;
 * pcapng_interfaces_add, of its next interface; pcapng_interfaces_packet, of a packet of one. */
void pcapng_interfaces_section(struct pcapng_interfaces *interfaces);
void pcapng_interfaces_add(struct pcapng_interfaces *interfaces, uint16_t link_type);
void pcapng_interfaces_packet(struct pcapng_interfaces *interfaces, uint32_t number);

/* pcapng_interfaces_next gives the link type of the next packet. False when that is not known. */
bool pcapng_interfaces_next(struct pcapng_interfaces *interfaces, uint32_t *link_type);

void pcapng_interfaces_free(struct pcapng_interfaces *interfaces);

#endif
