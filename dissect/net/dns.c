/*
 * dns.c - see dns.h. A message of DNS over UDP (RFC 1035, section 4.1):
 *
 *   source port 2, destination port 2, length 2, checksum 2
 *   id 2; response:1 opcode:4 authoritative:1 cut:1 .. code:4; number of questions 2, answers 2,
 *   authorities 2, additional records 2
 *   question: name, type 2, class 2
 *   answer: name, type 2, class 2, time to live 4, length 2, so many bytes
 *
 * A name is a sequence of labels, each a length 1 and so many bytes, up to one of length 0. In
 * answers, a pointer of 2 bytes, which begins with two bits set, may end it. No pointers are
 * followed here.
 */
#include "net/dns.h"

enum {
    PORT = 53,
    RESPONSE = 0x8000,
    OPCODE = 0x7800, /* 0: a query */
    CODE = 0x000f,
    LABEL_LEN = 63,
    POINTER = 0xc0,
    CLASS_IN = 1,
    TYPE_A = 1,
    TYPE_AAAA = 28,
    MAX_ANSWERS = 64, /* limit on those examined: a chain of aliases precedes the addresses */
    MAX_LABELS = 128,
};

bool dns_is_port(struct cursor udp)
{
    uint16_t src, dst;
    return cursor_read_u16(&udp, &src) && cursor_read_u16(&udp, &dst) &&
           (src == PORT || dst == PORT);
}

static bool read_label(struct cursor *at, uint8_t len, struct dns_message *out)
{
    const size_t dot = out->name_len != 0;
    if (len > LABEL_LEN || out->name_len + dot + len > DNS_NAME_LEN)
        return false;
    if (dot != 0)
        out->name[out->name_len++] = '.';
    for (uint8_t i = 0; i < len; i++) {
        uint8_t byte;
        if (!cursor_read_u8(at, &byte))
            return false;
        out->name[out->name_len++] = (char)(byte >= 'A' && byte <= 'Z' ? byte + ('a' - 'A') : byte);
    }
    return true;
}

static bool read_question(struct cursor *at, struct dns_message *out)
{
    uint16_t class;
    uint8_t len;
    out->name_len = 0;
    do {
        if (!cursor_read_u8(at, &len) || (len != 0 && !read_label(at, len, out)))
            return false;
    } while (len != 0);
    return out->name_len != 0 && cursor_read_u16(at, &out->type) && cursor_read_u16(at, &class) &&
           class == CLASS_IN;
}

static bool skip_name(struct cursor *at)
{
    for (int i = 0; i < MAX_LABELS; i++) {
        uint8_t len;
        if (!cursor_read_u8(at, &len))
            return false;
        if (len == 0)
            return true;
        if ((len & POINTER) == POINTER)
            return cursor_skip(at, 1);
        if (!cursor_skip(at, len))
            return false;
    }
    return false;
}

/* has_address searches the answers, as far as they are complete. */
static bool has_address(struct cursor *at, unsigned num)
{
    for (unsigned i = 0; i < num && i < MAX_ANSWERS; i++) {
        uint16_t type, class, len;
        uint32_t time_to_live;
        if (!skip_name(at) || !cursor_read_u16(at, &type) || !cursor_read_u16(at, &class) ||
            !cursor_read_u32(at, &time_to_live) || !cursor_read_u16(at, &len))
            return false;
        if (type == TYPE_A || type == TYPE_AAAA)
            return true;
        if (!cursor_skip(at, len))
            return false;
    }
    return false;
}

bool dns_read(struct cursor udp, uint16_t *src_port, uint16_t *dst_port, struct dns_message *out)
{
    uint16_t len, checksum, flags, questions, answers;
    uint32_t others;
    if (!cursor_read_u16(&udp, src_port) || !cursor_read_u16(&udp, dst_port) ||
        !cursor_read_u16(&udp, &len) || !cursor_read_u16(&udp, &checksum) ||
        !cursor_read_u16(&udp, &out->id) || !cursor_read_u16(&udp, &flags) ||
        !cursor_read_u16(&udp, &questions) || !cursor_read_u16(&udp, &answers) ||
        !cursor_read_u32(&udp, &others))
        return false;
    out->is_answer = (flags & RESPONSE) != 0;
    out->code = flags & CODE;
    if ((flags & OPCODE) != 0 || questions != 1 || (out->is_answer ? *src_port : *dst_port) != PORT ||
        !read_question(&udp, out))
        return false;
    out->has_address = out->is_answer && has_address(&udp, answers);
    return true;
}
