/*
 * sock_diag.c - see sock_diag.h. Numbers are in the byte order of this machine, addresses and ports
 * in network byte order:
 *
 *   answer   length:4 type:2 flags:2 number:4 port:4, then by type, each begins at a multiple of 4:
 *     20     family:1 state:1 timer:1 retries:1 local port:2 remote port:2 local address:16
 *            remote address:16 interface:4 cookie:8 expires:4 unread:4 unacknowledged:4 user:4
 *            inode:4; then attributes, length:2 type:2 value, padded to 4; the one of type 2 is
 *            struct tcp_info of tcp(7), which grows with the kernel
 *     2      error:4, negative
 *     3      nothing: end of the list
 */
#include "send/kernel/sock_diag.h"

#include "util/cursor.h"

#include <string.h>
#include <sys/socket.h>

enum {
    HEAD_LEN = 16,
    TYPE_ERROR = 2,
    TYPE_DONE = 3,
    TYPE_SOCKET = 20,
    ATTRIBUTE_INFO = 2,
    FLAGS_DUMP = 0x301, /* NLM_F_REQUEST, NLM_F_DUMP */
    PROTOCOL_TCP = 6,
    TIMER_RETRANSMIT = 1,
    /* ESTABLISHED, FIN_WAIT1, CLOSE_WAIT: the kernel's numbers */
    STATES = 1 << 1 | 1 << 4 | 1 << 8,
};

/* Offsets in tcp_info. */
enum {
    INFO_RETRANSMITS = 2,     /* 1 byte */
    INFO_ROUND_TRIP = 68,     /* 4 bytes, microseconds */
    INFO_RETRANSMITTED = 100, /* 4 bytes */
    INFO_NOT_SENT = 144,      /* 4 bytes */
    INFO_BUSY = 168,          /* 8 bytes each, microseconds */
    INFO_RWND_LIMITED = 176,
    INFO_SNDBUF_LIMITED = 184,
};

static bool read_native(struct cursor *at, void *value, size_t size)
{
    return cursor_read_bytes(at, value, size);
}

void sock_diag_ask(int family, uint8_t question[SOCK_DIAG_QUESTION])
{
    const uint32_t len = SOCK_DIAG_QUESTION, states = STATES;
    const uint16_t type = TYPE_SOCKET, flags = FLAGS_DUMP;
    memset(question, 0, SOCK_DIAG_QUESTION);
    memcpy(question, &len, sizeof len);
    memcpy(question + 4, &type, sizeof type);
    memcpy(question + 6, &flags, sizeof flags);
    question[HEAD_LEN] = (uint8_t)family;
    question[HEAD_LEN + 1] = PROTOCOL_TCP;
    question[HEAD_LEN + 2] = 1 << (ATTRIBUTE_INFO - 1);
    memcpy(question + HEAD_LEN + 4, &states, sizeof states);
}

/* info_number reads a number of tcp_info; 0 if this kernel does not have it. */
static uint64_t info_number(struct cursor info, size_t at, size_t size)
{
    uint8_t one = 0;
    uint32_t four = 0;
    uint64_t eight = 0;
    if (!cursor_skip(&info, at))
        return 0;
    if (size == sizeof one)
        return cursor_read_u8(&info, &one) ? one : 0;
    if (size == sizeof four)
        return read_native(&info, &four, sizeof four) ? four : 0;
    return read_native(&info, &eight, sizeof eight) ? eight : 0;
}

/* span_ns converts microseconds, which may be any number. */
static int64_t span_ns(uint64_t us)
{
    return us <= INT64_MAX / 1000 ? (int64_t)us * 1000 : INT64_MAX;
}

static void read_info(struct cursor info, struct ds_socket *facts)
{
    if (facts->retries == 0)
        facts->retries = (uint32_t)info_number(info, INFO_RETRANSMITS, 1);
    facts->round_trip_ns = span_ns(info_number(info, INFO_ROUND_TRIP, 4));
    facts->retransmitted = (uint32_t)info_number(info, INFO_RETRANSMITTED, 4);
    facts->not_sent = info_number(info, INFO_NOT_SENT, 4);
    facts->busy_ns = span_ns(info_number(info, INFO_BUSY, 8));
    facts->rwnd_limited_ns = span_ns(info_number(info, INFO_RWND_LIMITED, 8));
    facts->sndbuf_limited_ns = span_ns(info_number(info, INFO_SNDBUF_LIMITED, 8));
}

/* put_addr converts an address to the form in packets: an IPv4 address in an IPv6 socket becomes
 * IPv4. */
static bool put_addr(uint8_t family, const uint8_t bytes[16], struct ds_addr *addr)
{
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
    *addr = (struct ds_addr){0};
    if (family == AF_INET6 && memcmp(bytes, mapped, sizeof mapped) == 0) {
        addr->family = 4;
        memcpy(addr->bytes, bytes + sizeof mapped, 4);
    } else if (family == AF_INET || family == AF_INET6) {
        addr->family = family == AF_INET ? 4 : 6;
        memcpy(addr->bytes, bytes, family == AF_INET ? 4 : 16);
    }
    return addr->family != 0;
}

static bool read_attributes(struct cursor at, struct ds_socket *facts)
{
    enum { ATTRIBUTE_HEAD = 4 };
    while (cursor_left(&at) >= ATTRIBUTE_HEAD) {
        uint16_t len, type;
        struct cursor value;
        if (!read_native(&at, &len, sizeof len) || !read_native(&at, &type, sizeof type) ||
            len < ATTRIBUTE_HEAD || !cursor_child(&at, len - (size_t)ATTRIBUTE_HEAD, &value))
            return false;
        if (type == ATTRIBUTE_INFO)
            read_info(value, facts);
        const size_t padding = (4 - len % 4) % 4;
        if (padding <= cursor_left(&at) && !cursor_skip(&at, padding))
            return false;
    }
    return true;
}

static bool read_socket(struct cursor at, struct diag_socket *socket)
{
    enum { BETWEEN = 16 }; /* interface, cookie, expires */
    uint8_t family, state, timer, retries, own[16], other[16];
    uint32_t unread, unacked, user;
    *socket = (struct diag_socket){0};
    if (!cursor_read_u8(&at, &family) || !cursor_read_u8(&at, &state) || !cursor_read_u8(&at, &timer) ||
        !cursor_read_u8(&at, &retries) || !cursor_read_u16(&at, &socket->port[0]) ||
        !cursor_read_u16(&at, &socket->port[1]) || !cursor_read_bytes(&at, own, sizeof own) ||
        !cursor_read_bytes(&at, other, sizeof other) || !cursor_skip(&at, BETWEEN) ||
        !read_native(&at, &unread, sizeof unread) || !read_native(&at, &unacked, sizeof unacked) ||
        !read_native(&at, &user, sizeof user) || !read_native(&at, &socket->inode, sizeof socket->inode))
        return false;
    socket->facts.recv_queue = unread;
    socket->facts.send_queue = unacked;
    socket->facts.retries = timer == TIMER_RETRANSMIT ? retries : 0;
    return put_addr(family, own, &socket->addr[0]) && put_addr(family, other, &socket->addr[1]) &&
           read_attributes(at, &socket->facts);
}

/* read_error reads the kernel's error code. */
static enum sock_diag_end read_error(struct cursor at, int *error)
{
    int32_t number = 0;
    *error = read_native(&at, &number, sizeof number) && number < 0 && number > -4096 ? -number : 0;
    return SOCK_DIAG_WRONG;
}

enum sock_diag_end sock_diag_read(struct ds_text answer,
                                  void (*take)(void *context, const struct diag_socket *socket),
                                  void *context, int *error)
{
    struct cursor at = cursor_make(answer.data, answer.len);
    *error = 0;
    while (cursor_left(&at) >= HEAD_LEN) {
        struct diag_socket socket;
        struct cursor body;
        uint32_t len;
        uint16_t type;
        if (!read_native(&at, &len, sizeof len) || !read_native(&at, &type, sizeof type) ||
            !cursor_skip(&at, HEAD_LEN - 6) || len < HEAD_LEN ||
            !cursor_child(&at, len - (size_t)HEAD_LEN, &body))
            return SOCK_DIAG_WRONG;
        if (type == TYPE_DONE)
            return SOCK_DIAG_DONE;
        if (type == TYPE_ERROR)
            return read_error(body, error);
        if (type == TYPE_SOCKET && !read_socket(body, &socket))
            return SOCK_DIAG_WRONG;
        if (type == TYPE_SOCKET)
            take(context, &socket);
        const size_t padding = (4 - len % 4) % 4;
        if (padding <= cursor_left(&at) && !cursor_skip(&at, padding))
            return SOCK_DIAG_WRONG;
    }
    return cursor_left(&at) == 0 ? SOCK_DIAG_MORE : SOCK_DIAG_WRONG;
}
