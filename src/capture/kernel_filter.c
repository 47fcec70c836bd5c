/*
 * kernel_filter.c - see kernel_filter.h.
 *
 * The cooked headers, by offset and length (LINKTYPE_LINUX_SLL and _SLL2):
 *
 *   SLL   0 packet type 2, 2 ARPHRD type 2, 4 address length 2, 6 address 8, 14 protocol 2
 *   SLL2  0 protocol 2, 2 zero 2, 4 interface index 4, 8 ARPHRD type 2, 10 packet type 1,
 *         11 address length 1, 12 address 8
 *
 * On Linux the filter is set on the socket: libpcap would discard packets that wait there. On other
 * systems libpcap sets it; KERNEL_FILTER_BY_PCAP does that on Linux, for the tests.
 */
#include "capture/kernel_filter.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#if defined(SO_ATTACH_FILTER) && !defined(KERNEL_FILTER_BY_PCAP)

#include <linux/filter.h>

/* packet_field is a field of a cooked header whose value the kernel can provide. */
struct packet_field {
    uint32_t link_type;
    uint32_t offset;
    uint32_t ancillary; /* SKF_AD_ value */
};

static const struct packet_field fields[] = {
    {LINKTYPE_SLL, 0, SKF_AD_PKTTYPE},   {LINKTYPE_SLL, 2, SKF_AD_HATYPE},
    {LINKTYPE_SLL, 14, SKF_AD_PROTOCOL}, {LINKTYPE_SLL2, 0, SKF_AD_PROTOCOL},
    {LINKTYPE_SLL2, 4, SKF_AD_IFINDEX},  {LINKTYPE_SLL2, 8, SKF_AD_HATYPE},
    {LINKTYPE_SLL2, 10, SKF_AD_PKTTYPE},
};

static bool uncook_offset(uint32_t *offset, uint32_t link_type, bool is_fixed)
{
    uint32_t header_len = link_type == LINKTYPE_SLL ? 16 : 20;
    if (*offset >= header_len) {
        *offset -= header_len;
        return true;
    }
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (is_fixed && fields[i].link_type == link_type && fields[i].offset == *offset) {
            *offset = (uint32_t)SKF_AD_OFF + fields[i].ancillary;
            return true;
        }
    }
    return false;
}

bool kernel_filter_uncook(struct bpf_insn *program, unsigned len, uint32_t link_type)
{
    for (unsigned i = 0; i < len; i++) {
        struct bpf_insn *insn = &program[i];
        if (BPF_CLASS(insn->code) != BPF_LD && BPF_CLASS(insn->code) != BPF_LDX)
            continue;
        switch (BPF_MODE(insn->code)) {
        case BPF_ABS:
        case BPF_IND:
        case BPF_MSH:
            if (!uncook_offset(&insn->k, link_type, BPF_MODE(insn->code) == BPF_ABS))
                return false;
            break;
        case BPF_LEN: /* the length would lack the header */
            return false;
        default:
            break;
        }
    }
    return true;
}

/* The kernel accepts libpcap's programs as they are. */
_Static_assert(sizeof(struct bpf_insn) == sizeof(struct sock_filter), "the same instruction");
_Static_assert(offsetof(struct bpf_insn, k) == offsetof(struct sock_filter, k), "k in its place");

void kernel_filter_lock(pcap_t *pcap)
{
    const int yes = 1;
    (void)setsockopt(pcap_fileno(pcap), SOL_SOCKET, SO_LOCK_FILTER, &yes, sizeof yes);
}

static bool attach(pcap_t *pcap, struct bpf_insn *program, unsigned len)
{
    struct sock_fprog filter = {(unsigned short)len, (struct sock_filter *)program};
    return setsockopt(pcap_fileno(pcap), SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) == 0;
}

#else

#ifndef BPF_MAXINSNS
#define BPF_MAXINSNS 512 /* limit of the BSD kernels */
#endif

/* Headers that libpcap makes; the kernels there do not know them. */
bool kernel_filter_uncook(struct bpf_insn *program, unsigned len, uint32_t link_type)
{
    (void)program;
    (void)len;
    (void)link_type;
    return false;
}

void kernel_filter_lock(pcap_t *pcap)
{
    (void)pcap;
}

static bool attach(pcap_t *pcap, struct bpf_insn *program, unsigned len)
{
    struct bpf_program filter = {len, program};
    return pcap_setfilter(pcap, &filter) == 0;
}

#endif

struct bpf_insn *kernel_filter_join(const struct bpf_program *one, const struct bpf_program *other,
                                    unsigned *len)
{
    *len = one->bf_len + other->bf_len;
    struct bpf_insn *joined = *len <= BPF_MAXINSNS ? calloc(*len, sizeof *joined) : NULL;
    if (joined == NULL)
        return NULL;
    memcpy(joined, one->bf_insns, one->bf_len * sizeof *joined);
    if (other->bf_len == 0)
        return joined;
    memcpy(joined + one->bf_len, other->bf_insns, other->bf_len * sizeof *joined);
    for (unsigned i = 0; i < one->bf_len; i++) {
        if (joined[i].code == (BPF_RET | BPF_K) && joined[i].k == 0)
            joined[i] = (struct bpf_insn)BPF_STMT(BPF_JMP | BPF_JA, one->bf_len - i - 1);
    }
    return joined;
}

bool kernel_filter_set(pcap_t *pcap, uint32_t link_type, const char *expression,
                       const struct bpf_program *other)
{
    struct bpf_program program;
    unsigned len;
    if (pcap_compile(pcap, &program, expression, 1, PCAP_NETMASK_UNKNOWN) != 0)
        return false;
    struct bpf_insn *joined = kernel_filter_join(&program, other, &len);
    pcap_freecode(&program);
    bool is_cooked = link_type == LINKTYPE_SLL || link_type == LINKTYPE_SLL2;
    bool ok = joined != NULL && (!is_cooked || kernel_filter_uncook(joined, len, link_type)) &&
              attach(pcap, joined, len);
    free(joined);
    return ok;
}
