/*
 * detect_rabbit.c - RabbitMQ acts on a partition (DS606), as messages of its node monitors show.
 *
 *     {autoheal_msg, {winner_is, Winner}}
 *         the receiver restarts RabbitMQ, and loses what it accepted during the partition
 *     {'$gen_cast', {partial_partition_disconnect, Sender}}
 *         the receiver closes its link to the sender
 *     {'$gen_cast', {node_up, Node, Type, Guid}}
 *         the sender has started RabbitMQ
 *
 * check_partial_partition is sent whenever a node sees another one leave, and proves nothing.
 * pause_minority sends nothing when it stops RabbitMQ. When the links are back, the node sends
 * node_up with the same Guid as before, as its Erlang node never stopped, but from another process,
 * as RabbitMQ did stop. RabbitMQ 4.3 sends node_up on each new link, from the same process.
 * rabbitmqctl stop_app and start_app keep the links.
 */
#include "analyse/findings/detect.h"

#include "core/hash.h"

#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
#define BACK_NS (120 * SECOND) /* RabbitMQ starts within this time after the first link is back */

enum { MAX_MONITORS = 256 };

static const char pause_advice[] = "See why the links were lost: DS201, DS204, DS214. While a node is "
                                   "paused its clients are disconnected and its "
                                   "queues are not served, which is what pause_minority is for. "
                                   "rabbitmqctl cluster_status shows which nodes run.";

/* rabbit_monitor is the node monitor of one node, as another node hears it. */
struct rabbit_monitor {
    uint64_t node, key; /* hashes of the node's name, and of both names; key 0: a free entry */
    int64_t heard_ns;
    int64_t guid;
    bool has_guid;
    uint32_t creation, id, serial; /* of its process; id 0: unknown */
    uint64_t healed;               /* the number of the finding that autoheal restarts it; 0: none */
};

struct rabbit_watch {
    struct rabbit_monitor monitor[MAX_MONITORS];
};

void detect_rabbit_free(struct detect *d)
{
    free(d->rabbit);
    d->rabbit = NULL;
}

/* find_monitor returns the node monitor at one end of a connection, as the other end hears it. For
 * a new one it evicts the one that was silent for longest. NULL if memory ran out, or a name is
 * unknown. */
static struct rabbit_monitor *find_monitor(struct detect *d, const struct ds_conn *conn, int end)
{
    if (conn->end[0].node.data == NULL || conn->end[1].node.data == NULL)
        return NULL;
    const uint64_t node = hash_short(37, conn->end[end].node);
    const uint64_t key = hash_short(node, conn->end[!end].node) | 1;
    if (d->rabbit == NULL && (d->rabbit = calloc(1, sizeof *d->rabbit)) == NULL) {
        d->no_memory++;
        return NULL;
    }
    struct rabbit_monitor *oldest = &d->rabbit->monitor[0];
    for (size_t i = 0; i < MAX_MONITORS; i++) {
        struct rabbit_monitor *m = &d->rabbit->monitor[i];
        if (m->key == key)
            return m;
        if (m->heard_ns < oldest->heard_ns)
            oldest = m;
    }
    *oldest = (struct rabbit_monitor){.node = node, .key = key};
    return oldest;
}

static void report_autoheal(struct detect *d, const struct ds_event *event, struct ds_text winner)
{
    const struct ds_endpoint *loser = &event->conn->end[!event->dir];
    struct finding *f = detect_begin(d, FINDING_DS606, event);
    wording_say(&f->sentence, "RabbitMQ restarts itself on {node} to heal a partition (autoheal)",
                an_end(loser));
    wording_say(&f->detail, "{winner} is on the side whose data is kept; what {node} accepted during the "
                "partition is lost", a_node(winner), an_end(loser));
    detect_frame(f, event->frame, "winner_is");
    const uint64_t number = detect_commit(d);
    struct rabbit_monitor *m = find_monitor(d, event->conn, !event->dir);
    if (m != NULL) {
        m->healed = number;
        m->heard_ns = event->ts_ns;
    }
}

static void report_partial(struct detect *d, const struct ds_event *event)
{
    struct finding *f = detect_begin(d, FINDING_DS606, event);
    f->severity = SEVERITY_WARNING;
    wording_say(&f->sentence, "RabbitMQ makes {node} disconnect from {peer}, as a partition is partial",
                an_end(&event->conn->end[!event->dir]), an_end(&event->conn->end[event->dir]));
    wording_add(&f->detail,
                "one of the two does not reach a third node that the other one reaches, or its "
                "link to that node is not back yet");
    detect_frame(f, event->frame, "partial_partition_disconnect");
    detect_commit(d);
}

static void report_pause(struct detect *d, const struct ds_event *event, int64_t since_ns)
{
    struct finding *f = detect_begin(d, FINDING_DS606, event);
    detect_since(d, since_ns);
    f->variant = 1;
    f->severity = SEVERITY_WARNING;
    f->advice = pause_advice;
    wording_say(&f->sentence, "RabbitMQ stopped on {node} while its links were down, and has started "
                "again", an_end(&event->conn->end[event->dir]));
    wording_say(&f->detail, "its Erlang node kept running, so pause_minority or autoheal may have "
                "stopped RabbitMQ; no other node heard its node monitor for {silent}",
                a_span(event->ts_ns - since_ns));
    detect_frame(f, event->frame, "node_up with the GUID of before");
    detect_unsure(f, CERTAINTY_POSSIBLE,
                  "the log of that node, or cluster_partition_handling in its configuration");
    detect_over(d, detect_commit(d));
}

static bool is_pid(const struct rabbit_monitor *m, const struct ds_identity *pid)
{
    return pid->creation == m->creation && pid->word[0] == m->id && pid->word[1] == m->serial;
}

/* is_old says whether another node has heard that process before, or the end of the previous one is
 * explained. */
static bool is_old(const struct rabbit_watch *r, const struct rabbit_monitor *m,
                   const struct ds_identity *pid)
{
    bool is_old = false;
    for (size_t i = 0; i < MAX_MONITORS; i++)
        is_old |=
            r->monitor[i].node == m->node && (is_pid(&r->monitor[i], pid) || r->monitor[i].healed != 0);
    return is_old;
}

/* on_up handles the start of RabbitMQ on the sender's node. */
static void on_up(struct detect *d, const struct ds_event *event, const struct rabbit_monitor *m,
                  int64_t guid, const struct ds_identity *pid)
{
    const struct conn_watch *w = detect_find_watched(d, event->conn->number);
    const bool is_restarted = m->id != 0 && pid->creation == m->creation && !is_old(d->rabbit, m, pid);
    const bool is_other_link = w != NULL && w->up_ns > m->heard_ns && event->ts_ns - w->up_ns < BACK_NS;
    if (m->healed != 0)
        detect_over(d, m->healed);
    else if (is_restarted && is_other_link && m->has_guid && m->guid == guid)
        report_pause(d, event, m->heard_ns);
}

/* on_heard records any message of a node monitor. is_up: it is node_up, with a Guid. */
static void on_heard(struct detect *d, const struct ds_event *event, const struct ds_term *said,
                     bool is_up)
{
    struct ds_identity pid;
    struct ds_term item;
    int64_t guid = 0;
    struct rabbit_monitor *m = find_monitor(d, event->conn, event->dir);
    if (m == NULL || !ds_term_get_pid(&event->message.role[DS_ROLE_FROM], &pid))
        return;
    const bool has_guid =
        is_up && ds_term_get_element(said, 3, &item) && ds_term_get_integer(&item, &guid);
    if (has_guid && event->ts_ns >= m->heard_ns)
        on_up(d, event, m, guid, &pid);
    if (has_guid) {
        m->guid = guid;
        m->healed = 0;
    }
    m->has_guid |= has_guid;
    m->creation = pid.creation;
    m->id = pid.word[0];
    m->serial = pid.word[1];
    m->heard_ns = event->ts_ns;
}

void detect_rabbit(struct detect *d, const struct record *record)
{
    const struct ds_event *event = record->event;
    const struct ds_term *said =
        record->note.body.data != NULL ? &record->note.body : &event->message.payload;
    struct ds_term word, act, winner;
    struct ds_text name;
    if (said->data == NULL)
        return;
    if (detect_is_atom(said, "keepalive")) {
        on_heard(d, event, said, false);
        return;
    }
    if (!ds_term_get_element(said, 0, &word))
        return;
    if (detect_is_atom(&word, "node_up"))
        on_heard(d, event, said, true);
    else if (detect_is_atom(&word, "partial_partition_disconnect"))
        report_partial(d, event);
    else if (detect_is_atom(&word, "autoheal_msg") && ds_term_get_element(said, 1, &act) &&
             ds_term_get_element(&act, 0, &word) && detect_is_atom(&word, "winner_is") &&
             ds_term_get_element(&act, 1, &winner) && ds_term_get_atom(&winner, &name))
        report_autoheal(d, event, name);
}
