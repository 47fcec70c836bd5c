/*
 * live_drops.c - see live_drops.h. On Linux the counts come from the socket and, for the interface,
 * from files that libpcap would open again and again. On other systems they come from libpcap;
 * LIVE_DROPS_BY_PCAP does that on Linux, for the tests.
 */
#include "capture/live_drops.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#if defined(__linux__) && !defined(LIVE_DROPS_BY_PCAP)

#include <linux/if_packet.h>

/* count_missed returns the sum of what the interface missed since it came up. */
static uint64_t count_missed(const struct live_drops *drops)
{
    uint64_t sum = 0;
    for (int i = 0; i < 2 && drops->has_interface; i++) {
        char text[32];
        const ssize_t len = pread(drops->missed_fds[i], text, sizeof text - 1, 0);
        if (len <= 0)
            continue;
        text[len] = '\0';
        sum += strtoull(text, NULL, 10);
    }
    return sum;
}

static void close_all(const struct live_drops *drops)
{
    for (int i = 0; i < 2; i++) {
        if (drops->missed_fds[i] >= 0)
            close(drops->missed_fds[i]);
    }
}

void live_drops_begin(struct live_drops *drops, const char *device)
{
    static const char *const names[] = {"rx_missed_errors", "rx_fifo_errors"};
    for (int i = 0; i < 2; i++) {
        char name[128];
        snprintf(name, sizeof name, "/sys/class/net/%s/statistics/%s", device, names[i]);
        drops->missed_fds[i] = open(name, O_RDONLY | O_CLOEXEC);
    }
    drops->has_interface = drops->missed_fds[0] >= 0 && drops->missed_fds[1] >= 0;
    if (!drops->has_interface)
        close_all(drops);
    drops->missed_before = count_missed(drops);
}

void live_drops_count(struct live_drops *drops, pcap_t *pcap)
{
    struct tpacket_stats_v3 since = {0}; /* the kernel counts since the last query */
    socklen_t len = sizeof since;
    if (getsockopt(pcap_fileno(pcap), SOL_PACKET, PACKET_STATISTICS, &since, &len) == 0)
        drops->by_kernel += since.tp_drops;
    const uint64_t missed = count_missed(drops);
    drops->by_interface = missed > drops->missed_before ? missed - drops->missed_before : 0;
}

void live_drops_end(struct live_drops *drops)
{
    if (drops->has_interface)
        close_all(drops);
    drops->has_interface = false;
}

#else

void live_drops_begin(struct live_drops *drops, const char *device)
{
    (void)device;
    drops->has_interface = true;
}

/* libpcap counts since the capture began, in 32 bits. */
void live_drops_count(struct live_drops *drops, pcap_t *pcap)
{
    struct pcap_stat now;
    if (pcap_stats(pcap, &now) != 0)
        return;
    drops->by_kernel += (uint32_t)(now.ps_drop - drops->told[0]);
    if (drops->has_interface)
        drops->by_interface += (uint32_t)(now.ps_ifdrop - drops->told[1]);
    drops->told[0] = now.ps_drop;
    drops->told[1] = now.ps_ifdrop;
}

void live_drops_end(struct live_drops *drops)
{
    drops->has_interface = false;
}

#endif
