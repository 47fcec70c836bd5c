/*
 * sink_pcapng.c - the table entry of -T pcapng. It is made of packets as well as records, so its
 * writer is where packets are: keep/annotated_file.c.
 */
#include "output/sink.h"

static bool pcapng_open(struct sink *sink)
{
    (void)sink;
    return true;
}

const struct sink_kind sink_pcapng = {
    .name = "pcapng",
    .help = "the packets, with what was decoded from each as comments",
    .open = pcapng_open,
    .wants_findings = true,
    .is_of_packets = true,
};
