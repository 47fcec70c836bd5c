/*
 * test_packet.c - link layers, IP, tunnels and TCP headers: what is found in a packet, and
 * what is said of one that is cut or makes no sense.
 */
#include "failing_alloc.h"
#include "guard_page.h"
#include "packet.h"
#include "packet_maker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

enum { ETHERNET = 1, COOKED = 113, COOKED2 = 276, RAW = 101 };
enum { IP4 = 0x0800, IP6 = 0x86dd };

static struct maker m;
static struct meter meter = {.max = 1 << 24};
static uint64_t hits;
static struct packet_decoder decoder;
static struct segment segment;

static int setup(void **state)
{
    (void)state;
    return packet_decoder_init(&decoder, &meter, 16, &hits) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    packet_decoder_free(&decoder);
    return meter.used == 0 ? 0 : -1;
}

static enum packet_status decode(uint32_t link_type)
{
    struct ds_packet packet = maker_packet(&m, link_type);
    segment = (struct segment){.cut_len = 12345};
    return packet_decode(&decoder, &packet, &segment);
}

static void assert_text(const char *text)
{
    assert_int_equal(cursor_left(&segment.payload), strlen(text));
    assert_memory_equal(segment.payload.at, text, strlen(text));
}

static void assert_addrs(const char *src, const char *dst)
{
    char text[DS_ADDR_LEN];
    ds_addr_print(&segment.src, text);
    assert_string_equal(text, src);
    ds_addr_print(&segment.dst, text);
    assert_string_equal(text, dst);
}

/* make_tcp: a segment that carries "hello". */
static void make_tcp(void)
{
    maker_start(&m, "hello", 5);
    maker_tcp(&m, 1000, 2000, TCP_ACK | TCP_PSH, 12);
}

/* assert_hello checks that decoding m gives that segment. */
static void assert_hello(uint32_t link_type)
{
    uint16_t src = 0, dst = 0;
    struct ds_packet packet = maker_packet(&m, link_type);
    assert_int_equal(decode(link_type), PACKET_SEGMENT);
    assert_text("hello");
    assert_int_equal(segment.cut_len, 0);
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

static void test_ethernet(void **state)
{
    (void)state;
    make_tcp();
    maker_ip4(&m, 6);
    maker_ethernet(&m, IP4);
    assert_hello(ETHERNET);
    assert_addrs("10.0.0.1", "10.0.0.2");
    assert_int_equal(segment.src.family, 4);
    for (int i = 4; i < 16; i++)
        assert_int_equal(segment.src.bytes[i], 0); /* hashed as they are */
}

static void test_tags(void **state)
{
    (void)state;
    static const uint32_t outer[] = {0x8100, 0x88a8, 0x9100};
    for (int i = 0; i < 3; i++) {
        make_tcp();
        maker_ip4(&m, 6);
        maker_tag(&m, IP4);
        if (i > 0)
            maker_tag(&m, 0x8100);
        maker_ethernet(&m, outer[i]);
        assert_hello(ETHERNET);
    }
    make_tcp();
    maker_ip4(&m, 6);
    maker_tag(&m, IP4);
    for (int i = 0; i < 20; i++)
        maker_tag(&m, 0x8100);
    maker_ethernet(&m, 0x8100);
    assert_hello(ETHERNET);
}

static void make_cooked(uint32_t ether_type)
{
    maker_put16(&m, ether_type);
    maker_zeros(&m, 14);
}

static void make_cooked2(uint32_t ether_type)
{
    maker_zeros(&m, 18);
    maker_put16(&m, ether_type);
}

static void test_cooked(void **state)
{
    (void)state;
    make_tcp();
    maker_ip4(&m, 6);
    make_cooked(IP4);
    assert_hello(COOKED);
    make_tcp();
    maker_ip6(&m, 6, false);
    make_cooked2(IP6);
    assert_hello(COOKED2);
    make_tcp();
    maker_ip4(&m, 6);
    maker_tag(&m, IP4);
    make_cooked(0x8100);
    assert_hello(COOKED);
}

static void test_loopback(void **state)
{
    (void)state;
    static const uint32_t types[] = {0, 108};
    static const uint32_t families6[] = {10, 24, 28, 30};
    for (int i = 0; i < 2; i++) {
        make_tcp();
        maker_ip4(&m, 6);
        maker_put32(&m, 2);
        assert_hello(types[i]);
        make_tcp();
        maker_ip4(&m, 6);
        maker_put32(&m, 2u << 24);
        assert_hello(types[i]);
        for (int j = 0; j < 4; j++) {
            make_tcp();
            maker_ip6(&m, 6, false);
            maker_put32(&m, j % 2 == 0 ? families6[j] : families6[j] << 24);
            assert_hello(types[i]);
        }
        maker_start(&m, "\0\0\0\7abc", 7);
        assert_int_equal(decode(types[i]), PACKET_NOT_TCP);
    }
}

static void test_raw(void **state)
{
    (void)state;
    static const uint32_t types[] = {101, 12, 14, 228, 229};
    for (int i = 0; i < 5; i++) {
        if (types[i] != 229) {
            make_tcp();
            maker_ip4(&m, 6);
            assert_hello(types[i]);
        }
        if (types[i] != 228) {
            make_tcp();
            maker_ip6(&m, 6, false);
            assert_hello(types[i]);
        }
    }
}

static void test_link_types(void **state)
{
    (void)state;
    make_tcp();
    assert_int_equal(decode(147), PACKET_UNKNOWN_LINK);
    assert_true(ds_link_type_known(1));
    assert_true(ds_link_type_known(276));
    assert_false(ds_link_type_known(147));
}

static void test_not_tcp(void **state)
{
    (void)state;
    uint16_t src, dst;
    maker_start(&m, "an ARP request", 14);
    maker_ethernet(&m, 0x0806);
    assert_int_equal(decode(ETHERNET), PACKET_NOT_TCP);
    make_tcp();
    maker_ip4(&m, 1);
    assert_int_equal(decode(RAW), PACKET_NOT_TCP);
    maker_start(&m, "a DNS request", 13);
    maker_udp(&m, 40000, 53);
    maker_ip4(&m, 17);
    assert_int_equal(decode(RAW), PACKET_NOT_TCP);
    struct ds_packet packet = maker_packet(&m, RAW);
    assert_false(ds_packet_ports(&packet, &src, &dst));
    make_tcp();
    maker_ip6(&m, 59, false); /* no next header */
    assert_int_equal(decode(RAW), PACKET_NOT_TCP);
}

/* make_icmp: an error about a segment from 10.0.0.1 to 10.0.0.2, or their IPv6 likes; as far as
 * it is quoted. */
static void make_icmp(int version, uint8_t type, uint8_t code, uint32_t more, size_t quoted_len)
{
    maker_start(&m, "", 0);
    maker_tcp(&m, 77, 0, TCP_SYN, 0);
    if (version == 4)
        maker_ip4(&m, 6);
    else
        maker_ip6(&m, 6, false);
    uint8_t quoted[100];
    memcpy(quoted, maker_bytes(&m), m.len);
    maker_start(&m, quoted, quoted_len < m.len ? quoted_len : m.len);
    maker_put32(&m, more);
    maker_put16(&m, 0);
    maker_put8(&m, code);
    maker_put8(&m, type);
    if (version == 4)
        maker_ip4(&m, 1);
    else
        maker_ip6(&m, 58, false);
}

static void test_icmp(void **state)
{
    (void)state;
    static const struct {
        int version;
        uint8_t type, code;
        const char *what; /* NULL: no error */
    } cases[] = {
        {4, 3, 1, "host unreachable"},
        {4, 3, 4, "packet too big"},
        {4, 3, 13, "communication administratively prohibited"},
        {4, 3, 200, "destination unreachable"},
        {4, 11, 0, "time to live exceeded"},
        {4, 11, 2, NULL},
        {4, 8, 0, NULL}, /* an echo request */
        {4, 1, 0, NULL}, /* of ICMPv6 only */
        {6, 1, 4, "port unreachable"},
        {6, 2, 0, "packet too big"},
        {6, 128, 0, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint16_t src = 0, dst = 0;
        make_icmp(cases[i].version, cases[i].type, cases[i].code, 1400, 1000);
        struct ds_packet packet = maker_packet(&m, RAW);
        assert_int_equal(ds_packet_ports(&packet, &src, &dst), cases[i].what != NULL);
        if (cases[i].what == NULL) {
            assert_int_equal(decode(RAW), PACKET_NOT_TCP);
            continue;
        }
        assert_int_equal(decode(RAW), PACKET_ICMP);
        assert_string_equal(decoder.icmp.what, cases[i].what);
        assert_int_equal(decoder.icmp.from.family, cases[i].version);
        const bool too_big = strcmp(cases[i].what, "packet too big") == 0;
        assert_int_equal(decoder.icmp.too_big, too_big);
        assert_int_equal(decoder.icmp.mtu, too_big ? 1400 : 0);
        assert_int_equal(src, 0x1234);
        assert_int_equal(dst, 0x5678);
        assert_int_equal(segment.src_port, 0x1234);
        assert_int_equal(segment.dst_port, 0x5678);
        assert_int_equal(segment.seq, 77);
    }
    /* The first 8 bytes of TCP are enough, and needed. */
    make_icmp(4, 3, 1, 0, 28);
    assert_int_equal(decode(RAW), PACKET_ICMP);
    make_icmp(4, 3, 1, 0, 27);
    assert_int_equal(decode(RAW), PACKET_TRUNCATED);
    /* What is quoted is a packet of its own, as long as it is there, and as it was sent. */
    for (uint32_t cut = 0; cut <= 10; cut += 10) {
        struct ds_packet quoted;
        make_icmp(4, 3, 1, 0, 40);
        struct ds_packet packet = maker_packet(&m, RAW);
        packet.cap_len -= cut;
        assert_true(ds_packet_quoted(&packet, &quoted));
        assert_int_equal(quoted.link_type, RAW);
        assert_int_equal(quoted.len, 40);
        assert_int_equal(quoted.cap_len, 40 - cut);
        assert_int_equal(quoted.data[9], 6);
    }
    /* ICMPv6 in IPv4 is nothing. */
    make_icmp(4, 1, 0, 0, 1000);
    maker_bytes(&m)[9] = 58;
    assert_int_equal(decode(RAW), PACKET_NOT_TCP);
    make_icmp(4, 3, 1, 0, 1000);
    maker_bytes(&m)[20 + 8 + 9] = 17; /* about UDP */
    assert_int_equal(decode(RAW), PACKET_NOT_TCP);
}

static void test_ip4(void **state)
{
    (void)state;
    make_tcp();
    maker_ip4_full(&m, 6, 40, 1, 0x4000, false); /* all options, do not fragment */
    assert_hello(RAW);
    make_tcp();
    maker_ip4_full(&m, 6, 0, 1, 0, true); /* length 0: offloaded */
    assert_hello(RAW);
}

/* What Ethernet fills a frame up with is not payload. */
static void test_padding(void **state)
{
    (void)state;
    static uint8_t frame[128];
    for (int version = 4; version <= 6; version += 2) {
        maker_start(&m, "", 0);
        maker_tcp(&m, 1, 2, TCP_ACK, 0);
        if (version == 4) {
            maker_ip4(&m, 6);
        } else {
            maker_ip6(&m, 6, false);
        }
        maker_ethernet(&m, version == 4 ? IP4 : IP6);
        memset(frame, 0xee, sizeof frame);
        memcpy(frame, maker_bytes(&m), m.len);
        maker_start(&m, frame, sizeof frame);
        assert_int_equal(decode(ETHERNET), PACKET_SEGMENT);
        assert_text("");
        assert_int_equal(segment.cut_len, 0);
    }
}

static void test_malformed_ip(void **state)
{
    (void)state;
    static const struct {
        size_t offset;
        uint8_t value;
    } cases[] = {
        {0, 0x55}, /* version */
        {0, 0x44}, /* header of 16 bytes */
        {0, 0x4f}, /* header longer than the packet's length says */
        {3, 19},   /* total length */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        make_tcp();
        maker_ip4(&m, 6);
        maker_bytes(&m)[cases[i].offset] = cases[i].value;
        assert_int_equal(decode(RAW), PACKET_MALFORMED);
    }
    make_tcp();
    maker_ip6(&m, 6, false);
    maker_bytes(&m)[0] = 0x50;
    assert_int_equal(decode(229), PACKET_MALFORMED);
    maker_start(&m, "", 0);
    assert_int_equal(decode(RAW), PACKET_MALFORMED);
}

static void test_ip6(void **state)
{
    (void)state;
    make_tcp();
    maker_ip6(&m, 6, false);
    assert_hello(RAW);
    assert_addrs("2001:db8::1", "2001:db8::2");
    make_tcp();
    maker_ip6(&m, 6, true); /* length 0: jumbogram or offloaded */
    assert_hello(RAW);
}

static void test_ip6_extensions(void **state)
{
    (void)state;
    make_tcp();
    maker_extension(&m, 6, 0); /* destination options */
    maker_zeros(&m, 22);       /* authentication header of 24 bytes */
    maker_put8(&m, 4);
    maker_put8(&m, 60);
    maker_fragment6(&m, 51, 0, false, 99); /* its own only fragment */
    maker_extension(&m, 44, 2);            /* routing */
    maker_extension(&m, 43, 1);            /* hop-by-hop */
    maker_ip6(&m, 0, false);
    assert_hello(RAW);

    make_tcp();
    maker_extension(&m, 6, 0);
    for (int i = 0; i < 100; i++)
        maker_extension(&m, 60, 0);
    maker_ip6(&m, 60, false);
    assert_int_equal(decode(RAW), PACKET_MALFORMED);
}

static void test_vxlan(void **state)
{
    (void)state;
    make_tcp();
    maker_ip6(&m, 6, false);
    maker_tag(&m, IP6);
    maker_ethernet(&m, 0x8100);
    maker_vxlan(&m);
    maker_ip4(&m, 17);
    maker_ethernet(&m, IP4);
    assert_hello(ETHERNET);
    assert_addrs("2001:db8::1", "2001:db8::2"); /* the inner ones */
    maker_bytes(&m)[14 + 20 + 8] = 0; /* the VXLAN flags */
    assert_int_equal(decode(ETHERNET), PACKET_NOT_TCP);
}

static void test_gre(void **state)
{
    (void)state;
    for (uint32_t flags = 0; flags < 8; flags++) {
        size_t num = (flags & 1) + (flags >> 1 & 1) + (flags >> 2 & 1);
        uint32_t bits = (flags & 1) << 12 | (flags >> 1 & 1) << 13 | (flags >> 2 & 1) << 15;
        static const uint32_t contents[] = {IP4, IP6, 0x6558};
        for (int i = 0; i < 3; i++) {
            make_tcp();
            if (contents[i] == IP6) {
                maker_ip6(&m, 6, false);
            } else {
                maker_ip4(&m, 6);
            }
            if (contents[i] == 0x6558)
                maker_ethernet(&m, IP4);
            maker_zeros(&m, 4 * num);
            maker_put16(&m, contents[i]);
            maker_put16(&m, bits);
            maker_ip4(&m, 47);
            assert_hello(RAW);
        }
    }
    make_tcp();
    maker_put16(&m, IP4);
    maker_put16(&m, 1); /* version 1 is PPTP */
    maker_ip4(&m, 47);
    assert_int_equal(decode(RAW), PACKET_NOT_TCP);
}

static void test_ip_in_ip(void **state)
{
    (void)state;
    make_tcp();
    maker_ip4(&m, 6);
    maker_ip6(&m, 4, false);
    maker_ip4(&m, 41);
    assert_hello(RAW);
}

static void test_tunnels_end(void **state)
{
    (void)state;
    make_tcp();
    maker_ip4(&m, 6);
    for (int i = 0; i < 4; i++)
        maker_ip4(&m, 4);
    assert_hello(RAW);
    maker_ip4(&m, 4);
    assert_int_equal(decode(RAW), PACKET_NOT_TCP);
}

static void test_tcp_header(void **state)
{
    (void)state;
    make_tcp();
    maker_bytes(&m)[12] = 0x40; /* header of 16 bytes */
    maker_ip4(&m, 6);
    assert_int_equal(decode(RAW), PACKET_MALFORMED);
    make_tcp();
    maker_bytes(&m)[12] = 0xf0; /* longer than the packet */
    maker_ip4(&m, 6);
    assert_int_equal(decode(RAW), PACKET_MALFORMED);
    maker_start(&m, "", 0);
    maker_tcp(&m, 1, 2, TCP_SYN, 40);
    maker_ip4(&m, 6);
    assert_int_equal(decode(RAW), PACKET_SEGMENT);
    assert_text("");
}

/* Cut at every place by the snap length: what is missing is told. */
static void test_snapped(void **state)
{
    (void)state;
    make_tcp();
    maker_ip4(&m, 6);
    maker_ethernet(&m, IP4);
    size_t headers = m.len - 5 - 12; /* all but TCP options and payload */
    for (size_t len = 0; len <= m.len; len++) {
        struct ds_packet packet = maker_packet(&m, ETHERNET);
        packet.cap_len = (uint32_t)len;
        enum packet_status status = packet_decode(&decoder, &packet, &segment);
        if (len < headers) {
            assert_int_equal(status, PACKET_TRUNCATED);
            continue;
        }
        assert_int_equal(status, PACKET_SEGMENT);
        size_t kept = len > headers + 12 ? len - headers - 12 : 0;
        assert_int_equal(cursor_left(&segment.payload), kept);
        assert_int_equal(segment.cut_len, 5 - kept);
    }
}

/* Shortened by a tool that also changed the length: the IP length tells. */
static void test_snapped_silently(void **state)
{
    (void)state;
    make_tcp();
    maker_ip4(&m, 6);
    struct ds_packet packet = maker_packet(&m, RAW);
    packet.cap_len = packet.len -= 2;
    assert_int_equal(packet_decode(&decoder, &packet, &segment), PACKET_SEGMENT);
    assert_text("hel");
    assert_int_equal(segment.cut_len, 2);
    packet.len = 1; /* less than captured: makes no sense, does no harm */
    assert_int_equal(packet_decode(&decoder, &packet, &segment), PACKET_SEGMENT);
}

static void test_absurd_length(void **state)
{
    (void)state;
    make_tcp();
    maker_ip4_full(&m, 6, 0, 1, 0, true);
    struct ds_packet packet = maker_packet(&m, RAW);
    packet.len = UINT32_MAX;
    assert_int_equal(packet_decode(&decoder, &packet, &segment), PACKET_MALFORMED);
}

static void test_large_frame(void **state)
{
    (void)state;
    static uint8_t bytes[60000];
    maker_start(&m, bytes, sizeof bytes);
    maker_tcp(&m, 1, 2, TCP_ACK, 12);
    maker_ip6(&m, 6, true);
    maker_ethernet(&m, IP6);
    assert_int_equal(decode(ETHERNET), PACKET_SEGMENT);
    assert_int_equal(cursor_left(&segment.payload), sizeof bytes);
}

/* Packets as captured from nodes, and built ones of every kind. */

static size_t from_hex(const char *hex, uint8_t *out)
{
    size_t len = 0;
    unsigned byte;
    for (; sscanf(hex, "%2x", &byte) == 1; hex += 2)
        out[len++] = (uint8_t)byte;
    return len;
}

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

static void each_packet(void (*check)(uint32_t link_type))
{
    static uint8_t bytes[512];
    for (size_t i = 0; i < sizeof captured / sizeof captured[0]; i++) {
        maker_start(&m, bytes, from_hex(captured[i].hex, bytes));
        check(captured[i].link_type);
    }
    make_tcp();
    maker_ip4(&m, 6);
    maker_tag(&m, IP4);
    maker_tag(&m, 0x8100);
    maker_ethernet(&m, 0x88a8);
    check(ETHERNET);
    make_tcp();
    maker_ip4_full(&m, 6, 24, 1, 0, false);
    make_cooked(IP4);
    check(COOKED);
    make_tcp();
    maker_ip4(&m, 6);
    maker_put32(&m, 2);
    check(0);
    check(108);
    make_tcp();
    maker_extension(&m, 6, 1);
    maker_fragment6(&m, 60, 0, false, 1);
    maker_extension(&m, 44, 0);
    maker_ip6(&m, 0, false);
    check(RAW);
    check(229);
    make_tcp();
    maker_ip6(&m, 6, false);
    maker_ethernet(&m, IP6);
    maker_zeros(&m, 12);
    maker_put16(&m, 0x6558);
    maker_put16(&m, 0xb000);
    maker_ip4(&m, 47);
    check(RAW);
    check(228);
    make_tcp();
    maker_ip4_full(&m, 6, 0, 1, 0x2000, false); /* a fragment */
    check(RAW);
}

/* check_guarded decodes every prefix against an unreadable page, cut or truly short. */
static void check_guarded(uint32_t link_type)
{
    uint16_t src, dst;
    for (size_t len = 0; len <= m.len; len++) {
        struct guard_page guard = guard_page_copy(maker_bytes(&m), len);
        assert_non_null(guard.bytes);
        struct ds_packet packet = maker_packet(&m, link_type);
        packet.data = guard.bytes;
        packet.cap_len = (uint32_t)len;
        for (int i = 0; i < 2; i++) {
            enum packet_status status = packet_decode(&decoder, &packet, &segment);
            if (status == PACKET_SEGMENT) {
                assert_true(segment.payload.at >= guard.bytes);
                assert_ptr_equal(segment.payload.end, guard.bytes + len);
            } else if (len < m.len) {
                assert_int_not_equal(status, i == 0 ? PACKET_MALFORMED : PACKET_UNKNOWN_LINK);
            }
            (void)ds_packet_ports(&packet, &src, &dst);
            packet.len = (uint32_t)len;
        }
        guard_page_free(&guard);
    }
}

static void test_every_prefix(void **state)
{
    (void)state;
    each_packet(check_guarded);
}

/* check_changed decodes the packet with every byte changed in turn. */
static void check_changed(uint32_t link_type)
{
    static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    struct guard_page guard = guard_page_copy(maker_bytes(&m), m.len);
    assert_non_null(guard.bytes);
    struct ds_packet packet = maker_packet(&m, link_type);
    packet.data = guard.bytes;
    for (size_t i = 0; i < m.len; i++) {
        uint8_t kept = guard.bytes[i];
        for (size_t j = 0; j < sizeof values; j++) {
            guard.bytes[i] = values[j];
            packet.ts_ns++;
            enum packet_status status = packet_decode(&decoder, &packet, &segment);
            if (status == PACKET_SEGMENT)
                assert_true(cursor_left(&segment.payload) <= m.len);
        }
        guard.bytes[i] = kept;
    }
    guard_page_free(&guard);
}

static void test_every_byte_changed(void **state)
{
    (void)state;
    each_packet(check_changed);
}

static void test_captured(void **state)
{
    (void)state;
    static uint8_t bytes[512];
    for (size_t i = 0; i < sizeof captured / sizeof captured[0]; i++) {
        maker_start(&m, bytes, from_hex(captured[i].hex, bytes));
        assert_int_equal(decode(captured[i].link_type), PACKET_SEGMENT);
        assert_addrs(captured[i].src, captured[i].dst);
        assert_int_equal(segment.dst_port, captured[i].dst_port);
        assert_int_equal(cursor_left(&segment.payload), captured[i].len);
    }
}

static void test_addr_print(void **state)
{
    (void)state;
    char text[DS_ADDR_LEN];
    struct ds_addr longest = {.family = 6};
    memset(longest.bytes, 0xfe, sizeof longest.bytes);
    ds_addr_print(&longest, text);
    assert_string_equal(text, "fefe:fefe:fefe:fefe:fefe:fefe:fefe:fefe");
    ds_addr_print(&(struct ds_addr){.family = 6}, text);
    assert_string_equal(text, "::");
    ds_addr_print(&(struct ds_addr){.family = 4, .bytes = {255, 255, 255, 255}}, text);
    assert_string_equal(text, "255.255.255.255");
    ds_addr_print(&(struct ds_addr){.family = 0}, text);
    assert_string_equal(text, "");
}

static void test_no_memory(void **state)
{
    (void)state;
    struct packet_decoder other;
    failing_alloc_at(1);
    assert_false(packet_decoder_init(&other, &meter, 16, &hits));
    failing_alloc_at(0);
    packet_decoder_free(&other);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_ethernet),
        TEST(test_tags),
        TEST(test_cooked),
        TEST(test_loopback),
        TEST(test_raw),
        TEST(test_link_types),
        TEST(test_not_tcp),
        TEST(test_icmp),
        TEST(test_ip4),
        TEST(test_padding),
        TEST(test_malformed_ip),
        TEST(test_ip6),
        TEST(test_ip6_extensions),
        TEST(test_vxlan),
        TEST(test_gre),
        TEST(test_ip_in_ip),
        TEST(test_tunnels_end),
        TEST(test_tcp_header),
        TEST(test_snapped),
        TEST(test_snapped_silently),
        TEST(test_absurd_length),
        TEST(test_large_frame),
        TEST(test_every_prefix),
        TEST(test_every_byte_changed),
        TEST(test_captured),
        TEST(test_addr_print),
        TEST(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
