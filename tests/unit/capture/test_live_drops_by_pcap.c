/*
 * test_live_drops_by_pcap.c - the variant for other systems that counts dropped packets, tested on
 * this one: test_live_drops.c is true of it.
 */
#define LIVE_DROPS_BY_PCAP
#include "capture/live_drops.c"

#include "test_live_drops.c"
