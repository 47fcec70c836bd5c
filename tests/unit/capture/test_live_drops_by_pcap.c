/*
 * test_live_drops_by_pcap.c - the way of other systems to count what never came, which this one has, too: all
 * that test_live_drops.c says is true of it.
 */
#define LIVE_DROPS_BY_PCAP
#include "capture/live_drops.c"

#include "test_live_drops.c"
