/*
 * live_drops.h - counts packets of an interface that were lost: the kernel had no room for them, or the
 * interface missed them.
 */
#ifndef SRC_LIVE_DROPS_H
#define SRC_LIVE_DROPS_H

#include <pcap/pcap.h>
#include <stdbool.h>
#include <stdint.h>

/* live_drops must be zeroed before live_drops_begin. */
struct live_drops {
    uint64_t by_kernel;
    bool has_interface;     /* packets that the interface missed count, too: */
    int missed_fds[2];      /* files with their number; */
    uint64_t missed_before; /* number before live_drops_begin; */
    uint64_t by_interface;  /* number since then */
    uint32_t told[2];       /* last counts of libpcap */
};

/* live_drops_begin opens files for later, when the process cannot open any. */
void live_drops_begin(struct live_drops *drops, const char *device);

/* live_drops_count updates both counts. */
void live_drops_count(struct live_drops *drops, pcap_t *pcap);

void live_drops_end(struct live_drops *drops);

#endif
