/*
 * packet_stream.c - see packet_stream.h. The input has either byte order. pcap is written in the
 * byte order of this machine, with nanoseconds.
 *
 *   pcap    magic:4 a1b2c3d4 (microseconds) or a1b23c4d, version:2 2 minor:2, key:4 (see
 *           pseudo_packet.h), 4, snap length:4, link type:4; then the packets:
 *           seconds:4 fraction:4 captured:4 length:4 bytes
 *   pcapng  blocks: type:4 length:4 body length:4; each section begins with
 *           0a0d0d0a length:4 magic:4 1a2b3c4d
 */
#include "send/stream/packet_stream.h"

#include "util/cursor.h"

#include <string.h>

enum {
    PCAP_VERSION = 2,
    PCAP_MINOR = 4,
    PCAP_HEAD_LEN = 24,
    PCAP_MICROS = 0xa1b2c3d4,
    PCAP_NANOS = 0xa1b23c4d,
    MAX_CAPTURED = 262144,
    MICROS_PER_SECOND = 1000000,
    NANOS_PER_MICRO = 1000,

    BLOCK_SECTION = 0x0a0d0d0a,
    BLOCK_INTERFACE = 1,
    BLOCK_OLD_PACKET = 2,
    BLOCK_SIMPLE = 3,
    BLOCK_PACKET = 6,
    BLOCK_SECRETS = 10,
    PACKET_HEAD_LEN = 28, SIMPLE_HEAD_LEN = 12,
    BYTE_ORDER_MAGIC = 0x1a2b3c4d,
    BLOCK_LEAST = 12,
};

enum take_step { STEP_MORE, STEP_TOOK, STEP_WRONG };

static enum take_step say_wrong(struct packet_stream *s, const char *what)
{
    s->wrong = what;
    return STEP_WRONG;
}

/* read_u32 and read_u16 read a number in the byte order of the input. */
static bool read_u32(const struct packet_stream *s, struct cursor *at, uint32_t *value)
{
    if (!cursor_read_bytes(at, value, sizeof *value))
        return false;
    *value = s->swapped ? __builtin_bswap32(*value) : *value;
    return true;
}

static bool read_u16(const struct packet_stream *s, struct cursor *at, uint16_t *value)
{
    if (!cursor_read_bytes(at, value, sizeof *value))
        return false;
    *value = s->swapped ? __builtin_bswap16(*value) : *value;
    return true;
}

static void add_u32(struct ds_buffer *out, uint32_t value)
{
    ds_buffer_add(out, &value, sizeof value);
}

static void add_pcap_head(const struct packet_stream *s, struct ds_buffer *out)
{
    const uint16_t version[] = {PCAP_VERSION, PCAP_MINOR};
    add_u32(out, PCAP_NANOS);
    ds_buffer_add(out, version, sizeof version);
    add_u32(out, s->made_key);
    add_u32(out, 0);
    add_u32(out, MAX_CAPTURED);
    add_u32(out, s->link_type);
}

/* begin_pcap reads the header of pcap, again from its first byte. */
static enum take_step begin_pcap(struct packet_stream *s, struct cursor *bytes, struct ds_buffer *out)
{
    struct cursor at = *bytes;
    uint32_t magic, version, key, accuracy, snaplen, link_type;
    if (!read_u32(s, &at, &magic) || !read_u32(s, &at, &version) || !read_u32(s, &at, &key) ||
        !read_u32(s, &at, &accuracy) || !read_u32(s, &at, &snaplen) || !read_u32(s, &at, &link_type))
        return STEP_MORE;
    s->in_micros = magic == PCAP_MICROS;
    if (s->format == STREAM_PCAPNG || (s->format == STREAM_PCAP &&
                                       (s->link_type != link_type || s->made_key != key)))
        return say_wrong(s, "packets of another link layer than before");
    if (s->format == STREAM_UNKNOWN) {
        s->format = STREAM_PCAP;
        s->link_type = link_type;
        s->made_key = key;
        add_pcap_head(s, out);
    }
    s->has_begun = true;
    *bytes = at;
    return STEP_TOOK;
}

static enum take_step read_packet(struct packet_stream *s, struct cursor *bytes, struct ds_buffer *out)
{
    struct cursor at = *bytes, packet;
    uint32_t seconds, fraction, captured, len;
    if (!read_u32(s, &at, &seconds) || !read_u32(s, &at, &fraction) || !read_u32(s, &at, &captured) ||
        !read_u32(s, &at, &len))
        return STEP_MORE;
    if (captured > MAX_CAPTURED)
        return say_wrong(s, "a packet of more than 262144 bytes");
    if (!cursor_child(&at, captured, &packet))
        return STEP_MORE;
    if (s->in_micros)
        fraction = (fraction < MICROS_PER_SECOND ? fraction : MICROS_PER_SECOND - 1) * NANOS_PER_MICRO;
    add_u32(out, seconds);
    add_u32(out, fraction);
    add_u32(out, captured);
    add_u32(out, len);
    if (captured != 0)
        ds_buffer_add(out, packet.at, captured);
    *bytes = at;
    s->num_packets++;
    return STEP_TOOK;
}

/* begin_section finds the byte order of a section, which begins at at. */
static enum take_step begin_section(struct packet_stream *s, struct cursor at)
{
    uint32_t magic;
    if (!cursor_skip(&at, 8) || !cursor_read_bytes(&at, &magic, sizeof magic))
        return STEP_MORE;
    if (magic != BYTE_ORDER_MAGIC && magic != __builtin_bswap32(BYTE_ORDER_MAGIC))
        return say_wrong(s, "a section of pcapng without a byte order");
    s->swapped = magic != BYTE_ORDER_MAGIC;
    if (s->format == STREAM_PCAP)
        return say_wrong(s, "pcapng, and it was pcap before");
    if (s->format == STREAM_PCAPNG && s->swapped != s->swapped_out)
        return say_wrong(s, "another byte order than before");
    return STEP_TOOK;
}

/* read_interface reads the description of an interface. libpcap stores each, and accepts one link
 * type. */
static enum take_step read_interface(struct packet_stream *s, struct cursor at)
{
    uint16_t link_type;
    uint32_t snap_len;
    if (!cursor_skip(&at, 8) || !read_u16(s, &at, &link_type) || !cursor_skip(&at, 2) ||
        !read_u32(s, &at, &snap_len))
        return say_wrong(s, "an interface of pcapng that is cut");
    if (s->has_link_type && link_type != s->link_type)
        return say_wrong(s, "packets of another link layer than before");
    if (s->num_interfaces == PACKET_STREAM_INTERFACES)
        return say_wrong(s, "more than 64 interfaces in a section");
    s->has_link_type = true;
    s->link_type = link_type;
    s->snap_len[s->num_interfaces++] = snap_len;
    return STEP_TOOK;
}

/* check_packet compares a packet with its interface and its block: libpcap would read nothing after
 * one that does not fit. block ends with its length. */
static enum take_step check_packet(struct packet_stream *s, uint32_t type, struct cursor block,
                                   uint32_t len)
{
    uint32_t interface = 0, captured = 0;
    uint16_t old_interface = 0;
    struct cursor at = block;
    const uint32_t head = type == BLOCK_SIMPLE ? SIMPLE_HEAD_LEN : PACKET_HEAD_LEN;
    bool is_whole = len >= head + 4 && cursor_skip(&at, 8);
    if (type == BLOCK_OLD_PACKET) { /* two bytes, and two for how many were dropped */
        is_whole = is_whole && read_u16(s, &at, &old_interface) && cursor_skip(&at, 2);
        interface = old_interface;
    } else if (type == BLOCK_PACKET) {
        is_whole = is_whole && read_u32(s, &at, &interface);
    }
    if (type != BLOCK_SIMPLE)
        is_whole = is_whole && cursor_skip(&at, 8);
    if (!is_whole || !read_u32(s, &at, &captured))
        return say_wrong(s, "a packet of pcapng that is cut");
    if (interface >= s->num_interfaces)
        return say_wrong(s, "a packet of an interface that was not described");
    const uint32_t most = s->snap_len[interface] != 0 ? s->snap_len[interface] : MAX_CAPTURED;
    if (type == BLOCK_SIMPLE && captured > most)
        captured = most; /* the block has only the length on the wire */
    if (captured > most || captured > MAX_CAPTURED || captured > len - head - 4)
        return say_wrong(s, "a packet that is longer than its block or its interface allow");
    s->num_packets++;
    return STEP_TOOK;
}

/* check_block says whether a block is passed on: if the reader knows its type. Any number of others
 * could come, which would hold up the other servers. */
static enum take_step check_block(struct packet_stream *s, uint32_t type, struct cursor block, uint32_t len,
                                  bool *is_wanted)
{
    *is_wanted = true;
    switch (type) {
    case BLOCK_SECTION:
        s->format = STREAM_PCAPNG;
        s->swapped_out = s->swapped;
        s->has_begun = s->is_blocks = true;
        s->num_interfaces = 0;
        return STEP_TOOK;
    case BLOCK_INTERFACE: return read_interface(s, block);
    case BLOCK_PACKET:
    case BLOCK_SIMPLE:
    case BLOCK_OLD_PACKET: return check_packet(s, type, block, len);
    default: *is_wanted = type == BLOCK_SECRETS; return STEP_TOOK;
    }
}

static enum take_step read_block(struct packet_stream *s, struct cursor *bytes, struct ds_buffer *out)
{
    struct cursor at = *bytes, block, end;
    uint32_t type, len, len_again;
    if (!cursor_read_bytes(&at, &type, sizeof type))
        return STEP_MORE;
    if (type == BLOCK_SECTION) { /* it is the same in either byte order */
        const enum take_step step = begin_section(s, *bytes);
        if (step != STEP_TOOK)
            return step;
    } else if (s->swapped) {
        type = __builtin_bswap32(type);
    }
    if (!read_u32(s, &at, &len))
        return STEP_MORE;
    if (len < BLOCK_LEAST || len % 4 != 0 || len > PACKET_STREAM_MOST)
        return say_wrong(s, "a block of pcapng of a length that blocks do not have");
    at = *bytes;
    if (!cursor_child(&at, len, &block))
        return STEP_MORE;
    end = block;
    if (!cursor_skip(&end, len - 4) || !read_u32(s, &end, &len_again) || len_again != len)
        return say_wrong(s, "a block of pcapng that does not end with its length");
    bool is_wanted;
    const enum take_step step = check_block(s, type, block, len, &is_wanted);
    if (step == STEP_TOOK && is_wanted)
        ds_buffer_add(out, block.at, len);
    if (step == STEP_TOOK)
        *bytes = at;
    return step;
}

/* begin finds out what format a connection brings. */
static enum take_step begin(struct packet_stream *s, struct cursor *bytes, struct ds_buffer *out)
{
    static const uint32_t of_pcap[] = {PCAP_MICROS, PCAP_NANOS};
    struct cursor at = *bytes;
    uint32_t magic;
    if (!cursor_read_bytes(&at, &magic, sizeof magic))
        return STEP_MORE;
    if (magic == BLOCK_SECTION)
        return read_block(s, bytes, out);
    for (size_t i = 0; i < sizeof of_pcap / sizeof of_pcap[0]; i++) {
        s->swapped = magic == __builtin_bswap32(of_pcap[i]);
        if (magic == of_pcap[i] || s->swapped)
            return begin_pcap(s, bytes, out);
    }
    return say_wrong(s, "neither pcap nor pcapng");
}

bool packet_stream_read(struct packet_stream *s, struct ds_text text, size_t *left, struct ds_buffer *out)
{
    struct cursor bytes = cursor_make(text.data, text.len);
    enum take_step step = STEP_TOOK;
    while (step == STEP_TOOK) {
        const struct packet_stream before = *s;
        const struct cursor at = bytes;
        const size_t whole = out->len;
        step = !s->has_begun  ? begin(s, &bytes, out)
               : s->is_blocks ? read_block(s, &bytes, out)
                              : read_packet(s, &bytes, out);
        if (out->failed) { /* part of a packet or block would be misread */
            out->len = whole;
            out->failed = false;
            *s = before;
            bytes = at;
            s->wrong = "out of memory";
            step = STEP_WRONG;
        }
    }
    *left = cursor_left(&bytes);
    return step != STEP_WRONG;
}

void packet_stream_restart(struct packet_stream *stream)
{
    stream->has_begun = stream->is_blocks = false;
    stream->wrong = NULL;
}
