/*
 * test_live_drops.c - packets that the kernel drops are counted, each of them once. The test needs
 * a network namespace of its own, and is skipped where it cannot have one.
 */
#include "capture/live_drops.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

enum { BUFFER = 256 * 1024, LEN = 1000, MANY = 4000, PORT = 4000 };

/* enter_network returns a socket in a network namespace of its own; -1: that is not possible. */
static int enter_network(void)
{
    struct ifreq lo = {.ifr_name = "lo"};
    if (unshare(CLONE_NEWNET) != 0)
        return -1;
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_int_equal(ioctl(fd, SIOCGIFFLAGS, &lo), 0);
    lo.ifr_flags |= IFF_UP;
    assert_int_equal(ioctl(fd, SIOCSIFFLAGS, &lo), 0);
    return fd;
}

static pcap_t *open_small(void)
{
    char error[PCAP_ERRBUF_SIZE];
    pcap_t *pcap = pcap_create("lo", error);
    if (pcap == NULL) /* as qemu has it */
        skip();
    assert_int_equal(pcap_set_buffer_size(pcap, BUFFER), 0);
    assert_true(pcap_activate(pcap) >= 0);
    return pcap;
}

/* send_many sends to itself, so that nothing answers. */
static void send_many(int fd, const struct sockaddr_in *to)
{
    static const char bytes[LEN];
    for (int i = 0; i < MANY; i++)
        assert_int_equal(sendto(fd, bytes, LEN, 0, (const struct sockaddr *)to, sizeof *to), LEN);
}

static void what_has_no_room_is_counted(void **state)
{
    enum { TWICE = 2 }; /* a packet is captured going out and coming in */
    const struct sockaddr_in self = {.sin_family = AF_INET, .sin_port = htons(PORT),
                                     .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct live_drops drops = {0};
    (void)state;
    const int fd = enter_network();
    if (fd < 0)
        skip();
    assert_int_equal(bind(fd, (const struct sockaddr *)&self, sizeof self), 0);
    pcap_t *pcap = open_small();
    live_drops_begin(&drops, "lo");
    assert_true(drops.has_interface);
    live_drops_count(&drops, pcap);
    assert_int_equal(drops.by_kernel, 0);
    send_many(fd, &self);
    live_drops_count(&drops, pcap);
    const uint64_t first = drops.by_kernel;
    assert_in_range(first, TWICE * MANY - BUFFER / LEN, TWICE * MANY - 1);
    send_many(fd, &self); /* the buffer has no room for any of these */
    live_drops_count(&drops, pcap);
    assert_int_equal(drops.by_kernel, first + TWICE * MANY);
    live_drops_count(&drops, pcap);
    assert_int_equal(drops.by_kernel, first + TWICE * MANY);
    assert_int_equal(drops.by_interface, 0);
    live_drops_end(&drops);
    assert_false(drops.has_interface);
    pcap_close(pcap);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_has_no_room_is_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
