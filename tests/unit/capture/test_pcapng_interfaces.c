/*
 * test_pcapng_interfaces.c - the link types of the packets in a pcapng file, in the order in which
 * they are read: with any number waiting, and at the end of memory or room.
 */
#include "capture/pcapng_interfaces.h"
#include "failing_alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum { ETHERNET = 1, SLL2 = 276, RAW = 101, USB = 189 };

static void expect(struct pcapng_interfaces *interfaces, uint32_t wanted)
{
    struct pcapng_packet packet;
    assert_true(pcapng_interfaces_next(interfaces, &packet));
    assert_int_equal(packet.link_type, wanted);
    assert_false(packet.is_simple);
}

static void each_section_has_its_own(void **state)
{
    struct pcapng_interfaces interfaces = {0};
    struct pcapng_packet packet;
    (void)state;
    assert_false(pcapng_interfaces_next(&interfaces, &packet));
    pcapng_interfaces_section(&interfaces);
    pcapng_interfaces_add(&interfaces, SLL2, 0);
    pcapng_interfaces_packet(&interfaces, 0);
    pcapng_interfaces_packet(&interfaces, 1); /* no such interface */
    pcapng_interfaces_add(&interfaces, RAW, 0);
    pcapng_interfaces_packet(&interfaces, 1);
    pcapng_interfaces_packet(&interfaces, UINT32_MAX);
    pcapng_interfaces_section(&interfaces);
    pcapng_interfaces_packet(&interfaces, 0);
    pcapng_interfaces_add(&interfaces, ETHERNET, 0);
    pcapng_interfaces_packet(&interfaces, 0);
    static const uint32_t wanted[] = {SLL2,                PCAPNG_NO_LINK_TYPE,
                                      RAW,                 PCAPNG_NO_LINK_TYPE,
                                      PCAPNG_NO_LINK_TYPE, ETHERNET};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        expect(&interfaces, wanted[i]);
    assert_false(pcapng_interfaces_next(&interfaces, &packet));
    assert_int_equal(interfaces.first_type, SLL2);
    pcapng_interfaces_free(&interfaces);
}

/* The file's own link type is the first that can be read. */
static void first_that_can_be_read(void **state)
{
    struct pcapng_interfaces interfaces = {0};
    (void)state;
    pcapng_interfaces_add(&interfaces, USB, 0);
    assert_int_equal(interfaces.first_type, USB);
    pcapng_interfaces_add(&interfaces, USB + 1, 0);
    assert_int_equal(interfaces.first_type, USB);
    pcapng_interfaces_add(&interfaces, RAW, 0);
    pcapng_interfaces_add(&interfaces, ETHERNET, 0);
    assert_int_equal(interfaces.first_type, RAW);
    pcapng_interfaces_free(&interfaces);
}

/* The ring grows wherever it begins, and keeps its order. */
static void waits_in_order(void **state)
{
    (void)state;
    for (uint32_t taken = 0; taken < 70; taken++) {
        struct pcapng_interfaces interfaces = {0};
        uint32_t next = 0, given = 0;
        for (uint16_t i = 0; i < 1000; i++)
            pcapng_interfaces_add(&interfaces, i, 0);
        for (; next < 64; next++)
            pcapng_interfaces_packet(&interfaces, next);
        for (; given < taken && given < 64; given++)
            expect(&interfaces, given);
        for (; next < 500; next++)
            pcapng_interfaces_packet(&interfaces, next);
        for (; given < 500; given++)
            expect(&interfaces, given);
        pcapng_interfaces_free(&interfaces);
    }
}

static void caps(void **state)
{
    struct pcapng_interfaces interfaces = {0};
    struct pcapng_packet packet;
    (void)state;
    for (int i = 0; i <= PCAPNG_INTERFACES_MAX; i++)
        pcapng_interfaces_add(&interfaces, ETHERNET, 0);
    pcapng_interfaces_packet(&interfaces, PCAPNG_INTERFACES_MAX - 1);
    pcapng_interfaces_packet(&interfaces, PCAPNG_INTERFACES_MAX);
    expect(&interfaces, ETHERNET);
    expect(&interfaces, PCAPNG_NO_LINK_TYPE);
    for (int i = 0; i < PCAPNG_WAITING_MAX; i++)
        pcapng_interfaces_packet(&interfaces, 0);
    assert_false(interfaces.is_wrong);
    expect(&interfaces, ETHERNET);
    pcapng_interfaces_packet(&interfaces, 0);
    assert_false(interfaces.is_wrong);
    pcapng_interfaces_packet(&interfaces, 0); /* one too many: all later ones would be shifted */
    assert_true(interfaces.is_wrong);
    assert_false(pcapng_interfaces_next(&interfaces, &packet));
    pcapng_interfaces_free(&interfaces);
}

/* The first interface of a section limits its simple packets; 0 is no limit. */
static void simple_packets_are_limited(void **state)
{
    static const struct {
        uint32_t snap_len, len, cap_max;
    } cases[] = {{96, 95, 95}, {96, 96, 96}, {96, 97, 96}, {0, 1500, 1500}, {UINT32_MAX, 60, 60}};
    struct pcapng_interfaces interfaces = {0};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct pcapng_packet packet;
        pcapng_interfaces_section(&interfaces);
        pcapng_interfaces_add(&interfaces, RAW, cases[i].snap_len);
        pcapng_interfaces_add(&interfaces, SLL2, 10); /* the first interface counts */
        pcapng_interfaces_simple_packet(&interfaces, cases[i].len);
        assert_true(pcapng_interfaces_next(&interfaces, &packet));
        assert_true(packet.is_simple);
        assert_int_equal(packet.link_type, RAW);
        assert_int_equal(packet.len, cases[i].len);
        assert_int_equal(packet.cap_max, cases[i].cap_max);
    }
    pcapng_interfaces_free(&interfaces);
}

static void run(void *context)
{
    struct pcapng_interfaces interfaces = {0};
    struct pcapng_packet packet;
    (void)context;
    for (int i = 0; i < 100; i++) {
        pcapng_interfaces_add(&interfaces, RAW, 0);
        pcapng_interfaces_packet(&interfaces, 0);
    }
    const bool is_known = pcapng_interfaces_next(&interfaces, &packet);
    assert_int_equal(is_known, !interfaces.is_wrong);
    assert_int_equal(is_known, !failing_alloc_failed());
    pcapng_interfaces_free(&interfaces);
}

static void memory_runs_out(void **state)
{
    (void)state;
    assert_int_equal(failing_alloc_each(run, NULL), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_section_has_its_own), cmocka_unit_test(first_that_can_be_read),
        cmocka_unit_test(waits_in_order),           cmocka_unit_test(caps),
        cmocka_unit_test(simple_packets_are_limited), cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
