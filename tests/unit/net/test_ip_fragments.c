/*
 * test_ip_fragments.c - reassembly of IP fragments: order, overlap, caps, time.
 */
#include "failing_alloc.h"
#include "net/packet.h"
#include "packet_maker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

enum { RAW = 101, TEXT_LEN = 180, WHOLE_LEN = 200 };
#define SECOND INT64_C(1000000000)

struct world {
    struct packet_decoder decoder;
    struct memcap memcap;
    struct ds_stats stats;
    uint64_t hits;
    int64_t now_ns;
    struct segment segment;
    uint8_t whole[WHOLE_LEN]; /* a TCP header and TEXT_LEN bytes */
};

static struct maker m;

static int world_init(struct world *w, uint64_t max_packets)
{
    memset(w, 0, sizeof *w);
    w->memcap.max = 1 << 20;
    uint8_t text[TEXT_LEN];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)('A' + i % 61);
    maker_start(&m, text, sizeof text);
    maker_tcp(&m, 1, 2, TCP_ACK, 0);
    memcpy(w->whole, maker_bytes(&m), sizeof w->whole);
    if (!packet_decoder_init(&w->decoder, &w->memcap, max_packets, &w->hits))
        return -1;
    packet_decoder_count(&w->decoder, &w->stats);
    return 0;
}

static int setup(void **state)
{
    static struct world w;
    *state = &w;
    return world_init(&w, 4);
}

static int teardown(void **state)
{
    struct world *w = *state;
    packet_decoder_free(&w->decoder);
    return w->memcap.used == 0 ? 0 : -1;
}

static enum packet_status decode(struct world *w)
{
    struct ds_packet packet = maker_packet(&m, RAW);
    packet.ts_ns = w->now_ns;
    return packet_decode(&w->decoder, &packet, &w->segment);
}

/* give4 feeds len bytes of the packet, from offset, as an IPv4 fragment. */
static enum packet_status give4(struct world *w, uint32_t id, uint32_t offset, uint32_t len)
{
    bool more = offset + len < WHOLE_LEN;
    maker_start(&m, w->whole + offset, len);
    maker_ip4_full(&m, 6, 0, id, offset / 8 | (more ? 0x2000u : 0), false);
    return decode(w);
}

static enum packet_status give6(struct world *w, uint32_t id, uint32_t offset, uint32_t len)
{
    bool more = offset + len < WHOLE_LEN;
    maker_start(&m, w->whole + offset, len);
    maker_fragment6(&m, 6, offset, more, id);
    maker_extension(&m, 44, 0);
    maker_ip6(&m, 0, false);
    return decode(w);
}

static void assert_whole(const struct world *w)
{
    assert_int_equal(w->segment.src_port, 0x1234);
    assert_int_equal(w->segment.truncated_len, 0);
    assert_int_equal(cursor_left(&w->segment.payload), TEXT_LEN);
    assert_memory_equal(w->segment.payload.at, w->whole + 20, TEXT_LEN);
}

static void test_in_order(void **state)
{
    struct world *w = *state;
    assert_int_equal(give4(w, 1, 0, 80), PACKET_HELD);
    assert_int_equal(give4(w, 1, 80, 80), PACKET_HELD);
    assert_int_equal(give4(w, 1, 160, 40), PACKET_SEGMENT);
    assert_whole(w);
    assert_int_equal(w->segment.src.family, 4);
    /* The next packet frees a reassembled one. */
    assert_true(w->memcap.used > 0);
    assert_int_equal(give4(w, 2, 0, 200), PACKET_SEGMENT);
    assert_int_equal(w->memcap.used, 0);
}

/* The number of pieces of a packet is capped; with one more it is dropped, and all its memory freed. */
static void test_too_many_pieces(void **state)
{
    enum { MAX_PIECES = 1024 };
    struct world *w = *state;
    for (uint32_t i = 0; i <= MAX_PIECES; i++) {
        assert_int_equal(w->memcap.used == 0, i == 0);
        maker_start(&m, w->whole, 8);
        maker_ip4_full(&m, 6, 0, 1, i | 0x2000u, false);
        assert_int_equal(decode(w), PACKET_HELD);
    }
    assert_int_equal(w->memcap.used, 0);
}

static void test_any_order(void **state)
{
    struct world *w = *state;
    static const uint32_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                          {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const uint32_t offsets[] = {0, 64, 128}, lens[] = {64, 64, 72};
    for (uint32_t i = 0; i < 6; i++) {
        for (uint32_t j = 0; j < 3; j++) {
            uint32_t part = orders[i][j];
            enum packet_status status = i % 2 == 0 ? give4(w, i, offsets[part], lens[part])
                                                   : give6(w, i, offsets[part], lens[part]);
            assert_int_equal(status, j < 2 ? PACKET_HELD : PACKET_SEGMENT);
        }
        assert_whole(w);
        assert_int_equal(w->segment.src.family, i % 2 == 0 ? 4 : 6);
    }
}

static void test_interleaved(void **state)
{
    struct world *w = *state;
    assert_int_equal(give4(w, 1, 0, 80), PACKET_HELD);
    assert_int_equal(give4(w, 2, 0, 80), PACKET_HELD);
    assert_int_equal(give6(w, 1, 0, 80), PACKET_HELD);
    assert_int_equal(give4(w, 1, 80, 120), PACKET_SEGMENT);
    assert_whole(w);
    assert_int_equal(give6(w, 1, 80, 120), PACKET_SEGMENT);
    assert_whole(w);
    assert_int_equal(give4(w, 2, 80, 120), PACKET_SEGMENT);
    assert_whole(w);
}

static void assert_counts(const struct world *w, uint64_t ignored, uint64_t discarded)
{
    assert_int_equal(w->stats.fragments_ignored, ignored);
    assert_int_equal(w->stats.fragments_discarded, discarded);
}

typedef enum packet_status give_fn(struct world *w, uint32_t id, uint32_t offset, uint32_t len);
static give_fn *const GIVE[] = {give4, give6};

/* A fragment within held ones changes nothing, whatever its bytes: it covers one piece, or part of
 * one, at its beginning or end, or several pieces that came in order. */
static void test_within_is_ignored(void **state)
{
    struct world *w = *state;
    static const struct {
        uint32_t offset, len;
    } within[] = {{0, 80}, {0, 8}, {72, 8}, {40, 16}, {80, 40}, {0, 120}, {72, 16}, {8, 112}};
    struct world other = *w;
    memset(other.whole, 'Z', sizeof other.whole);
    uint64_t num = 0;
    for (unsigned v = 0; v < 2; v++) {
        assert_int_equal(GIVE[v](w, 1, 0, 80), PACKET_HELD);
        assert_int_equal(GIVE[v](w, 1, 80, 40), PACKET_HELD);
        for (size_t i = 0; i < sizeof within / sizeof within[0]; i++) {
            assert_int_equal(GIVE[v](&other, 1, within[i].offset, within[i].len), PACKET_HELD);
            assert_counts(w, ++num, 0);
        }
        assert_int_equal(GIVE[v](w, 1, 120, 80), PACKET_SEGMENT);
        assert_whole(w);
    }
}

/* A fragment that partly overlaps held ones, even by the smallest unit, discards the whole packet:
 * neither version of the bytes is shown. A later fragment begins another packet. */
static void test_overlap_discards(void **state)
{
    struct world *w = *state;
    static const struct {
        uint32_t offset, len;
    } over[] = {{32, 16}, {72, 16}, {32, 48}, {40, 48}, {32, 56}, {0, 120}, {0, 48}, {72, 128}};
    uint64_t num = 0;
    for (unsigned v = 0; v < 2; v++) {
        for (size_t i = 0; i < sizeof over / sizeof over[0]; i++) {
            assert_int_equal(GIVE[v](w, 1, 40, 40), PACKET_HELD);
            assert_int_equal(GIVE[v](w, 1, over[i].offset, over[i].len), PACKET_HELD);
            assert_counts(w, 0, ++num);
            assert_int_equal(w->memcap.used, 0);
            /* A fragment beside the overlap completes nothing any more. */
            assert_int_equal(GIVE[v](w, 1, 0, 40), PACKET_HELD);
            assert_int_equal(GIVE[v](w, 1, 80, 120), PACKET_HELD);
            assert_int_equal(GIVE[v](w, 1, 40, 40), PACKET_SEGMENT); /* all of it again */
            assert_whole(w);
        }
    }
}

/* Adjacent fragments do not overlap. A fragment over two pieces that did not come in order is no
 * copy of one. */
static void test_neighbours(void **state)
{
    struct world *w = *state;
    for (unsigned v = 0; v < 2; v++) {
        assert_int_equal(GIVE[v](w, 1, 80, 40), PACKET_HELD);
        assert_int_equal(GIVE[v](w, 1, 40, 40), PACKET_HELD);
        assert_int_equal(GIVE[v](w, 1, 0, 40), PACKET_HELD);
        assert_int_equal(GIVE[v](w, 1, 120, 80), PACKET_SEGMENT);
        assert_whole(w);
        assert_counts(w, 0, 3 * v);
        assert_int_equal(GIVE[v](w, 1, 80, 40), PACKET_HELD);
        assert_int_equal(GIVE[v](w, 1, 40, 40), PACKET_HELD);
        assert_int_equal(GIVE[v](w, 1, 40, 80), PACKET_HELD);
        assert_counts(w, 0, 3 * v + 1);
        assert_int_equal(GIVE[v](w, 1, 0, 40), PACKET_HELD);
        assert_int_equal(GIVE[v](w, 1, 80, 40), PACKET_HELD);
        assert_int_equal(GIVE[v](w, 1, 40, 40), PACKET_HELD); /* fills the hole */
        assert_int_equal(GIVE[v](w, 1, 0, 80), PACKET_HELD);
        assert_counts(w, 0, 3 * v + 2);
        assert_int_equal(GIVE[v](w, 1, 0, 40), PACKET_HELD);
        assert_int_equal(GIVE[v](w, 1, 80, 40), PACKET_HELD);
        assert_int_equal(GIVE[v](w, 1, 8, 104), PACKET_HELD);
        assert_counts(w, 0, 3 * v + 3);
    }
}

/* Two different ends, or bytes beyond the end, discard the packet; so does a fragment without bytes. */
static void test_two_ends(void **state)
{
    struct world *w = *state;
    static const struct {
        uint32_t offset, len;
        bool more;
    } odd[] = {{160, 32, false}, {192, 16, false}, {192, 16, true}, {200, 8, true}, {8, 0, true}, {200, 8, false},
               {8, 8, false}};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        assert_int_equal(give4(w, 1, 160, 40), PACKET_HELD);
        maker_start(&m, w->whole, odd[i].len);
        maker_ip4_full(&m, 6, 0, 1, odd[i].offset / 8 | (odd[i].more ? 0x2000u : 0), false);
        assert_int_equal(decode(w), PACKET_HELD);
        assert_counts(w, 0, i + 1);
        assert_int_equal(w->memcap.used, 0);
    }
    /* An end before held bytes does so, too; the same end again is a copy. */
    assert_int_equal(give4(w, 1, 80, 48), PACKET_HELD);
    maker_start(&m, w->whole, 40);
    maker_ip4_full(&m, 6, 0, 1, 80 / 8, false);
    assert_int_equal(decode(w), PACKET_HELD);
    assert_counts(w, 0, 8);
    assert_int_equal(give4(w, 1, 160, 40), PACKET_HELD);
    assert_int_equal(give4(w, 1, 160, 40), PACKET_HELD);
    assert_int_equal(give4(w, 1, 192, 8), PACKET_HELD);
    assert_counts(w, 2, 8);
}

/* Of an IPv4 fragment that others follow, only a multiple of 8 bytes is used. */
static void test_odd_length(void **state)
{
    struct world *w = *state;
    maker_start(&m, w->whole, 87);
    maker_ip4_full(&m, 6, 0, 1, 0x2000, false);
    assert_int_equal(decode(w), PACKET_HELD);
    assert_int_equal(give4(w, 1, 80, 120), PACKET_SEGMENT);
    assert_whole(w);
    maker_start(&m, w->whole, 7);
    maker_ip4_full(&m, 6, 0, 1, 0x2000, false);
    assert_int_equal(decode(w), PACKET_HELD);
    assert_counts(w, 0, 1);
}

static void test_small_fragments(void **state)
{
    struct world *w = *state;
    for (uint32_t offset = 8; offset < WHOLE_LEN; offset += 8)
        assert_int_equal(give4(w, 1, offset, 8), PACKET_HELD);
    assert_int_equal(give4(w, 1, 0, 8), PACKET_SEGMENT);
    assert_whole(w);
}

static void test_large_packet(void **state)
{
    struct world *w = *state;
    static uint8_t text[65000];
    static uint8_t whole[65020];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)(i * 7);
    maker_start(&m, text, sizeof text);
    maker_tcp(&m, 1, 2, TCP_ACK, 0);
    memcpy(whole, maker_bytes(&m), sizeof whole);
    enum packet_status status = PACKET_HELD;
    for (uint32_t offset = 0; offset < sizeof whole; offset += 1480) {
        assert_int_equal(status, PACKET_HELD);
        uint32_t len = (uint32_t)sizeof whole - offset;
        bool more = len > 1480;
        maker_start(&m, whole + offset, more ? 1480 : len);
        maker_ip4_full(&m, 6, 0, 5, offset / 8 | (more ? 0x2000u : 0), false);
        status = decode(w);
    }
    assert_int_equal(status, PACKET_SEGMENT);
    assert_int_equal(cursor_left(&w->segment.payload), sizeof text);
    assert_memory_equal(w->segment.payload.at, text, sizeof text);
}

static void test_malformed(void **state)
{
    struct world *w = *state;
    maker_start(&m, w->whole, 100);
    maker_ip4_full(&m, 6, 0, 1, 0x3fff, false); /* ends beyond 64 kB */
    assert_int_equal(decode(w), PACKET_HELD);
    maker_start(&m, w->whole, 0);
    maker_ip4_full(&m, 6, 0, 1, 0x2000, false);
    assert_int_equal(decode(w), PACKET_HELD);
    assert_counts(w, 0, 2);
    maker_start(&m, w->whole, 99);
    maker_fragment6(&m, 6, 0, true, 1); /* not a multiple of 8, but more follow */
    maker_extension(&m, 44, 0);
    maker_ip6(&m, 0, false);
    assert_int_equal(decode(w), PACKET_MALFORMED);
    assert_int_equal(w->memcap.used, 0);
}

/* With a 20-byte header a packet has at most 64 kB. */
static void test_largest(void **state)
{
    struct world *w = *state;
    static uint8_t bytes[7];
    for (uint32_t len = 3; len <= 4; len++) {
        maker_start(&m, bytes, len);
        maker_ip4_full(&m, 6, 0, len, 65512 / 8, false);
        assert_int_equal(decode(w), PACKET_HELD);
        assert_counts(w, 0, len - 3);
    }
    maker_start(&m, bytes, 7);
    maker_fragment6(&m, 6, 65528, false, 1);
    maker_extension(&m, 44, 0);
    maker_ip6(&m, 0, false);
    assert_int_equal(decode(w), PACKET_HELD);
    assert_counts(w, 0, 1);
}

static void test_beyond_the_end(void **state)
{
    struct world *w = *state;
    assert_int_equal(give4(w, 1, 160, 40), PACKET_HELD); /* the end is 200 */
    maker_start(&m, w->whole, 80);
    maker_ip4_full(&m, 6, 0, 1, 0x2000 | 400 / 8, false);
    assert_int_equal(decode(w), PACKET_HELD);
    assert_int_equal(w->memcap.used, 0); /* dropped */
    assert_int_equal(give4(w, 1, 0, 80), PACKET_HELD);
    assert_int_equal(give4(w, 1, 80, 80), PACKET_HELD);
}

static void test_not_tcp(void **state)
{
    struct world *w = *state;
    maker_start(&m, w->whole, 80);
    maker_ip4_full(&m, 1, 0, 1, 0x2000, false); /* ICMP */
    assert_int_equal(decode(w), PACKET_NOT_TCP);
    assert_int_equal(w->memcap.used, 0);
}

static void test_cut(void **state)
{
    struct world *w = *state;
    maker_start(&m, w->whole, 80);
    maker_ip4_full(&m, 6, 0, 1, 0x2000, false);
    struct ds_packet packet = maker_packet(&m, RAW);
    packet.cap_len -= 10;
    assert_int_equal(packet_decode(&w->decoder, &packet, &w->segment), PACKET_TRUNCATED);
    assert_int_equal(w->memcap.used, 0);
}

static void test_time_out(void **state)
{
    struct world *w = *state;
    assert_int_equal(give4(w, 1, 0, 80), PACKET_HELD);
    w->now_ns = 30 * SECOND;
    assert_int_equal(give4(w, 2, 0, 80), PACKET_HELD);
    w->now_ns = 31 * SECOND;
    assert_int_equal(give4(w, 1, 80, 120), PACKET_HELD); /* the first fragment is gone */
    assert_int_equal(give4(w, 2, 80, 120), PACKET_SEGMENT);
    assert_whole(w);
    w->now_ns = INT64_MIN;
    assert_int_equal(give4(w, 3, 0, 80), PACKET_HELD);
    w->now_ns = INT64_MAX;
    assert_int_equal(give4(w, 3, 80, 120), PACKET_HELD);
}

static void test_cap_packets(void **state)
{
    struct world *w = *state;
    for (uint32_t id = 0; id < 4; id++)
        assert_int_equal(give4(w, id, 0, 80), PACKET_HELD);
    assert_int_equal(w->hits, 0);
    assert_int_equal(give4(w, 4, 0, 80), PACKET_HELD); /* drops the oldest, 0 */
    assert_int_equal(w->hits, 1);
    assert_int_equal(give4(w, 1, 80, 120), PACKET_SEGMENT);
    assert_whole(w);
    assert_int_equal(give4(w, 0, 80, 120), PACKET_HELD);
    assert_int_equal(w->hits, 1);
}

static void test_cap_zero(void **state)
{
    struct world *w = *state;
    packet_decoder_free(&w->decoder);
    assert_int_equal(world_init(w, 0), 0);
    assert_int_equal(give4(w, 1, 0, 80), PACKET_HELD);
    assert_int_equal(give4(w, 1, 80, 120), PACKET_HELD);
    assert_int_equal(w->hits, 2);
}

static void test_cap_memory(void **state)
{
    struct world *w = *state;
    w->memcap.max = 500;
    for (uint32_t id = 0; id < 4; id++)
        assert_int_equal(give4(w, id, 0, 80), PACKET_HELD);
    assert_true(w->memcap.used <= 500);
    assert_true(w->memcap.hits > 0);
    w->memcap.max = 1 << 20;
    assert_int_equal(give4(w, 3, 80, 120), PACKET_SEGMENT); /* the newest is kept */
    assert_whole(w);
    w->memcap.max = 10;
    assert_int_equal(give4(w, 9, 0, 80), PACKET_HELD);
    assert_int_equal(w->memcap.used, 0);
}

static void test_cap_pieces(void **state)
{
    struct world *w = *state;
    for (uint32_t i = 0; i < 2000; i++) {
        maker_start(&m, w->whole, 8);
        maker_ip4_full(&m, 6, 0, 1, 0x2000 | (2 + 2 * i), false);
        assert_int_equal(decode(w), PACKET_HELD);
        assert_true(w->memcap.used < 64 * 1024);
    }
}

static void test_ports(void **state)
{
    struct world *w = *state;
    uint16_t src = 0, dst = 0;
    give4(w, 1, 0, 80);
    struct ds_packet packet = maker_packet(&m, RAW);
    assert_true(ds_packet_ports(&packet, &src, &dst));
    assert_int_equal(dst, 0x5678);
    give4(w, 1, 80, 80);
    packet = maker_packet(&m, RAW);
    assert_false(ds_packet_ports(&packet, &src, &dst));
}

static void test_without_table(void **state)
{
    struct world *w = *state;
    struct ip_fragments *kept = w->decoder.fragments;
    w->decoder.fragments = NULL;
    assert_int_equal(give4(w, 1, 0, 80), PACKET_HELD);
    assert_int_equal(give4(w, 1, 80, 120), PACKET_HELD);
    w->decoder.fragments = kept;
}

/* A fragmented VXLAN packet that contains a fragment, whose other part came before. */
static void test_fragments_in_a_tunnel(void **state)
{
    struct world *w = *state;
    uint8_t outer[200];
    for (int part = 0; part < 2; part++) {
        maker_start(&m, w->whole + part * 104, part == 0 ? 104 : 96);
        maker_ip4_full(&m, 6, 0, 77, part == 0 ? 0x2000 : 13, false);
        maker_ethernet(&m, 0x0800);
        maker_vxlan(&m);
        size_t len = m.len;
        assert_true(len <= sizeof outer);
        memcpy(outer, maker_bytes(&m), len);
        maker_start(&m, outer, 64);
        maker_ip4_full(&m, 17, 0, 100 + (uint32_t)part, 0x2000, false);
        assert_int_equal(decode(w), PACKET_HELD);
        maker_start(&m, outer + 64, len - 64);
        maker_ip4_full(&m, 17, 0, 100 + (uint32_t)part, 8, false);
        assert_int_equal(decode(w), part == 0 ? PACKET_HELD : PACKET_SEGMENT);
    }
    assert_whole(w);
}

static void test_fragment_of_a_fragment(void **state)
{
    struct world *w = *state;
    maker_start(&m, w->whole, 192);
    maker_fragment6(&m, 6, 0, true, 2);
    uint8_t inner[200];
    memcpy(inner, maker_bytes(&m), sizeof inner);
    for (uint32_t part = 0; part < 2; part++) {
        maker_start(&m, inner + part * 104, part == 0 ? 104 : 96);
        maker_fragment6(&m, 44, part * 104, part == 0, 1);
        maker_ip6(&m, 44, false);
        assert_int_equal(decode(w), part == 0 ? PACKET_HELD : PACKET_MALFORMED);
    }
}

static void run_without_memory(void *context)
{
    (void)context;
    static struct world w;
    if (world_init(&w, 4) == 0) {
        give4(&w, 1, 80, 80);
        give4(&w, 2, 80, 80);
        give4(&w, 1, 0, 80);
        if (give4(&w, 1, 160, 40) == PACKET_SEGMENT)
            assert_whole(&w);
    }
    packet_decoder_free(&w.decoder);
    assert_int_equal(w.memcap.used, 0);
}

static void test_without_memory(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(run_without_memory, NULL) >= 7);
}

/* Exactly at the second and the byte; and a clock that goes back. */
static void test_bounds(void **state)
{
    struct world *w = *state;
    assert_int_equal(give4(w, 1, 0, 80), PACKET_HELD);
    w->now_ns = 30 * SECOND;
    assert_int_equal(give4(w, 1, 80, 120), PACKET_SEGMENT);
    assert_int_equal(give4(w, 2, 0, 80), PACKET_HELD);
    w->now_ns = 29 * SECOND;
    assert_int_equal(give4(w, 2, 80, 120), PACKET_SEGMENT);
}

/* In IPv6 the fragments of a packet may name different protocols: the first one counts. */
static void test_first_tells_the_protocol(void **state)
{
    struct world *w = *state;
    maker_start(&m, w->whole + 80, 120);
    maker_fragment6(&m, 17, 80, false, 1);
    maker_extension(&m, 44, 0);
    maker_ip6(&m, 0, false);
    assert_int_equal(decode(w), PACKET_HELD);
    assert_int_equal(give6(w, 1, 0, 80), PACKET_SEGMENT);
    assert_whole(w);
}

/* A fragment without memory does not evict its own packet. */
static void test_no_room_for_the_rest(void **state)
{
    struct world *w = *state;
    assert_int_equal(give4(w, 1, 0, 80), PACKET_HELD);
    w->memcap.max = w->memcap.used + 10;
    assert_int_equal(give4(w, 1, 80, 80), PACKET_HELD);
    assert_int_equal(w->memcap.used, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_in_order),
        TEST(test_bounds),
        TEST(test_two_ends),
        TEST(test_first_tells_the_protocol),
        TEST(test_no_room_for_the_rest),
        TEST(test_too_many_pieces),
        TEST(test_any_order),
        TEST(test_interleaved),
        TEST(test_within_is_ignored),
        TEST(test_overlap_discards),
        TEST(test_neighbours),
        TEST(test_odd_length),
        TEST(test_largest),
        TEST(test_small_fragments),
        TEST(test_large_packet),
        TEST(test_malformed),
        TEST(test_beyond_the_end),
        TEST(test_not_tcp),
        TEST(test_cut),
        TEST(test_time_out),
        TEST(test_cap_packets),
        TEST(test_cap_zero),
        TEST(test_cap_memory),
        TEST(test_cap_pieces),
        TEST(test_ports),
        TEST(test_without_table),
        TEST(test_fragments_in_a_tunnel),
        TEST(test_fragment_of_a_fragment),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
