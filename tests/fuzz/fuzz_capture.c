/*
 * fuzz_capture.c - whole captures: the input is a pcap file (either byte order; a magic
 * number that is none is taken for little-endian), and as much of it as makes sense is
 * given to a session.
 *
 *   file header   magic:4 major:2 minor:2 zone:4 accuracy:4 snap_len:4 link_type:4
 *   packet        seconds:4 fraction:4 cap_len:4 len:4, then cap_len bytes
 */
#include "fuzz_conn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static bool read_number(struct cursor *c, bool big, uint32_t *out)
{
    if (!cursor_read_u32(c, out))
        return false;
    if (!big)
        *out = __builtin_bswap32(*out);
    return true;
}

static bool read_packet(struct cursor *c, bool big, struct ds_packet *packet)
{
    uint32_t seconds, fraction, cap_len, len;
    struct cursor bytes;
    if (!read_number(c, big, &seconds) || !read_number(c, big, &fraction) ||
        !read_number(c, big, &cap_len) || !read_number(c, big, &len))
        return false;
    if (!cursor_child(c, cap_len, &bytes)) {
        bytes = *c;
        c->at = c->end;
    }
    packet->ts_ns = (int64_t)seconds * 1000000000 + (int64_t)fraction * 1000;
    packet->frame++;
    packet->data = bytes.at;
    packet->cap_len = (uint32_t)cursor_left(&bytes);
    packet->len = len > packet->cap_len ? len : packet->cap_len;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    enum { MAGIC = 0xa1b2c3d4, REST_OF_HEADER_LEN = 16 };
    struct cursor c = cursor_make(data, len);
    struct ds_packet packet = {0};
    struct ds_config config;
    uint32_t magic;

    if (!cursor_read_u32(&c, &magic) || !cursor_skip(&c, REST_OF_HEADER_LEN))
        return 0;
    bool big = magic == MAGIC;
    if (!read_number(&c, big, &packet.link_type))
        return 0;
    ds_config_init(&config);
    config.on_event = fuzz_on_event;
    config.raw = true;
    config.cookie = (struct ds_text){"secret", 6};
    struct ds_session *session = ds_session_new(&config);
    if (session == NULL)
        return 0;
    while (read_packet(&c, big, &packet)) {
        /* A copy of its own, so that the sanitizer sees a byte too far. */
        uint8_t *bytes = malloc(packet.cap_len);
        if (packet.cap_len != 0 && bytes == NULL)
            break;
        if (packet.cap_len != 0)
            memcpy(bytes, packet.data, packet.cap_len);
        packet.data = bytes;
        ds_session_packet(session, &packet);
        free(bytes);
    }
    ds_session_end(session);
    ds_session_free(session);
    return 0;
}
