/*
 * kernel_filter.h - the filter in the kernel. It only reduces the load: port_filter.c checks the
 * packets that pass again.
 *
 * pcap_setfilter cannot be used to replace a filter: it empties the socket while no packets can pass,
 * and it applies the new filter to packets that the kernel had already accepted. Both lose packets just
 * after a port has been learned. A program that is set in the kernel directly is replaced atomically,
 * and the packets in the ring stay.
 */
#ifndef SRC_KERNEL_FILTER_H
#define SRC_KERNEL_FILTER_H

#include <pcap/pcap.h>
#include <stdbool.h>
#include <stdint.h>

/* kernel_filter_set compiles an expression, and sets a filter that accepts everything that either the
 * expression or another program accepts. The other program may have no instructions. If that is
 * impossible, it returns false, and the filter stays as it was. */
bool kernel_filter_set(pcap_t *pcap, uint32_t link_type, const char *expression,
                       const struct bpf_program *other);

/* kernel_filter_join joins two programs into one that accepts everything that either does: where the
 * first one would reject a packet, it continues with the other. The caller frees the result, which has
 * *len instructions. NULL if there are too many, or memory ran out. */
struct bpf_insn *kernel_filter_join(const struct bpf_program *one, const struct bpf_program *other,
                                    unsigned *len);

/* kernel_filter_uncook changes a program for packets with a Linux cooked header (link type 113 or 276)
 * into one for a socket that provides packets without it: the kernel's packets begin with the network
 * layer there, and the kernel provides the values of the header's fields. Returns false if the program
 * cannot be expressed that way. */
bool kernel_filter_uncook(struct bpf_insn *program, unsigned len, uint32_t link_type);

enum { LINKTYPE_SLL = 113, LINKTYPE_SLL2 = 276 };

/* kernel_filter_lock makes the kernel refuse to replace or remove this filter from now on. Only Linux
 * can. It is an additional protection that nothing relies on. */
void kernel_filter_lock(pcap_t *pcap);

#endif
