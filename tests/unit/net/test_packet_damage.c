/*
 * test_packet_damage.c - packets that are truncated, changed, too short or malformed, and failing
 * memory: the status is right, and nothing behind their end is read.
 */
#include "failing_alloc.h"
#include "guard_page.h"
#include "packet_world.h"

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

/* Hosts drop IPv4 options that are malformed, and source routes. */
static void test_options_of_ip4(void **state)
{
    (void)state;
    static const struct {
        uint8_t options[8];
        enum packet_status status;
    } cases[] = {
        {{1, 1, 7, 6, 4, 0, 0, 0}, PACKET_SEGMENT},         /* record route, then the end */
        {{0, 131, 3, 4, 0, 137, 5, 1}, PACKET_SEGMENT},     /* nothing is read behind the end */
        {{1, 1, 1, 1, 1, 1, 148, 2}, PACKET_SEGMENT},       /* one that fits exactly */
        {{1, 1, 1, 1, 1, 148, 3, 1}, PACKET_SEGMENT},
        {{148, 0, 0, 0}, PACKET_MALFORMED},
        {{148, 1, 0, 0}, PACKET_MALFORMED},
        {{148, 9, 0, 0}, PACKET_MALFORMED},
        {{1, 1, 1, 1, 1, 1, 1, 148}, PACKET_MALFORMED},     /* without its length */
        {{1, 131, 7, 4, 10, 0, 0, 3}, PACKET_MALFORMED},    /* loose source route */
        {{1, 137, 7, 4, 10, 0, 0, 3}, PACKET_MALFORMED},    /* strict source route */
        {{1, 137, 7, 8, 10, 0, 0, 3}, PACKET_MALFORMED},    /* at its end: Linux drops that, too */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        make_tcp();
        maker_ip4_full(&m, 6, 8, 1, 0x4000, false);
        memcpy(maker_bytes(&m) + 20, cases[i].options, 8);
        assert_int_equal(decode(RAW), cases[i].status);
    }
}

/* Hosts drop options of IPv6 that have to be known, and padding that is longer than it has to be. */
static void test_options_of_ip6(void **state)
{
    (void)state;
    static const struct {
        uint8_t next, options[14];
        enum packet_status status;
    } cases[] = {
        {60, {1, 4, 0, 0, 0, 0, 0x1e, 6}, PACKET_SEGMENT},         /* passed over by who does not know it */
        {60, {1, 4, 0, 0, 0, 0, 0x5e, 6}, PACKET_REFUSED},
        {0, {1, 4, 0, 0, 0, 0, 0x9e, 6}, PACKET_REFUSED},
        {0, {1, 4, 0, 0, 0, 0, 0xde, 6}, PACKET_REFUSED},
        {0, {5, 2, 0, 0, 1, 0, 0x1e, 6}, PACKET_SEGMENT},          /* router alert */
        {0, {1, 0, 1, 0, 0xc2, 4, 0, 1, 0, 0, 1, 0, 1, 0}, PACKET_REFUSED}, /* jumbo, with a length */
        {60, {1, 4, 0, 0, 0, 1, 0x1e, 6}, PACKET_REFUSED},         /* padding with something in it */
        {60, {1, 5, 0, 0, 0, 0, 0, 0x1e, 5}, PACKET_SEGMENT},      /* of seven bytes */
        {60, {1, 5, 0, 0, 0, 0, 0, 0, 0x1e, 4}, PACKET_REFUSED},   /* of eight */
        {60, {0, 0, 0, 0, 0, 0, 0, 0x1e, 5}, PACKET_SEGMENT},
        {60, {0, 0, 0, 0, 0, 0, 0, 0, 0x1e, 4}, PACKET_REFUSED},
        {60, {0, 0, 0, 0, 0x1e, 0, 0, 0, 0, 0, 0x1e, 2}, PACKET_SEGMENT},
        {60, {1, 4, 0, 0, 0, 0, 0x1e, 7}, PACKET_REFUSED},         /* longer than its header */
        {60, {0x1e, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x1e}, PACKET_REFUSED}, /* without its length */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        make_tcp();
        maker_extension(&m, 6, 1);
        memcpy(maker_bytes(&m) + 2, cases[i].options, sizeof cases[i].options);
        maker_ip6(&m, cases[i].next, false);
        assert_int_equal(decode(RAW), cases[i].status);
    }
    for (unsigned num = 8; num <= 9; num++) {
        make_tcp();
        maker_extension(&m, 6, 2);
        for (unsigned n = 0; n < num; n++)
            maker_bytes(&m)[2 + 2 * n] = 0x1e;
        maker_ip6(&m, 60, false);
        assert_int_equal(decode(RAW), num == 8 ? PACKET_SEGMENT : PACKET_REFUSED);
    }
    for (uint8_t next = 0; next <= 60; next += 60) {
        make_tcp();
        maker_extension(&m, 6, 0);
        memcpy(maker_bytes(&m) + 2, (uint8_t[]){0xc2, 4, 0, 1, 0, 0}, 6);
        maker_ip6(&m, next, true);
        assert_int_equal(decode(RAW), next == 0 ? PACKET_SEGMENT : PACKET_REFUSED);
    }
    make_tcp(); /* a fragment of such a packet is none */
    maker_fragment6(&m, 6, 0, true, 99);
    maker_extension(&m, 44, 0);
    maker_bytes(&m)[2] = 0x5e;
    maker_ip6(&m, 60, false);
    assert_int_equal(decode(RAW), PACKET_MALFORMED);
    assert_int_equal(memcap.used, 0);
}

/* No connection has an address of several hosts. */
static void test_addresses_of_groups(void **state)
{
    (void)state;
    static const struct {
        uint8_t addr[4];
        enum packet_status status;
    } cases[] = {
        {{223, 255, 255, 255}, PACKET_SEGMENT}, {{224, 0, 0, 0}, PACKET_REFUSED},
        {{239, 255, 255, 255}, PACKET_REFUSED}, {{240, 0, 0, 0}, PACKET_SEGMENT},
        {{255, 255, 255, 254}, PACKET_SEGMENT}, {{255, 255, 255, 255}, PACKET_REFUSED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (size_t at = 12; at <= 16; at += 4) { /* source, destination */
            make_tcp();
            maker_ip4(&m, 6);
            memcpy(maker_bytes(&m) + at, cases[i].addr, 4);
            assert_int_equal(decode(RAW), cases[i].status);
            maker_ethernet(&m, IP4);
            assert_int_equal(decode(ETHERNET), cases[i].status);
        }
    }
    for (size_t at = 8; at <= 24; at += 16) {
        make_tcp();
        maker_ip6(&m, 6, false);
        maker_bytes(&m)[at] = 0xfe;
        assert_int_equal(decode(RAW), PACKET_SEGMENT);
        maker_bytes(&m)[at] = 0xff;
        assert_int_equal(decode(RAW), PACKET_REFUSED);
    }
}

/* Nor do hosts accept packets that an IPv6 routing header forwards. */
static void test_routing_header(void **state)
{
    (void)state;
    for (uint8_t left = 0; left < 2; left++) {
        make_tcp();
        maker_extension(&m, 6, 2);
        maker_bytes(&m)[2] = 4;
        maker_bytes(&m)[3] = left;
        maker_ip6(&m, 43, false);
        assert_int_equal(decode(RAW), left == 0 ? PACKET_SEGMENT : PACKET_MALFORMED);
        assert_int_equal(cursor_left(&segment.summed) != 0, left == 0);
        make_tcp();
        maker_extension(&m, 6, 0);
        maker_bytes(&m)[3] = 1; /* another header has no segments */
        maker_ip6(&m, 60, false);
        assert_hello(RAW);
    }
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

/* Cut at every place by the snap length: the missing length is reported. */
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
        assert_int_equal(segment.truncated_len, 5 - kept);
        assert_false(segment.has_bad_len);
    }
}

/* Truncated by a tool that also changed the length: the IP length reveals it. */
static void test_snapped_silently(void **state)
{
    (void)state;
    make_tcp();
    maker_ip4(&m, 6);
    struct ds_packet packet = maker_packet(&m, RAW);
    packet.cap_len = packet.len -= 2;
    assert_int_equal(packet_decode(&decoder, &packet, &segment), PACKET_SEGMENT);
    assert_text("hel");
    assert_int_equal(segment.truncated_len, 2);
    assert_true(segment.has_bad_len); /* or so it was sent: tcp_judge.h finds out */
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

/* each_packet passes captured packets of nodes to check, and made ones of every kind. */
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

/* check_guarded decodes every prefix before an unreadable page, truncated by the capture or on the
 * wire. */
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
            (void)ds_packet_opens(&packet);
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

/* check_changed decodes the packet with each byte changed in turn. */
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

/* decode_in decodes an IP packet in that link layer without its last bytes. is_known: the capture
 * says that they are missing. */
static enum packet_status decode_in(uint32_t link_type, const struct maker *ip, size_t cut, bool is_known)
{
    m = *ip;
    if (link_type == ETHERNET)
        maker_ethernet(&m, IP4);
    else
        make_cooked(IP4);
    struct ds_packet packet = maker_packet(&m, link_type);
    packet.cap_len -= (uint32_t)cut;
    if (!is_known)
        packet.len = packet.cap_len;
    memset(&segment, 0, sizeof segment);
    return packet_decode(&decoder, &packet, &segment);
}

/* assert_as_cooked: the fast path for plain Ethernet gives the same result. */
static void assert_as_cooked(const struct maker *ip, size_t cut, bool is_known)
{
    static uint8_t payload[64];
    const enum packet_status status = decode_in(COOKED, ip, cut, is_known);
    const struct segment expected = segment;
    const size_t len = cursor_left(&expected.payload);
    assert_true(len <= sizeof payload);
    if (len != 0)
        memcpy(payload, expected.payload.at, len);
    assert_int_equal(decode_in(ETHERNET, ip, cut, is_known), status);
    if (status != PACKET_SEGMENT)
        return;
    assert_memory_equal(&segment.src, &expected.src, sizeof segment.src);
    assert_memory_equal(&segment.dst, &expected.dst, sizeof segment.dst);
    assert_int_equal(segment.src_port, expected.src_port);
    assert_int_equal(segment.dst_port, expected.dst_port);
    assert_int_equal(segment.seq, expected.seq);
    assert_int_equal(segment.ack, expected.ack);
    assert_int_equal(segment.window, expected.window);
    assert_int_equal(segment.ip_id, expected.ip_id);
    assert_int_equal(segment.flags, expected.flags);
    assert_int_equal(segment.truncated_len, expected.truncated_len);
    assert_int_equal(cursor_left(&segment.payload), len);
    if (len != 0)
        assert_memory_equal(segment.payload.at, payload, len);
}

static void test_plain_is_as_any(void **state)
{
    (void)state;
    static struct maker ip;
    make_tcp();
    maker_ip4(&m, 6);
    ip = m;
    for (size_t cut = 0; cut <= ip.len; cut++) {
        assert_as_cooked(&ip, cut, true);
        assert_as_cooked(&ip, cut, false);
    }
    for (size_t i = 0; i < ip.len; i++) {
        uint8_t *byte = &maker_bytes(&ip)[i];
        const uint8_t was = *byte;
        for (unsigned value = 0; value < 256; value++) {
            *byte = (uint8_t)value;
            assert_as_cooked(&ip, 0, true);
        }
        *byte = was;
    }
}

static void test_no_memory(void **state)
{
    (void)state;
    struct packet_decoder other;
    failing_alloc_at(1);
    assert_false(packet_decoder_init(&other, &memcap, 16, &hits));
    failing_alloc_at(0);
    packet_decoder_free(&other);
}

/* The memory of a decoder may be uninitialised. */
static void test_reads_what_is_asked_for(void **state)
{
    (void)state;
    struct packet_decoder other;
    memset(&other, 1, sizeof other);
    assert_true(packet_decoder_init(&other, &memcap, 16, &hits));
    assert_false(other.reads_dns);
    packet_decoder_free(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_malformed_ip),
        TEST(test_options_of_ip4),
        TEST(test_options_of_ip6), TEST(test_addresses_of_groups),
        TEST(test_routing_header),
        TEST(test_tcp_header),
        TEST(test_snapped),
        TEST(test_snapped_silently),
        TEST(test_absurd_length),
        TEST(test_every_prefix),
        TEST(test_every_byte_changed),
        TEST(test_plain_is_as_any),
        TEST(test_no_memory),
        TEST(test_reads_what_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
