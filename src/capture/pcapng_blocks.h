/*
 * pcapng_blocks.h - reads from the bytes of a pcapng file, on their way to libpcap, what libpcap ignores:
 * the secrets of TLS connections, the resolution of time stamps, the mark of pseudo packets, and the link
 * types of packets, of which libpcap accepts only one.
 */
#ifndef SRC_PCAPNG_BLOCKS_H
#define SRC_PCAPNG_BLOCKS_H

#include "capture/pcapng_interfaces.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DESCRIPTION_MAX = 512,
    SECRETS_LINE_MAX = 513, /* one more than the maximum length of a line of a key log */
};

/* secrets_sink receives the secrets. */
struct secrets_sink {
    /* take receives a line of a key log, without its line end, cut off after SECRETS_LINE_MAX bytes; an
     * empty line at the beginning of each block. */
    void (*take)(void *context, const char *line, size_t len);
    void *context;
};

/* pcapng_blocks is the state of a file: all zero, except sink and interfaces, before the first byte. */
struct pcapng_blocks {
    const struct secrets_sink *sink;
    /* Where it is there, all interfaces become Ethernet, without a limit of how long packets are. A simple
     * packet is then as long as its block: pcapng_interfaces_next says how long it is in truth. */
    struct pcapng_interfaces *interfaces;
    enum { BLOCK_FIRST, BLOCK_HEAD, BLOCK_SECRETS, BLOCK_SKIPPED, BLOCK_NONE } state;
    bool swapped; /* numbers are in the opposite byte order */
    uint8_t head[16];
    size_t head_len;
    uint64_t left; /* bytes of the text, or of the skipped block */
    uint64_t rest; /* bytes of the block after the text */
    uint32_t type; /* of the skipped block */
    uint8_t fixed[8]; /* the beginning of its body */
    size_t fixed_len;
    uint32_t simple_room; /* how many bytes of a simple packet the block has, with what pads them */
    struct pcapng_description {
        uint8_t bytes[DESCRIPTION_MAX]; /* the beginning, as much as there is room for */
        size_t len;
        bool swapped;
    } section, interface, *in; /* the first section, one interface; in: which one is being read */
    char line[SECRETS_LINE_MAX];
    size_t line_len;
};

/* pcapng_blocks_see processes the next bytes of a file, in whatever format, and overwrites secrets with
 * zeros. Returns whether there were any. */
bool pcapng_blocks_see(struct pcapng_blocks *blocks, uint8_t *bytes, size_t len);

/* pcapng_blocks_has_nanoseconds says whether an interface so far has time stamps finer than
 * microseconds. */
bool pcapng_blocks_has_nanoseconds(const struct pcapng_blocks *blocks);

/* pcapng_blocks_made_key returns the number that marks packets from a snapshot in the file
 * (pseudo_packet.h); 0: there is none. */
uint32_t pcapng_blocks_made_key(const struct pcapng_blocks *blocks);

/* pcapng_blocks_clear wipes the rest of a line. */
void pcapng_blocks_clear(struct pcapng_blocks *blocks);

#endif
