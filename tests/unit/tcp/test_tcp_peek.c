/*
 * test_tcp_peek.c - a quick look at packets finds missing bytes.
 */
#include "packet_maker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

enum { RAW = 101, SYN = 2, ACK = 16, HEADER_LEN = 40 };

static struct maker m;
static uint8_t hosts[2] = {1, 1}; /* the last bytes of both addresses */
static uint8_t to_port = 1;

/* seems_missing shows a segment of len bytes, the last cut of which were not captured. */
static bool seems_missing(struct ds_tcp_peek *peek, uint16_t port, uint32_t seq, uint8_t flags,
                          uint16_t len, uint16_t cut)
{
    uint8_t bytes[HEADER_LEN + 64] = {0x45, 0, 0, (uint8_t)(HEADER_LEN + len), 0, 0, 0, 0, 64, 6,
                                      0, 0, 127, 0, 0, 1, 127, 0, 0, 1};
    uint8_t *tcp = bytes + 20;
    bytes[15] = hosts[0];
    bytes[19] = hosts[1];
    tcp[0] = (uint8_t)(port >> 8);
    tcp[1] = (uint8_t)port;
    tcp[3] = to_port;
    for (int i = 0; i < 4; i++)
        tcp[4 + i] = (uint8_t)(seq >> (24 - 8 * i));
    tcp[12] = 5 << 4;
    tcp[13] = flags;
    maker_start(&m, bytes, HEADER_LEN + (size_t)len - cut);
    const struct ds_packet packet = {.link_type = RAW,
                                     .data = maker_bytes(&m),
                                     .cap_len = (uint32_t)m.len,
                                     .len = HEADER_LEN + (uint32_t)len};
    return ds_tcp_peek_packet(peek, &packet);
}

static void sees_what_is_missing(void **state)
{
    struct ds_tcp_peek *peek = ds_tcp_peek_new();
    (void)state;
    assert_false(seems_missing(peek, 1, 0xfffffffe, SYN, 0, 0));
    assert_false(seems_missing(peek, 1, 0xffffffff, ACK, 0, 0));
    assert_false(seems_missing(peek, 1, 0xffffffff, ACK, 10, 0)); /* its numbers wrap */
    assert_false(seems_missing(peek, 1, 9, ACK, 5, 0));
    assert_false(seems_missing(peek, 1, 9, ACK, 5, 0)); /* again */
    assert_true(seems_missing(peek, 1, 15, ACK, 5, 0)); /* one byte is missing */
    assert_false(seems_missing(peek, 1, 20, ACK, 5, 0));
    assert_true(seems_missing(peek, 1, 25, ACK, 5, 1)); /* it is cut */
    assert_false(seems_missing(peek, 2, 7, ACK, 0, 0)); /* nothing was sent yet */
    assert_true(seems_missing(peek, 2, 7, ACK, 1, 0));    /* up before */
    assert_false(seems_missing(peek, 2, 8, ACK, 1, 0));
    ds_tcp_peek_free(peek);
    ds_tcp_peek_free(NULL);
}

/* A stream belongs to two addresses and two ports, in this direction. */
static void tells_streams_apart(void **state)
{
    static const struct {
        uint8_t src, dst, port, to_port;
    } others[] = {{2, 1, 7, 1}, {1, 2, 7, 1}, {1, 1, 8, 1}, {1, 1, 7, 2}, {1, 1, 1, 7}};
    struct ds_tcp_peek *peek = ds_tcp_peek_new();
    (void)state;
    assert_false(seems_missing(peek, 7, 1, SYN, 0, 0));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        hosts[0] = others[i].src;
        hosts[1] = others[i].dst;
        to_port = others[i].to_port;
        assert_true(seems_missing(peek, others[i].port, 2, ACK, 5, 0)); /* up before */
    }
    hosts[0] = hosts[1] = to_port = 1;
    assert_false(seems_missing(peek, 7, 2, ACK, 5, 0));
    ds_tcp_peek_free(peek);
}

/* There is a cap on followed streams; nothing is known about others. */
static void ends_at_many(void **state)
{
    struct ds_tcp_peek *peek = ds_tcp_peek_new();
    (void)state;
    for (uint16_t port = 1; port <= 512; port++)
        assert_false(seems_missing(peek, port, 1, SYN, 0, 0));
    assert_false(seems_missing(peek, 512, 2, ACK, 1, 0));
    assert_true(seems_missing(peek, 513, 1, SYN, 0, 0));
    ds_tcp_peek_free(peek);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sees_what_is_missing),
        cmocka_unit_test(tells_streams_apart),
        cmocka_unit_test(ends_at_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
