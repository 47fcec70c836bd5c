/*
 * nats_follow.c - see nats_follow.h.
 */
#include "send/nats/nats_follow.h"

#ifdef DISTSNIFF_NATS

#include "capture/dedup.h"
#include "capture/packet_id.h"
#include "capture/packet_pipe.h"
#include "core/clock.h"
#include "core/complain.h"
#include "core/duration.h"
#include "core/time_point.h"
#include "send/nats/host_merge.h"
#include "send/nats/nats_client.h"
#include "send/nats/nats_states.h"
#include "send/nats/packet_json.h"

#include <distsniff/counted.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MAX_WAITING = 64 * 1024 * 1024, /* bytes of packets that wait for packets of other hosts */
    ENOUGH_OUT = 1024 * 1024, /* bytes in the pipe's buffer: no more is read before they are written */
    WAIT_MS = 100,
};
#define SAY_NS (10 * INT64_C(1000000000))
#define WATCH_NS (INT64_C(1000000000) / 2) /* how often silence is checked */
#define TELL_NS INT64_C(1000000000)        /* how often readers are told how the hosts are */
#define MOST_AT_ONCE_NS (INT64_C(1000000000) / 2) /* of time passes between two looks */
#define FAR_BEHIND_NS (30 * INT64_C(1000000000))
/* The time of a packet may be ahead of when the servers stored it by this much. */
#define MOST_AHEAD_NS (60 * INT64_C(1000000000))

struct follow_start {
    const struct nats_reader_config *config;
    const struct nats_url *url;
    int64_t shown_ns; /* shown by an earlier run, 0: by none */
    int out[2]; /* [0] is the read end, [1] the write end */
};

/* counts are of packets and records that were left out. */
struct counts {
    uint64_t num_odd, num_links, num_hosts, num_late, num_far, num_ahead, num_removed, num_unread;
};

struct follow {
    struct nats_url url;
    int64_t shown_ns; /* shown by an earlier run, 0: by none */
    int alive_fd, out_fd;
    struct nats_pull pull;
    struct nats_states states;
    struct host_merge *merge;
    struct dedup *dedup;
    struct ds_buffer bytes; /* of the packet being read */
    struct ds_buffer out;
    size_t out_at; /* bytes before this have been written */
    struct counts now, said;
    uint64_t late_of[HOST_MERGE_HOSTS]; /* as num_late, per host, since it was reported last */
    struct point_news {
        struct capture_point_counts counts; /* as its publisher said last */
        uint64_t num_late;
        int64_t heard_ns, lag_ns; /* as in capture_point_numbers */
        int64_t first_ns;         /* time of its first packet */
    } news[HOST_MERGE_HOSTS];
    int64_t least_delay_ns; /* from the servers to here, by both clocks; INT64_MAX: unknown */
    int64_t said_ns, watched_ns, told_ns;
    int64_t looked_ns, skipped_ns; /* see pass_time */
    bool has_head, names_stream;
    bool is_far_behind, is_over;
};

/* In the process that talks to the servers */

/* now_of returns the time that packets wait by. It stands still while this process does, and while it
 * reads what the servers have already: packets of other hosts may be among that. */
static int64_t now_of(const struct follow *f)
{
    return f->looked_ns - f->skipped_ns;
}

/* pass_time adds the time since the last call, which brought a record or nothing. */
static void pass_time(struct follow *f, bool has_record)
{
    const int64_t now_ns = clock_now_ns();
    const int64_t passed_ns = f->looked_ns != 0 ? now_ns - f->looked_ns : 0;
    const int64_t most_ns = has_record && f->pull.pending != 0 ? 0 : MOST_AT_ONCE_NS;
    f->skipped_ns += passed_ns > most_ns ? passed_ns - most_ns : 0;
    f->looked_ns = now_ns;
}

/* is_copy says whether another host has sent this packet already. */
static bool is_copy(struct follow *f, size_t host, const struct ds_packet *packet)
{
    struct packet_id id;
    uint32_t number = 0;
    return packet->past.kind == DS_SNAPSHOT_NONE && packet_id_read(packet, &id) &&
           dedup_is_copy(f->dedup, packet_id_content(&id), host, &number);
}

/* was_shown says the same of a packet that came too late, and is left out itself. */
static bool was_shown(struct follow *f, size_t host, const struct ds_packet *packet)
{
    struct packet_id id;
    return packet_id_read(packet, &id) && dedup_was_shown(f->dedup, packet_id_content(&id), host);
}

/* note_news records what a packet shows of its host. */
static void note_news(struct follow *f, size_t number, const struct ds_packet *packet,
                      const struct capture_point_counts *counts)
{
    struct point_news *news = &f->news[number];
    const struct host_merge_host *host = host_merge_host(f->merge, number);
    const int64_t stored_ns = nats_pull_stored_ns(&f->pull), now_ns = clock_since_1970_ns();
    const int64_t delay_ns = now_ns - stored_ns;
    int64_t lag_ns;
    if (counts->since_ns != 0)
        news->counts = *counts;
    if (news->first_ns == 0)
        news->first_ns = packet->ts_ns;
    f->least_delay_ns = delay_ns < f->least_delay_ns ? delay_ns : f->least_delay_ns;
    if (__builtin_sub_overflow(stored_ns, packet->ts_ns, &lag_ns) ||
        __builtin_sub_overflow(lag_ns, host->behind_ns, &lag_ns) ||
        __builtin_add_overflow(lag_ns, delay_ns - f->least_delay_ns, &lag_ns))
        lag_ns = 0;
    news->lag_ns = lag_ns > 0 ? lag_ns : 0;
    news->heard_ns = now_ns;
}

static void take(struct follow *f, natsMsg *message)
{
    const int text_len = nats.natsMsg_GetDataLength(message);
    const struct ds_text text = {nats.natsMsg_GetData(message), text_len > 0 ? (size_t)text_len : 0};
    const struct ds_text host = nats_pull_host(message);
    struct ds_packet packet;
    struct capture_point_counts counts;
    bool has_nanoseconds;
    if (f->pull.is_replaced) { /* its states belonged to the old stream */
        f->states.num = 0;
        f->pull.is_replaced = false;
    }
    if (!nats_states_accept(&f->states, host, f->pull.position))
        return;
    if (!packet_json_read(text, &packet, &has_nanoseconds, &counts, &f->bytes) || host.len == 0 ||
        packet.cap_len > PACKET_PIPE_CAPTURED || packet.ts_ns < 0) {
        f->now.num_odd++;
        return;
    }
    if (!ds_link_type_known(packet.link_type)) {
        f->now.num_links++;
        return;
    }
    size_t number;
    switch (host_merge_add(f->merge, host, &packet, nats_pull_stored_ns(&f->pull), now_of(f),
                           &number)) {
    case HOST_MERGE_TAKEN: note_news(f, number, &packet, &counts); break;
    case HOST_MERGE_COPY: break;
    case HOST_MERGE_LATE:
        if (packet.past.kind == DS_SNAPSHOT_NONE && !was_shown(f, number, &packet)) {
            f->now.num_late++;
            f->late_of[number]++;
            f->news[number].num_late++;
        }
        break;
    case HOST_MERGE_FAR: f->now.num_far++; break;
    case HOST_MERGE_AHEAD: f->now.num_ahead++; break;
    case HOST_MERGE_MANY_HOSTS: f->now.num_hosts++; break;
    case HOST_MERGE_NO_MEMORY: f->now.num_unread++; break;
    }
}

/* give_out puts packets that have waited long enough into the output buffer, as far as there is
 * room. */
static void give_out(struct follow *f)
{
    struct ds_packet packet;
    size_t host;
    while (f->out.len < ENOUGH_OUT && host_merge_next(f->merge, now_of(f), &packet, &host)) {
        const size_t whole = f->out.len;
        if (is_copy(f, host, &packet))
            continue;
        if (!f->has_head)
            packet_pipe_write_head(packet.link_type, &f->out);
        packet_pipe_write(&packet, &f->out);
        f->has_head |= !f->out.failed;
        if (f->out.failed) { /* memory ran out: the packet is lost */
            f->out.failed = false;
            f->out.len = whole;
            f->now.num_unread++;
        }
    }
}

/* hand_over writes the output buffer, and waits for the reader if there is much. If the other
 * process is gone, this one is done. */
static void hand_over(struct follow *f)
{
    do {
        struct pollfd fds[] = {{f->out_fd, f->out.len != 0 ? POLLOUT : 0, 0}, {f->alive_fd, POLLIN, 0}};
        (void)poll(fds, 2, f->out.len >= ENOUGH_OUT ? WAIT_MS : 0);
        f->is_over |= fds[1].revents != 0 || (fds[0].revents & (POLLERR | POLLHUP)) != 0;
        if (f->is_over || fds[0].revents == 0)
            continue;
        const ssize_t len = write(f->out_fd, f->out.data + f->out_at, f->out.len - f->out_at);
        f->is_over |= len < 0 && errno != EAGAIN && errno != EINTR;
        f->out_at += len > 0 ? (size_t)len : 0;
        if (f->out_at == f->out.len)
            f->out.len = f->out_at = 0;
    } while (!f->is_over && f->out.len >= ENOUGH_OUT);
}

/* say_silence reports, on standard error and in the pipe, that a host has fallen silent or is back. */
static void say_silence(struct follow *f, const struct host_merge_host *host)
{
    struct silent_point point = {
        .since_ns = host->silent_since_ns, .now_ns = clock_since_1970_ns(), .is_back = !host->is_silent};
    char shown[32];
    _Static_assert(sizeof point.name == sizeof host->name, "a host's name is that of its point");
    memcpy(point.name, host->name, sizeof point.name);
    time_point_format(host->silent_since_ns, shown, sizeof shown);
    if (host->is_silent)
        complain("NATS: %s stopped sending: nothing from it since %s (local time), while others go on",
                 host->name, shown);
    else
        complain("NATS: %s is back", host->name);
    packet_pipe_write_silent(&point, &f->out);
}

/* tell_points writes what is known of each host to the pipe. */
static void tell_points(struct follow *f)
{
    struct capture_point point;
    const struct host_merge_host *host;
    for (size_t i = 0; (host = host_merge_host(f->merge, i)) != NULL; i++) {
        const struct point_news *news = &f->news[i];
        const size_t whole = f->out.len;
        if (host->num_packets == 0)
            continue;
        point.numbers = (struct capture_point_numbers){
            .counts = news->counts,
            .last_ns = host->last_ns,
            .heard_ns = news->heard_ns,
            .lag_ns = news->lag_ns,
            .ahead_ns = host->behind_ns != INT64_MIN ? -host->behind_ns : INT64_MAX,
            .packets = host->num_packets,
            .late = news->num_late,
            .is_silent = host->is_silent,
        };
        if (news->counts.since_ns == 0)
            point.numbers.counts.since_ns = news->first_ns;
        snprintf(point.name, sizeof point.name, "%s%s%s", f->names_stream ? f->url.stream : "",
                 f->names_stream ? "/" : "", host->name);
        packet_pipe_write_point(&point, &f->out);
        if (f->out.failed) { /* memory ran out: it comes the next time */
            f->out.failed = false;
            f->out.len = whole;
        }
    }
}

/* watch finds hosts that have fallen silent, and tells how all are. */
static void watch(struct follow *f)
{
    const int64_t now_ns = clock_now_ns();
    size_t host;
    if (now_ns - f->watched_ns < WATCH_NS || !f->has_head)
        return;
    f->watched_ns = now_ns;
    if (f->out.len < ENOUGH_OUT && now_ns - f->told_ns >= TELL_NS) {
        f->told_ns = now_ns;
        tell_points(f);
    }
    while (host_merge_silence(f->merge, now_of(f), &host)) {
        const size_t whole = f->out.len;
        say_silence(f, host_merge_host(f->merge, host));
        if (f->out.failed) { /* memory ran out: the message has been printed */
            f->out.failed = false;
            f->out.len = whole;
        }
    }
}

static void say_count(uint64_t now, uint64_t *said, const char *why)
{
    if (now != *said)
        complain("NATS: %s left out: %s", ds_counted(now - *said, "packets").text, why);
    *said = now;
}

/* say_late prints how many packets came late, and which host sent most of them. */
static void say_late(struct follow *f)
{
    size_t most = 0;
    for (size_t i = 1; i < HOST_MERGE_HOSTS; i++)
        most = f->late_of[i] > f->late_of[most] ? i : most;
    if (f->late_of[most] != 0) {
        const struct host_merge_host *host = host_merge_host(f->merge, most);
        struct ds_buffer span = {0};
        duration_print(host->late_ns, &span);
        complain("NATS: %s left out: later packets had been shown. %s sent most of them, the last one "
                 "%.*s too late: ?lateness=TIME waits longer",
                 ds_counted(f->now.num_late - f->said.num_late, "packets").text, host->name,
                 (int)span.len, span.len != 0 ? span.data : "");
        ds_buffer_free(&span);
    }
    f->said.num_late = f->now.num_late;
    memset(f->late_of, 0, sizeof f->late_of);
}

/* say_behind warns if reading is far behind writing: this machine, or the consumer of the packets,
 * is too slow. */
static void say_behind(struct follow *f)
{
    const int64_t behind_ns = clock_since_1970_ns() - nats_pull_stored_ns(&f->pull);
    const bool is_far = f->pull.pending != 0 && behind_ns > FAR_BEHIND_NS;
    if (is_far && !f->is_far_behind)
        complain("NATS: reading is %.0f s behind the stream, by %s", (double)behind_ns / 1e9,
                 ds_counted(f->pull.pending, "packets").text);
    f->is_far_behind = is_far;
}

/* say prints what was left out, at most every ten seconds. */
static void say(struct follow *f, bool is_end)
{
    const int64_t now_ns = clock_now_ns();
    if (!is_end && f->said_ns != 0 && now_ns - f->said_ns < SAY_NS)
        return;
    const struct counts before = f->said;
    f->now.num_removed = f->pull.num_removed;
    f->now.num_unread += f->pull.num_unread;
    f->pull.num_unread = 0;
    say_late(f);
    say_count(f->now.num_far, &f->said.num_far, "too many later packets of the same host came first");
    say_count(f->now.num_ahead, &f->said.num_ahead,
              "their time is more than a minute ahead of the servers'");
    say_count(f->now.num_removed, &f->said.num_removed,
              "the limits of the stream removed at most so many before they were read");
    say_count(f->now.num_unread, &f->said.num_unread, "they did not arrive, or memory ran out");
    say_count(f->now.num_odd, &f->said.num_odd, "they are no packets, although they are called so");
    say_count(f->now.num_links, &f->said.num_links,
              "their link type is not supported");
    say_count(f->now.num_hosts, &f->said.num_hosts,
              "at most 256 hosts are read; ?host=NAME after the URL selects one");
    const bool was_full = host_merge_was_full(f->merge);
    if (was_full)
        complain("NATS: more than 64 MiB of packets waited for slow hosts: some were not waited for");
    say_behind(f);
    if (was_full || memcmp(&f->now, &before, sizeof before) != 0)
        f->said_ns = now_ns;
}

static void go_on(struct follow *f)
{
    const bool was_silent = f->pull.is_silent;
    natsMsg *message = nats_pull_next(&f->pull);
    pass_time(f, message != NULL);
    if (was_silent && !f->pull.is_silent)
        host_merge_outage(f->merge, now_of(f));
    if (message != NULL) {
        take(f, message);
        nats.natsMsg_Destroy(message);
    }
    give_out(f);
    watch(f);
    if (message == NULL || f->out.len >= ENOUGH_OUT || f->pull.next >= f->pull.list.Count)
        hand_over(f);
    say(f, false);
}

/* say_resumed prints where the read resumes, and whether something may be missing there. */
static void say_resumed(const struct follow *f)
{
    char shown[32];
    time_point_format(f->shown_ns, shown, sizeof shown);
    complain("NATS: going on behind %s (local time), where the last run has ended", shown);
    if (f->shown_ns - clock_since_1970_ns() > MOST_AHEAD_NS)
        complain("NATS: that is in the future, and nothing is shown before: a clock is or was wrong; "
                 "remove the file of --resume to start again");
    if (f->pull.first_ns <= f->shown_ns)
        return;
    complain("NATS: the stream %s %s: what was published behind %s may be missing", f->url.stream,
             f->pull.created_ns > f->shown_ns ? "was recreated since then"
             : f->pull.first_ns == INT64_MAX  ? "is empty"
                                              : "has removed its records of that time",
             shown);
}

/* say_ready writes to the pipe from when on records are to be shown: earlier ones only help to
 * decode. */
static bool say_ready(const struct follow *f, int fd)
{
    const int64_t from_ns = f->shown_ns != 0      ? f->shown_ns + 1
                            : f->states.num != 0 ? f->states.from_ns
                                                 : INT64_MIN;
    return write(fd, &from_ns, sizeof from_ns) == sizeof from_ns;
}

static void run(void *context, int alive_fd, int ready_fd)
{
    static struct nats_client client;
    static struct follow follow;
    const struct follow_start *start = context;
    struct follow *f = &follow;
    struct host_merge_config merging = {
        .lateness_ns = start->url->lateness_ns != 0 ? start->url->lateness_ns : NATS_LATENESS_NS,
        .max_bytes = MAX_WAITING,
        .silence_ns = start->url->silence_ns != 0 ? start->url->silence_ns : NATS_SILENCE_NS,
    };
    jsCtx *js = NULL;
    /* Records of before show which hosts there are. */
    if (start->shown_ns == 0 && start->url->since_ns == 0)
        merging.begin_ns = merging.lateness_ns;
    *f = (struct follow){
        .url = *start->url, .shown_ns = start->shown_ns, .alive_fd = alive_fd, .out_fd = start->out[1],
        .least_delay_ns = INT64_MAX, .names_stream = start->config->nats->num_reads > 1};
    if (f->shown_ns != 0)
        f->url.since_ns = f->shown_ns > MOST_AHEAD_NS ? f->shown_ns - MOST_AHEAD_NS : 1;
    close(start->out[0]);
    if (!nats_reader_prepare(start->config, start->url, NULL, &client))
        _exit(EXIT_FAILURE);
    f->merge = host_merge_new(&merging);
    f->dedup = dedup_new();
    const bool has_memory = f->merge != NULL && f->dedup != NULL;
    natsConnection *connection = has_memory ? nats_client_open(&client, &js) : NULL;
    if (!has_memory)
        complain("out of memory");
    if (connection == NULL || !nats_states_find(&f->states, &f->url, connection, js) ||
        !nats_pull_begin(&f->pull, &f->url, NATS_PACKET, nats_states_first(&f->states), connection, js))
        _exit(EXIT_FAILURE);
    complain("NATS: following the stream %s", f->url.stream);
    if (f->shown_ns != 0)
        say_resumed(f);
    f->is_over = fcntl(f->out_fd, F_SETFL, O_NONBLOCK) != 0 || !say_ready(f, ready_fd);
    while (!f->is_over)
        go_on(f);
    say(f, true);
    _exit(EXIT_SUCCESS);
}

/* In the process that looks at packets */

bool nats_follow_start(struct nats_follower *follower, const struct nats_reader_config *config,
                       const struct nats_url *url, int64_t shown_ns)
{
    struct follow_start start = {
        .config = config, .url = url, .shown_ns = shown_ns, .out = {-1, -1}};
    *follower = (struct nats_follower){.fd = -1, .from_ns = INT64_MIN};
    const bool ok =
        pipe2(start.out, O_CLOEXEC) == 0 && side_process_start(&follower->process, run, &start);
    if (!ok)
        complain("cannot start the process that talks to NATS: %s", strerror(errno));
    if (start.out[1] >= 0)
        close(start.out[1]);
    follower->fd = start.out[0];
    return ok && (!side_process_wait(&follower->process) ||
                  read(follower->process.told_fd, &follower->from_ns, sizeof follower->from_ns) ==
                      sizeof follower->from_ns); /* otherwise it has printed the reason */
}

void nats_follow_end(struct nats_follower *follower)
{
    if (follower->process.pid <= 0)
        return;
    if (follower->fd >= 0)
        close(follower->fd);
    side_process_end(&follower->process);
    *follower = (struct nats_follower){0};
}

#else

bool nats_follow_start(struct nats_follower *follower, const struct nats_reader_config *config,
                       const struct nats_url *url, int64_t shown_ns)
{
    (void)config;
    (void)url;
    (void)shown_ns;
    *follower = (struct nats_follower){0};
    return false;
}

void nats_follow_end(struct nats_follower *follower)
{
    (void)follower;
}

#endif
