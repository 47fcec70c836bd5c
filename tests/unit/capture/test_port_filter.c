/*
 * test_port_filter.c - which packets pass, and which filter the kernel gets.
 */
#include "capture/kernel_filter.h"
#include "capture/port_filter.h"
#include "packet_maker.h"

#include <linux/filter.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* An Ethernet packet of IPv4 and TCP, with any number of VLAN tags. */
struct made {
    uint8_t bytes[128];
    struct ds_packet packet;
};

static void make(struct made *made, unsigned num_tags, uint16_t src, uint16_t dst)
{
    static const uint8_t ip[] = {0x45, 0, 0, 40, 0, 1, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2};
    uint8_t *at = made->bytes;
    memset(made, 0, sizeof *made);
    for (int i = 0; i < 12; i++)
        *at++ = (uint8_t)i;
    for (unsigned i = 0; i < num_tags; i++) {
        memcpy(at, "\x81\x00\x00\x05", 4);
        at += 4;
    }
    memcpy(at, "\x08\x00", 2);
    at += 2;
    memcpy(at, ip, sizeof ip);
    at += sizeof ip;
    *at++ = (uint8_t)(src >> 8);
    *at++ = (uint8_t)src;
    *at++ = (uint8_t)(dst >> 8);
    *at++ = (uint8_t)dst;
    at[8] = 0x50; /* header of 20 bytes */
    at += 16;
    made->packet = (struct ds_packet){.frame = 1,
                                      .link_type = 1,
                                      .data = made->bytes,
                                      .cap_len = (uint32_t)(at - made->bytes),
                                      .len = (uint32_t)(at - made->bytes)};
}

struct fixture {
    struct port_filter_config options;
    struct capture capture;
    struct capture_input input;
    struct port_filter *follow;
};

static void start(struct fixture *f, char *expression)
{
    f->input.pcap = pcap_open_dead(DLT_EN10MB, 65535);
    f->input.interfaces.first_type = 1;
    capture_read_link_type(&f->input);
    f->capture = (struct capture){.inputs = &f->input, .num_inputs = 1};
    f->options.expression = expression;
    f->follow = port_filter_new(&f->options, &f->capture);
    if (f->follow != NULL && !port_filter_begin(f->follow)) {
        port_filter_free(f->follow);
        f->follow = NULL;
    }
}

static void stop(struct fixture *f)
{
    port_filter_free(f->follow);
    pcap_close(f->input.pcap);
}

/* An expression applies to raw packets of any link type name. If it cannot be compiled for a
 * readable link type, the skipped packets are reported at the end. */
static void says_what_it_does_not_apply_to(void **state)
{
    static const struct {
        char expression[32];
        const char *said;
        uint32_t link_type;
        bool passes;
    } cases[] = {
        {"port 4369", "", 14, true},
        {"port 4369", "", 12, true},
        {"port 4368", "", 14, false},
        {"port 4369", "", 220, false}, /* the capture reports that it cannot be read */
        {"ether host 0:1:2:3:4:5", "does not apply to 2 packets of other link types", 101, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture f = {0};
        struct made made;
        char expression[32], text[512] = "";
        FILE *said = tmpfile();
        const int before = dup(STDERR_FILENO);
        assert_non_null(said);
        make(&made, 0, 40000, 4369);
        made.packet.link_type = cases[i].link_type;
        made.packet.data += 14;
        made.packet.cap_len -= 14;
        memcpy(expression, cases[i].expression, sizeof expression);
        f.input.interfaces.has_first = true;
        f.options.no_follow = true;
        start(&f, expression);
        assert_non_null(f.follow);
        for (uint64_t j = 0; j < 4; j++) {
            made.packet.frame = 1 + j / 2; /* each is tested twice */
            assert_int_equal(port_filter_pass(f.follow, &made.packet), cases[i].passes);
        }
        assert_int_equal(dup2(fileno(said), STDERR_FILENO), STDERR_FILENO);
        stop(&f);
        assert_int_equal(dup2(before, STDERR_FILENO), STDERR_FILENO);
        close(before);
        rewind(said);
        (void)!fread(text, 1, sizeof text - 1, said);
        fclose(said);
        assert_int_equal(*text != '\0', *cases[i].said != '\0');
        assert_non_null(strstr(text, cases[i].said));
    }
}

static void passes_what_matches_and_what_was_learned(void **state)
{
    struct fixture f = {0};
    struct made epmd, dist, other;
    (void)state;
    make(&epmd, 0, 40000, 4369);
    make(&dist, 0, 40001, 25672);
    make(&other, 0, 40002, 80);
    char expression[] = "port 4369";
    start(&f, expression);
    assert_non_null(f.follow);
    assert_true(port_filter_pass(f.follow, &epmd.packet));
    assert_false(port_filter_pass(f.follow, &dist.packet));
    port_filter_learn(f.follow, 25672, (struct ds_text){"rabbit", 6});
    assert_true(port_filter_pass(f.follow, &dist.packet));
    make(&dist, 0, 25672, 40001);
    assert_true(port_filter_pass(f.follow, &dist.packet));
    assert_false(port_filter_pass(f.follow, &other.packet));
    stop(&f);
}

/* make_error wraps the packet of make in an ICMP error: no route to the host. */
static void make_error(struct made *made, uint16_t src, uint16_t dst)
{
    enum { ETHER_LEN = 14, QUOTED_LEN = 28 };
    static const uint8_t ip[] = {0x45, 0, 0,  56, 0, 1, 0, 0, 64, 1,
                                 0,    0, 10, 0,  0, 9, 10, 0, 0,  1};
    static const uint8_t icmp[8] = {3, 1};
    make(made, 0, src, dst);
    uint8_t *at = made->bytes + ETHER_LEN;
    memmove(at + sizeof ip + sizeof icmp, at, QUOTED_LEN);
    memcpy(at, ip, sizeof ip);
    memcpy(at + sizeof ip, icmp, sizeof icmp);
    made->packet.cap_len = made->packet.len = ETHER_LEN + sizeof ip + sizeof icmp + QUOTED_LEN;
}

static void passes_errors_about_what_matches(void **state)
{
    static const struct {
        const char *expression;
        bool no_follow, passes;
    } cases[] = {
        {"port 4369", false, true},
        {"tcp dst port 4369 and host 10.0.0.2", false, true},
        {"tcp src port 4369", false, false},
        {"port 4369 and host 10.0.0.9", false, false}, /* the sender of the error is not quoted */
        {"port 80", false, false},
        {"ether host 00:01:02:03:04:05 and port 4369", false, false},
        {"port 4369", true, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture f = {.options.no_follow = cases[i].no_follow};
        struct made error;
        char expression[64];
        strcpy(expression, cases[i].expression);
        make_error(&error, 40000, 4369);
        start(&f, expression);
        assert_non_null(f.follow);
        assert_int_equal(port_filter_pass(f.follow, &error.packet), cases[i].passes);
        error.packet.cap_len -= 26; /* the quoted packet ends before its ports */
        assert_false(port_filter_pass(f.follow, &error.packet));
        stop(&f);
    }
}

static void learns_nothing_when_told_so(void **state)
{
    struct fixture f = {.options.no_follow = true};
    struct made dist;
    (void)state;
    make(&dist, 0, 40001, 25672);
    char expression[] = "port 4369";
    start(&f, expression);
    port_filter_learn(f.follow, 25672, (struct ds_text){"rabbit", 6});
    assert_false(port_filter_pass(f.follow, &dist.packet));
    stop(&f);
}

static void knows_the_ports_it_was_told(void **state)
{
    struct fixture f = {.options = {.dist_ports = {9100}, .num_dist_ports = 1}};
    struct made dist;
    (void)state;
    make(&dist, 0, 40001, 9100);
    char expression[] = "port 4369";
    start(&f, expression);
    assert_true(port_filter_pass(f.follow, &dist.packet));
    stop(&f);
}

static void passes_everything_without_expression(void **state)
{
    struct fixture f = {0};
    struct made other;
    (void)state;
    make(&other, 0, 40002, 80);
    start(&f, NULL);
    assert_true(port_filter_pass(f.follow, &other.packet));
    stop(&f);
}

static void steps_over_vlan_tags(void **state)
{
    struct fixture f = {0};
    struct made tagged, other;
    (void)state;
    make(&tagged, 2, 40000, 4369);
    make(&other, 1, 40000, 80);
    char expression[] = "port 4369";
    start(&f, expression);
    assert_true(port_filter_pass(f.follow, &tagged.packet));
    assert_false(port_filter_pass(f.follow, &other.packet));
    stop(&f);

    char negated[] = "not port 80";
    start(&f, negated);
    assert_true(port_filter_pass(f.follow, &tagged.packet));
    assert_false(port_filter_pass(f.follow, &other.packet));
    stop(&f);

    char vlan[] = "vlan 5 and port 80";
    start(&f, vlan);
    assert_false(port_filter_pass(f.follow, &tagged.packet)); /* the tagged packet has another tag */
    assert_true(port_filter_pass(f.follow, &other.packet));
    stop(&f);
}

static void strips_tags_of_cut_packets(void **state)
{
    struct made made;
    uint8_t out[128];
    (void)state;
    make(&made, 2, 1, 2);
    for (uint32_t cap_len = 0; cap_len < made.packet.len; cap_len++) {
        /* At the end of a block of exactly its size, so that the sanitizer notices a read beyond it. */
        uint8_t *exact = malloc(cap_len + 1);
        memcpy(exact, made.bytes, cap_len);
        struct ds_packet cut = made.packet;
        cut.data = exact;
        cut.cap_len = cap_len;
        uint32_t out_cap, out_len;
        if (port_filter_strip_vlan(&cut, out, &out_cap, &out_len)) {
            assert_true(cap_len >= 18);
            assert_int_equal(out_cap, cap_len - (cap_len >= 22 ? 8 : 4));
        } else {
            assert_true(cap_len < 18);
        }
        free(exact);
    }
}

static void passes_later_fragments(void **state)
{
    struct fixture f = {0};
    struct made made;
    (void)state;
    make(&made, 0, 40000, 80);
    made.bytes[20] = 0x01; /* fragment offset */
    char expression[] = "port 4369";
    start(&f, expression);
    assert_true(port_filter_pass(f.follow, &made.packet));
    stop(&f);
}

static void refuses_bad_expressions(void **state)
{
    struct fixture f = {0};
    (void)state;
    char expression[] = "port 4369 and";
    start(&f, expression);
    assert_null(f.follow);
    stop(&f);
}

/* Programs for cooked captures: the offset of every load is 16 (20) bytes smaller, or it asks the
 * kernel. */
static void uncooks_programs(void **state)
{
    static const struct {
        int dlt;
        uint32_t link_type, header_len;
    } kinds[] = {{DLT_LINUX_SLL, LINKTYPE_SLL, 16}, {DLT_LINUX_SLL2, LINKTYPE_SLL2, 20}};
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        char *expression = port_filter_kernel_expression("port 4369 or (inbound and arp)",
                                                         (uint16_t[]){443, 80}, 2, false);
        assert_non_null(expression);
        pcap_t *pcap = pcap_open_dead(kinds[k].dlt, 65535);
        struct bpf_program before, after;
        assert_int_equal(pcap_compile(pcap, &before, expression, 1, 0), 0);
        assert_int_equal(pcap_compile(pcap, &after, expression, 1, 0), 0);
        assert_true(kernel_filter_uncook(after.bf_insns, after.bf_len, kinds[k].link_type));
        bool asked_protocol = false;
        for (unsigned i = 0; i < before.bf_len; i++) {
            const struct bpf_insn *was = &before.bf_insns[i];
            const struct bpf_insn *is = &after.bf_insns[i];
            bool loads = (BPF_CLASS(was->code) == BPF_LD || BPF_CLASS(was->code) == BPF_LDX) &&
                         (BPF_MODE(was->code) == BPF_ABS || BPF_MODE(was->code) == BPF_IND ||
                          BPF_MODE(was->code) == BPF_MSH);
            assert_int_equal(is->code, was->code);
            if (!loads) {
                assert_int_equal(is->k, was->k);
            } else if (was->k >= kinds[k].header_len) {
                assert_int_equal(is->k, was->k - kinds[k].header_len);
            } else {
                assert_true(is->k >= (uint32_t)SKF_AD_OFF);
                asked_protocol |= is->k == (uint32_t)(SKF_AD_OFF + SKF_AD_PROTOCOL);
            }
        }
        assert_true(asked_protocol);
        pcap_freecode(&before);
        pcap_freecode(&after);
        pcap_close(pcap);
        free(expression);
    }
}

/* The kernel does not drop packets that may be tunnelled; it drops those that cannot be. */
static void lets_tunnels_through(void **state)
{
    static const struct {
        uint8_t protocol;
        uint16_t port;
        bool passes;
    } cases[] = {{6, 80, true},     {47, 0, true},     {4, 0, true},     {41, 0, true},    {17, 4789, true},
                 {17, 8472, true},  {17, 6081, true},  {17, 123, false}, {132, 80, false}};
    (void)state;
    char *expression = port_filter_kernel_expression(NULL, NULL, 0, false);
    assert_non_null(expression);
    pcap_t *pcap = pcap_open_dead(DLT_EN10MB, 65535);
    struct bpf_program program;
    assert_int_equal(pcap_compile(pcap, &program, expression, 1, 0), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static struct maker m;
        maker_start(&m, "something", 9);
        maker_udp(&m, 50000, cases[i].port);
        maker_ip4(&m, cases[i].protocol);
        maker_ethernet(&m, 0x0800);
        const struct pcap_pkthdr header = {.caplen = (uint32_t)m.len, .len = (uint32_t)m.len};
        assert_int_equal(pcap_offline_filter(&program, &header, maker_bytes(&m)) != 0, cases[i].passes);
    }
    pcap_freecode(&program);
    pcap_close(pcap);
    free(expression);
}

static void leaves_what_the_kernel_cannot_say(void **state)
{
    (void)state;
    struct bpf_insn address = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 6);
    struct bpf_insn length = BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0);
    assert_false(kernel_filter_uncook(&address, 1, LINKTYPE_SLL));
    assert_false(kernel_filter_uncook(&length, 1, LINKTYPE_SLL));
}

/* The latest filter that the kernel got, and how often it got one. */
static char asked[4096];
static unsigned num_asked;

bool __wrap_kernel_filter_set(pcap_t *pcap, uint32_t link_type, const char *expression,
                              const struct bpf_program *also);
bool __wrap_kernel_filter_set(pcap_t *pcap, uint32_t link_type, const char *expression,
                              const struct bpf_program *also)
{
    (void)pcap;
    (void)link_type;
    (void)also;
    snprintf(asked, sizeof asked, "%s", expression);
    num_asked++;
    return true;
}

static void refuse(struct fixture *f, uint16_t port, unsigned num)
{
    struct made made;
    make(&made, 0, port, 50000);
    for (unsigned i = 0; i < num; i++)
        assert_false(port_filter_pass(f->follow, &made.packet));
}

/* In a live capture, a port with 20 000 refused packets is refused by the kernel: once, at most 16
 * such ports, no ephemeral port of a client, and not if it turns out to be a node's. */
static void leaves_busy_ports_to_the_kernel(void **state)
{
    enum { BUSY_AFTER = 20000, MAX_EXCLUDED = 16 };
    struct fixture f = {.options = {.expression = "port 4369"}};
    (void)state;
    f.input = (struct capture_input){.pcap = pcap_open_dead(DLT_EN10MB, 65535)};
    capture_read_link_type(&f.input);
    f.capture = (struct capture){.inputs = &f.input, .num_inputs = 1, .is_live = true};
    f.follow = port_filter_new(&f.options, &f.capture);
    assert_true(f.follow != NULL && port_filter_begin(f.follow));
    assert_int_equal(num_asked, 1);
    refuse(&f, 80, BUSY_AFTER - 1);
    assert_int_equal(num_asked, 1);
    refuse(&f, 80, 1);
    assert_int_equal(num_asked, 2);
    assert_non_null(strstr(asked, "and not tcp port 80)"));
    refuse(&f, 80, BUSY_AFTER + 1);
    refuse(&f, 32768, BUSY_AFTER);
    assert_int_equal(num_asked, 2);
    refuse(&f, 32767, BUSY_AFTER);
    assert_non_null(strstr(asked, "and not tcp port 80 and not tcp port 32767)"));
    for (uint16_t port = 81; port < 81 + MAX_EXCLUDED; port++)
        refuse(&f, port, BUSY_AFTER);
    assert_int_equal(num_asked, 1 + MAX_EXCLUDED);
    port_filter_learn(f.follow, 80, (struct ds_text){NULL, 0});
    assert_int_equal(num_asked, 2 + MAX_EXCLUDED);
    assert_null(strstr(asked, "port 80 "));
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_what_matches_and_what_was_learned),
        cmocka_unit_test(passes_errors_about_what_matches),
        cmocka_unit_test(learns_nothing_when_told_so),
        cmocka_unit_test(knows_the_ports_it_was_told),
        cmocka_unit_test(passes_everything_without_expression),
        cmocka_unit_test(says_what_it_does_not_apply_to),
        cmocka_unit_test(steps_over_vlan_tags),
        cmocka_unit_test(strips_tags_of_cut_packets),
        cmocka_unit_test(passes_later_fragments),
        cmocka_unit_test(refuses_bad_expressions),
        cmocka_unit_test(lets_tunnels_through),
        cmocka_unit_test(uncooks_programs),
        cmocka_unit_test(leaves_what_the_kernel_cannot_say),
        cmocka_unit_test(leaves_busy_ports_to_the_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
