/*
 * epmd_ask_loop.c - see epmd_ask_loop.h. All hosts are asked at once; of each host, one address
 * after the other until one answers.
 */
#include "send/epmd/epmd_ask_loop.h"

#include "core/clock.h"
#include "privsep/sandbox.h"
#include "send/epmd/epmd_report.h"

#include <distsniff/dissect.h>
#include <errno.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_ASKED = 4, MAX_ADDRS = 32, MAX_ANSWER = 64 * 1024 };
#define PATIENCE_NS (3 * INT64_C(1000000000)) /* for one address, from connect to the end of the answer */
#define PAUSE_NS INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)

/* asked_host is a host that is asked. */
struct asked_host {
    struct sockaddr_storage asked[MAX_ASKED];
    socklen_t asked_len[MAX_ASKED];
    size_t num_asked;
    struct ds_addr addrs[MAX_ADDRS]; /* addresses at which its nodes may listen */
    size_t num_addrs;
};

/* question is one request to EPMD that is in progress. */
struct question {
    const struct asked_host *host;
    size_t at;  /* index of the address that is asked */
    int fd;     /* -1: it is finished */
    bool is_sent;
    int64_t until_ns;
    struct epmd_report last; /* the record that reports its end */
    size_t len;
    char answer[MAX_ANSWER];
};

struct ask_loop {
    const struct epmd_ask_loop_config *config;
    struct asked_host hosts[EPMD_MAX_HOSTS];
    struct question questions[EPMD_MAX_HOSTS];
    bool is_over;
};

static void send_report(struct ask_loop *l, const struct epmd_report *report)
{
    if (write(l->config->told_fd, report, sizeof *report) != (ssize_t)sizeof *report)
        l->is_over = true;
}

/* Addresses. */

static struct ds_addr addr_of(const struct sockaddr *from)
{
    struct ds_addr addr = {0};
    if (from->sa_family == AF_INET) {
        struct sockaddr_in four;
        memcpy(&four, from, sizeof four);
        addr.family = 4;
        memcpy(addr.bytes, &four.sin_addr, sizeof four.sin_addr);
    } else if (from->sa_family == AF_INET6) {
        struct sockaddr_in6 six;
        memcpy(&six, from, sizeof six);
        addr.family = 6;
        memcpy(addr.bytes, &six.sin6_addr, sizeof six.sin6_addr);
    }
    return addr;
}

static bool is_loopback(const struct ds_addr *addr)
{
    static const uint8_t localhost6[16] = {[15] = 1};
    return addr->family == 4 ? addr->bytes[0] == 127
                             : memcmp(addr->bytes, localhost6, sizeof localhost6) == 0;
}

static void add_addr(struct asked_host *host, struct ds_addr addr)
{
    for (size_t i = 0; i < host->num_addrs; i++) {
        if (memcmp(&host->addrs[i], &addr, sizeof addr) == 0)
            return;
    }
    if (addr.family != 0 && host->num_addrs < MAX_ADDRS)
        host->addrs[host->num_addrs++] = addr;
}

/* add_own adds the addresses of this host, from which its nodes connect to others. */
static void add_own(struct asked_host *host)
{
    struct ifaddrs *all;
    if (getifaddrs(&all) != 0)
        return;
    for (const struct ifaddrs *one = all; one != NULL; one = one->ifa_next) {
        if (one->ifa_addr != NULL)
            add_addr(host, addr_of(one->ifa_addr));
    }
    freeifaddrs(all);
}

/* look_up resolves a host. Returns an error of getaddrinfo. */
static int look_up(const struct epmd_ask_loop_config *config, const char *name, struct asked_host *host)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found;
    bool is_own = false;
    const int error = getaddrinfo(name, NULL, &hints, &found);
    if (error != 0)
        return error;
    for (const struct addrinfo *one = found; one != NULL; one = one->ai_next) {
        const struct ds_addr addr = addr_of(one->ai_addr);
        if (addr.family == 0 || host->num_asked == MAX_ASKED)
            continue;
        struct sockaddr_storage *to = &host->asked[host->num_asked];
        memcpy(to, one->ai_addr, one->ai_addrlen);
        if (addr.family == 4)
            ((struct sockaddr_in *)to)->sin_port = htons(config->port);
        else
            ((struct sockaddr_in6 *)to)->sin6_port = htons(config->port);
        host->asked_len[host->num_asked++] = one->ai_addrlen;
        add_addr(host, addr);
        is_own = is_own || is_loopback(&addr);
    }
    freeaddrinfo(found);
    if (is_own)
        add_own(host);
    return host->num_asked != 0 ? 0 : EAI_NONAME; /* it has addresses of other families alone */
}

static bool look_up_all(struct ask_loop *l)
{
    struct epmd_report report = {.kind = EPMD_REPORT_UNKNOWN_HOST};
    for (size_t i = 0; i < l->config->num_hosts; i++) {
        report.host = (uint8_t)i;
        report.error = look_up(l->config, l->config->hosts[i], &l->hosts[i]);
        if (report.error != 0) {
            send_report(l, &report);
            return false;
        }
    }
    report = (struct epmd_report){.kind = EPMD_REPORT_READY};
    send_report(l, &report);
    return true;
}

/* Questions. */

static void end_question(struct question *q)
{
    if (q->fd >= 0)
        close(q->fd);
    q->fd = -1;
}

static void begin_question(struct question *q);

/* give_up asks the next address, or reports why there is no answer. */
static void give_up(struct ask_loop *l, struct question *q, int error, enum epmd_trouble trouble)
{
    end_question(q);
    q->last.kind = EPMD_REPORT_FAILED;
    q->last.error = error;
    q->last.trouble = (uint8_t)trouble;
    q->at++;
    begin_question(q);
    if (q->fd < 0)
        send_report(l, &q->last);
}

/* begin_question connects to the next address that accepts it; fd stays -1 if none does. */
static void begin_question(struct question *q)
{
    for (; q->at < q->host->num_asked; q->at++) {
        const struct sockaddr *to = (const struct sockaddr *)&q->host->asked[q->at];
        q->fd = socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        q->last.addr = addr_of(to);
        if (q->fd >= 0 &&
            (connect(q->fd, to, q->host->asked_len[q->at]) == 0 || errno == EINPROGRESS))
            break;
        q->last.kind = EPMD_REPORT_FAILED;
        q->last.error = errno;
        q->last.trouble = EPMD_NO_TROUBLE;
        end_question(q);
    }
    q->is_sent = false;
    q->len = 0;
    q->until_ns = clock_now_ns() + PATIENCE_NS;
}

struct name_list {
    struct ask_loop *loop;
    const struct question *question;
    size_t num;
};

static void report_node(void *context, const struct ds_epmd_node *node)
{
    struct name_list *names = context;
    const struct question *q = names->question;
    struct epmd_report report = {.kind = EPMD_REPORT_NODE, .host = q->last.host, .port = node->port};
    if (node->name.len > EPMD_MAX_NAME || node->name.len == 0 || node->port == 0 ||
        names->num++ >= EPMD_MAX_NODES)
        return;
    report.name_len = (uint8_t)node->name.len;
    memcpy(report.name, node->name.data, node->name.len);
    for (size_t i = 0; i < q->host->num_addrs && !names->loop->is_over; i++) {
        report.addr = q->host->addrs[i];
        send_report(names->loop, &report);
        report.kind = EPMD_REPORT_ALSO;
    }
}

/* finish reports the contents of an answer. */
static void finish(struct ask_loop *l, struct question *q, enum epmd_trouble trouble)
{
    struct name_list names = {l, q, 0};
    const char *wrong = ds_epmd_names(q->answer, q->len, report_node, &names);
    if (wrong != NULL && names.num == 0) {
        give_up(l, q, 0, trouble != EPMD_NO_TROUBLE ? trouble : EPMD_NO_ANSWER);
        return;
    }
    end_question(q);
    q->last.kind = EPMD_REPORT_ANSWERED;
    q->last.error = 0;
    q->last.trouble = (uint8_t)(names.num > EPMD_MAX_NODES  ? EPMD_TOO_MANY
                                : trouble != EPMD_NO_TROUBLE ? trouble
                                : wrong != NULL              ? EPMD_NO_ANSWER
                                                             : EPMD_NO_TROUBLE);
    send_report(l, &q->last);
}

/* send_question sends NAMES_REQ: a length of 2 bytes, and 110. */
static void send_question(struct ask_loop *l, struct question *q)
{
    static const char names_req[] = {0, 1, 110};
    int error = 0;
    socklen_t len = sizeof error;
    if (getsockopt(q->fd, SOL_SOCKET, SO_ERROR, &error, &len) != 0)
        error = errno;
    if (error == 0 && write(q->fd, names_req, sizeof names_req) != sizeof names_req)
        error = errno;
    if (error != 0)
        give_up(l, q, error, EPMD_NO_TROUBLE);
    else
        q->is_sent = true;
}

static void read_answer(struct ask_loop *l, struct question *q)
{
    const ssize_t len = read(q->fd, q->answer + q->len, sizeof q->answer - q->len);
    if (len > 0) {
        q->len += (size_t)len;
        if (q->len == sizeof q->answer)
            finish(l, q, EPMD_TOO_LONG);
    } else if (len == 0) {
        finish(l, q, EPMD_NO_TROUBLE);
    } else if (errno != EAGAIN && errno != EINTR) {
        give_up(l, q, errno, EPMD_NO_TROUBLE);
    }
}

static void look_at(struct ask_loop *l, struct question *q, short events)
{
    if (clock_now_ns() >= q->until_ns)
        finish(l, q, EPMD_SLOW);
    else if (events != 0 && !q->is_sent)
        send_question(l, q);
    else if (events != 0)
        read_answer(l, q);
}

/* on_wake reads a request to ask again, or the end. False: nothing is to be asked. */
static bool on_wake(struct ask_loop *l)
{
    char bytes[64];
    const ssize_t len = read(l->config->wake_fd, bytes, sizeof bytes);
    l->is_over = l->is_over || len == 0;
    return len > 0;
}

static int ms_until(int64_t then_ns)
{
    const int64_t left_ns = then_ns - clock_now_ns();
    return left_ns <= 0 ? 0 : (int)(left_ns / NS_PER_MS) + 1;
}

/* go_on waits for the open questions, at most until one times out. Returns whether any is open;
 * sets *is_asked if the hosts are to be asked again. */
static bool go_on(struct ask_loop *l, bool *is_asked)
{
    struct pollfd fds[EPMD_MAX_HOSTS + 1];
    int64_t until_ns = INT64_MAX;
    const size_t num = l->config->num_hosts;
    for (size_t i = 0; i < num; i++) {
        const struct question *q = &l->questions[i];
        fds[i] = (struct pollfd){q->fd, (short)(q->is_sent ? POLLIN : POLLOUT), 0};
        if (q->fd >= 0 && q->until_ns < until_ns)
            until_ns = q->until_ns;
    }
    if (until_ns == INT64_MAX)
        return false;
    fds[num] = (struct pollfd){l->config->wake_fd, POLLIN, 0};
    if (poll(fds, num + 1, ms_until(until_ns)) < 0)
        return true;
    for (size_t i = 0; i < num && !l->is_over; i++) {
        if (l->questions[i].fd >= 0)
            look_at(l, &l->questions[i], fds[i].revents);
    }
    if (fds[num].revents != 0)
        *is_asked = on_wake(l) || *is_asked;
    return true;
}

static void ask_all(struct ask_loop *l, bool *is_asked)
{
    for (size_t i = 0; i < l->config->num_hosts; i++) {
        struct question *q = &l->questions[i];
        q->host = &l->hosts[i];
        q->at = 0;
        q->last = (struct epmd_report){.host = (uint8_t)i};
        begin_question(q);
        if (q->fd < 0)
            send_report(l, &q->last);
    }
    while (!l->is_over && go_on(l, is_asked))
        ;
}

void epmd_ask_loop_run(const struct epmd_ask_loop_config *config)
{
    static struct ask_loop loop;
    struct ask_loop *l = &loop;
    bool is_asked = true;
    int64_t next_ns = 0;

    *l = (struct ask_loop){.config = config};
    for (size_t i = 0; i < EPMD_MAX_HOSTS; i++)
        l->questions[i].fd = -1;
    if (!look_up_all(l))
        return;
    if (config->is_confined)
        sandbox_confine_asker(config->port);
    while (!l->is_over) {
        struct pollfd wake = {config->wake_fd, POLLIN, 0};
        if (is_asked && clock_now_ns() >= next_ns) {
            is_asked = false;
            next_ns = clock_now_ns() + PAUSE_NS;
            ask_all(l, &is_asked);
        } else if (poll(&wake, 1, is_asked ? ms_until(next_ns) : -1) > 0) {
            is_asked = on_wake(l) || is_asked;
        }
    }
}
