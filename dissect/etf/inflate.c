/*
 * inflate.c - a compressed term (erl_ext_dist, "Compressed terms"): the tag 80, the length of
 * the contents (4 bytes), zlib data (RFC 1950). The contents are a term without 131.
 */
#include "etf/term_token.h"

#include <limits.h>
#define ZLIB_CONST
#include <zlib.h>

enum {
    /* the best that deflate can do: 258 bytes from a match of 2 bits */
    INFLATE_RATIO_MAX = 1032,
    INFLATE_LEN_MIN = 64, /* allowance for short data */
};

static enum term_status inflate_into(struct cursor *at, uint8_t *room, uint32_t len, const char **what)
{
    size_t left = cursor_left(at);
    z_stream stream = {0};
    if (inflateInit(&stream) != Z_OK)
        return token_malformed(what, "no memory to inflate a compressed term");
    stream.next_in = at->at;
    stream.avail_in = left < UINT_MAX ? (uInt)left : UINT_MAX;
    stream.next_out = room;
    stream.avail_out = len;
    int result = inflate(&stream, Z_FINISH);
    size_t used = stream.total_in;
    bool full = stream.avail_out == 0;
    bool empty = stream.avail_in == 0; /* the checksum at the end may be missing */
    inflateEnd(&stream);

    if (result == Z_STREAM_END)
        return full && cursor_skip(at, used)
                   ? TERM_OK
                   : token_malformed(what, "compressed term is shorter than it says");
    if (result == Z_BUF_ERROR && full && !empty)
        return token_malformed(what, "compressed term is longer than it says");
    if (result == Z_BUF_ERROR || result == Z_OK)
        return token_cut(what);
    return token_malformed(what, "compressed term is not zlib data");
}

enum term_status term_inflate(struct cursor *at, struct arena *arena, uint64_t max_len,
                              struct cursor *out, bool *capped, const char **what)
{
    struct cursor c = *at;
    const char *ignored;
    uint8_t tag;
    uint32_t len;
    what = what != NULL ? what : &ignored;
    *capped = false;
    if (!cursor_read_u8(&c, &tag) || !cursor_read_u32(&c, &len))
        return token_cut(what);
    if (tag != TOKEN_TAG_COMPRESSED)
        return token_malformed(what, "term is not compressed");
    if (len == 0 || len / INFLATE_RATIO_MAX > cursor_left(&c) + INFLATE_LEN_MIN)
        return token_malformed(what, "length of a compressed term cannot be true");
    *capped = true;
    if (len > max_len)
        return token_malformed(what, "compressed term is larger than allowed");
    uint8_t *room = arena_alloc(arena, len);
    if (room == NULL)
        return token_malformed(what, "no memory for a compressed term");
    *capped = false;
    enum term_status status = inflate_into(&c, room, len, what);
    if (status != TERM_OK)
        return status;
    *out = cursor_make(room, len);
    *at = c;
    return TERM_OK;
}
