/*
 * test_packet.c - how whole packets are read: link layers, IP, tunnels, TCP and ICMP.
 * test_packet_damage.c has truncated and malformed ones.
 */
#include "packet_world.h"

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

/* Frames to several hosts, of which Linux takes no TCP. What counts is the innermost frame. */
static void test_groups(void **state)
{
    (void)state;
    static const struct {
        uint32_t link_type;
        uint8_t at, value;
        bool is_to_group;
    } cases[] = {
        {ETHERNET, 0, 0x01, true},  {ETHERNET, 0, 0x33, true}, {ETHERNET, 0, 0xff, true},
        {ETHERNET, 0, 0x02, false}, {ETHERNET, 6, 0x01, false}, {COOKED, 1, 1, true},
        {COOKED, 1, 2, true},       {COOKED, 1, 0, false},     {COOKED, 1, 3, false},
        {COOKED, 1, 4, false},      {COOKED, 0, 1, false},     {COOKED2, 10, 1, true},
        {COOKED2, 10, 2, true},     {COOKED2, 10, 4, false},   {COOKED2, 9, 1, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        make_tcp();
        maker_ip4(&m, 6);
        if (cases[i].link_type == ETHERNET)
            maker_ethernet(&m, IP4);
        else
            maker_zeros(&m, cases[i].link_type == COOKED ? 16 : 20);
        maker_bytes(&m)[cases[i].link_type == COOKED ? 14 : cases[i].link_type == COOKED2 ? 0 : 12] = 8;
        maker_bytes(&m)[cases[i].at] = cases[i].value;
        segment.is_to_group = !cases[i].is_to_group;
        assert_hello(cases[i].link_type);
        assert_int_equal(segment.is_to_group, cases[i].is_to_group);
    }
    for (int inner = 0; inner < 2; inner++) {
        make_tcp();
        maker_ip4(&m, 6);
        maker_ethernet(&m, IP4);
        maker_bytes(&m)[0] = (uint8_t)inner;
        maker_vxlan(&m);
        maker_ip4(&m, 17);
        maker_bytes(&m)[16] = 239; /* floods go to a group of the tunnel's ends */
        maker_ethernet(&m, IP4);
        maker_bytes(&m)[0] = 1;
        assert_hello(ETHERNET);
        assert_int_equal(segment.is_to_group, inner);
    }
    make_tcp();
    maker_ip4(&m, 6);
    maker_ip4(&m, 4);
    maker_ethernet(&m, IP4);
    maker_bytes(&m)[0] = 1;
    assert_hello(ETHERNET);
    assert_false(segment.is_to_group);
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
    unsigned num_known = 0, num_rows = 0;
    assert_int_equal(decode(147), PACKET_UNKNOWN_LINK);
    for (uint32_t number = 0; number < 1000; number++)
        num_known += ds_link_type_known(number);
#define LINK_TYPE(id, number, ...)                                                                         \
    assert_true(ds_link_type_known(number));                                                               \
    num_rows++;
#include <distsniff/link_types.def>
#undef LINK_TYPE
    assert_int_equal(num_known, num_rows);
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

static void test_opens(void **state)
{
    (void)state;
    enum { FLAGS_AT = 40 + 13 }; /* behind an IPv6 header */
    static const struct {
        uint8_t flags;
        bool opens;
    } cases[] = {{TCP_SYN, true},  {TCP_SYN | TCP_PSH, true},  {TCP_SYN | TCP_ACK, false},
                 {TCP_ACK, false}, {TCP_ACK | TCP_PSH, false}, {0, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        maker_start(&m, "", 0);
        maker_tcp(&m, 77, 0, cases[i].flags, 0);
        maker_ip6(&m, 6, false);
        struct ds_packet packet = maker_packet(&m, RAW);
        assert_int_equal(ds_packet_opens(&packet), cases[i].opens);
        packet.cap_len = FLAGS_AT + 1;
        assert_int_equal(ds_packet_opens(&packet), cases[i].opens);
        packet.cap_len--; /* without the flags */
        assert_false(ds_packet_opens(&packet));
    }
    maker_start(&m, "", 0);
    maker_udp(&m, 40000, 53);
    maker_ip4(&m, 17);
    struct ds_packet packet = maker_packet(&m, RAW);
    assert_false(ds_packet_opens(&packet));
}

/* make_icmp makes an error about a segment from 10.0.0.1 to 10.0.0.2, or the same in IPv6, of which
 * quoted_len bytes are quoted. */
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
        {4, 1, 0, NULL}, /* only in ICMPv6 */
        {6, 1, 4, "port unreachable"},
        {6, 2, 0, "packet too big"},
        {6, 128, 0, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint16_t src = 0, dst = 0;
        make_icmp(cases[i].version, cases[i].type, cases[i].code, 1400, 1000);
        struct ds_packet packet = maker_packet(&m, RAW);
        assert_false(ds_packet_opens(&packet)); /* the quoted packet opens a connection */
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
    /* The size is two bytes in ICMP, and four in ICMPv6. */
    make_icmp(4, 3, 4, 0xabcd0578, 1000);
    assert_int_equal(decode(RAW), PACKET_ICMP);
    assert_int_equal(decoder.icmp.mtu, 1400);
    make_icmp(6, 2, 0, 0x10578, 1000);
    assert_int_equal(decode(RAW), PACKET_ICMP);
    assert_int_equal(decoder.icmp.mtu, 0x10578);
    /* The first fragment has the ports. */
    make_icmp(4, 3, 1, 0, 1000);
    maker_bytes(&m)[20 + 8 + 6] = 0x20;
    assert_int_equal(decode(RAW), PACKET_ICMP);
    maker_bytes(&m)[20 + 8 + 7] = 1;
    assert_int_equal(decode(RAW), PACKET_NOT_TCP);
    /* The first 8 bytes of TCP are enough, and required. */
    make_icmp(4, 3, 1, 0, 28);
    assert_int_equal(decode(RAW), PACKET_ICMP);
    make_icmp(4, 3, 1, 0, 27);
    assert_int_equal(decode(RAW), PACKET_TRUNCATED);
    /* The quoted packet is parsed by itself, as far as it is quoted, with its original length. */
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

/* A DNS question that ICMP quotes did not arrive; a quoted answer is ignored. */
static void test_icmp_of_dns(void **state)
{
    enum { QUESTION, CUT, ANSWER, OTHER_PORT, FRAGMENT, UNASKED, CASES };
    static const uint8_t question[] = {0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 3, 'b', 'o', 'b', 0, 0, 1, 0, 1};
    (void)state;
    for (int i = 0; i < CASES; i++) {
        uint8_t quoted[100];
        maker_start(&m, question, sizeof question - (i == CUT));
        maker_udp(&m, i == ANSWER ? 53 : 40000, i == ANSWER ? 40000 : i == OTHER_PORT ? 54 : 53);
        if (i == ANSWER)
            maker_bytes(&m)[8 + 2] |= 0x80;
        maker_ip4(&m, 17);
        if (i == FRAGMENT)
            maker_bytes(&m)[7] = 1;
        const size_t len = m.len;
        memcpy(quoted, maker_bytes(&m), len);
        maker_start(&m, quoted, len);
        maker_put32(&m, 0);
        maker_put16(&m, 0);
        maker_put8(&m, 3);
        maker_put8(&m, 3);
        maker_ip4(&m, 1);
        decoder.reads_dns = i != UNASKED;
        assert_int_equal(decode(RAW), i == QUESTION ? PACKET_DNS : PACKET_NOT_TCP);
        if (i != QUESTION)
            continue;
        assert_string_equal(decoder.icmp.what, "port unreachable");
        assert_int_equal(segment.src_port, 40000);
        assert_memory_equal(decoder.dns.name, "bob", 3);
        maker_start(&m, question, sizeof question); /* and then one that is not reported */
        maker_udp(&m, 40000, 53);
        maker_ip4(&m, 17);
        assert_int_equal(decode(RAW), PACKET_DNS);
        assert_null(decoder.icmp.what);
    }
    decoder.reads_dns = false;
}

static void test_ip4(void **state)
{
    (void)state;
    make_tcp();
    maker_ip4_full(&m, 6, 40, 1, 0x4000, false); /* all options, do not fragment */
    assert_hello(RAW);
    make_tcp();
    assert_false(segment.has_bad_len);
    maker_ip4_full(&m, 6, 0, 1, 0, true); /* length 0: offloaded, but too short for that */
    assert_hello(RAW);
    assert_true(segment.has_bad_len);
    maker_bytes(&m)[0] = 0x44; /* a header shorter than a header is */
    assert_int_equal(decode(RAW), PACKET_MALFORMED);
    maker_start(&m, NULL, 0); /* it is no TCP, so its contents do not matter */
    maker_ip4(&m, 2);
    assert_int_equal(decode(RAW), PACKET_NOT_TCP);
}

/* Ethernet padding is not payload. */
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
        assert_int_equal(segment.truncated_len, 0);
    }
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
    maker_extension(&m, 43, 0);            /* hop-by-hop */
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
    assert_addrs("2001:db8::1", "2001:db8::2"); /* the addresses of the inner packet */
    maker_bytes(&m)[14 + 20 + 2] = 8472 >> 8; /* the port that Linux has */
    maker_bytes(&m)[14 + 20 + 3] = 8472 & 255;
    assert_hello(ETHERNET);
    maker_bytes(&m)[14 + 20 + 3]++;
    assert_int_equal(decode(ETHERNET), PACKET_NOT_TCP);
    maker_bytes(&m)[14 + 20 + 3]--;
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
    for (int routes = 0; routes < 2; routes++) {
        make_tcp();
        maker_ip4(&m, 6);
        maker_put16(&m, IP4);
        maker_put16(&m, routes ? 0x4000 : 1); /* routing; version 1 is PPTP */
        maker_ip4(&m, 47);
        assert_int_equal(decode(RAW), PACKET_NOT_TCP);
    }
}

/* wrap_geneve puts a segment into GENEVE: in an Ethernet frame, or in IP alone. */
static void wrap_geneve(uint32_t ether_type, uint32_t options)
{
    make_tcp();
    if (ether_type == IP6)
        maker_ip6(&m, 6, false);
    else
        maker_ip4(&m, 6);
    if (ether_type == 0x6558)
        maker_ethernet(&m, IP4);
    maker_geneve(&m, ether_type, options);
    maker_ip4(&m, 17);
}

static void test_geneve(void **state)
{
    enum { HEADER_AT = 20 + 8 };
    static const uint32_t contents[] = {0x6558, IP4, IP6};
    static const uint32_t options[] = {0, 1, 63};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 3; j++) {
            wrap_geneve(contents[i], options[j]);
            assert_hello(RAW);
        }
    }
    wrap_geneve(IP4, 1);
    maker_bytes(&m)[HEADER_AT + 1] = 0xc0; /* flags for control and critical options: no difference */
    assert_hello(RAW);
    maker_bytes(&m)[HEADER_AT] |= 0x40; /* another version */
    assert_int_equal(decode(RAW), PACKET_NOT_TCP);
    wrap_geneve(IP4, 1);
    maker_bytes(&m)[20 + 3]++; /* another port */
    assert_int_equal(decode(RAW), PACKET_NOT_TCP);
    wrap_geneve(0x0806, 1); /* ARP */
    assert_int_equal(decode(RAW), PACKET_NOT_TCP);
    /* As AWS mirrors behind a gateway: VXLAN in GENEVE. */
    make_tcp();
    maker_ip4(&m, 6);
    maker_ethernet(&m, IP4);
    maker_vxlan(&m);
    maker_ip4(&m, 17);
    maker_geneve(&m, IP4, 8);
    maker_ip4(&m, 17);
    maker_ethernet(&m, IP4);
    assert_hello(ETHERNET);
}

/* wrap_erspan puts the packet into GRE with a sequence number. */
static void wrap_erspan(uint32_t ether_type)
{
    maker_put32(&m, 77);
    maker_put16(&m, ether_type);
    maker_put16(&m, 0x1000);
    maker_ip4(&m, 47);
}

static void test_erspan_2(void **state)
{
    enum { VERSION_AT = 20 + 8 };
    (void)state;
    make_tcp();
    maker_ip4(&m, 6);
    maker_ethernet(&m, IP4);
    maker_put32(&m, 0x00012345);
    maker_put32(&m, 0x1064e001);
    wrap_erspan(0x88be);
    assert_hello(RAW);
    maker_bytes(&m)[VERSION_AT] = 0x20;
    assert_int_equal(decode(RAW), PACKET_NOT_TCP);
    /* Type I has neither a header nor a sequence number. */
    make_tcp();
    maker_ip6(&m, 6, false);
    maker_ethernet(&m, IP6);
    maker_put16(&m, 0x88be);
    maker_put16(&m, 0);
    maker_ip4(&m, 47);
    assert_hello(RAW);
}

/* wrap_erspan_3: kinds are the last two bytes of the header; version is 2. */
static void wrap_erspan_3(uint32_t inner, uint32_t kinds, uint32_t version)
{
    make_tcp();
    if (inner == IP6)
        maker_ip6(&m, 6, false);
    else
        maker_ip4(&m, 6);
    if (inner == 0x6558)
        maker_ethernet(&m, IP4);
    maker_zeros(&m, (kinds & 1) != 0 ? 8 : 0);
    maker_put16(&m, kinds);
    maker_put16(&m, 0);
    maker_put32(&m, 0x12345678);
    maker_put32(&m, version << 28 | 0x0064e001);
    wrap_erspan(0x22eb);
}

static void test_erspan_3(void **state)
{
    (void)state;
    enum { IS_IP = 2 << 10, DIRECTION = 0x08, HAS_MORE = 1 };
    static const struct {
        uint32_t inner, kinds, version;
        bool is_one;
    } cases[] = {
        {0x6558, 0, 2, true},
        {0x6558, DIRECTION, 2, true},
        {0x6558, HAS_MORE, 2, true},
        {IP4, IS_IP, 2, true},
        {IP6, IS_IP | HAS_MORE, 2, true},
        {0x6558, 0, 1, false},
        {0x6558, 1 << 10, 2, false}, /* not an Ethernet frame */
        {IP4, 3 << 10, 2, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wrap_erspan_3(cases[i].inner, cases[i].kinds, cases[i].version);
        if (cases[i].is_one)
            assert_hello(RAW);
        else
            assert_int_equal(decode(RAW), PACKET_NOT_TCP);
    }
}

/* A tunnel that is cut anywhere is reported as cut: no inner packet is reported. */
static void test_tunnels_cut(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        if (kind == 0)
            wrap_geneve(0x6558, 3);
        else
            wrap_erspan_3(kind == 3 ? IP4 : 0x6558, kind == 1 ? 0 : kind == 2 ? 1 : 2 << 10, 2);
        for (uint32_t len = 21; len < m.len - 25; len++) {
            struct ds_packet packet = maker_packet(&m, RAW);
            packet.cap_len = len;
            assert_int_equal(packet_decode(&decoder, &packet, &segment), PACKET_TRUNCATED);
        }
    }
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
    assert_false(segment.has_bad_len);
    for (size_t len = 1280 - 1; len <= 1280; len++) { /* with headers */
        maker_start(&m, bytes, len - 20 - 20);
        maker_tcp(&m, 1, 2, TCP_ACK, 0);
        maker_ip4_full(&m, 6, 0, 1, 0, true);
        assert_int_equal(decode(RAW), PACKET_SEGMENT);
        assert_int_equal(segment.has_bad_len, len < 1280);
    }
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_ethernet),
        TEST(test_tags),
        TEST(test_cooked),
        TEST(test_groups), TEST(test_loopback),
        TEST(test_raw),
        TEST(test_link_types),
        TEST(test_not_tcp),
        TEST(test_opens),
        TEST(test_icmp),
        TEST(test_icmp_of_dns),
        TEST(test_ip4),
        TEST(test_padding),
        TEST(test_ip6),
        TEST(test_ip6_extensions),
        TEST(test_vxlan),
        TEST(test_gre),
        TEST(test_geneve),
        TEST(test_erspan_2),
        TEST(test_erspan_3),
        TEST(test_tunnels_cut),
        TEST(test_ip_in_ip),
        TEST(test_tunnels_end),
        TEST(test_large_frame),
        TEST(test_captured),
        TEST(test_addr_print),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
