/*
 * live_drops.h - how many packets of an interface never came: the kernel had no room for them, or the
 * interface missed them.
 */
#ifndef SRC_LIVE_DROPS_H
#define SRC_LIVE_DROPS_H

#include <pcap/pcap.h>
#include <stdbool.h>
#include <stdint.h>

/* live_drops is zeroed before it is begun. */
struct live_drops {
    uint64_t by_kernel;
    bool has_interface;     /* what that missed is counted, too: */
    int missed_fds[2];      /* where it can be read; */
    uint64_t missed_before; /* before it was begun; */
    uint64_t by_interface;  /* since then */
    uint32_t told[2];       /* by libpcap last */
};

/* live_drops_begin opens what is asked later, when nothing can be opened. */
void live_drops_begin(struct live_drops *drops, const char *device);

/* live_drops_count counts both anew. */
void live_drops_count(struct live_drops *drops, pcap_t *pcap);

void live_drops_end(struct live_drops *drops);

#endif
