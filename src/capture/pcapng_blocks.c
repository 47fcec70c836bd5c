/*
 * pcapng_blocks.c - see pcapng_blocks.h (draft-ietf-opsawg-pcapng, 4.7). A file is a sequence of
 * blocks, type:4 length:4 body length:4, where length is the size of the whole block, a multiple of 4,
 * in the byte order of the section:
 *
 *   0a0d0d0a section   magic:4 1a2b3c4d, in the section's byte order; version:4 length:8; options
 *   00000001 interface link type:2 reserved:2 snap length:4; options of code:2 length:2 value, padded
 *            to 4; code 9 is the resolution: 10^-value, or 2^-value with the top bit set;
 *            microseconds when there is none
 *   00000002 old packet  interface:2 ...
 *   00000003 simple packet, of the first interface: length:4 on the wire; the interface's snap length
 *            limits how much of it is there
 *   00000006 packet  interface:4 ...
 *   0000000a secrets   type:4 "TLSK" as a number, length:4 text, padded to 4; options
 *
 * Bytes come in pieces of any length; only a head and a line are kept.
 */
#include "capture/pcapng_blocks.h"

#include "capture/pseudo_packet.h"

#include <stdlib.h>
#include <string.h>

enum {
    HEAD_LEN = 8,
    SECTION_HEAD_LEN = 12,
    SECRETS_HEAD_LEN = 16,
    END_LEN = 4,
    SIMPLE_LEN = 16, /* of a simple packet's block, without the packet */
    TYPE_SECTION = 0x0a0d0d0a,
    TYPE_INTERFACE = 1,
    TYPE_OLD_PACKET = 2,
    TYPE_SIMPLE_PACKET = 3,
    TYPE_PACKET = 6,
    TYPE_SECRETS = 10,
    BYTE_ORDER_MAGIC = 0x1a2b3c4d,
    SECRETS_TLS = 0x544c534b,
    LINKTYPE_ETHERNET = 1,
};

static uint32_t head_u32(const struct pcapng_blocks *b, size_t at)
{
    uint32_t value;
    memcpy(&value, b->head + at, sizeof value);
    return b->swapped ? __builtin_bswap32(value) : value;
}

/* needed returns the length of a block's head of which head_len bytes are there. A block that is too
 * short for secrets is skipped like an unknown one, as libpcap does. */
static size_t needed(const struct pcapng_blocks *b)
{
    if (b->head_len < HEAD_LEN)
        return HEAD_LEN;
    const uint32_t type = head_u32(b, 0);
    return type == TYPE_SECTION ? SECTION_HEAD_LEN
           : type == TYPE_SECRETS && b->state == BLOCK_HEAD &&
                   head_u32(b, 4) >= SECRETS_HEAD_LEN + END_LEN
               ? SECRETS_HEAD_LEN
               : HEAD_LEN;
}

/* pass skips len bytes and goes on with the next block. */
static void pass(struct pcapng_blocks *b, uint64_t len)
{
    b->left = len;
    b->state = len != 0 ? BLOCK_SKIPPED : BLOCK_HEAD;
}

static void emit_line(const struct pcapng_blocks *b)
{
    if (b->sink != NULL && b->sink->take != NULL)
        b->sink->take(b->sink->context, b->line, b->line_len);
}

static void end_line(struct pcapng_blocks *b)
{
    if (b->line_len != 0)
        emit_line(b);
    pcapng_blocks_clear(b);
}

/* begin_secrets begins a text of text_len bytes. If the block has fewer, they are read, preceded by an
 * invalid line, so that the text does not count as complete. */
static void begin_secrets(struct pcapng_blocks *b, uint32_t text_len, uint32_t room)
{
    emit_line(b);
    if (text_len > room)
        b->line[b->line_len++] = '?';
    end_line(b);
    b->left = text_len < room ? text_len : room;
    b->rest = room + END_LEN - b->left;
    b->state = BLOCK_SECRETS;
}

/* fixed_wanted says how much of a block is looked at where link types are wanted: of an interface its link
 * type and its limit, of a packet the number of its interface, of a simple one its length. */
static size_t fixed_wanted(const struct pcapng_blocks *b)
{
    return b->interfaces == NULL             ? 0
           : b->type == TYPE_INTERFACE     ? 8
           : b->type == TYPE_PACKET        ? 4
           : b->type == TYPE_SIMPLE_PACKET ? 4
           : b->type == TYPE_OLD_PACKET    ? 2
                                           : 0;
}

static uint16_t fixed_u16(const struct pcapng_blocks *b)
{
    uint16_t value;
    memcpy(&value, b->fixed, sizeof value);
    return b->swapped ? __builtin_bswap16(value) : value;
}

static uint32_t fixed_u32(const struct pcapng_blocks *b, size_t at)
{
    uint32_t value;
    memcpy(&value, b->fixed + at, sizeof value);
    return b->swapped ? __builtin_bswap32(value) : value;
}

/* replace_with sets what libpcap reads in place of the first bytes of a body: an interface is Ethernet
 * without a limit, and a simple packet is as long as its block has room for. */
static void replace_with(const struct pcapng_blocks *b, uint8_t *instead)
{
    const uint16_t type = b->swapped ? __builtin_bswap16(LINKTYPE_ETHERNET) : LINKTYPE_ETHERNET;
    const uint32_t room = b->swapped ? __builtin_bswap32(b->simple_room) : b->simple_room;
    memset(instead, 0, sizeof b->fixed);
    if (b->type == TYPE_INTERFACE)
        memcpy(instead, &type, sizeof type);
    else
        memcpy(instead, &room, sizeof room);
}

/* read_fixed reads the first bytes of a body, which are complete. */
static void read_fixed(struct pcapng_blocks *b)
{
    switch (b->type) {
    case TYPE_INTERFACE: pcapng_interfaces_add(b->interfaces, fixed_u16(b), fixed_u32(b, 4)); break;
    case TYPE_SIMPLE_PACKET: pcapng_interfaces_simple_packet(b->interfaces, fixed_u32(b, 0)); break;
    case TYPE_OLD_PACKET: pcapng_interfaces_packet(b->interfaces, fixed_u16(b)); break;
    case TYPE_PACKET: pcapng_interfaces_packet(b->interfaces, fixed_u32(b, 0)); break;
    }
}

/* see_fixed looks at the first bytes of a body, and replaces those of an interface and a simple packet. */
static void see_fixed(struct pcapng_blocks *b, uint8_t *bytes, size_t len)
{
    uint8_t instead[sizeof b->fixed];
    const size_t wanted = fixed_wanted(b);
    if (b->fixed_len == wanted)
        return;
    replace_with(b, instead);
    for (size_t i = 0; i < len && b->fixed_len < wanted; i++) {
        b->fixed[b->fixed_len] = bytes[i];
        if (b->type == TYPE_INTERFACE || b->type == TYPE_SIMPLE_PACKET)
            bytes[i] = instead[b->fixed_len];
        b->fixed_len++;
    }
    if (b->fixed_len == wanted)
        read_fixed(b);
}

/* begin_body processes what is known of a block before its body. */
static void begin_body(struct pcapng_blocks *b)
{
    const uint32_t len = head_u32(b, 4);
    b->type = head_u32(b, 0);
    b->fixed_len = 0;
    b->simple_room = len > SIMPLE_LEN ? len - SIMPLE_LEN : 0;
    if (b->interfaces != NULL && b->type == TYPE_SECTION)
        pcapng_interfaces_section(b->interfaces);
}

/* begin_block works on a head that is whole. */
static void begin_block(struct pcapng_blocks *b)
{
    const size_t head_len = b->head_len;
    b->head_len = 0;
    if (head_u32(b, 0) == TYPE_SECTION) {
        uint32_t magic;
        memcpy(&magic, b->head + HEAD_LEN, sizeof magic);
        b->swapped = magic != BYTE_ORDER_MAGIC;
        if (head_u32(b, HEAD_LEN) != BYTE_ORDER_MAGIC) {
            b->state = BLOCK_NONE;
            return;
        }
    } else if (b->state == BLOCK_FIRST) {
        b->state = BLOCK_NONE; /* in another format */
        return;
    }
    const uint32_t len = head_u32(b, 4);
    if (len % 4 != 0 || len < head_len + END_LEN) {
        b->state = BLOCK_NONE; /* libpcap does not continue, either */
        return;
    }
    b->in = head_len == SECTION_HEAD_LEN           ? &b->section
            : head_u32(b, 0) == TYPE_INTERFACE ? &b->interface
                                                : NULL;
    if (b->in == &b->interface && !pcapng_blocks_has_nanoseconds(b))
        b->in->len = 0; /* the next one may have them */
    if (b->in != NULL && b->in->len != 0)
        b->in = NULL;
    if (b->in != NULL)
        b->in->swapped = b->swapped;
    begin_body(b);
    if (head_len == SECRETS_HEAD_LEN && head_u32(b, 8) == SECRETS_TLS)
        begin_secrets(b, head_u32(b, 12), len - SECRETS_HEAD_LEN - END_LEN);
    else
        pass(b, len - head_len);
}

static void read_text(struct pcapng_blocks *b, const uint8_t *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\n' || text[i] == '\r')
            end_line(b);
        else if (b->line_len < sizeof b->line)
            b->line[b->line_len++] = (char)text[i];
    }
}

/* describe keeps the beginning of the body of a description, as much as there is room for. */
static void describe(struct pcapng_description *description, const uint8_t *bytes, size_t len)
{
    const size_t room = sizeof description->bytes - description->len;
    const size_t num = len < room ? len : room;
    memcpy(description->bytes + description->len, bytes, num);
    description->len += num;
}

/* process processes bytes, at least one, and returns how many it has used. */
static size_t process(struct pcapng_blocks *b, uint8_t *bytes, size_t len)
{
    if (b->state <= BLOCK_HEAD) {
        b->head[b->head_len++] = bytes[0];
        if (b->head_len == needed(b))
            begin_block(b);
        return 1;
    }
    const size_t num = b->left < len ? (size_t)b->left : len;
    b->left -= num;
    if (b->state == BLOCK_SECRETS) {
        read_text(b, bytes, num);
        explicit_bzero(bytes, num);
    }
    if (b->in != NULL)
        describe(b->in, bytes, num);
    see_fixed(b, bytes, num);
    if (b->left == 0 && b->state == BLOCK_SECRETS) {
        end_line(b);
        pass(b, b->rest);
    } else if (b->left == 0) {
        b->state = BLOCK_HEAD;
    }
    return num;
}

bool pcapng_blocks_see(struct pcapng_blocks *blocks, uint8_t *bytes, size_t len)
{
    bool has_secrets = false;
    for (size_t at = 0; at < len && blocks->state != BLOCK_NONE;) {
        at += process(blocks, bytes + at, len - at);
        has_secrets |= blocks->state == BLOCK_SECRETS;
    }
    return has_secrets;
}

/* find_option finds an option of a description, from `at` on; NULL if there is none. *len is its length. */
static const uint8_t *find_option(const struct pcapng_description *description, size_t at,
                                  uint16_t wanted, size_t *len)
{
    while (at + 4 <= description->len) {
        uint16_t head[2];
        memcpy(head, description->bytes + at, sizeof head);
        const uint16_t code = description->swapped ? __builtin_bswap16(head[0]) : head[0];
        *len = description->swapped ? __builtin_bswap16(head[1]) : head[1];
        at += 4;
        if (code == 0 || *len > description->len - at)
            return NULL;
        if (code == wanted)
            return description->bytes + at;
        at += (*len + 3) & ~(size_t)3;
        if (at > description->len)
            return NULL;
    }
    return NULL;
}

bool pcapng_blocks_has_nanoseconds(const struct pcapng_blocks *blocks)
{
    enum { OPTIONS_AT = 8, RESOLUTION = 9 };
    size_t len;
    const uint8_t *value = find_option(&blocks->interface, OPTIONS_AT, RESOLUTION, &len);
    if (value == NULL || len == 0)
        return false;
    return (*value & 0x80) != 0 ? (*value & 0x7f) > 20 : *value > 6;
}

uint32_t pcapng_blocks_made_key(const struct pcapng_blocks *blocks)
{
    enum { OPTIONS_AT = 12, COMMENT = 1, DIGITS = 8, TEXT_LEN = sizeof PSEUDO_COMMENT - 1 };
    char digits[DIGITS + 1] = "";
    size_t len;
    const uint8_t *text = find_option(&blocks->section, OPTIONS_AT, COMMENT, &len);
    if (text == NULL || len != TEXT_LEN + DIGITS || memcmp(text, PSEUDO_COMMENT, TEXT_LEN) != 0)
        return 0;
    memcpy(digits, text + TEXT_LEN, DIGITS);
    if (strspn(digits, "0123456789abcdef") != DIGITS)
        return 0;
    const uint32_t key = (uint32_t)strtoul(digits, NULL, 16);
    return key >= PSEUDO_KEY_MIN ? key : 0;
}

void pcapng_blocks_clear(struct pcapng_blocks *blocks)
{
    explicit_bzero(blocks->line, sizeof blocks->line);
    blocks->line_len = 0;
}
