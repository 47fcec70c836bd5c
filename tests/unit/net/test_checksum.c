/*
 * test_checksum.c - the checksums of TCP and IPv4 (checksum.h), against sums that are added word by
 * word: each segment length around the block size, with each bit wrong in turn.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "net/checksum.h"

enum { MAX_LEN = 200, TCP_LEN = 20, IP4_MAX = 60, CHECKSUM_AT = 16, IP4_CHECKSUM_AT = 10 };

static uint32_t add(uint32_t sum, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        sum += i % 2 == 0 ? (uint32_t)bytes[i] << 8 : bytes[i];
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum;
}

static void put(uint8_t *at, uint32_t word)
{
    at[0] = (uint8_t)(word >> 8);
    at[1] = (uint8_t)word;
}

struct packet {
    struct segment segment;
    uint8_t ip4[IP4_MAX], tcp[MAX_LEN];
    uint32_t pseudo; /* the sum of the pseudo header without the length */
    size_t ip4_len, len;
};

/* make makes a segment of random bytes with valid checksums; ip4_len is 0 for IPv6. */
static void make(struct packet *packet, size_t ip4_len, size_t len, int fill)
{
    const size_t addr_len = ip4_len != 0 ? 4 : 16;
    memset(packet, 0, sizeof *packet);
    for (size_t i = 0; i < sizeof packet->tcp; i++)
        packet->tcp[i] = (uint8_t)(fill < 0 ? rand() : fill);
    for (size_t i = 0; i < sizeof packet->ip4; i++)
        packet->ip4[i] = (uint8_t)(fill < 0 ? rand() : fill);
    struct segment *segment = &packet->segment;
    segment->src.family = segment->dst.family = ip4_len != 0 ? 4 : 6;
    for (size_t i = 0; i < addr_len; i++) {
        segment->src.bytes[i] = (uint8_t)(fill < 0 ? rand() : fill);
        segment->dst.bytes[i] = (uint8_t)(fill < 0 ? rand() : fill);
    }
    packet->ip4_len = ip4_len;
    packet->len = len;
    packet->pseudo = add(add(6, segment->src.bytes, addr_len), segment->dst.bytes, addr_len);
    put(packet->tcp + CHECKSUM_AT, 0);
    put(packet->ip4 + IP4_CHECKSUM_AT, 0);
    put(packet->ip4 + IP4_CHECKSUM_AT, ~add(0, packet->ip4, ip4_len));
    put(packet->tcp + CHECKSUM_AT, ~add(packet->pseudo + (uint32_t)len, packet->tcp, len));
    segment->ip4 = cursor_make(packet->ip4, ip4_len);
    segment->summed = cursor_make(packet->tcp, len);
}

static void check_each_bit(struct packet *packet, uint8_t *bytes, size_t len)
{
    for (size_t bit = 0; bit < 8 * len; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_equal(checksum_check(&packet->segment), PACKET_SUM_BAD);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_int_equal(checksum_check(&packet->segment), PACKET_SUM_GOOD);
}

static void test_lengths(void **state)
{
    static const size_t ip4_lens[] = {0, 20, 24, 60};
    struct packet packet;
    (void)state;
    for (size_t i = 0; i < sizeof ip4_lens / sizeof ip4_lens[0]; i++) {
        for (size_t len = TCP_LEN; len <= MAX_LEN; len++) {
            make(&packet, ip4_lens[i], len, -1);
            assert_int_equal(checksum_check(&packet.segment), PACKET_SUM_GOOD);
            if (len < 60 || len > MAX_LEN - 10)
                check_each_bit(&packet, packet.tcp, len);
            check_each_bit(&packet, packet.ip4, len == TCP_LEN ? ip4_lens[i] : 0);
        }
    }
}

/* If all bytes are ones, each addition carries. */
static void test_carries(void **state)
{
    struct packet packet;
    (void)state;
    for (size_t len = TCP_LEN; len <= MAX_LEN; len++) {
        for (int fill = 0xfe; fill <= 0xff; fill++) {
            make(&packet, len % 2 == 0 ? 0 : 20, len, fill);
            assert_int_equal(checksum_check(&packet.segment), PACKET_SUM_GOOD);
            packet.tcp[len - 1] ^= 1;
            assert_int_equal(checksum_check(&packet.segment), PACKET_SUM_BAD);
        }
    }
}

/* A checksum that is left to the network card is the sum of the pseudo header, with the length or
 * without. */
static void test_left_to_the_card(void **state)
{
    struct packet packet;
    (void)state;
    make(&packet, 20, 57, -1);
    put(packet.tcp + CHECKSUM_AT, add(packet.pseudo + 57, packet.tcp, 0) % 0xffff);
    assert_int_equal(checksum_check(&packet.segment), PACKET_SUM_GOOD);
    put(packet.tcp + CHECKSUM_AT, packet.pseudo);
    assert_int_equal(checksum_check(&packet.segment), PACKET_SUM_GOOD);
    packet.ip4[IP4_CHECKSUM_AT] ^= 1;
    assert_int_equal(checksum_check(&packet.segment), PACKET_SUM_BAD);
}

static void test_not_captured(void **state)
{
    static const uint8_t bytes[UINT16_MAX + 1];
    struct packet packet;
    (void)state;
    make(&packet, 20, TCP_LEN, -1);
    packet.segment.summed = cursor_make(packet.tcp, CHECKSUM_AT + 1);
    assert_int_equal(checksum_check(&packet.segment), PACKET_SUM_UNKNOWN);
    packet.segment.summed = cursor_make(NULL, 0);
    assert_int_equal(checksum_check(&packet.segment), PACKET_SUM_UNKNOWN);
    packet.segment.summed = cursor_make(bytes, sizeof bytes);
    assert_int_equal(checksum_check(&packet.segment), PACKET_SUM_UNKNOWN);
}

static void test_bad_len(void **state)
{
    struct packet packet;
    (void)state;
    make(&packet, 20, TCP_LEN, -1);
    packet.segment.has_bad_len = true;
    assert_int_equal(checksum_check(&packet.segment), PACKET_SUM_BAD);
    packet.segment.summed = cursor_make(NULL, 0);
    assert_int_equal(checksum_check(&packet.segment), PACKET_SUM_BAD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_carries),
        cmocka_unit_test(test_left_to_the_card),
        cmocka_unit_test(test_not_captured),
        cmocka_unit_test(test_bad_len),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
