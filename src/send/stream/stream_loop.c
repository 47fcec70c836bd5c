/*
 * stream_loop.c - see stream_loop.h.
 */
#include "send/stream/stream_loop.h"

#include "core/clock.h"
#include "core/complain.h"
#include "privsep/landlock.h"
#include "privsep/sandbox.h"
#include "record/back_off.h"
#include "send/stream/packet_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_ADDRS = 4, IN_SIZE = PACKET_STREAM_MOST + 64 * 1024, IDLE_SECONDS = 30 };
#define PATIENCE_NS (5 * INT64_C(1000000000)) /* for a connection attempt */
#define NS_PER_MS INT64_C(1000000)

enum source_state { SOURCE_AWAY, SOURCE_CONNECTING, SOURCE_UP, SOURCE_OVER };

struct source {
    const struct stream_url *url;
    struct sockaddr_storage addrs[MAX_ADDRS];
    socklen_t addr_lens[MAX_ADDRS];
    size_t num_addrs, at; /* at: the index of the address that is tried */
    enum source_state state;
    int fd;           /* -1: none */
    int out_fd;
    int attempts;     /* since packets came last */
    int error;        /* of the last failed connection attempt */
    bool was_up, is_missed; /* is_missed: the loss was reported */
    int64_t until_ns; /* AWAY: when to try again; CONNECTING: when it times out */
    struct packet_stream stream;
    uint8_t *in; /* IN_SIZE bytes */
    size_t in_len;
    struct ds_buffer out;
    size_t out_at; /* bytes before this have been written */
};

struct stream_loop {
    const struct stream_loop_config *config;
    struct source sources[STREAM_MAX_STREAMS];
    size_t num;
    bool is_ready, is_over;
};

static bool look_up(struct source *s)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found;
    const int error = getaddrinfo(s->url->host, s->url->port, &hints, &found);
    if (error != 0) {
        complain("%s: %s", s->url->word, gai_strerror(error));
        return false;
    }
    for (const struct addrinfo *one = found; one != NULL && s->num_addrs < MAX_ADDRS; one = one->ai_next) {
        memcpy(&s->addrs[s->num_addrs], one->ai_addr, one->ai_addrlen);
        s->addr_lens[s->num_addrs++] = one->ai_addrlen;
    }
    freeaddrinfo(found);
    return true;
}

static void connect_on(struct source *s);

/* miss schedules the next attempt. out contains only whole packets, which are still written. */
static void miss(struct source *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
    s->in_len = 0;
    s->at = 0;
    s->state = SOURCE_AWAY;
    s->until_ns = clock_now_ns() + back_off_ms(s->attempts++) * NS_PER_MS;
    packet_stream_restart(&s->stream);
}

/* lose closes a connection that is closed or useless. */
static void lose(struct source *s, const char *why)
{
    if (!s->is_missed)
        complain("%s: %s: connecting again", s->url->word, why);
    s->is_missed = true;
    miss(s);
}

/* give_up tries the next address, or schedules another attempt. */
static void give_up(struct source *s, int error)
{
    close(s->fd);
    s->fd = -1;
    s->error = error;
    s->at++;
    connect_on(s);
}

static void connect_on(struct source *s)
{
    const int on = 1, idle = IDLE_SECONDS;
    for (; s->at < s->num_addrs; s->at++) {
        const struct sockaddr *to = (const struct sockaddr *)&s->addrs[s->at];
        s->fd = socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (s->fd >= 0) { /* keepalive detects a host that is gone */
            (void)setsockopt(s->fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
            (void)setsockopt(s->fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
        }
        if (s->fd >= 0 && (connect(s->fd, to, s->addr_lens[s->at]) == 0 || errno == EINPROGRESS)) {
            s->state = SOURCE_CONNECTING;
            s->until_ns = clock_now_ns() + PATIENCE_NS;
            return;
        }
        s->error = errno;
        if (s->fd >= 0)
            close(s->fd);
        s->fd = -1;
    }
    miss(s);
}

static void finish_connecting(struct source *s)
{
    int error = 0;
    socklen_t len = sizeof error;
    if (getsockopt(s->fd, SOL_SOCKET, SO_ERROR, &error, &len) != 0)
        error = errno;
    if (error != 0) {
        give_up(s, error);
        return;
    }
    s->state = SOURCE_UP;
    s->was_up = true;
}

/* end_source ends a server whose packets are no longer read. */
static void end_source(struct source *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
    s->state = SOURCE_OVER;
}

/* hand_over writes to the other process. */
static void hand_over(struct source *s)
{
    const size_t left = s->out.len - s->out_at;
    const ssize_t len = left != 0 ? write(s->out_fd, s->out.data + s->out_at, left) : 0;
    if (len < 0 && errno != EAGAIN && errno != EINTR) {
        end_source(s);
        return;
    }
    s->out_at += len > 0 ? (size_t)len : 0;
    if (s->out_at == s->out.len)
        s->out.len = s->out_at = 0;
}

static void take(struct source *s)
{
    const struct ds_text text = {(const char *)s->in, s->in_len};
    const uint64_t before = s->stream.num_packets;
    size_t left;
    const bool is_good = packet_stream_read(&s->stream, text, &left, &s->out);
    if (left != 0)
        memmove(s->in, s->in + s->in_len - left, left);
    s->in_len = left;
    if (is_good && s->stream.num_packets != before) {
        if (s->is_missed)
            complain("%s: packets come again", s->url->word);
        s->is_missed = false;
        s->attempts = 0;
    }
    if (!is_good)
        lose(s, s->stream.wrong);
    hand_over(s);
}

static void receive(struct source *s)
{
    const ssize_t len = read(s->fd, s->in + s->in_len, IN_SIZE - s->in_len);
    if (len > 0) {
        s->in_len += (size_t)len;
        take(s);
    } else if (len == 0) {
        lose(s, "the server has ended the connection");
    } else if (errno != EAGAIN && errno != EINTR) {
        lose(s, strerror(errno));
    }
}

/* waits_ms returns the time until something is due, -1: no limit. */
static int waits_ms(const struct stream_loop *l)
{
    int64_t until_ns = INT64_MAX;
    for (size_t i = 0; i < l->num; i++) {
        const struct source *s = &l->sources[i];
        if (s->state <= SOURCE_CONNECTING && s->until_ns < until_ns)
            until_ns = s->until_ns;
    }
    const int64_t left_ns = until_ns - clock_now_ns();
    return until_ns == INT64_MAX ? -1 : left_ns <= 0 ? 0 : (int)(left_ns / NS_PER_MS) + 1;
}

static void look_at(struct source *s, short in, short out)
{
    if (s->state == SOURCE_OVER)
        return;
    if (out != 0) {
        hand_over(s);
        if ((out & (POLLERR | POLLHUP)) != 0)
            end_source(s);
    }
    if (s->state == SOURCE_AWAY && clock_now_ns() >= s->until_ns)
        connect_on(s);
    else if (s->state == SOURCE_CONNECTING && in != 0)
        finish_connecting(s);
    else if (s->state == SOURCE_CONNECTING && clock_now_ns() >= s->until_ns)
        give_up(s, ETIMEDOUT);
    else if (s->state == SOURCE_UP && in != 0 && s->out.len == 0)
        receive(s);
}

/* go_on waits for an event, and handles it. */
static void go_on(struct stream_loop *l)
{
    enum { EACH = 2 };
    struct pollfd fds[EACH * STREAM_MAX_STREAMS + 1];
    size_t num_over = 0;
    for (size_t i = 0; i < l->num; i++) {
        const struct source *s = &l->sources[i];
        const bool is_full = s->out.len != 0; /* new bytes have to wait */
        const short in = s->state == SOURCE_CONNECTING ? POLLOUT : POLLIN;
        fds[EACH * i] = (struct pollfd){s->state == SOURCE_UP && is_full ? -1 : s->fd, in, 0};
        fds[EACH * i + 1] = (struct pollfd){s->out_fd, is_full ? POLLOUT : 0, 0};
        if (s->state == SOURCE_OVER)
            fds[EACH * i].fd = fds[EACH * i + 1].fd = -1;
        num_over += s->state == SOURCE_OVER;
    }
    fds[EACH * l->num] = (struct pollfd){l->config->alive_fd, POLLIN, 0};
    l->is_over = num_over == l->num;
    if (l->is_over || poll(fds, EACH * l->num + 1, waits_ms(l)) < 0)
        return;
    l->is_over = fds[EACH * l->num].revents != 0;
    for (size_t i = 0; i < l->num && !l->is_over; i++)
        look_at(&l->sources[i], fds[EACH * i].revents, fds[EACH * i + 1].revents);
}

/* begin connects to all servers for the first time. False after an error message. */
static bool begin(struct stream_loop *l)
{
    for (size_t i = 0; i < l->num; i++) {
        if (!look_up(&l->sources[i]))
            return false;
    }
    for (size_t i = 0; i < l->num; i++)
        connect_on(&l->sources[i]);
    for (size_t num_up = 0; num_up < l->num && !l->is_over;) {
        num_up = 0;
        for (size_t i = 0; i < l->num; i++) {
            const struct source *s = &l->sources[i];
            num_up += s->was_up;
            if (!s->was_up && s->state == SOURCE_AWAY) {
                complain("cannot connect to %s: %s: start what sends packets there, such as "
                         "tcpdump -U -w - | nc -l -p %s", s->url->word, strerror(s->error), s->url->port);
                return false;
            }
        }
        if (num_up < l->num)
            go_on(l);
    }
    return !l->is_over;
}

static bool prepare(struct stream_loop *l)
{
    for (size_t i = 0; i < l->num; i++) {
        struct source *s = &l->sources[i];
        s->url = &l->config->urls->url[i];
        s->fd = -1;
        s->out_fd = l->config->out_fd[i];
        s->in = malloc(IN_SIZE);
        if (s->in == NULL) {
            complain("out of memory");
            return false;
        }
        if (fcntl(s->out_fd, F_SETFL, O_NONBLOCK) != 0) {
            complain("cannot prepare the pipe for the packets of %s: %s", s->url->word, strerror(errno));
            return false;
        }
    }
    return true;
}

/* port_of returns the port of all servers, or any if they differ. */
static uint32_t port_of(const struct stream_loop *l)
{
    const struct stream_url *first = l->sources[0].url;
    for (size_t i = 1; i < l->num; i++) {
        if (strcmp(first->port, l->sources[i].url->port) != 0)
            return LANDLOCK_ANY_PORT;
    }
    return (uint32_t)atoi(first->port);
}

void stream_loop_run(const struct stream_loop_config *config)
{
    static struct stream_loop loop;
    struct stream_loop *l = &loop;
    *l = (struct stream_loop){.config = config, .num = config->urls->num};
    back_off_begin();
    if (!prepare(l) || !begin(l))
        return;
    if (config->is_confined)
        sandbox_confine_asker(port_of(l));
    l->is_over = write(config->ready_fd, "", 1) != 1;
    while (!l->is_over)
        go_on(l);
}
