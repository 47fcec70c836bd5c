/*
 * test_kernel_filter_by_pcap.c - the variant for other systems, tested on this one: packets that
 * either of two filters accepts are read, and no others.
 */
#define KERNEL_FILTER_BY_PCAP
#include "capture/kernel_filter.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

enum { SNAPLEN = 65535 };

/* open_packets opens a capture of TCP packets to ports 1 to num. */
static pcap_t *open_packets(uint8_t num)
{
    char error[PCAP_ERRBUF_SIZE];
    FILE *file = tmpfile();
    pcap_t *dead = pcap_open_dead(DLT_EN10MB, SNAPLEN);
    assert_non_null(file);
    FILE *written = fdopen(dup(fileno(file)), "wb");
    pcap_dumper_t *dumper = pcap_dump_fopen(dead, written);
    assert_non_null(dumper);
    for (uint8_t port = 1; port <= num; port++) {
        const unsigned char packet[54] = {
            [12] = 0x08, [14] = 0x45, [17] = 40, [23] = 6, [35] = 99, [37] = port};
        const struct pcap_pkthdr header = {.caplen = sizeof packet, .len = sizeof packet};
        pcap_dump((unsigned char *)dumper, &header, packet);
    }
    pcap_dump_close(dumper);
    pcap_close(dead);
    rewind(file);
    pcap_t *pcap = pcap_fopen_offline(file, error);
    assert_non_null(pcap);
    return pcap;
}

/* ports_read returns a bit for each port whose packet is read. */
static unsigned ports_read(pcap_t *pcap)
{
    struct pcap_pkthdr *header;
    const unsigned char *packet;
    unsigned ports = 0;
    while (pcap_next_ex(pcap, &header, &packet) == 1)
        ports |= 1u << packet[37];
    return ports;
}

static void either_is_read(void **state)
{
    enum { PORTS = 6 };
    static const struct {
        const char *one, *other; /* NULL: no filter */
        unsigned ports;
    } cases[] = {
        {"dst port 2", "dst port 5", 1u << 2 | 1u << 5},
        {"dst portrange 1-3", NULL, 1u << 1 | 1u << 2 | 1u << 3},
        {"udp", "dst port 6", 1u << 6},
        {"udp", "udp", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pcap_t *pcap = open_packets(PORTS);
        struct bpf_program other = {0, NULL};
        if (cases[i].other != NULL)
            assert_int_equal(pcap_compile(pcap, &other, cases[i].other, 1, PCAP_NETMASK_UNKNOWN), 0);
        assert_true(kernel_filter_set(pcap, DLT_EN10MB, cases[i].one, &other));
        assert_int_equal(ports_read(pcap), cases[i].ports);
        if (cases[i].other != NULL)
            pcap_freecode(&other);
        pcap_close(pcap);
    }
}

static void what_is_no_filter_is_refused(void **state)
{
    const struct bpf_program none = {0, NULL};
    pcap_t *pcap = open_packets(1);
    (void)state;
    assert_false(kernel_filter_set(pcap, DLT_EN10MB, "port of nothing", &none));
    assert_false(kernel_filter_set(pcap, LINKTYPE_SLL, "port 1", &none)); /* no kernel has these headers */
    pcap_close(pcap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(either_is_read),
        cmocka_unit_test(what_is_no_filter_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
