/*
 * pcapng_interfaces.h - the link types of a pcapng file's packets. libpcap only reads a file whose
 * interfaces all have one link type, and does not report the interface of a packet. So pcapng_blocks.c
 * turns all interfaces into Ethernet before libpcap sees them, and this keeps the true link type of each
 * packet, in the order in which libpcap returns them.
 */
#ifndef SRC_PCAPNG_INTERFACES_H
#define SRC_PCAPNG_INTERFACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PCAPNG_INTERFACES_MAX = 4096,  /* in a section; packets of others have no link type */
    PCAPNG_WAITING_MAX = 1 << 16,  /* packets that libpcap has not returned yet */
    PCAPNG_NO_LINK_TYPE = UINT16_MAX,
};

/* pcapng_interfaces is the state for a file. Zero-initialise it. */
struct pcapng_interfaces {
    uint16_t *link_type; /* of each interface of the section */
    size_t num, room;
    uint16_t *waiting; /* link types of the packets to come, a ring */
    size_t at, num_waiting, waiting_room;
    uint16_t first_type; /* of the first interface whose packets can be read; if there is none, of
                          * the first */
    bool has_first;
    bool is_wrong; /* memory ran out, or too many packets wait: link types are unknown */
};

/* pcapng_interfaces_section begins a section, which has its own interfaces; pcapng_interfaces_add adds its
 * next interface; pcapng_interfaces_packet adds a packet of interface `number`. */
void pcapng_interfaces_section(struct pcapng_interfaces *interfaces);
void pcapng_interfaces_add(struct pcapng_interfaces *interfaces, uint16_t link_type);
void pcapng_interfaces_packet(struct pcapng_interfaces *interfaces, uint32_t number);

/* pcapng_interfaces_next returns the link type of the next packet; false if it is unknown. */
bool pcapng_interfaces_next(struct pcapng_interfaces *interfaces, uint32_t *link_type);

void pcapng_interfaces_free(struct pcapng_interfaces *interfaces);

#endif
