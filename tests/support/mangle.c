/*
 * mangle.c - rewrites a capture in another form: the decoder must find the same messages in it
 * (modes up to null), or know exactly what is missing (snap, drop, late, half); noise only has to be
 * read without a crash.
 *
 * usage: mangle MODE [N] IN OUT
 *
 * Reads Ethernet, Linux cooked (v1 and v2) and raw IP; writes Ethernet, unless the mode is a link
 * layer. Packets that are not TCP stay unchanged. Nothing here is random: the same input gives the
 * same output.
 */
#include "mangle.h"

unsigned long number, counter;

static void mangle_snap(size_t i)
{
    snap_len = (uint32_t)number;
    write_plain(&packets[i]);
}

/* mangle_drop drops every Nth packet that carries data. */
static void mangle_drop(size_t i)
{
    if (payload_len(&packets[i]) == 0 || ++counter % number != 0)
        write_plain(&packets[i]);
}

/* mangle_late drops the first N packets. */
static void mangle_late(size_t i)
{
    if (i >= number)
        write_plain(&packets[i]);
}

/* mangle_half keeps one direction of each connection: from the lower port, or with N = 2 from the
 * higher one. */
static void mangle_half(size_t i)
{
    const struct packet *p = &packets[i];
    if (!p->tcp) {
        write_plain(p);
        return;
    }
    const uint8_t *ports = p->bytes + p->tcp_at;
    if ((memcmp(ports, ports + 2, 2) < 0) == (number == 1))
        write_plain(p);
}

/* mangle_noise replaces about one data byte in a thousand, others for another N: mostly with a byte
 * that means something in terms. */
static void mangle_noise(size_t i)
{
    static const uint8_t means[] = {0, 1, 2, 6, 16, 97, 98, 104, 106, 107, 108, 109, 119, 131, 255};
    static uint64_t state;
    const struct packet *p = &packets[i];
    state += number;
    for (uint32_t at = p->payload_at; p->tcp && at < p->len; at++) {
        state = state * 6364136223846793005 + 1442695040888963407;
        if ((state >> 33) % 1000 == 0)
            p->bytes[at] = means[(state >> 50) % sizeof means];
    }
    write_plain(p);
}

static void mangle_none(size_t i)
{
    write_plain(&packets[i]);
}

static const struct mode {
    const char *name;
    int link_type;
    bool has_number;
    void (*mangle)(size_t i);
} modes[] = {
    {"none", DLT_EN10MB, false, mangle_none},
    {"reorder", DLT_EN10MB, false, mangle_reorder},
    {"shuffle", DLT_EN10MB, true, mangle_shuffle},
    {"duplicate", DLT_EN10MB, false, mangle_duplicate},
    {"overlap", DLT_EN10MB, false, mangle_overlap},
    {"resegment", DLT_EN10MB, false, mangle_resegment},
    {"wrap", DLT_EN10MB, false, mangle_wrap},
    {"vlan", DLT_EN10MB, false, mangle_vlan},
    {"qinq", DLT_EN10MB, false, mangle_qinq},
    {"ipfrag", DLT_EN10MB, false, mangle_ipfrag},
    {"ipv6", DLT_EN10MB, false, mangle_ipv6},
    {"gre", DLT_EN10MB, false, mangle_gre},
    {"vxlan", DLT_EN10MB, false, mangle_vxlan},
    {"geneve", DLT_EN10MB, false, mangle_geneve},
    {"erspan2", DLT_EN10MB, false, mangle_erspan2},
    {"erspan3", DLT_EN10MB, false, mangle_erspan3},
    {"sll", DLT_LINUX_SLL, false, mangle_sll},
    {"null", DLT_NULL, false, mangle_null},
    {"raw", DLT_RAW, false, mangle_raw},
    {"snap", DLT_EN10MB, true, mangle_snap},
    {"drop", DLT_EN10MB, true, mangle_drop},
    {"late", DLT_EN10MB, true, mangle_late},
    {"half", DLT_EN10MB, true, mangle_half},
    {"noise", DLT_EN10MB, true, mangle_noise},
};

static const struct mode *find_mode(const char *name)
{
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(modes[i].name, name) == 0)
            return &modes[i];
    }
    return NULL;
}

int main(int argc, char **argv)
{
    char error[PCAP_ERRBUF_SIZE];
    const struct mode *mode = argc > 1 ? find_mode(argv[1]) : NULL;
    if (mode == NULL || argc != 4 + mode->has_number) {
        fprintf(stderr, "usage: mangle MODE [N] IN OUT\nmodes:");
        for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
            fprintf(stderr, " %s%s", modes[i].name, modes[i].has_number ? " N" : "");
        fprintf(stderr, "\n");
        return 2;
    }
    if (mode->has_number) {
        number = strtoul(argv[2], NULL, 10);
        if (number == 0)
            die("N must be a number above 0");
    }
    in = pcap_open_offline_with_tstamp_precision(argv[argc - 2], PCAP_TSTAMP_PRECISION_NANO, error);
    if (in == NULL)
        die(error);
    read_all();
    pcap_t *dead =
        pcap_open_dead_with_tstamp_precision(mode->link_type, 262144, PCAP_TSTAMP_PRECISION_NANO);
    out = dead != NULL ? pcap_dump_open(dead, argv[argc - 1]) : NULL;
    if (out == NULL)
        die(dead != NULL ? pcap_geterr(dead) : "out of memory");
    for (size_t i = 0; i < num_packets; i++)
        mode->mangle(i);
    if (pcap_dump_flush(out) != 0)
        die("cannot write");
    pcap_dump_close(out);
    pcap_close(dead);
    pcap_close(in);
    for (size_t i = 0; i < num_packets; i++)
        free(packets[i].bytes);
    free(packets);
    return 0;
}
