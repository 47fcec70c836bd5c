/*
 * test_kernel_filter.c - two kernel filters combined into one, and which expressions contain names
 * that have to be looked up.
 */
#include "capture/bpf_words.h"
#include "capture/kernel_filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_INSNS = 4096 }; /* the kernel's limit */

/* passes returns whether a program accepts a TCP packet over IPv4 between two ports. */
static bool passes(const struct bpf_insn *program, uint16_t from, uint16_t to)
{
    unsigned char packet[54] = {[12] = 0x08, [14] = 0x45, [17] = 40, [23] = 6};
    packet[34] = (unsigned char)(from >> 8);
    packet[35] = (unsigned char)from;
    packet[36] = (unsigned char)(to >> 8);
    packet[37] = (unsigned char)to;
    return bpf_filter(program, packet, sizeof packet, sizeof packet) != 0;
}

static void either_lets_through(void **state)
{
    (void)state;
    static const char *const expressions[] = {"tcp port 4369", "src port 1 or dst portrange 7-9",
                                              "udp", "tcp", "ip6", "less 10"};
    static const uint16_t ports[] = {0, 1, 2, 7, 9, 10, 4368, 4369, 65535};
    const size_t num = sizeof expressions / sizeof expressions[0];
    const size_t num_ports = sizeof ports / sizeof ports[0];
    pcap_t *pcap = pcap_open_dead(DLT_EN10MB, 65535);
    for (size_t i = 0; i < num * num; i++) {
        struct bpf_program one, other;
        unsigned len;
        assert_int_equal(pcap_compile(pcap, &one, expressions[i / num], 1, 0), 0);
        assert_int_equal(pcap_compile(pcap, &other, expressions[i % num], 1, 0), 0);
        struct bpf_insn *joined = kernel_filter_join(&one, &other, &len);
        assert_non_null(joined);
        assert_int_equal(len, one.bf_len + other.bf_len);
        assert_true(bpf_validate(joined, (int)len));
        for (size_t j = 0; j < num_ports * num_ports; j++) {
            const uint16_t from = ports[j / num_ports], to = ports[j % num_ports];
            assert_int_equal(passes(joined, from, to), passes(one.bf_insns, from, to) ||
                                                           passes(other.bf_insns, from, to));
        }
        free(joined);
        pcap_freecode(&one);
        pcap_freecode(&other);
    }
    pcap_close(pcap);
}

static void too_long_is_refused(void **state)
{
    (void)state;
    static struct bpf_insn insns[MAX_INSNS];
    for (size_t i = 0; i < MAX_INSNS; i++)
        insns[i] = (struct bpf_insn)BPF_STMT(BPF_RET | BPF_K, 0);
    const struct bpf_program all_but_one = {MAX_INSNS - 1, insns}, one = {1, insns},
                             two = {2, insns}, none = {0, NULL};
    unsigned len;
    struct bpf_insn *joined = kernel_filter_join(&all_but_one, &one, &len);
    assert_non_null(joined);
    assert_int_equal(len, MAX_INSNS);
    free(joined);
    assert_null(kernel_filter_join(&all_but_one, &two, &len));
    joined = kernel_filter_join(&one, &none, &len);
    assert_non_null(joined);
    assert_int_equal(len, 1);
    assert_false(passes(joined, 1, 2));
    free(joined);
}

static void names_in_expressions(void **state)
{
    (void)state;
    static const struct {
        const char *expression;
        bool has_names;
    } cases[] = {
        {"", false},
        {"tcp port 4369", false},
        {"host 10.0.0.1 and not net 192.168.0.0/16", false},
        {"ip6 host fe80::1 or host ::1", false},
        {"host beef::cafe", false},
        {"ether host 00:11:22:aa:bb:cc", false},
        {"ether host aa:bb:cc:00:11:22", false},
        {"tcp[tcpflags] & (tcp-syn|tcp-fin) != 0", false},
        {"tcp[13] & 0x7f = 2", false},
        {"portrange 9100-9199", false},
        {"(src or dst) port (1 or 2)", false},
        {"host localhost", true},
        {"port epmd", true},
        {"host beef", true}, /* has no colon */
        {"port 4369 or host a.example", true},
        {"host 10.example", true},
        {"not(host bob)", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (bpf_words_have_names(cases[i].expression) != cases[i].has_names)
            fail_msg("%s", cases[i].expression);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(either_lets_through),
        cmocka_unit_test(too_long_is_refused),
        cmocka_unit_test(names_in_expressions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
