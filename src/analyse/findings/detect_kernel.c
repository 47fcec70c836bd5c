/*
 * detect_kernel.c - evidence from the kernels of both ends of a link (--kernel): the packets show
 * that something waits, and the kernels show for which end. Only an answer since the wait began
 * counts.
 */
#include "analyse/findings/detect.h"
#include "analyse/findings/wording_say.h"

enum { MIN_RETRIES = 2, PER_CENT = 100, MIN_SHARE = 10 };

static bool is_fresh(const struct ds_socket *socket, int64_t since_ns)
{
    return socket->asked_ns != 0 && socket->asked_ns >= since_ns;
}

/* put_process names the process that has a socket: "beam.smp (pid 4711, pod shop/rabbit-0)". */
static void put_process(struct wording *detail, const struct ds_socket *socket)
{
    if (socket->process[0] == '\0') {
        wording_add(detail, "its process");
        return;
    }
    wording_printf(detail, "%s (pid %u", socket->process, socket->pid);
    if (socket->pod[0] != '\0')
        wording_printf(detail, ", pod %s", socket->pod);
    else if (socket->container[0] != '\0')
        wording_printf(detail, ", container %s", socket->container);
    wording_add(detail, ")");
}

/* put_shut writes for which share of the time the receiver's window held up the sender. */
static bool put_shut(struct wording *detail, const struct ds_event *event)
{
    const struct ds_socket *sender = &event->conn->link->side[event->dir].socket;
    if (sender->span_ns == 0 || sender->span_rwnd_ns * PER_CENT < sender->span_ns * MIN_SHARE)
        return false;
    const int64_t share = sender->span_rwnd_ns < sender->span_ns ? sender->span_rwnd_ns : sender->span_ns;
    wording_say(detail,
                "; the kernel of {}: {} are not acknowledged, held up by the receiver's window for {} % of "
                "the last {}",
                an_end(&event->conn->end[event->dir]), a_size(sender->send_queue),
                a_number(share * PER_CENT / sender->span_ns), a_span(sender->span_ns));
    return true;
}

/* put_unread writes how many bytes the receiver has not read. */
static bool put_unread(struct wording *detail, const struct ds_event *event)
{
    const struct ds_socket *reader = &event->conn->link->side[!event->dir].socket;
    if (reader->recv_queue == 0)
        return false;
    wording_say(detail, "; the kernel of {}: ", an_end(&event->conn->end[!event->dir]));
    put_process(detail, reader);
    wording_say(detail, " has not read {}", a_size(reader->recv_queue));
    return true;
}

bool detect_kernel_unread(struct finding *f, const struct ds_event *event)
{
    const struct ds_tcp_side *side = event->conn->link->side;
    const int64_t since_ns = event->stall.start_ns;
    bool is_proved = is_fresh(&side[event->dir].socket, since_ns) && put_shut(&f->detail, event);
    is_proved |= is_fresh(&side[!event->dir].socket, since_ns) && put_unread(&f->detail, event);
    f->is_proved = is_proved;
    return is_proved;
}

bool detect_kernel_lost(struct finding *f, int64_t since_ns, const struct wording *end,
                        const struct ds_socket *socket)
{
    if (!is_fresh(socket, since_ns) || socket->retries < MIN_RETRIES)
        return false;
    wording_add(&f->detail, "; the kernel of ");
    wording_words(&f->detail, end);
    wording_say(&f->detail,
                " has retransmitted it {} times without an answer, and {} wait: the network does not "
                "deliver it",
                a_number(socket->retries), a_size(socket->send_queue));
    f->is_proved = true;
    return true;
}
