/*
 * detect_heard.c - when each link was heard: the latest message or tick of either end, and the
 * latest silence of both. What cuts a node off silences all of its links at one moment; the hosts
 * of the nodes drop what they would send without a trace in the capture. If only one link falls
 * silent, it may have been idle.
 *
 * Idle links fall silent together as well, as a node ticks on all of them at once. But no such
 * silence is longer than two ticks. Where no tick is measured, they are those of the default
 * net_ticktime; only if the nodes had to connect again, a shorter silence counts too.
 */
#include "analyse/findings/detect.h"

#include "core/hash.h"

#define SECOND INT64_C(1000000000)
#define QUIET_NS SECOND          /* a shorter silence is ignored */
#define LATE_NS (SECOND / 10)    /* of a timer that sends ticks */
#define TOGETHER_NS (2 * SECOND) /* the links of a node are not all cut at the same instant */

/* heard_link is a link, in the set that its connection's number selects. A new link evicts one that
 * has ended, or else the one that was not heard for longest. */
enum { HEARD_WAYS = 8, HEARD_SETS = 128, MAX_HEARD = HEARD_WAYS * HEARD_SETS };
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
    int64_t evicted_ns; /* the latest time at which an evicted link was heard; 0: none was evicted */
};

const struct detect_family detect_heard_family = {sizeof(struct heard_watch), {{0}}};

static void name_ends(struct heard_link *h, const struct ds_conn *conn)
{
    for (int end = 0; end < 2; end++) {
        h->node[end] = conn->end[end].node.data != NULL ? hash_text(conn->end[end].node) : 0;
        h->creation[end] = conn->end[end].creation;
    }
}

/* find finds the entry of a connection. NULL: it has none. */
static struct heard_link *find(const struct detect *d, const struct ds_conn *conn)
{
    struct heard_link *h = &d->heard->link[conn->number % HEARD_SETS * HEARD_WAYS];
    for (int i = 0; i < HEARD_WAYS; i++) {
        if (h[i].conn == conn->number)
            return &h[i];
    }
    return NULL;
}

static bool has_names(const struct ds_conn *conn)
{
    return conn->end[0].node.data != NULL && conn->end[1].node.data != NULL;
}

/* goes_before says whether a link is evicted rather than another one. */
static bool goes_before(const struct heard_link *a, const struct heard_link *b)
{
    if (a->conn == 0 || b->conn == 0)
        return b->conn != 0;
    return a->is_over != b->is_over ? a->is_over : a->last_ns < b->last_ns;
}

/* add adds a link, and evicts another one of a full set. Connections without the names of both nodes,
 * such as those with EPMD, are not compared with others: they must not evict a link. */
static struct heard_link *add(struct detect *d, const struct ds_event *event)
{
    struct heard_link *set = &d->heard->link[event->conn->number % HEARD_SETS * HEARD_WAYS], *h = set;
    if (!has_names(event->conn))
        return NULL;
    for (int i = 1; i < HEARD_WAYS; i++) {
        if (goes_before(&set[i], h))
            h = &set[i];
    }
    if (h->conn != 0 && h->last_ns > d->heard->evicted_ns)
        d->heard->evicted_ns = h->last_ns;
    *h = (struct heard_link){.conn = event->conn->number, .last_ns = event->ts_ns};
    name_ends(h, event->conn);
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
    struct heard_link *h = find(d, event->conn);
    if (h == NULL) {
        add(d, event);
        return;
    }
    hear(h, event->ts_ns);
    if (h->creation[0] == 0 || h->creation[1] == 0)
        name_ends(h, event->conn);
}

void detect_heard_event(struct detect *d, const struct ds_event *event)
{
    const bool is_tick = event->type == DS_EVENT_TICK;
    const bool is_end = !is_tick && event->change.final;
    if (!is_tick && !is_end && event->change.state != DS_CONN_UP)
        return;
    struct heard_link *h = find(d, event->conn);
    if (h == NULL && !is_end)
        h = add(d, event);
    if (h == NULL)
        return;
    hear(h, event->ts_ns);
    h->is_over = is_end;
    const struct ds_tcp_stats *link = event->conn->link;
    for (int end = 0; end < 2 && link != NULL; end++) {
        if (link->side[end].tick_intervals != 0 && detect_tick_of(link, end) > h->tick_ns)
            h->tick_ns = detect_tick_of(link, end);
    }
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

/* is_silent says whether a link fell silent when another one did, and stayed so as long. A silence
 * that is not over lasts until now_ns. One in which it may have been idle does not count, unless its
 * nodes have connected again. */
static bool is_silent(const struct heard_link *h, int64_t from_ns, int64_t to_ns, int64_t now_ns,
                      bool was_cut)
{
    const bool lasts = !h->is_over && h->last_ns <= from_ns + TOGETHER_NS;
    const int64_t since_ns = lasts ? h->last_ns : h->from_ns, until_ns = lasts ? now_ns : h->to_ns;
    const int64_t before_ns = TOGETHER_NS + 2 * h->tick_ns;
    const bool is_measured = h->tick_ns != 0 || was_cut;
    const int64_t idle_ns = is_measured ? 2 * h->tick_ns + SECOND : 2 * DETECT_TICK_NS + LATE_NS;
    return since_ns >= from_ns - before_ns && since_ns <= from_ns + TOGETHER_NS &&
           until_ns >= to_ns - TOGETHER_NS && until_ns - since_ns > idle_ns;
}

struct heard_beside detect_silent_beside(const struct detect *d, const struct ds_text name[2],
                                         int64_t from_ns, int64_t to_ns)
{
    const uint32_t node[2] = {hash_text(name[0]), hash_text(name[1])};
    const int64_t evicted_ns = d->heard->evicted_ns;
    struct heard_beside found = {
        .is_unknown = evicted_ns != 0 && evicted_ns >= from_ns - TOGETHER_NS - 2 * DETECT_TICK_NS};
    for (size_t i = 0; i < MAX_HEARD && !found.is_parted; i++) {
        const struct heard_link *h = &d->heard->link[i];
        const bool is_of[2] = {h->node[0] == node[0] || h->node[1] == node[0],
                               h->node[0] == node[1] || h->node[1] == node[1]};
        if (h->conn == 0 || is_of[0] == is_of[1])
            continue;
        const bool was_cut = is_replaced(d, h, from_ns);
        if (is_silent(h, from_ns, to_ns, d->now_ns, was_cut))
            found = (struct heard_beside){.is_silent = true, .is_parted = was_cut, .whose = is_of[1]};
    }
    return found;
}
