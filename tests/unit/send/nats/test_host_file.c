/*
 * test_host_file.c - the packets of a host as a capture file: in order, each packet once.
 */
#include "send/nats/host_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include <pcap/pcap.h>
#include <unistd.h>

static void add(struct host_file *file, int64_t ts_ns, uint64_t frame)
{
    const uint8_t byte = (uint8_t)frame;
    const struct ds_packet packet = {
        .ts_ns = ts_ns, .frame = frame, .data = &byte, .cap_len = 1, .len = 60};
    assert_true(host_file_add(file, &packet));
}

/* has checks that libpcap reads these packets, each recognised by its only byte. */
static void has(struct host_file *file, const char *wanted, long nanoseconds)
{
    char error[PCAP_ERRBUF_SIZE];
    struct pcap_pkthdr *header;
    const u_char *data;
    assert_true(host_file_finish(file));
    FILE *in = fdopen(dup(fileno(file->file)), "rb");
    pcap_t *pcap = pcap_fopen_offline_with_tstamp_precision(in, PCAP_TSTAMP_PRECISION_NANO, error);
    assert_non_null(pcap);
    assert_int_equal(pcap_datalink(pcap), DLT_LINUX_SLL2);
    for (; *wanted != '\0'; wanted++) {
        assert_int_equal(pcap_next_ex(pcap, &header, &data), 1);
        assert_int_equal(data[0], *wanted);
        assert_int_equal(header->len, 60);
        assert_int_equal(header->ts.tv_usec % 1000, nanoseconds);
    }
    assert_int_equal(pcap_next_ex(pcap, &header, &data), PCAP_ERROR_BREAK);
    pcap_close(pcap);
    host_file_close(file);
}

static void in_order_they_stay(void **state)
{
    struct host_file file;
    (void)state;
    assert_true(host_file_open(&file, 276));
    add(&file, 1000, 'a');
    add(&file, 1000, 'b');
    add(&file, 3000, 'c');
    assert_false(file.is_disordered);
    has(&file, "abc", 0);
}

static void out_of_order_they_are_sorted(void **state)
{
    struct host_file file;
    (void)state;
    assert_true(host_file_open(&file, 276));
    file.has_nanoseconds = true;
    add(&file, 2000000001, 'b');
    add(&file, 3000000001, 'c');
    add(&file, 1000000001, 'a');
    add(&file, 3000000001, 'c'); /* again */
    add(&file, 2000000001, 'b');
    has(&file, "abc", 1);
}

static void takes_what_the_format_has_room_for(void **state)
{
    const int64_t second = 1000000000, end = (INT64_C(1) << 31) * second; /* in 2038 */
    struct ds_packet packet = {.cap_len = 262144, .len = 262144};
    (void)state;
    assert_true(host_file_accepts(&packet));
    packet.cap_len++;
    assert_false(host_file_accepts(&packet));
    packet.cap_len = 0;
    packet.ts_ns = -1;
    assert_false(host_file_accepts(&packet));
    packet.ts_ns = end - 1;
    assert_true(host_file_accepts(&packet));
    packet.ts_ns = end;
    assert_false(host_file_accepts(&packet));
}

static void there_may_be_none(void **state)
{
    struct host_file file;
    (void)state;
    assert_true(host_file_open(&file, 276));
    has(&file, "", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_order_they_stay),
        cmocka_unit_test(out_of_order_they_are_sorted),
        cmocka_unit_test(takes_what_the_format_has_room_for),
        cmocka_unit_test(there_may_be_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
