/*
 * capture_streams.c - see capture_streams.h.
 */
#include "capture/capture_streams.h"

#include "capture/dedup.h"
#include "capture/packet_id.h"
#include "capture/unpack.h"
#include "core/clock.h"
#include "core/complain.h"
#include "core/signals.h"

#include <poll.h>

enum { STOP_MS = 100 }; /* how long an interrupt may have to wait, at most */
#define PATIENCE_NS (300 * INT64_C(1000000)) /* how long to wait for a quiet stream */

bool capture_streams_begin(struct capture *capture)
{
    size_t num = 0;
    for (size_t i = 0; i < capture->num_inputs; i++)
        num += capture->inputs[i].is_stream;
    if (num < 2)
        return true;
    capture->dedup = dedup_new();
    if (capture->dedup == NULL)
        complain("out of memory");
    return capture->dedup != NULL;
}

/* lacks says whether a stream has no packet for merging. */
static bool lacks(const struct capture_input *input)
{
    return input->is_stream && !input->has_next && input->pcap != NULL &&
           (input->unpack != NULL || input->pipe != NULL);
}

static int fd_of(const struct capture_input *input)
{
    return input->pipe != NULL ? packet_pipe_fd(input->pipe) : unpack_fd(input->unpack);
}

bool capture_streams_may_read(struct capture_input *input)
{
    if (!lacks(input))
        return true;
    const bool is_ready =
        input->pipe != NULL ? packet_pipe_is_ready(input->pipe) : unpack_is_ready(input->unpack);
    if (is_ready)
        input->quiet_ns = 0;
    return is_ready;
}

/* wait_for waits for one stream, at most left_ns and STOP_MS. Returns whether it has data. */
static bool wait_for(const struct capture_input *input, int64_t left_ns)
{
    struct pollfd fd = {fd_of(input), POLLIN, 0};
    const int64_t left_ms = left_ns / INT64_C(1000000) + 1;
    return poll(&fd, 1, left_ms < STOP_MS ? (int)left_ms : STOP_MS) > 0;
}

/* wait_for_any waits for all streams that lack a packet. */
static void wait_for_any(const struct capture *capture)
{
    enum { MOST = 64 };
    struct pollfd fds[MOST];
    nfds_t num = 0;
    for (size_t i = 0; i < capture->num_inputs && num < MOST; i++) {
        if (lacks(&capture->inputs[i]))
            fds[num++] = (struct pollfd){fd_of(&capture->inputs[i]), POLLIN, 0};
    }
    (void)poll(fds, num, STOP_MS);
}

/* is_waited_for says whether to wait for a stream; left_ns is how much longer. */
static bool is_waited_for(struct capture_input *input, int64_t *left_ns)
{
    if (capture_streams_may_read(input))
        return false;
    const int64_t now_ns = clock_now_ns();
    if (input->quiet_ns == 0)
        input->quiet_ns = now_ns;
    *left_ns = input->quiet_ns + PATIENCE_NS - now_ns;
    return *left_ns > 0;
}

/* has_something says whether some stream has a packet, or all are at their end. */
static bool has_something(struct capture *capture)
{
    size_t num_quiet = 0;
    for (size_t i = 0; i < capture->num_inputs; i++) {
        struct capture_input *input = &capture->inputs[i];
        if (input->has_next || (input->pcap != NULL && capture_streams_may_read(input)))
            return true;
        num_quiet += input->pcap != NULL;
    }
    return num_quiet == 0;
}

void capture_streams_wait(struct capture *capture)
{
    int64_t left_ns;
    for (size_t i = 0; i < capture->num_inputs && !stop_wanted; i++) {
        struct capture_input *input = &capture->inputs[i];
        while (is_waited_for(input, &left_ns) && !stop_wanted && !wait_for(input, left_ns))
            ;
    }
    while (!stop_wanted && !has_something(capture)) {
        if (capture->on_wait != NULL)
            capture->on_wait(capture->wait_context);
        wait_for_any(capture);
    }
}

bool capture_streams_is_copy(struct capture *capture, const struct capture_input *input,
                             const struct ds_packet *packet)
{
    struct packet_id id;
    uint32_t number = 0;
    if (!input->is_stream || packet->past.kind != DS_SNAPSHOT_NONE || !packet_id_read(packet, &id))
        return false;
    const size_t point = (size_t)(input - capture->inputs);
    return dedup_is_copy(capture->dedup, packet_id_content(&id), point, &number);
}
