/*
 * test_sock_diag.c - the kernel's answers about sockets, made byte by byte, and from this kernel.
 */
#include "send/kernel/sock_diag.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#ifdef __linux__
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#endif

enum { HEAD = 16, SOCKET = 72, INFO = 232 };

static uint8_t bytes[4096];
static size_t len;
static struct diag_socket last;
static unsigned num;
static int error;

static void put(const void *value, size_t size)
{
    memcpy(bytes + len, value, size);
    len += size;
}

static void put16(uint16_t value)
{
    put(&value, sizeof value);
}

static void put32(uint32_t value)
{
    put(&value, sizeof value);
}

static void zeros(size_t size)
{
    memset(bytes + len, 0, size);
    len += size;
}

static void head(uint32_t body_len, uint16_t type)
{
    put32(HEAD + body_len);
    put16(type);
    zeros(10);
}

/* one writes a socket of 10.0.0.1:4369 with info_len bytes of tcp_info. */
static void one(uint8_t family, uint8_t timer, uint32_t info_len)
{
    static const uint8_t v4[16] = {10, 0, 0, 1}, mapped[16] = {[10] = 255, [11] = 255, 10, 0, 0, 1};
    const uint8_t first[] = {family, 1, timer, 7, 0x11, 0x11, 0x12, 0x34};
    head(SOCKET + (info_len != 0 ? 4 + info_len : 0), 20);
    put(first, sizeof first);
    put(family == AF_INET ? v4 : mapped, 16);
    put(family == AF_INET ? v4 : mapped, 16);
    zeros(16);
    put32(1111); /* unread */
    put32(2222);
    put32(0);
    put32(4711);
    if (info_len == 0)
        return;
    put16((uint16_t)(4 + info_len));
    put16(2);
    const size_t at = len;
    zeros(info_len);
    static const struct {
        size_t at, size;
        uint64_t value;
    } numbers[] = {{2, 1, 5}, {68, 4, 150}, {100, 4, 9}, {144, 4, 2000}, {168, 8, 3600}, {176, 8, 3540}, {184, 8, 1}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (numbers[i].at + numbers[i].size <= info_len)
            memcpy(bytes + at + numbers[i].at, &numbers[i].value, numbers[i].size); /* of little-endian machines */
    }
}

/* take counts the sockets and, in context, those with five unread bytes. */
static void take(void *context, const struct diag_socket *socket)
{
    unsigned *unread = context;
    if (unread != NULL)
        *unread += socket->port[0] == last.port[0] && socket->facts.recv_queue == 5;
    else
        last = *socket;
    num++;
}

static enum sock_diag_end read_all(void)
{
    num = 0;
    last = (struct diag_socket){0};
    return sock_diag_read((struct ds_text){(const char *)bytes, len}, take, NULL, &error);
}

static void reads_sockets(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        len = 0;
        one(i == 0 ? AF_INET : AF_INET6, 0, INFO);
        assert_int_equal(read_all(), SOCK_DIAG_MORE);
        assert_int_equal(num, 1);
        assert_int_equal(last.addr[0].family, 4); /* also if an IPv6 socket has an IPv4 address */
        assert_int_equal(last.addr[0].bytes[0], 10);
        assert_int_equal(last.addr[1].bytes[4], 0);
        assert_int_equal(last.port[0], 0x1111);
        assert_int_equal(last.port[1], 0x1234);
        assert_int_equal(last.inode, 4711);
        assert_int_equal(last.facts.recv_queue, 1111);
        assert_int_equal(last.facts.send_queue, 2222);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        assert_int_equal(last.facts.not_sent, 2000);
        assert_int_equal(last.facts.round_trip_ns, 150000);
        assert_int_equal(last.facts.retransmitted, 9);
        assert_int_equal(last.facts.busy_ns, 3600000);
        assert_int_equal(last.facts.rwnd_limited_ns, 3540000);
        assert_int_equal(last.facts.sndbuf_limited_ns, 1000);
        assert_int_equal(last.facts.retries, 5);
#endif
    }
    len = 0;
    one(AF_INET, 1, 0); /* the retransmission timer, and no tcp_info */
    assert_int_equal(read_all(), SOCK_DIAG_MORE);
    assert_int_equal(last.facts.retries, 7);
    len = 0;
    one(AF_INET, 4, 172); /* window probes; an older kernel, whose tcp_info ends within a number */
    assert_int_equal(read_all(), SOCK_DIAG_MORE);
    assert_int_equal(last.facts.busy_ns, 0);
}

static void ends(void **state)
{
    (void)state;
    len = 0;
    one(AF_INET, 0, INFO);
    one(AF_INET, 0, 0);
    head(4, 3);
    put32(0);
    assert_int_equal(read_all(), SOCK_DIAG_DONE);
    assert_int_equal(num, 2);
    len = 0;
    head(4, 2);
    put32((uint32_t)-13);
    assert_int_equal(read_all(), SOCK_DIAG_WRONG);
    assert_int_equal(error, 13);
    len = 0;
    head(4, 2);
    put32(INT32_MIN); /* no errno */
    assert_int_equal(read_all(), SOCK_DIAG_WRONG);
    assert_int_equal(error, 0);
    len = 0;
    head(0, 99); /* of a kind that was not requested */
    assert_int_equal(read_all(), SOCK_DIAG_MORE);
    len = 0;
    assert_int_equal(read_all(), SOCK_DIAG_MORE);
}

static void cut_answers_are_none(void **state)
{
    (void)state;
    len = 0;
    one(AF_INET, 0, INFO);
    const size_t all = len;
    for (len = 1; len < all; len++) {
        assert_int_equal(read_all(), SOCK_DIAG_WRONG);
        assert_int_equal(num, 0);
    }
    static const uint32_t lengths[] = {0, 15, 16, UINT32_MAX};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        len = all;
        memcpy(bytes, &lengths[i], 4);
        assert_int_equal(read_all(), SOCK_DIAG_WRONG);
        assert_int_equal(num, 0);
    }
    len = 0;
    one(AF_INET, 0, INFO);
    memcpy(bytes + HEAD + SOCKET, (uint8_t[]){3, 0}, 2); /* an attribute shorter than its own head */
    assert_int_equal(read_all(), SOCK_DIAG_WRONG);
    len = 0;
    one(77, 0, 0); /* an unknown address family */
    assert_int_equal(read_all(), SOCK_DIAG_WRONG);
}

/* Two ends of a connection on this machine, one of which does not read. */
static void this_kernel_answers(void **state)
{
#ifdef __linux__
    static char answer[65536];
    uint8_t question[SOCK_DIAG_QUESTION];
    struct sockaddr_in addr = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t addr_len = sizeof addr;
    enum sock_diag_end end = SOCK_DIAG_MORE;
    unsigned unread = 0;
    (void)state;
    const int fd = socket(AF_NETLINK, SOCK_DGRAM, NETLINK_SOCK_DIAG);
    if (fd < 0)
        skip();
    const int listens = socket(AF_INET, SOCK_STREAM, 0), talks = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listens, (struct sockaddr *)&addr, addr_len), 0);
    assert_int_equal(listen(listens, 1), 0);
    assert_int_equal(getsockname(listens, (struct sockaddr *)&addr, &addr_len), 0);
    assert_int_equal(connect(talks, (struct sockaddr *)&addr, addr_len), 0);
    assert_int_equal(write(talks, "12345", 5), 5);
    last.port[0] = ntohs(addr.sin_port);
    sock_diag_ask(AF_INET, question);
    assert_int_equal(send(fd, question, sizeof question, 0), sizeof question);
    while (end == SOCK_DIAG_MORE) {
        const ssize_t got = recv(fd, answer, sizeof answer, 0);
        assert_true(got > 0);
        end = sock_diag_read((struct ds_text){answer, (size_t)got}, take, &unread, &error);
    }
    assert_int_equal(end, SOCK_DIAG_DONE);
    assert_int_equal(unread, 1);
    close(talks);
    close(listens);
    close(fd);
#else
    (void)state;
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_sockets),
        cmocka_unit_test(ends),
        cmocka_unit_test(cut_answers_are_none),
        cmocka_unit_test(this_kernel_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
