/*
 * fuzz_pcapng_blocks.c - the pcapng blocks that libpcap skips, and the link types of the packets.
 * The first byte says in which pieces the file arrives; the file follows.
 */
#include "capture/pcapng_blocks.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void take(void *context, const char *line, size_t len)
{
    size_t *num = context;
    if (len > SECRETS_LINE_MAX || memchr(line, '\n', len) != NULL)
        abort();
    *num += len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    size_t num = 0;
    const struct secrets_sink sink = {take, &num};
    struct pcapng_interfaces interfaces = {0};
    struct pcapng_blocks blocks = {.sink = &sink, .interfaces = &interfaces};
    struct pcapng_packet packet;
    bool has_secrets = false;
    if (len == 0)
        return 0;
    const size_t piece = (size_t)data[0] + 1;
    for (size_t at = 1; at < len; at += piece) {
        const size_t piece_len = len - at < piece ? len - at : piece;
        uint8_t *bytes = malloc(piece_len);
        if (bytes == NULL)
            break;
        memcpy(bytes, data + at, piece_len);
        has_secrets |= pcapng_blocks_see(&blocks, bytes, piece_len);
        free(bytes);
    }
    (void)pcapng_blocks_has_nanoseconds(&blocks);
    size_t num_packets = 0;
    while (pcapng_interfaces_next(&interfaces, &packet)) {
        if (++num_packets > len || packet.cap_max > packet.len)
            abort();
    }
    pcapng_interfaces_free(&interfaces);
    if (num > len || (num != 0 && !has_secrets))
        abort();
    return 0;
}
