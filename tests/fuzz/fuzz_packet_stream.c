/*
 * fuzz_packet_stream.c - what packet servers send. The first byte says in which pieces the bytes
 * arrive and, with the top bit set, that they arrive as two connections. The output is the same for
 * any pieces, and is never longer than the input.
 */
#include "send/stream/packet_stream.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check(bool holds)
{
    if (!holds)
        abort();
}

/* feed passes len bytes in pieces, as one connection. */
static bool feed(struct packet_stream *stream, const uint8_t *data, size_t len, size_t piece,
                 struct ds_buffer *out)
{
    size_t taken = 0;
    bool is_good = true;
    for (size_t end = piece < len ? piece : len; is_good; end = len - end < piece ? len : end + piece) {
        /* A copy in a block of its own, so that the sanitizer notices a read beyond its end. */
        uint8_t *copy = malloc(end - taken + 1);
        check(copy != NULL);
        memcpy(copy, data + taken, end - taken);
        const struct ds_text text = {(const char *)copy, end - taken};
        size_t left;
        is_good = packet_stream_read(stream, text, &left, out);
        taken = end - left;
        free(copy);
        check(is_good == (stream->wrong == NULL));
        if (end == len)
            break;
    }
    return is_good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct ds_buffer at_once = {0}, in_pieces = {0};
    struct packet_stream one = {0}, other = {0};
    if (len == 0)
        return 0;
    const size_t piece = (size_t)(data[0] & 0x7f) + 1;
    const bool comes_again = data[0] >= 0x80;
    data++;
    len--;
    for (int i = 0; i <= comes_again; i++) {
        check(feed(&one, data, len, len + 1, &at_once) == feed(&other, data, len, piece, &in_pieces));
        packet_stream_restart(&one);
        packet_stream_restart(&other);
    }
    check(at_once.len == in_pieces.len && at_once.len <= 2 * len);
    check(at_once.len == 0 || memcmp(at_once.data, in_pieces.data, at_once.len) == 0);
    ds_buffer_free(&at_once);
    ds_buffer_free(&in_pieces);
    return 0;
}
