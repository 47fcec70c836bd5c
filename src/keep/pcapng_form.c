/*
 * pcapng_form.c - see pcapng_form.h (draft-ietf-opsawg-pcapng, 4), in this machine's byte order:
 *
 *   block      type:4 length:4 body length:4; the body is padded to 4
 *   section    magic:4 major:2 minor:2 length:8 (-1, unknown) options
 *   interface  link type:2 reserved:2 snap length:4 options
 *   packet     interface:4 time:8 (high half first) captured:4 length:4 bytes options
 *   statistics interface:4 time:8 options
 *   secrets    type:4 length:4 lines
 *   option     code:2 length:2 value, padded to 4; code 0 ends them
 */
#include "keep/pcapng_form.h"

#include "capture/pseudo_packet.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    TYPE_SECTION = 0x0a0d0d0a,
    TYPE_INTERFACE = 1,
    TYPE_STATISTICS = 5,
    TYPE_PACKET = 6,
    TYPE_SECRETS = 10,
    BYTE_ORDER_MAGIC = 0x1a2b3c4d,
    SECRETS_TLS = 0x544c534b,
    OPTION_COMMENT = 1,
    OPTION_WRITER = 4,
    OPTION_RESOLUTION = 9,
    HEAD_LEN = 8,
};

bool pcapng_form_is_named(const char *name)
{
    static const char ending[] = ".pcapng";
    size_t len = strlen(name);
    while (len != 0 && name[len - 1] >= '0' && name[len - 1] <= '9')
        len--;
    return len > sizeof ending - 1 &&
           memcmp(name + len - (sizeof ending - 1), ending, sizeof ending - 1) == 0;
}

static void put_u16(struct ds_buffer *out, uint16_t value)
{
    ds_buffer_add(out, &value, sizeof value);
}

static void put_u32(struct ds_buffer *out, uint32_t value)
{
    ds_buffer_add(out, &value, sizeof value);
}

static void put_padded(struct ds_buffer *out, const void *bytes, size_t len)
{
    ds_buffer_add(out, bytes, len);
    ds_buffer_add(out, "\0\0\0", -len % 4);
}

static void put_option(struct ds_buffer *out, uint16_t code, const void *value, uint16_t len)
{
    put_u16(out, code);
    put_u16(out, len);
    put_padded(out, value, len);
}

/* begin begins a block, and returns its position; end ends it. */
static size_t begin(struct ds_buffer *out, uint32_t type)
{
    const size_t at = out->len;
    put_u32(out, type);
    put_u32(out, 0);
    return at;
}

static void end(struct ds_buffer *out, size_t at)
{
    const uint32_t len = (uint32_t)(out->len - at + sizeof len);
    put_u32(out, len);
    if (!out->failed)
        memcpy(out->data + at + sizeof len, &len, sizeof len);
}

void pcapng_form_begin(struct ds_buffer *out, uint32_t link_type, uint32_t snaplen,
                       bool nanoseconds, uint32_t made_key)
{
    char comment[sizeof PSEUDO_COMMENT + 8];
    const size_t at = begin(out, TYPE_SECTION);
    put_u32(out, BYTE_ORDER_MAGIC);
    put_u16(out, 1);
    put_u16(out, 0);
    put_u32(out, UINT32_MAX);
    put_u32(out, UINT32_MAX);
    if (made_key != 0) {
        const int len = snprintf(comment, sizeof comment, PSEUDO_COMMENT "%08" PRIx32, made_key);
        put_option(out, OPTION_COMMENT, comment, (uint16_t)len);
    }
    put_option(out, OPTION_WRITER, "distsniff", 9);
    put_option(out, 0, NULL, 0);
    end(out, at);
    pcapng_form_interface(out, link_type, snaplen, nanoseconds);
}

void pcapng_form_interface(struct ds_buffer *out, uint32_t link_type, uint32_t snaplen, bool nanoseconds)
{
    const uint8_t resolution = nanoseconds ? 9 : 6;
    const size_t at = begin(out, TYPE_INTERFACE);
    put_u16(out, (uint16_t)link_type);
    put_u16(out, 0);
    put_u32(out, snaplen);
    put_option(out, OPTION_RESOLUTION, &resolution, 1);
    put_option(out, 0, NULL, 0);
    end(out, at);
}

static void put_time(struct ds_buffer *out, int64_t ts_ns, bool nanoseconds)
{
    const uint64_t time = (uint64_t)(nanoseconds ? ts_ns : ts_ns / 1000);
    put_u32(out, (uint32_t)(time >> 32));
    put_u32(out, (uint32_t)time);
}

static void put_options(struct ds_buffer *out, const struct ds_buffer *options)
{
    if (options == NULL)
        return;
    ds_buffer_add(out, options->data, options->len);
    put_option(out, 0, NULL, 0);
}

void pcapng_form_comment(struct ds_buffer *options, const char *text, size_t len)
{
    put_option(options, OPTION_COMMENT, text, (uint16_t)len);
}

void pcapng_form_packet(struct ds_buffer *out, const struct ds_packet *packet, uint32_t interface,
                        bool nanoseconds, const struct ds_buffer *options)
{
    const size_t at = begin(out, TYPE_PACKET);
    put_u32(out, interface);
    put_time(out, packet->ts_ns, nanoseconds);
    put_u32(out, packet->cap_len);
    put_u32(out, packet->len);
    put_padded(out, packet->data, packet->cap_len);
    put_options(out, options);
    end(out, at);
}

void pcapng_form_statistics(struct ds_buffer *out, int64_t ts_ns, bool nanoseconds,
                            const struct ds_buffer *options)
{
    const size_t at = begin(out, TYPE_STATISTICS);
    put_u32(out, 0);
    put_time(out, ts_ns, nanoseconds);
    put_options(out, options);
    end(out, at);
}

void pcapng_form_secrets(struct ds_buffer *out, const char *lines, size_t len)
{
    const size_t at = begin(out, TYPE_SECRETS);
    put_u32(out, SECRETS_TLS);
    put_u32(out, (uint32_t)len);
    put_padded(out, lines, len);
    end(out, at);
}

size_t pcapng_form_block_len(const char *bytes, size_t len)
{
    uint32_t block_len;
    if (len < HEAD_LEN)
        return 0;
    memcpy(&block_len, bytes + 4, sizeof block_len);
    return block_len;
}
