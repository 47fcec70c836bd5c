/*
 * page_gzip.c - see page_gzip.h. base64 makes four characters of three bytes: an incomplete group
 * waits for more bytes.
 */
#include "ui/page/page_gzip.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { PACK_LEN = 3 * 8192, GZIP_WINDOW = 15 + 16, MEMORY_LEVEL = 8, SMALL = 6, QUICK = 1 };

struct page_gzip {
    z_stream stream;
    struct ds_buffer *out;
    unsigned char packed[PACK_LEN];
    size_t len; /* of packed */
};

struct page_gzip *page_gzip_new(struct ds_buffer *out, bool is_quick)
{
    struct page_gzip *pack = calloc(1, sizeof *pack);
    if (pack == NULL)
        return NULL;
    pack->out = out;
    if (deflateInit2(&pack->stream, is_quick ? QUICK : SMALL, Z_DEFLATED, GZIP_WINDOW,
                     MEMORY_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK)
        return pack;
    free(pack);
    return NULL;
}

static void write_out(struct page_gzip *pack, bool is_last)
{
    const size_t rest = is_last ? 0 : pack->len % 3;
    const size_t whole = pack->len - rest;
    ds_buffer_add_base64(pack->out, pack->packed, whole);
    memmove(pack->packed, pack->packed + whole, rest);
    pack->len = rest;
}

static void pack_all(struct page_gzip *pack, int flush)
{
    int status;
    do {
        pack->stream.next_out = pack->packed + pack->len;
        pack->stream.avail_out = (uInt)(PACK_LEN - pack->len);
        status = deflate(&pack->stream, flush);
        pack->len = PACK_LEN - pack->stream.avail_out;
        if (pack->stream.avail_out == 0)
            write_out(pack, false);
    } while (pack->stream.avail_in != 0 || (flush == Z_FINISH && status == Z_OK));
}

void page_gzip_add(struct page_gzip *pack, const void *text, size_t len)
{
    enum { AT_ONCE = 1 << 30 };
    const unsigned char *at = text;
    while (len != 0) {
        const size_t part = len < AT_ONCE ? len : AT_ONCE;
        pack->stream.next_in = (unsigned char *)(uintptr_t)at; /* it is only read */
        pack->stream.avail_in = (uInt)part;
        pack_all(pack, Z_NO_FLUSH);
        at += part;
        len -= part;
    }
}

void page_gzip_end(struct page_gzip *pack)
{
    pack->stream.avail_in = 0;
    pack_all(pack, Z_FINISH);
    write_out(pack, true);
    deflateEnd(&pack->stream);
    free(pack);
}
