/*
 * packet_maker.h - builds packets layer by layer, the innermost first: each call puts a
 * header before what is there.
 */
#ifndef TESTS_PACKET_MAKER_H
#define TESTS_PACKET_MAKER_H

#include <distsniff/dissect.h>

#include <assert.h>
#include <string.h>

enum { MAKER_ROOM = 1 << 17 };

struct maker {
    size_t len;
    uint8_t room[MAKER_ROOM]; /* the packet is the last len bytes */
};

static inline uint8_t *maker_bytes(struct maker *m)
{
    return m->room + MAKER_ROOM - m->len;
}

static inline void maker_start(struct maker *m, const void *bytes, size_t len)
{
    assert(len <= MAKER_ROOM / 2);
    m->len = len;
    if (len != 0)
        memcpy(maker_bytes(m), bytes, len);
}

static inline void maker_put(struct maker *m, const void *bytes, size_t len)
{
    assert(m->len + len <= MAKER_ROOM);
    m->len += len;
    memcpy(maker_bytes(m), bytes, len);
}

static inline void maker_put16(struct maker *m, uint32_t value)
{
    maker_put(m, (uint8_t[]){(uint8_t)(value >> 8), (uint8_t)value}, 2);
}

static inline void maker_put32(struct maker *m, uint32_t value)
{
    maker_put16(m, value & 0xffff);
    maker_put16(m, value >> 16);
}

static inline void maker_put8(struct maker *m, uint32_t value)
{
    maker_put(m, (uint8_t[]){(uint8_t)value}, 1);
}

/* maker_zeros puts len zero bytes. */
static inline void maker_zeros(struct maker *m, size_t len)
{
    static const uint8_t zeros[256];
    assert(len <= sizeof zeros);
    maker_put(m, zeros, len);
}

/* maker_tcp: ports 0x1234 and 0x5678; options_len is a multiple of 4. */
static inline void maker_tcp(struct maker *m, uint32_t seq, uint32_t ack, uint8_t flags,
                             size_t options_len)
{
    maker_zeros(m, options_len);
    maker_put32(m, 0);      /* checksum, urgent */
    maker_put16(m, 0x2000); /* window */
    maker_put8(m, flags);
    maker_put8(m, (uint32_t)(5 + options_len / 4) << 4);
    maker_put32(m, ack);
    maker_put32(m, seq);
    maker_put16(m, 0x5678);
    maker_put16(m, 0x1234);
}

static inline void maker_udp(struct maker *m, uint32_t src, uint32_t dst)
{
    maker_put16(m, 0);
    maker_put16(m, (uint32_t)m->len + 6);
    maker_put16(m, dst);
    maker_put16(m, src);
}

static inline void maker_vxlan(struct maker *m)
{
    maker_put32(m, 42 << 8);
    maker_put32(m, 0x08000000);
    maker_udp(m, 50000, 4789);
}

/* maker_geneve writes GENEVE in UDP, with options of that many words. */
static inline void maker_geneve(struct maker *m, uint32_t ether_type, uint32_t options)
{
    maker_zeros(m, options * 4);
    maker_put32(m, 42 << 8);
    maker_put16(m, ether_type);
    maker_put16(m, options << 8);
    maker_udp(m, 50000, 6081);
}

/* maker_ip4: from 10.0.0.1 to 10.0.0.2. fragment: the 16 bits of flags and offset. */
static inline void maker_ip4_full(struct maker *m, uint32_t protocol, size_t options_len,
                                  uint32_t id, uint32_t fragment, bool no_len)
{
    size_t total_len = m->len + 20 + options_len;
    maker_zeros(m, options_len);
    maker_put32(m, 0x0a000002);
    maker_put32(m, 0x0a000001);
    maker_put16(m, 0xdead); /* checksum: not checked */
    maker_put8(m, protocol);
    maker_put8(m, 64);
    maker_put16(m, fragment);
    maker_put16(m, id);
    maker_put16(m, no_len ? 0 : (uint32_t)total_len);
    maker_put8(m, 0);
    maker_put8(m, 0x40 + 5 + (uint32_t)options_len / 4);
}

static inline void maker_ip4(struct maker *m, uint32_t protocol)
{
    maker_ip4_full(m, protocol, 0, 7, 0, false);
}

/* maker_ip6: from 2001:db8::1 to 2001:db8::2. */
static inline void maker_ip6(struct maker *m, uint32_t next, bool no_len)
{
    static const uint8_t addr[15] = {0x20, 0x01, 0x0d, 0xb8};
    size_t len = m->len;
    maker_put8(m, 2);
    maker_put(m, addr, sizeof addr);
    maker_put8(m, 1);
    maker_put(m, addr, sizeof addr);
    maker_put8(m, 64);
    maker_put8(m, next);
    maker_put16(m, no_len ? 0 : (uint32_t)len);
    maker_put32(m, 0x60000000);
}

/* maker_extension: an IPv6 extension header of 8 + 8 * more bytes. */
static inline void maker_extension(struct maker *m, uint32_t next, uint32_t more)
{
    maker_zeros(m, 6 + 8 * more);
    maker_put8(m, more);
    maker_put8(m, next);
}

static inline void maker_fragment6(struct maker *m, uint32_t next, uint32_t offset, bool more,
                                   uint32_t id)
{
    maker_put32(m, id);
    maker_put16(m, offset | more);
    maker_put8(m, 0);
    maker_put8(m, next);
}

static inline void maker_ethernet(struct maker *m, uint32_t ether_type)
{
    maker_put16(m, ether_type);
    maker_zeros(m, 12);
}

/* maker_tag goes before what it tags. The next call writes the tag's own EtherType. */
static inline void maker_tag(struct maker *m, uint32_t ether_type)
{
    maker_put16(m, ether_type);
    maker_put16(m, 100);
}

static inline struct ds_packet maker_packet(struct maker *m, uint32_t link_type)
{
    return (struct ds_packet){
        .ts_ns = 1,
        .frame = 1,
        .link_type = link_type,
        .data = maker_bytes(m),
        .cap_len = (uint32_t)m->len,
        .len = (uint32_t)m->len,
    };
}

#endif
