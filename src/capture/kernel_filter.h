/*
 * kernel_filter.h - the filter in the kernel, which only keeps the load down: what passes is
 * judged again by port_filter.c.
 *
 * pcap_setfilter cannot be used to replace a filter: it empties the socket while nothing may
 * pass, and it applies the new filter to packets that the kernel had let through before.
 * Both lose packets just when a port has been learned. A program handed to the kernel itself
 * is put in place atomically, and what is in the ring stays there.
 */
#ifndef SRC_KERNEL_FILTER_H
#define SRC_KERNEL_FILTER_H

#include <pcap/pcap.h>
#include <stdbool.h>
#include <stdint.h>

/* kernel_filter_set compiles an expression, and puts in place what lets through all that either
 * this or another program does, which may have no instructions. False when that cannot be done;
 * the filter is then as it was. */
bool kernel_filter_set(pcap_t *pcap, uint32_t link_type, const char *expression,
                       const struct bpf_program *other);

/* kernel_filter_join makes one program of two, which lets through what either does: where the
 * first one would refuse, it goes on with the other. Its len instructions are to be freed; NULL
 * when they are too many, or memory ran out. */
struct bpf_insn *kernel_filter_join(const struct bpf_program *one, const struct bpf_program *other,
                                    unsigned *len);

/* kernel_filter_uncook changes a program for packets with a Linux cooked header (link type
 * 113 or 276) into one for a socket that gives packets without it: the kernel's packets
 * begin with the network layer there, and what the header would say is asked of the kernel.
 * False when the program cannot be expressed that way. */
bool kernel_filter_uncook(struct bpf_insn *program, unsigned len, uint32_t link_type);

enum { LINKTYPE_SLL = 113, LINKTYPE_SLL2 = 276 };

/* kernel_filter_lock has the kernel refuse any other filter from now on, and the removal of this one: Linux
 * alone does. Nothing depends on it. */
void kernel_filter_lock(pcap_t *pcap);

#endif
