/*
 * sender.c - see sender.h.
 */
#include "send/sender.h"

#include "core/clock.h"
#include "core/complain.h"
#include "core/signals.h"
#include "privsep/own_fds.h"
#include "privsep/own_process.h"
#include "privsep/privileges.h"
#include "privsep/sandbox.h"
#include "privsep/sandbox_preload.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* How long sender_end waits for a process that was asked to stop and does not. */
#define GONE_NS INT64_C(1000000000)

static _Noreturn void run(const struct sender_config *config, struct send_queue *queue, int wake_fd)
{
    signals_ignore_all();
    own_fds_close();
    if (!privileges_return() || !config->prepare(config->context) || !privileges_drop(config->rules.user))
        _exit(EXIT_FAILURE);
    (void)own_process_hide(); /* it contains credentials */
    if (config->rules.is_confined) {
        sandbox_preload_names();
        sandbox_confine_client(NULL);
    }
    atomic_store(&queue->shared->is_ready, true);
    config->carry(config->context, queue, wake_fd);
    _exit(EXIT_SUCCESS);
}

static bool start_process(struct sender *s, const struct sender_config *config)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return false;
    fflush(NULL); /* otherwise both processes would write it */
    s->pid = fork();
    if (s->pid == 0) {
        close(ends[1]);
        run(config, s->queue, ends[0]);
    }
    close(ends[0]);
    s->wake_fd = ends[1];
    /* Only these two processes share the queue. */
    send_queue_keep(s->queue);
    own_fds_add(s->wake_fd);
    own_fds_add(s->spool_fd);
    return s->pid > 0;
}

bool sender_has_ended(struct sender *s)
{
    if (s->pid > 0 && waitpid(s->pid, NULL, WNOHANG) != 0)
        s->pid = 0;
    return s->pid <= 0;
}

/* is_ready waits until the other process has read its files; false if it ended, after an error
 * message. */
static bool is_ready(struct sender *s)
{
    while (!atomic_load(&s->queue->shared->is_ready) && !sender_has_ended(s) && !stop_wanted)
        poll(NULL, 0, 1);
    return atomic_load(&s->queue->shared->is_ready) || stop_wanted;
}

bool sender_start(struct sender *s, const struct sender_config *config)
{
    *s = (struct sender){.what = config->what, .is_live = config->rules.is_live,
                         .wake_fd = -1, .spool_fd = -1};
    s->queue = config->spool != NULL ? send_spool_open(config->spool, &s->num_left, &s->spool_fd)
                                     : send_queue_new((size_t)config->queue_size);
    s->num_pushed = s->num_left;
    if (s->queue == NULL && config->spool != NULL)
        return false;
    if (s->queue == NULL) {
        complain("%s: out of memory for the queue: make it smaller with %s", config->what,
                 config->queue_option);
        return false;
    }
    if (start_process(s, config) && is_ready(s))
        return true;
    if (s->pid <= 0 && s->wake_fd < 0)
        complain("cannot start the process that talks to %s: %s", config->what, strerror(errno));
    sender_free(s);
    return false;
}

static void wake(const struct sender *s)
{
    if (atomic_exchange(&s->queue->shared->is_asleep, false) && write(s->wake_fd, "", 1) < 0)
        return; /* it is awake already, or gone */
}

bool sender_push(struct sender *s, unsigned type, const char *id, struct ds_text body)
{
    const bool is_pushed = send_queue_push(s->queue, type, id, body.data, body.len);
    s->num_pushed += is_pushed;
    wake(s);
    return is_pushed;
}

bool sender_push_in_time(struct sender *s, unsigned type, const char *id, struct ds_text body)
{
    bool is_pushed;
    while (!(is_pushed = sender_push(s, type, id, body)) && !s->is_live &&
           send_queue_fits(s->queue, strlen(id), body.len) && !stop_wanted && !sender_has_ended(s))
        poll(NULL, 0, 1);
    return is_pushed;
}

void sender_end(struct sender *s)
{
    int64_t stopped_ns = 0, late_ns = 0;
    atomic_store(&s->queue->shared->is_ending, true);
    atomic_store(&s->queue->shared->is_asleep, true);
    wake(s);
    while (!sender_has_ended(s) && late_ns <= SENDER_STOP_NS + GONE_NS) {
        const int64_t now_ns = clock_now_ns();
        if (stop_wanted && stopped_ns == 0)
            stopped_ns = now_ns;
        late_ns = stopped_ns != 0 ? now_ns - stopped_ns : 0;
        if (late_ns > SENDER_STOP_NS)
            atomic_store(&s->queue->shared->is_abandoned, true);
        poll(NULL, 0, 5);
    }
}

static void close_own(int fd)
{
    own_fds_drop(fd);
    if (fd >= 0)
        close(fd);
}

void sender_free(struct sender *s)
{
    if (s->queue == NULL)
        return;
    send_queue_free(s->queue);
    close_own(s->wake_fd);
    close_own(s->spool_fd);
    *s = (struct sender){.wake_fd = -1, .spool_fd = -1};
}
