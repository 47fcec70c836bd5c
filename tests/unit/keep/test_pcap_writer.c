/*
 * test_pcap_writer.c - which packets a pcapng file gets: readable link types always have room,
 * others a limited number; and times stay exact.
 */
#include "keep/pcap_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { USER0 = 147, INTERFACE = 1, PACKET = 6 };

static char name[64];
static struct capture_input input = {.link_type = USER0, .dlt = USER0, .name = "test"};
static struct capture capture = {.inputs = &input, .num_inputs = 1};

static void write_packet(struct pcap_writer *writer, uint32_t link_type, int64_t ts_ns)
{
    const uint8_t bytes[4] = {1, 2, 3, 4};
    const struct ds_packet packet = {
        .ts_ns = ts_ns, .link_type = link_type, .data = bytes, .cap_len = 4, .len = 4};
    pcap_writer_write(writer, &packet, NULL);
}

/* count returns how many blocks of a type the file has. */
static size_t count(uint32_t type)
{
    static uint8_t bytes[1 << 16];
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    const size_t len = fread(bytes, 1, sizeof bytes, file);
    size_t num = 0;
    uint32_t block[2];
    assert_true(len < sizeof bytes);
    for (size_t at = 0; at < len; at += block[1]) {
        memcpy(block, bytes + at, sizeof block);
        num += block[0] == type;
        assert_int_not_equal(block[1], 0);
    }
    fclose(file);
    return num;
}

static void begin(struct pcap_writer *writer)
{
    const struct pcap_writer_config config = {.takes_pcap = true};
    assert_true(pcap_writer_open(writer, name, &capture, &config));
}

/* However many other packets there are, readable ones are written, and the rest is counted. */
static void unread_link_types_leave_room(void **state)
{
    static const uint32_t known[] = {1, 113, 276, 0, 108, 101, 12, 14, 228, 229};
    enum { NUM_KNOWN = sizeof known / sizeof known[0] };
    struct pcap_writer writer;
    (void)state;
    begin(&writer);
    for (uint32_t i = 0; i < 100; i++)
        write_packet(&writer, USER0 + i % 50, 1000); /* 50 link types, twice */
    for (size_t i = 0; i < NUM_KNOWN; i++) {
        assert_true(ds_link_type_known(known[i]));
        write_packet(&writer, known[i], 1000);
    }
    assert_int_equal(writer.num_other, 2 * (50 - PCAP_WRITER_UNREAD));
    pcap_writer_close(&writer);
    assert_int_equal(count(INTERFACE), PCAP_WRITER_UNREAD + NUM_KNOWN);
    assert_int_equal(count(PACKET), 2 * PCAP_WRITER_UNREAD + NUM_KNOWN);
}

/* A first packet with nanoseconds gets an interface of its own. */
static void nanoseconds_come_later(void **state)
{
    static const int64_t times[] = {1000, 1001, 2000, INT64_C(1700000000123456789), 3000};
    enum { NUM = sizeof times / sizeof times[0] };
    struct pcap_writer writer;
    char error[PCAP_ERRBUF_SIZE];
    struct pcap_pkthdr *header;
    const u_char *data;
    (void)state;
    begin(&writer);
    for (size_t i = 0; i < NUM; i++)
        write_packet(&writer, USER0, times[i]);
    pcap_writer_close(&writer);
    assert_int_equal(count(INTERFACE), 2);
    pcap_t *pcap = pcap_open_offline_with_tstamp_precision(name, PCAP_TSTAMP_PRECISION_NANO, error);
    assert_non_null(pcap);
    for (size_t i = 0; i < NUM; i++) {
        assert_int_equal(pcap_next_ex(pcap, &header, &data), 1);
        assert_int_equal(header->ts.tv_sec * INT64_C(1000000000) + header->ts.tv_usec, times[i]);
    }
    pcap_close(pcap);
}

static int enter(void **state)
{
    (void)state;
    snprintf(name, sizeof name, "/tmp/distsniff-test-%d.pcapng", (int)getpid());
    return 0;
}

static int leave(void **state)
{
    (void)state;
    return unlink(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unread_link_types_leave_room),
        cmocka_unit_test(nanoseconds_come_later),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
