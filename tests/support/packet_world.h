/*
 * packet_world.h - one decoder of packets, and what it makes of a packet that was put together
 * layer by layer (packet_maker.h): m is the packet, segment what was found in it by decode. Most
 * carry "hello" (make_tcp, assert_hello). captured are packets as captured from nodes.
 *
 * To be included by one file of a test program; TEST gives each of its cases a decoder of its own.
 */
#ifndef TESTS_PACKET_WORLD_H
#define TESTS_PACKET_WORLD_H

#include "net/packet.h"
#include "packet_maker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

enum { ETHERNET = 1, COOKED = 113, COOKED2 = 276, RAW = 101 };
enum { IP4 = 0x0800, IP6 = 0x86dd };

static struct maker m;
static struct memcap memcap = {.max = 1 << 24};
static uint64_t hits;
static struct packet_decoder decoder;
static struct segment segment;

static inline int setup(void **state)
{
    (void)state;
    return packet_decoder_init(&decoder, &memcap, 16, &hits) ? 0 : -1;
}

static inline int teardown(void **state)
{
    (void)state;
    packet_decoder_free(&decoder);
    return memcap.used == 0 ? 0 : -1;
}

static inline enum packet_status decode(uint32_t link_type)
{
    struct ds_packet packet = maker_packet(&m, link_type);
    segment = (struct segment){.truncated_len = 12345};
    return packet_decode(&decoder, &packet, &segment);
}

static inline void assert_text(const char *text)
{
    assert_int_equal(cursor_left(&segment.payload), strlen(text));
    assert_memory_equal(segment.payload.at, text, strlen(text));
}

static inline void assert_addrs(const char *src, const char *dst)
{
    char text[DS_ADDR_LEN];
    ds_addr_print(&segment.src, text);
    assert_string_equal(text, src);
    ds_addr_print(&segment.dst, text);
    assert_string_equal(text, dst);
}

/* make_tcp makes a segment that carries "hello". */
static inline void make_tcp(void)
{
    maker_start(&m, "hello", 5);
    maker_tcp(&m, 1000, 2000, TCP_ACK | TCP_PSH, 12);
}

/* assert_hello checks that decoding m gives that segment. */
static inline void assert_hello(uint32_t link_type)
{
    uint16_t src = 0, dst = 0;
    struct ds_packet packet = maker_packet(&m, link_type);
    assert_int_equal(decode(link_type), PACKET_SEGMENT);
    assert_text("hello");
    assert_int_equal(segment.truncated_len, 0);
    assert_int_equal(segment.src_port, 0x1234);
    assert_int_equal(segment.dst_port, 0x5678);
    assert_int_equal(segment.seq, 1000);
    assert_int_equal(segment.ack, 2000);
    assert_int_equal(segment.window, 0x2000);
    assert_int_equal(segment.flags, TCP_ACK | TCP_PSH);
    assert_int_equal(segment.ts_ns, 1);
    assert_int_equal(segment.frame, 1);
    assert_true(ds_packet_ports(&packet, &src, &dst));
    assert_int_equal(src, 0x1234);
    assert_int_equal(dst, 0x5678);
}

static inline void make_cooked(uint32_t ether_type)
{
    maker_put16(&m, ether_type);
    maker_zeros(&m, 14);
}

static inline size_t from_hex(const char *hex, uint8_t *out)
{
    size_t len = 0;
    unsigned byte;
    for (; sscanf(hex, "%2x", &byte) == 1; hex += 2)
        out[len++] = (uint8_t)byte;
    return len;
}

/* Packets as captured from nodes. */
static const struct {
    uint32_t link_type;
    const char *src, *dst;
    uint16_t dst_port;
    size_t len;
    const char *hex;
} captured[] = {
    {COOKED2, "127.0.0.1", "127.0.0.1", 4369, 20,
     "08000000000000010304000600000000000000004500004800c1400040063bed7f0000017f000001"
     "9c0a11119ab2a2073ef9cfe380180040fe3c00000101080a4f6e0a5ef267f2ff00127885d54d0000"
     "0600050005616c6963650000"},
    {ETHERNET, "10.9.2.1", "10.9.2.2", 4369, 6,
     "e6b8f23b62d842d500f527af08004500006c3dde00004011268f0a0901010a090102c46412b50058"
     "5c270800000000002a00e2325eaae83472d3bf0f393408004500003a71c040004006b0e90a090201"
     "0a090202d4c4111187c497bc4c6f384480180040184100000101080a0503abec5d866fcc00047a62"
     "6f62"},
    {ETHERNET, "127.0.0.1", "127.0.0.1", 38535, 32,
     "000000000000000000000000080045000054681140004006d4907f0000017f000001d376968716b7"
     "a0db7b7c9d1680180040fe4800000101080a0b9d1dcb69f50e4a001e4e0000006d07df7fbd6b00ef"
     "75000f616c696365403132372e302e302e31"},
};

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
