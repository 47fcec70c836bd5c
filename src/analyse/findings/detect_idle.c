/*
 * detect_idle.c - idle links that something between two nodes forgets: a firewall or a NAT with a
 * time limit. It drops later packets silently, or answers them with a RST.
 *
 * A link with one end gone looks the same: packets are not acknowledged. Two things distinguish
 * them: the loss begins with the first packet after a silence of both ends that is longer than any
 * that links of these two nodes survived; and both nodes still run, as a new link of the same
 * incarnations shows. Neither is a proof, and the finding says so. If another link of one of the
 * nodes, which was not idle, stalls in the same time, the path was cut rather than an idle link: a
 * note.
 */
#include "analyse/findings/detect.h"

#include "core/hash.h"

#include <string.h>

#define SECOND INT64_C(1000000000)
#define IDLE_NS (30 * SECOND) /* shorter time limits are rare, and nodes tick more often */

#define BESIDE_NS (2 * SECOND) /* the paths of a node are not all cut at the same instant */
#define HELD_NS (600 * SECOND) /* by default, an end that got no RST has closed the connection by then */

/* The variants of DS208. */
enum { IDLE_CUT, IDLE_RESET, IDLE_EQUAL, IDLE_MIDDLEBOX };

enum { LARGE_LEN = 1000 }; /* a segment that may be too large for the path: DS207 */

void detect_idle_survived(struct pair *pair, const struct ds_tcp_stats *link)
{
    if (link->longest_silence_ns > pair->survived_ns)
        pair->survived_ns = link->longest_silence_ns;
}

/* is_longest says whether a silence is longer than those before: by far or, if it is not the first
 * with such an end, by enough to show a time limit. */
static bool is_longest(const struct pair *pair, int64_t idle_ns, int64_t tick_ns)
{
    const int64_t survived_ns = pair->survived_ns;
    return idle_ns >= tick_ns / 4 &&
           idle_ns > survived_ns + (pair->cuts != 0 ? survived_ns / 20 : survived_ns / 2);
}

static bool on_cut(const struct detect *d, struct pair *pair, const struct ds_event *event,
                   int64_t tick_ns, bool is_reset)
{
    const struct ds_conn *conn = event->conn;
    if (pair->cut.conn == conn->number)
        return true; /* what the other end sends shows the same */
    detect_idle_survived(pair, conn->link);
    if (!is_longest(pair, conn->link->silence_ns, tick_ns) ||
        detect_was_unread(detect_find_watched(d, conn->number), event->ts_ns - conn->link->silence_ns))
        return false;
    const int swapped = pair->name_hash[0] != hash_text(conn->end[0].node);
    if (pair->creation[0] == 0 && pair->creation[1] == 0) {
        pair->creation[0] = conn->end[swapped].creation;
        pair->creation[1] = conn->end[!swapped].creation;
    }
    pair->cuts++;
    pair->cut = (struct idle_drop){.conn = conn->number, .frame = event->frame,
                                   .is_reset = is_reset,
                                   .idle_ns = conn->link->silence_ns,
                                   .ts_ns = event->ts_ns,
                                   .survived_ns = pair->survived_ns};
    return true;
}

void detect_idle_lost(struct detect *d, const struct ds_event *event, int waiting)
{
    struct pair *p = event->type == DS_EVENT_STALL && event->stall.in_flight >= LARGE_LEN
                         ? NULL
                         : detect_find_pair(d, event->conn);
    if (p != NULL)
        on_cut(d, p, event, detect_tick_of(event->conn->link, waiting), false);
}

void detect_idle_revived(struct detect *d, const struct ds_event *event)
{
    const struct ds_endpoint *end = event->conn->end;
    struct pair *p = end[0].node.data == NULL || end[1].node.data == NULL
                         ? NULL
                         : detect_pair(d, hash_text(end[0].node), hash_text(end[1].node));
    if (p == NULL || p->cut.conn != event->conn->number)
        return;
    p->cuts -= p->cuts != 0;
    p->cut = (struct idle_drop){0};
    if (event->conn->link->silence_ns == 0)
        detect_idle_survived(p, event->conn->link);
}

/* begin begins the finding that a link was cut, with its nodes ordered by name. */
static struct finding *begin(struct detect *d, const struct pair *pair, const struct ds_text given[2])
{
    const struct ds_text a = given[0], b = given[1];
    const struct idle_drop *cut = &pair->cut;
    const size_t len = a.len < b.len ? a.len : b.len;
    const int order = memcmp(a.data, b.data, len);
    const bool swapped = order > 0 || (order == 0 && a.len > b.len);
    const struct ds_text name[2] = {swapped ? b : a, swapped ? a : b};
    struct finding *f = detect_begin(d, FINDING_DS208, NULL);
    f->evidence[0].conn = cut->conn;
    if (!cut->is_reset) /* the ends wait until they give each other up */
        f->severity = SEVERITY_ERROR;
    f->variant = cut->is_reset ? IDLE_RESET : IDLE_CUT;
    for (int i = 0; i < 2; i++)
        f->node[i].len = detect_keep(f->node[i].text, sizeof f->node[i].text, name[i]);
    wording_say(&f->sentence, "the link between {node} and {peer}{}", a_node(name[0]), a_node(name[1]),
                a_word(cut->is_reset ? " was reset while it was idle"
                                     : " was cut while it was idle: net_tick_timeout"));
    wording_say(&f->detail, "neither end sent anything for {idle}, longer than ever before "
                "({longest_idle}{}", a_span(cut->idle_ns), a_span(cut->survived_ns),
                a_word(cut->is_reset ? "), and the first data after that was answered with a RST"
                                     : "), and nothing sent after that was acknowledged"));
    detect_frame(f, cut->frame, cut->is_reset ? "the RST" : "retransmitted for the third time");
    return f;
}

/* path_cut describes another link of one of the nodes, which was not idle, and stalls in the same
 * time or fell silent at the same moment. NULL: there is none. */
static const char *path_cut(const struct detect *d, const struct pair *pair, const struct ds_text name[2])
{
    const struct idle_drop *cut = &pair->cut;
    const int64_t from_ns = cut->ts_ns - cut->idle_ns;
    if (detect_stall_beside(d, name, from_ns - BESIDE_NS, cut->ts_ns - BESIDE_NS))
        return "stalled in that time";
    return detect_silent_beside(d, name, from_ns, cut->ts_ns).is_silent
               ? "carried nothing from the same moment on"
               : NULL;
}

/* is_unknown says whether another link may have been cut, but is not remembered. */
static bool is_unknown(const struct detect *d, const struct pair *pair, const struct ds_text name[2])
{
    const struct idle_drop *cut = &pair->cut;
    return detect_silent_beside(d, name, cut->ts_ns - cut->idle_ns, cut->ts_ns).is_unknown;
}

/* judge sets the certainty: each repetition raises it. */
static void judge(const struct detect *d, struct finding *f, const struct pair *pair,
                  const struct ds_text name[2], bool is_alive)
{
    const char *beside = path_cut(d, pair, name);
    if (beside != NULL) {
        f->severity = SEVERITY_NOTE;
        wording_say(&f->detail, "; another link of these nodes {}, so the path may have been cut for all "
                    "links", a_word(beside));
        detect_unsure(f, CERTAINTY_POSSIBLE, "the other links of both nodes: DS201, DS214");
    } else if (is_unknown(d, pair, name))
        detect_unsure(f, CERTAINTY_POSSIBLE, "the other links of both nodes: DS201, DS214");
    else if (pair->cuts > 1 || (is_alive && pair->cut.is_reset))
        detect_unsure(f, CERTAINTY_LIKELY,
                      "a capture at the other end, where the data does not arrive");
    else
        detect_unsure(f, CERTAINTY_POSSIBLE,
                      is_alive ? "the same again, after an equally long silence"
                               : "a new link of these two, neither of which was restarted");
}

/* forget_fading forgets a link on which the nodes have given each other up, which is reported. Its
 * later end is not reported. */
static void forget_fading(struct detect *d, uint64_t conn)
{
    struct conn_watch *w = detect_find_watched(d, conn);
    if (w != NULL)
        w->is_given_up = true;
    detect_stall_given_up(d, conn);
    for (size_t i = 0; i < MAX_FADING; i++)
        if (d->fading[i].conn == conn)
            d->fading[i].is_used = false;
}

void detect_idle_again(struct detect *d, const struct ds_event *event, struct pair *pair)
{
    const struct ds_conn *conn = event->conn;
    if (pair->cut.conn == 0 || pair->cut.conn == conn->number)
        return;
    const struct ds_text name[2] = {conn->end[0].node, conn->end[1].node};
    if (!pair->cut.is_reset && path_cut(d, pair, name) != NULL) { /* DS201 reports it */
        pair->cut = (struct idle_drop){0};
        return;
    }
    struct finding *f = begin(d, pair, name);
    wording_add(&f->detail, "; a new link is up, and neither node was restarted");
    detect_frame(f, event->frame, "up again");
    judge(d, f, pair, name, true);
    forget_fading(d, pair->cut.conn);
    if (pair->cut.is_told)
        detect_complete(d);
    else
        detect_commit(d);
    pair->cut = (struct idle_drop){0};
}

/* is_unreachable says whether the host of the silent end does not answer elsewhere, either. */
static bool is_unreachable(const struct detect *d, const struct fading *fading)
{
    for (size_t i = 0; i < MAX_REFUSED; i++) {
        const struct epmd_unreachable *r = &d->refused[i];
        if (r->ts_ns >= fading->last_data_ns &&
            memcmp(&r->server, &fading->addr[1], sizeof r->server) == 0)
            return true;
    }
    return false;
}

bool detect_idle_gone(struct detect *d, const struct fading *fading, const struct idle_drop **cut)
{
    const struct ds_text name[2] = {text_of(fading->name[0], fading->len[0]),
                                    text_of(fading->name[1], fading->len[1])};
    struct pair *p = fading->len[0] != 0 && fading->len[1] != 0
                         ? detect_pair(d, hash_text(name[0]), hash_text(name[1]))
                         : NULL;
    *cut = p != NULL && p->cut.conn == fading->conn ? &p->cut : NULL;
    if (*cut == NULL || (p->cuts < 2 && p->cut.idle_ns < IDLE_NS) || is_unreachable(d, fading) ||
        path_cut(d, p, name) != NULL)
        return false;
    if (!p->cut.is_told) { /* not reported for the other end either */
        judge(d, begin(d, p, name), p, name, false);
        detect_commit(d);
    }
    p->cut.is_told = true;
    return true;
}

/* on_equal looks for links that are reset after equal times without data, though neither node wants
 * that. */
static void on_equal(struct detect *d, const struct ds_event *event, struct pair *p, int64_t idle_ns)
{
    const int64_t before_ns = p->idle_ns;
    p->idle_ns = idle_ns;
    if (before_ns == 0 || idle_ns < before_ns - before_ns / 20 ||
        idle_ns > before_ns + before_ns / 20)
        return;
    struct finding *f = detect_begin(d, FINDING_DS208, event);
    f->variant = IDLE_EQUAL;
    wording_say(&f->sentence, "the link between {node} and {peer} is reset whenever it has been idle "
                "for the same length of time", an_end(&event->conn->end[0]),
                an_end(&event->conn->end[1]));
    wording_say(&f->detail, "idle for {idle}, before that for {idle_before}", a_span(idle_ns),
                a_span(before_ns));
    detect_frame(f, event->frame, "the RST");
    detect_unsure(f, CERTAINTY_LIKELY, "a capture at the other end, which shows whether it sent that RST");
    detect_commit(d);
}

void detect_idle_reset(struct detect *d, const struct ds_event *event)
{
    const struct ds_tcp_stats *link = event->conn->link;
    const int64_t a_ns = link->side[0].last_data_ns, b_ns = link->side[1].last_data_ns;
    const int64_t idle_ns = event->ts_ns - (a_ns > b_ns ? a_ns : b_ns);
    struct pair *p = detect_find_pair(d, event->conn);
    if (p == NULL)
        return;
    p->reset.conn = event->conn->number;
    p->reset.frame = event->frame;
    p->reset.ts_ns = event->ts_ns;
    p->reset.by = hash_text(event->conn->end[link->closed_by].node);
    if (ds_tcp_unseen(link) >= 0 ||
        detect_was_unread(detect_find_watched(d, event->conn->number), event->ts_ns - idle_ns))
        return; /* it may not have been idle */
    if (idle_ns >= IDLE_NS) {
        on_equal(d, event, p, idle_ns);
    } else if (link->silence_ns != 0 &&
               on_cut(d, p, event, detect_tick_of(link, !link->closed_by), true) && p->cuts > 1) {
        const struct ds_text name[2] = {event->conn->end[0].node, event->conn->end[1].node};
        judge(d, begin(d, p, name), p, name, true);
        detect_commit(d);
        p->cut.conn = 0;
    }
}

void detect_idle_held(struct detect *d, const struct ds_event *event, int acceptor)
{
    const struct ds_endpoint *end = event->conn->end;
    if (end[0].node.data == NULL || end[1].node.data == NULL)
        return;
    struct pair *p = detect_pair(d, hash_text(end[0].node), hash_text(end[1].node));
    if (p == NULL || p->reset.conn == 0 || p->reset.by != hash_text(end[acceptor].node) ||
        event->ts_ns - p->reset.ts_ns > HELD_NS)
        return;
    struct finding *f = detect_begin(d, FINDING_DS208, event);
    f->variant = IDLE_MIDDLEBOX;
    wording_say(&f->sentence, "the link between {node} and {peer} was reset by a middlebox",
                an_end(&end[!acceptor]), an_end(&end[acceptor]));
    wording_say(&f->detail, "the RST came in the name of {peer}, which still held the link {later} later",
                an_end(&end[acceptor]), a_span(event->ts_ns - p->reset.ts_ns));
    detect_frame(f, p->reset.frame, "the RST");
    detect_frame(f, event->frame, ds_handshake_step_name(event->handshake.step));
    detect_unsure(f, CERTAINTY_LIKELY, "a capture at the other end, which shows whether it sent that RST");
    detect_commit(d);
    p->reset.conn = 0;
    p->cut.conn = 0; /* it is reported */
}
