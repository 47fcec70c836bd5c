/*
 * detect_heard.c - when each link was heard: the latest message or tick of either end, and the
 * latest silence of both. What cuts a node off silences all of its links at one moment; the hosts
 * of the nodes drop what they would send without a trace in the capture. If only one link falls
 * silent, it may have been idle.
 *
 * Idle links fall silent together as well, as a node ticks on all of them at once. But no such
 * silence is longer than two ticks.
 */
#include "analyse/findings/detect.h"

#include "core/hash.h"

#define SECOND INT64_C(1000000000)
#define QUIET_NS SECOND          /* a shorter silence is ignored */
#define TOGETHER_NS (2 * SECOND) /* the links of a node are not all cut at the same instant */

/* heard_link is a link, at its connection's number modulo MAX_HEARD. A new link evicts the old one. */
enum { MAX_HEARD = 256 };
struct heard_link {
    uint64_t conn; /* 0: none */
    int64_t last_ns;
    int64_t from_ns, to_ns; /* the latest silence that is over; 0: none */
    int64_t tick_ns;        /* the longer tick interval of both ends; 0: not measured */
    uint32_t node[2];       /* hashes of names, 0: unknown */
    uint32_t creation[2];   /* likewise */
    bool is_over;           /* it has ended: to_ns is the end of its silence */
};

struct heard_watch {
    struct heard_link link[MAX_HEARD];
};

const struct detect_family detect_heard_family = {sizeof(struct heard_watch), {{0}}};

static void name_ends(struct heard_link *h, const struct ds_conn *conn)
{
    for (int end = 0; end < 2; end++) {
        h->node[end] = conn->end[end].node.data != NULL ? hash_text(conn->end[end].node) : 0;
        h->creation[end] = conn->end[end].creation;
    }
}

/* get finds the entry of a connection, or evicts another one for it. */
static struct heard_link *get(struct detect *d, const struct ds_event *event)
{
    struct heard_link *h = &d->heard->link[event->conn->number % MAX_HEARD];
    if (h->conn != event->conn->number)
        *h = (struct heard_link){.conn = event->conn->number, .last_ns = event->ts_ns};
    return h;
}

/* hear records a packet, and the silence that it ends. */
static void hear(struct heard_link *h, int64_t ts_ns)
{
    if (ts_ns - h->last_ns >= QUIET_NS) {
        h->from_ns = h->last_ns;
        h->to_ns = ts_ns;
    }
    if (ts_ns > h->last_ns)
        h->last_ns = ts_ns;
}

void detect_heard(struct detect *d, const struct ds_event *event)
{
    struct heard_link *h = get(d, event);
    hear(h, event->ts_ns);
    if (h->node[0] == 0 || h->node[1] == 0 || h->creation[0] == 0 || h->creation[1] == 0)
        name_ends(h, event->conn);
}

void detect_heard_event(struct detect *d, const struct ds_event *event)
{
    const bool is_tick = event->type == DS_EVENT_TICK;
    const bool is_up = !is_tick && event->change.state == DS_CONN_UP;
    if (!is_tick && !is_up && !event->change.final)
        return;
    struct heard_link *h = get(d, event);
    hear(h, event->ts_ns);
    name_ends(h, event->conn);
    h->is_over = event->type == DS_EVENT_CONN && event->change.final;
    const struct ds_tcp_stats *link = event->conn->link;
    for (int end = 0; end < 2 && link != NULL; end++) {
        if (link->side[end].tick_intervals != 0 && detect_tick_of(link, end) > h->tick_ns)
            h->tick_ns = detect_tick_of(link, end);
    }
}

/* is_silent says whether a link fell silent when another one did, and stayed so as long. A silence
 * that is not over lasts until now_ns. */
static bool is_silent(const struct heard_link *h, int64_t from_ns, int64_t to_ns, int64_t now_ns)
{
    const bool lasts = !h->is_over && h->last_ns <= from_ns + TOGETHER_NS;
    const int64_t since_ns = lasts ? h->last_ns : h->from_ns, until_ns = lasts ? now_ns : h->to_ns;
    const int64_t before_ns = TOGETHER_NS + 2 * h->tick_ns;
    return since_ns >= from_ns - before_ns && since_ns <= from_ns + TOGETHER_NS &&
           until_ns >= to_ns - TOGETHER_NS && until_ns - since_ns > 2 * h->tick_ns + SECOND;
}

/* is_replaced says whether the nodes of a silent link, which were not restarted, have connected
 * again. A link that was open before the capture is not among the ups: then the creations tell. */
static bool is_replaced(const struct detect *d, const struct heard_link *h, int64_t from_ns)
{
    const struct pair *p = detect_pair(d, h->node[0], h->node[1]);
    const struct conn_watch *w = detect_find_watched(d, h->conn);
    if (p == NULL || p->ups == 0 || p->up_ns[(p->ups - 1) % NUM_UPS] <= from_ns + TOGETHER_NS)
        return false;
    const int swapped = p->name_hash[0] != h->node[0];
    const bool is_same = h->creation[swapped] != 0 && h->creation[swapped] == p->creation[0] &&
                         h->creation[!swapped] != 0 && h->creation[!swapped] == p->creation[1];
    return p->ups > 1 || (w != NULL && w->up_ns == 0 && is_same);
}

struct heard_beside detect_silent_beside(const struct detect *d, const struct ds_text name[2],
                                         int64_t from_ns, int64_t to_ns)
{
    const uint32_t node[2] = {hash_text(name[0]), hash_text(name[1])};
    struct heard_beside found = {false};
    for (size_t i = 0; i < MAX_HEARD && !found.is_parted; i++) {
        const struct heard_link *h = &d->heard->link[i];
        const bool is_of[2] = {h->node[0] == node[0] || h->node[1] == node[0],
                               h->node[0] == node[1] || h->node[1] == node[1]};
        if (h->conn == 0 || h->node[0] == 0 || h->node[1] == 0 || is_of[0] == is_of[1] ||
            !is_silent(h, from_ns, to_ns, d->now_ns))
            continue;
        found = (struct heard_beside){true, is_replaced(d, h, from_ns), is_of[1]};
    }
    return found;
}
