/*
 * detect_capture.c - what the capture itself lacks: one direction of a link, where a mirror port
 * copies only one or the answers use another path; or the ends of packets, where the snap length
 * truncated them. Then nothing is wrong between the nodes, but much cannot be known, and one
 * direction alone proves no fault of a node. Or one of several capture points has fallen silent.
 */
#include "analyse/findings/detect.h"

#include <inttypes.h>
#include <string.h>

/* This many segments of one end, and none of the other: an end that receives so many acknowledges
 * some. */
enum { MIN_SEGMENTS = 10 };

enum { TOLD_ONE_WAY = 1, TOLD_CUT = 2 };

static void report_one_way(struct detect *d, const struct ds_event *event, int unseen)
{
    const struct ds_endpoint *end = event->conn->end;
    struct finding *f = detect_begin(d, FINDING_DS501, event);
    wording_add(&f->sentence, "only one direction of a link was captured");
    wording_say(&f->detail, "no packet from {node} to {peer}, but {segments} segments from the latter: "
                "its answers are unknown", an_end(&end[unseen]), an_end(&end[!unseen]),
                a_number(event->conn->link->side[!unseen].segments));
    detect_frame(f, event->frame, "the latest");
    detect_commit(d);
}

/* on_way records whether only one direction has been captured so far. While that is so, messages
 * are checked too. If they come without the facts of the link, any message of the other end shows
 * that it is captured: the counters of a connection may then be older (copier.h). */
static void on_way(struct detect *d, const struct ds_event *event)
{
    const struct ds_tcp_stats *link = event->conn->link;
    const int unseen = ds_tcp_unseen(link);
    struct conn_watch *w = unseen >= 0 ? detect_watch(d, event->conn)
                                    : detect_find_watched(d, event->conn->number);
    if (w == NULL)
        return;
    if (w->is_one_way != (unseen >= 0))
        d->num_one_way += unseen >= 0 ? 1 : d->num_one_way != 0 ? -1 : 0;
    w->is_one_way = unseen >= 0;
    w->unseen = (int8_t)unseen;
    if (unseen < 0 || (w->capture_told & TOLD_ONE_WAY) != 0 ||
        link->side[!unseen].segments < MIN_SEGMENTS)
        return;
    w->capture_told |= TOLD_ONE_WAY;
    report_one_way(d, event, unseen);
}

static void on_message(struct detect *d, const struct ds_event *event)
{
    struct conn_watch *w = detect_find_watched(d, event->conn->number);
    if (w == NULL || !w->is_one_way)
        return;
    if (event->conn->link != NULL) {
        on_way(d, event);
    } else if (event->conn->are_both_seen || event->dir == w->unseen) {
        w->is_one_way = false;
        d->num_one_way--;
    }
}

static void on_cut(struct detect *d, const struct ds_event *event)
{
    struct conn_watch *w = detect_watch(d, event->conn);
    d->checks.cut++;
    if (w == NULL || (w->capture_told & TOLD_CUT) != 0)
        return;
    w->capture_told |= TOLD_CUT;
    struct finding *f = detect_begin(d, FINDING_DS502, event);
    wording_add(&f->sentence, "packets of nodes are truncated by the snap length");
    wording_say(&f->detail, "first from {node} to {peer}: the bytes behind the cut are missing",
                an_end(&event->conn->end[event->dir]), an_end(&event->conn->end[!event->dir]));
    detect_frame(f, event->frame, "the first truncated one");
    detect_commit(d);
}

void detect_capture(struct detect *d, const struct ds_event *event)
{
    if (event->conn == NULL || event->conn->number == 0 ||
        event->conn->end[1].port == d->config.epmd_port)
        return;
    if (event->fault.kind == DS_FAULT_TRUNCATED)
        on_cut(d, event);
    if (event->type == DS_EVENT_MESSAGE) {
        if (d->num_one_way != 0)
            on_message(d, event);
    } else if (event->conn->link != NULL) {
        on_way(d, event);
    }
}

void detect_silent_point(struct detect *d, const struct silent_point *point)
{
    const struct ds_text name = {point->name, strlen(point->name)};
    const int64_t silent_ns = point->now_ns > point->since_ns ? point->now_ns - point->since_ns : 0;
    struct finding *f = detect_begin(d, FINDING_DS503, NULL);
    f->evidence[0].ts_ns = point->since_ns;
    f->is_over = point->is_back;
    wording_say(&f->sentence, "capture point {host} stopped sending", a_node(name));
    wording_say(&f->detail,
                point->is_back ? "nothing came from it for {silent}; it is back"
                               : "nothing has come from it for {silent}, while others go on",
                a_span(silent_ns));
    detect_unsure(f, CERTAINTY_LIKELY,
                  "the log of distsniff on that host: a host whose nodes have no connection is silent, "
                  "too");
    if (point->is_back)
        detect_complete(d);
    else
        detect_commit(d);
    detect_lost(d, point->since_ns, point->now_ns);
}

bool detect_is_one_way(const struct detect *d, uint64_t conn)
{
    const struct conn_watch *w = d->num_one_way != 0 ? detect_find_watched(d, conn) : NULL;
    return w != NULL && w->is_one_way;
}
