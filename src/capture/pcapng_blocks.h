/*
 * pcapng_blocks.h - what a pcapng file says that libpcap passes over, found as its bytes go by
 * on their way there: the secrets of TLS connections, how exact time stamps are, and what marks
 * packets that stand for the past.
 */
#ifndef SRC_PCAPNG_BLOCKS_H
#define SRC_PCAPNG_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DESCRIPTION_MAX = 512,
    SECRETS_LINE_MAX = 513, /* one more than a line of a key log may have */
};

/* secrets_sink takes what is found. */
struct secrets_sink {
    /* A line of a key log, without its end, which is cut behind SECRETS_LINE_MAX; an empty one at
     * the beginning of each block. */
    void (*take)(void *context, const char *line, size_t len);
    void *context;
};

/* pcapng_blocks: all zero but for sink before the first byte. */
struct pcapng_blocks {
    const struct secrets_sink *sink;
    enum { BLOCK_FIRST, BLOCK_HEAD, BLOCK_SECRETS, BLOCK_SKIPPED, BLOCK_NONE } state;
    bool swapped; /* numbers are in the other byte order than ours */
    uint8_t head[16];
    size_t head_len;
    uint64_t left; /* of the text, or of what is passed over */
    uint64_t rest; /* of the block behind the text */
    struct pcapng_description {
        uint8_t bytes[DESCRIPTION_MAX]; /* as many as there is room for */
        size_t len;
        bool swapped;
    } section, interface, *in; /* the first of each; in: which one is being read */
    char line[SECRETS_LINE_MAX];
    size_t line_len;
};

/* pcapng_blocks_see looks at the next bytes of a file, of whatever form, and puts zeros where
 * secrets were. Returns whether there were any. */
bool pcapng_blocks_see(struct pcapng_blocks *blocks, uint8_t *bytes, size_t len);

/* pcapng_blocks_has_nanoseconds says whether the first interface has time stamps of more than
 * microseconds. */
bool pcapng_blocks_has_nanoseconds(const struct pcapng_blocks *blocks);

/* pcapng_blocks_made_key returns the number that marks packets of the file which stand for the past
 * (pseudo_packet.h); 0: none. */
uint32_t pcapng_blocks_made_key(const struct pcapng_blocks *blocks);

/* pcapng_blocks_clear wipes what is left of a line. */
void pcapng_blocks_clear(struct pcapng_blocks *blocks);

#endif
