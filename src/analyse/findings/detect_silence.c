/*
 * detect_silence.c - nodes that are gone without a FIN or RST: packets to them are not acknowledged
 * any more. Their peer gives them up after its net_ticktime, but its FIN may never be sent, as it
 * is queued behind the unacknowledged data.
 */
#include "analyse/findings/detect.h"

#include <string.h>

/* Ticks, at the default intensity: a node disconnects another one after SOONEST at the earliest,
 * GIVEN_UP at the latest. */
enum { SOONEST = 3, GIVEN_UP = 5 };

static void on_lost(struct detect *d, const struct ds_event *event)
{
    const struct ds_conn *conn = event->conn;
    const struct ds_tcp_stats *link = conn->link;
    const int waiting = event->dir;
    const int64_t heard_ns = link != NULL ? detect_heard_ns(&link->side[!waiting]) : 0;
    if (heard_ns == 0)
        return;
    struct fading *g = &d->fading[0];
    for (size_t i = 0; i < MAX_FADING; i++) {
        if (!d->fading[i].is_used) {
            g = &d->fading[i];
            break;
        }
    }
    d->has_fading = d->looks_closer = true;
    *g = (struct fading){.is_used = true,
                         .was_heard = link->side[!waiting].last_data_ns > event->stall.start_ns,
                         .waiting = event->dir,
                         .conn = conn->number,
                         .frame = event->frame,
                         .last_data_ns = heard_ns,
                         .addr = {conn->end[waiting].addr, conn->end[!waiting].addr},
                         .port = {conn->end[waiting].port, conn->end[!waiting].port},
                         .icmp = link->icmp,
                         .tick_ns = detect_tick_of(link, waiting)};
    detect_idle_lost(d, event, waiting);
    g->len[0] = detect_keep(g->name[0], sizeof g->name[0], conn->end[waiting].node);
    g->len[1] = detect_keep(g->name[1], sizeof g->name[1], conn->end[!waiting].node);
}

/* on_life handles a sign of life: the link has ended, which is more certain, or something was
 * acknowledged. An ICMP error of a router or host does not count. If only data comes, one way may still be
 * cut: the silence starts again. */
static void on_life(struct detect *d, const struct ds_event *event)
{
    const bool is_data = event->type == DS_EVENT_TICK || event->type == DS_EVENT_MESSAGE;
    const bool is_icmp = event->type == DS_EVENT_CONN && event->change.state == DS_CONN_ICMP_ERROR &&
                         event->conn->link != NULL;
    for (size_t i = 0; i < MAX_FADING; i++) {
        struct fading *g = &d->fading[i];
        if (g->conn != event->conn->number || (is_data && event->dir == g->waiting))
            continue;
        if (is_icmp) {
            g->icmp = event->conn->link->icmp;
        } else if (is_data) {
            g->last_data_ns = event->ts_ns;
            g->is_heard = true;
        } else {
            g->is_used = false;
        }
    }
}

void detect_silence(struct detect *d, const struct ds_event *event)
{
    const bool is_lost = event->type == DS_EVENT_STALL && event->stall.why == DS_STALL_LOST;
    if (is_lost && event->stall.is_heard)
        return; /* a link with a heard end is reported separately */
    if (is_lost && event->stall.is_over)
        detect_idle_revived(d, event);
    if (is_lost && !event->stall.is_over)
        on_lost(d, event);
    else if (event->type == DS_EVENT_CONN && event->change.state == DS_CONN_OPEN_AT_END)
        detect_silence_time(d); /* nothing more comes */
    else if (d->has_fading && (event->type == DS_EVENT_STALL || event->type == DS_EVENT_TICK ||
                               event->type == DS_EVENT_MESSAGE || event->type == DS_EVENT_CONN))
        on_life(d, event);
}

static bool is_name(const struct fading *g, int i, struct ds_text name)
{
    return name.len != 0 && g->len[i] == name.len && memcmp(g->name[i], name.data, name.len) == 0;
}

bool detect_is_lost(const struct detect *d, const struct conn_watch *watched)
{
    for (size_t i = 0; d->has_fading && i < MAX_FADING; i++) {
        if (d->fading[i].is_used && d->fading[i].conn == watched->conn)
            return true;
    }
    return watched->is_given_up;
}

bool detect_is_fading(const struct detect *d, struct ds_text a, struct ds_text b)
{
    for (size_t i = 0; d->has_fading && i < MAX_FADING; i++) {
        const struct fading *g = &d->fading[i];
        if (g->is_used && !g->is_heard &&
            ((is_name(g, 0, a) && is_name(g, 1, b)) || (is_name(g, 0, b) && is_name(g, 1, a))))
            return true;
    }
    return false;
}

/* end_of returns the end that waits (0) or is silent (1). */
static struct ds_endpoint end_of(const struct fading *g, int i)
{
    return (struct ds_endpoint){.addr = g->addr[i],
                                .port = g->port[i],
                                .node = {g->len[i] != 0 ? g->name[i] : NULL, g->len[i]}};
}

static void note_given_up(struct detect *d, const struct fading *g)
{
    struct conn_watch *w = detect_find_watched(d, g->conn);
    const struct ds_endpoint end[2] = {end_of(g, 0), end_of(g, 1)};
    if (w != NULL)
        w->is_given_up = true;
    presence_given_up(&d->presence, g->conn, d->now_ns, end, 0);
    detect_stall_given_up(d, g->conn);
}

/* find_other finds the entry of the other end of the same link; g is not in use any more. */
static struct fading *find_other(struct detect *d, const struct fading *g)
{
    for (size_t i = 0; i < MAX_FADING; i++) {
        if (d->fading[i].is_used && d->fading[i].conn == g->conn)
            return &d->fading[i];
    }
    return NULL;
}

/* report_cut reports a silent end that was heard here, so its host is not gone. other: that end
 * gets no acknowledgement either. NULL: it does, so only one direction is cut. */
static void report_cut(struct detect *d, const struct fading *g, struct fading *other)
{
    struct finding *f = detect_begin(d, FINDING_DS201, NULL);
    detect_lasts(d, g->last_data_ns);
    f->variant = other != NULL ? SILENT_BETWEEN : SILENT_ONE_WAY;
    f->evidence[0].conn = g->conn;
    for (int i = 0; i < 2; i++)
        f->node[i].len = detect_keep(f->node[i].text, sizeof f->node[i].text,
                                     text_of(g->name[i], g->len[i]));
    const struct ds_endpoint end[2] = {end_of(g, 0), end_of(g, 1)};
    wording_say(&f->sentence, "{node} and {peer} disconnected, as nothing got {}: net_tick_timeout",
                an_end(&end[0]), an_end(&end[1]),
                a_word(other != NULL ? "through between them" : "from the first to the second"));
    if (other != NULL) {
        wording_add(&f->detail, "both were heard here, but neither acknowledged what the other "
                                "sent: the path was cut on both sides of the capture point, or at "
                                "it");
        other->is_used = false;
    } else {
        wording_say(&f->detail, "what the first sent was not acknowledged, although the second was "
                    "heard later, {heard_ago} ago: only the direction to the second was cut",
                    a_span(d->now_ns - g->last_data_ns));
    }
    wording_icmp(&f->detail, g->icmp);
    detect_frame(f, g->frame, "retransmitted for the third time");
    if (other != NULL)
        detect_frame(f, other->frame, "retransmitted for the third time by the other end");
    detect_unsure(f, CERTAINTY_LIKELY, "a capture at the other end, where the data does not arrive");
    detect_commit(d);
}

static void report(struct detect *d, const struct fading *g)
{
    const struct idle_drop *cut;
    note_given_up(d, g);
    detect_add_gone(d, &g->addr[1], g->last_data_ns, d->now_ns);
    struct fading *other = find_other(d, g);
    if (g->is_heard || g->was_heard || other != NULL) {
        report_cut(d, g, other);
        return;
    }
    if (detect_idle_gone(d, g, &cut))
        return;
    struct finding *f = detect_begin(d, FINDING_DS201, NULL);
    detect_lasts(d, g->last_data_ns);
    f->variant = SILENT_GONE;
    f->evidence[0].conn = g->conn;
    for (int i = 0; i < 2; i++)
        f->node[i].len = detect_keep(f->node[i].text, sizeof f->node[i].text,
                                     text_of(g->name[i], g->len[i]));
    const struct ds_endpoint end[2] = {end_of(g, 0), end_of(g, 1)};
    wording_say(&f->sentence, "{peer} disconnected {node}, which had stopped responding: "
                "net_tick_timeout", an_end(&end[0]), an_end(&end[1]));
    wording_say(&f->detail, "no data for {silent}; its kernel did not acknowledge either: the host or "
                "the network was gone", a_span(d->now_ns - g->last_data_ns));
    wording_icmp(&f->detail, g->icmp);
    if (cut != NULL)
        wording_say(&f->detail, ", or a middlebox forgot the link (DS208), as both had been silent for "
                    "{idle}, longer than ever before", a_span(cut->idle_ns));
    detect_frame(f, g->frame, "retransmitted for the third time");
    detect_unsure(f, CERTAINTY_LIKELY, "the log of the node that waited");
    detect_commit(d);
}

/* is_given_up says whether a silent end was unheard for long enough when the nodes connected again.
 * The clock of the capture may have gone back since it was heard. */
static bool is_given_up(const struct fading *g, int64_t again_ns)
{
    const int64_t silence_ns = again_ns - g->last_data_ns;
    return silence_ns > 0 && (!g->is_heard || silence_ns >= SOONEST * g->tick_ns);
}

/* report_again reports a link whose nodes have connected again. other: the other end gets no
 * acknowledgement either, or NULL. is_known: neither node was restarted. */
static void report_again(struct detect *d, const struct ds_event *event, const struct fading *g,
                         const struct fading *other, bool is_known)
{
    const int64_t since_ns = other != NULL && other->last_data_ns < g->last_data_ns ? other->last_data_ns
                                                                                    : g->last_data_ns;
    const struct ds_endpoint end[2] = {end_of(g, 0), end_of(g, 1)};
    note_given_up(d, g);
    for (int silent = other == NULL; silent < 2; silent++)
        detect_add_gone(d, &g->addr[silent], since_ns, event->ts_ns);
    struct finding *f = detect_begin(d, FINDING_DS201, event);
    detect_lasts(d, since_ns);
    f->variant = SILENT_BETWEEN;
    f->evidence[0].conn = g->conn;
    if (other != NULL)
        wording_say(&f->sentence,
                    "{node} and {peer} disconnected, as nothing got through between them: net_tick_timeout",
                    an_end(&end[0]), an_end(&end[1]));
    else
        wording_say(&f->sentence, "{peer} disconnected {node}, as nothing got through: net_tick_timeout",
                    an_end(&end[0]), an_end(&end[1]));
    wording_say(&f->detail, "nothing arrived for {silent}, not even acknowledgements; {}",
                a_span(event->ts_ns - since_ns),
                a_word(is_known ? "both nodes kept running, as their new link shows: the network was gone "
                                  "for a while, or a firewall or NAT forgot the link"
                                : "they have connected again: whether a node was restarted is not known"));
    detect_frame(f, g->frame, "retransmitted for the third time");
    if (other != NULL)
        detect_frame(f, other->frame, "retransmitted for the third time by the other end");
    detect_frame(f, event->frame, "up again");
    detect_unsure(f, CERTAINTY_LIKELY, "a capture at the other end, where the data does not arrive");
    detect_commit(d);
}

/* detect_silence_again handles a new link between two nodes that were not restarted, or may not have
 * been: if a host had been gone, they would have been. So neither is reported as silent. */
void detect_silence_again(struct detect *d, const struct ds_event *event, bool is_known)
{
    const struct ds_endpoint *end = event->conn->end;
    for (size_t i = 0; d->has_fading && i < MAX_FADING; i++) {
        struct fading *g = &d->fading[i];
        const int waits = is_name(g, 0, end[0].node) ? 0 : 1;
        if (!g->is_used || g->conn == event->conn->number || !is_name(g, 0, end[waits].node) ||
            !is_name(g, 1, end[!waits].node))
            continue;
        g->is_used = false;
        struct fading *other = find_other(d, g);
        if (other != NULL)
            other->is_used = false;
        if (is_given_up(g, event->ts_ns) || (other != NULL && is_given_up(other, event->ts_ns)))
            report_again(d, event, g, other, is_known);
    }
}

static void report_if_due(struct detect *d, struct fading *g)
{
    if (!g->is_used || d->now_ns - g->last_data_ns < GIVEN_UP * g->tick_ns)
        return;
    g->is_used = false;
    report(d, g);
}

void detect_silence_due(struct detect *d, const struct ds_event *event)
{
    for (size_t i = 0; d->has_fading && i < MAX_FADING; i++) {
        struct fading *g = &d->fading[i];
        if (g->conn == event->conn->number)
            report_if_due(d, g);
    }
}

void detect_silence_time(struct detect *d)
{
    if (!d->has_fading)
        return;
    d->has_fading = false;
    for (size_t i = 0; i < MAX_FADING; i++) {
        struct fading *g = &d->fading[i];
        report_if_due(d, g);
        d->has_fading |= g->is_used;
    }
}
