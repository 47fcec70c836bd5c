/*
 * detect_net_tick.c - DS201: a link ends, as a node has not heard the other one for its
 * net_ticktime, or nothing got through between them.
 */
#include "analyse/findings/detect.h"
#include "analyse/findings/wording_say.h"

#include "core/hash.h"


#define SECOND INT64_C(1000000000)
#define AGAIN_NS SECOND        /* within it, a RST answers packets of an unknown link */
enum { BACKOFF_REPEATS = 2 };
#define PARTED_NS (4 * SECOND) /* in practice no net_ticktime is shorter than this */

/* tick_of_either returns the interval of an end, or of its peer if that one alone was measured:
 * both have the same ticktime, or should. */
static int64_t tick_of_either(const struct ds_tcp_stats *link, int end)
{
    return detect_tick_of(link, link->side[end].tick_intervals != 0 ? end : !end);
}

/* add_why writes why an end was silent, as far as its kernel shows it. */
static void add_why(struct wording *detail, const struct ds_tcp_side *silent, unsigned variant)
{
    switch (variant) {
    case SILENT_HELD:
        wording_add(detail, "; its kernel still acknowledged");
        if (silent->missing != 0)
            wording_say(detail,
                        ", and by its sequence numbers it had sent {missing_bytes} that did not arrive "
                        "here",
                        a_count(silent->missing, "bytes"));
        wording_add(detail, ": what it sent was lost (DS207)");
        break;
    case SILENT_SLOW:
        wording_add(detail, "; its kernel still acknowledged, and it has never ticked: its net_ticktime is "
                            "longer, or it was stuck");
        break;
    case SILENT_STUCK:
        wording_add(detail, "; its kernel still acknowledged: the process was suspended or stuck");
        break;
    default:
        wording_add(detail, "; its kernel did not acknowledge either: the host or the network was "
                            "gone");
    }
}

static bool on_silence(struct detect *d, const struct ds_event *event, const struct conn_watch *w,
                       int closed_by)
{
    const struct ds_tcp_stats *link = event->conn->link;
    const struct ds_tcp_side *silent = &link->side[!closed_by];
    /* Data that it retransmits without success is no sign of life: it does not arrive. */
    const int64_t hole_ns = w->hole_ns[!closed_by];
    const int64_t last_ns = detect_heard_ns(silent);
    /* Data that is not read holds back what follows. */
    const int64_t read_ns = w->unread[!closed_by].until_ns;
    const int64_t heard_ns = read_ns > last_ns                   ? read_ns
                             : hole_ns != 0 && hole_ns < last_ns ? hole_ns
                                                                 : last_ns;
    const int64_t silence_ns = event->ts_ns - heard_ns;
    const int64_t tick_ns = tick_of_either(link, closed_by);
    const bool is_measured = link->side[0].tick_intervals + link->side[1].tick_intervals != 0;
    /* The closing end hears nothing for four of its ticks, give or take one, and sends data in that
     * time: otherwise it was gone too, or the capture had paused. */
    if (last_ns == 0 || silence_ns < 3 * tick_ns - tick_ns / 10 ||
        silence_ns > 6 * tick_ns ||
        link->side[closed_by].last_data_ns - heard_ns < 2 * tick_ns - tick_ns / 10)
        return false;
    const bool acknowledged = silent->last_ns - heard_ns > silence_ns / 3;
    const bool is_held = acknowledged && (hole_ns != 0 || silent->missing != 0);
    /* Its first tick may not have been due yet. */
    const bool may_be_slow = acknowledged && !is_held && silence_ns < DETECT_TICK_NS &&
                             event->conn->counters[!closed_by].ticks == 0;
    struct finding *f = detect_begin(d, FINDING_DS201, event);
    f->variant = is_held        ? SILENT_HELD
                 : may_be_slow  ? SILENT_SLOW
                 : acknowledged ? SILENT_STUCK
                                : SILENT_GONE;
    detect_lasts(d, heard_ns);
    wording_say(&f->sentence, "{peer} disconnected {node}, {}: net_tick_timeout",
                an_end(&event->conn->end[closed_by]), an_end(&event->conn->end[!closed_by]),
                a_word(is_held ? "from which nothing arrived any more" : "which had stopped responding"));
    wording_say(&f->detail, "{} for {silent}", a_word(is_held ? "nothing arrived" : "no data"),
                a_span(silence_ns));
    add_why(&f->detail, silent, f->variant);
    if (!acknowledged) {
        wording_icmp(&f->detail, link->icmp);
        detect_add_gone(d, &event->conn->end[!closed_by].addr, heard_ns, event->ts_ns);
    }
    detect_frame(f, event->frame, "the close");
    if (is_held)
        detect_unsure(f, CERTAINTY_LIKELY, "a capture at the other end");
    else if (may_be_slow || !is_measured)
        detect_unsure(f, CERTAINTY_LIKELY, "net_kernel:get_net_ticktime() on both nodes");
    detect_commit(d);
    return true;
}

/* on_unread handles an end that gave up its suspended peer. The peer did not read, so even the FIN
 * is queued, and comes when the peer reads again. Or the first data of the peer is answered with a
 * RST, by the host of the end that closed the link, and not by a middlebox. */
static bool on_unread(struct detect *d, const struct ds_event *event, const struct conn_watch *w,
                      int closed_by)
{
    const struct ds_tcp_side *silent = &event->conn->link->side[!closed_by];
    const int64_t heard_ns = w->unread[closed_by].heard_ns, until_ns = w->unread[closed_by].until_ns;
    const int64_t tick_ns = tick_of_either(event->conn->link, closed_by);
    int64_t end_ns = until_ns < event->ts_ns ? until_ns : event->ts_ns;
    if (silent->last_data_ns > heard_ns) {
        /* It has sent data since: if it was silent before, the silence ended then. */
        if (silent->max_idle_ns < silent->last_data_ns - heard_ns - tick_ns)
            return false;
        end_ns = silent->last_data_ns < end_ns ? silent->last_data_ns : end_ns;
    }
    if (until_ns == 0 || heard_ns == 0 || end_ns - heard_ns < 3 * tick_ns - tick_ns / 10 ||
        event->ts_ns - end_ns > tick_ns)
        return false;
    struct finding *f = detect_begin(d, FINDING_DS201, event);
    f->variant = SILENT_STUCK;
    detect_lasts(d, heard_ns);
    wording_say(&f->sentence, "{peer} disconnected {node}, which had stopped responding: net_tick_timeout",
                an_end(&event->conn->end[closed_by]), an_end(&event->conn->end[!closed_by]));
    wording_say(&f->detail,
                "no data for {silent}, in which it did not read what was sent to it, either (DS205): the "
                "process was suspended or stuck",
                a_span(end_ns - heard_ns));
    detect_frame(f, event->frame, event->conn->link->close == DS_CLOSE_RESET ? "the RST" : "the close");
    detect_unsure(f, CERTAINTY_LIKELY, "the log of the node that waited");
    detect_commit(d);
    return true;
}

/* replaced_ns returns when the nodes connected again while their link was open; 0: they did not. A
 * link that was open before the capture is not among the ups. is_unsure: the creation of an end of
 * such a link is not known, so that node may have been restarted. */
static int64_t replaced_ns(struct detect *d, const struct ds_conn *conn, int64_t link_up_ns,
                           bool *is_unsure)
{
    const struct pair *p = detect_find_pair(d, conn);
    const bool is_late = link_up_ns == 0;
    *is_unsure = false;
    if (p == NULL || p->ups < (is_late ? 1 : 2) || p->up_ns[(p->ups - 1) % NUM_UPS] <= link_up_ns)
        return 0;
    const int swapped = p->name_hash[0] != hash_text(conn->end[0].node);
    for (int i = 0; i < 2; i++) {
        const uint32_t creation = conn->end[swapped ^ i].creation;
        if (is_late && creation == 0)
            *is_unsure = true;
        else if (creation != p->creation[i])
            return 0;
    }
    return p->up_ns[(p->ups - 1) % NUM_UPS];
}

/* speaks_again says whether an end has just sent a packet, even a retransmission, after a pause.
 * Repeated retransmissions of one segment have pauses between them as well, each longer than the
 * last. */
static bool speaks_again(const struct ds_tcp_side *side, int64_t now_ns)
{
    return side->pause_to_ns != 0 && now_ns - side->pause_to_ns <= AGAIN_NS &&
           side->most_repeats < BACKOFF_REPEATS;
}

/* quiet_since returns when an end was last heard before packets got through again: then it sends
 * what was in flight when it was cut off. */
static int64_t quiet_since(const struct ds_tcp_side *side, int64_t up_ns, int64_t now_ns)
{
    int64_t before_ns;
    if (speaks_again(side, now_ns))
        return side->pause_from_ns;
    if (__builtin_sub_overflow(side->last_data_ns, side->max_quiet_ns, &before_ns))
        return side->last_data_ns;
    return side->last_data_ns > up_ns && before_ns < up_ns ? before_ns : side->last_data_ns;
}

/* silence_of returns how long neither end had been heard. up_ns: when they connected again, or 0. */
static int64_t silence_of(const struct ds_event *event, int64_t up_ns, int64_t *last_ns)
{
    const struct ds_tcp_stats *link = event->conn->link;
    const int64_t heard_ns[2] = {quiet_since(&link->side[0], up_ns, event->ts_ns),
                                 quiet_since(&link->side[1], up_ns, event->ts_ns)};
    *last_ns = heard_ns[0] > heard_ns[1] ? heard_ns[0] : heard_ns[1];
    return link->silence_ns != 0 ? link->silence_ns : event->ts_ns - *last_ns;
}

bool detect_may_be_cut(struct detect *d, const struct ds_event *event, const struct conn_watch *w,
                       int64_t *silence_ns, struct heard_beside *beside)
{
    const struct ds_text name[2] = {event->conn->end[0].node, event->conn->end[1].node};
    int64_t last_ns;
    *silence_ns = silence_of(event, 0, &last_ns);
    const int64_t since_ns = event->ts_ns - *silence_ns;
    if (last_ns == 0 || *silence_ns < PARTED_NS || detect_was_unread(w, since_ns))
        return false;
    *beside = detect_silent_beside(d, name, since_ns, event->ts_ns);
    return beside->is_silent;
}

/* on_parted reports two nodes that disconnected although neither sent a FIN or RST: both were
 * silent for longer than any node is, or they have a new link. The FIN or RST of the old link comes
 * when packets get through again. */
static bool on_parted(struct detect *d, const struct ds_event *event, const struct conn_watch *w)
{
    const struct ds_tcp_stats *link = event->conn->link;
    const struct ds_tcp_side *side = link->side;
    bool is_unsure;
    const int64_t up_ns = replaced_ns(d, event->conn, w->up_ns, &is_unsure);
    int64_t last_ns;
    const int64_t silence_ns = silence_of(event, up_ns, &last_ns);
    const int64_t since_ns = event->ts_ns - silence_ns;
    const bool ticks = side[0].tick_intervals != 0 && side[1].tick_intervals != 0;
    int64_t tick_ns = detect_tick_of(link, 0);
    if (tick_ns < detect_tick_of(link, 1))
        tick_ns = detect_tick_of(link, 1);
    /* If no packet at all came, the capture may have paused; but then there is a gap before the
     * next packet. */
    const bool is_paused =
        d->pause.to_ns > since_ns && d->pause.to_ns - d->pause.from_ns > silence_ns / 2 &&
        !speaks_again(&side[0], event->ts_ns) && !speaks_again(&side[1], event->ts_ns);
    const bool is_silent = ticks && !is_paused && silence_ns >= 3 * tick_ns;
    const struct ds_text name[2] = {event->conn->end[0].node, event->conn->end[1].node};
    const struct heard_beside beside = silence_ns >= PARTED_NS && !is_paused
                                           ? detect_silent_beside(d, name, since_ns, event->ts_ns)
                                           : (struct heard_beside){false};
    if (last_ns == 0 || w->gap_ns >= since_ns || detect_was_unread(w, since_ns) ||
        (!is_silent && (silence_ns < PARTED_NS || (up_ns <= since_ns && !beside.is_parted))))
        return false;
    /* The new link ends the silence, and not what is left of the old one. */
    const int64_t until_ns = up_ns > since_ns ? up_ns : event->ts_ns;
    struct finding *f = detect_begin(d, FINDING_DS201, event);
    f->variant = SILENT_BETWEEN;
    f->evidence[0].ts_ns = until_ns;
    detect_lasts(d, since_ns);
    wording_say(&f->sentence,
                "{node} and {peer} disconnected, as nothing got through between them: net_tick_timeout",
                an_end(&event->conn->end[0]), an_end(&event->conn->end[1]));
    wording_say(&f->detail, "neither was heard for {silent}", a_span(until_ns - since_ns));
    if (is_silent) {
        wording_say(&f->detail, ", though each ticks every {tick_interval}", a_span(tick_ns));
    } else if (up_ns > since_ns) {
        wording_say(&f->detail, ", and they connected again{}",
                    a_word(is_unsure ? "" : " though neither was restarted"));
    }
    if (beside.is_silent)
        wording_say(&f->detail, "; another link of {node} carried nothing from the same moment on",
                    an_end(&event->conn->end[beside.whose]));
    wording_add(&f->detail, ": the path was cut on both sides of the capture point, or at it");
    detect_frame(f, event->frame, link->close == DS_CLOSE_RESET ? "the RST" : "the close");
    const bool is_doubtful = is_paused || (is_unsure && !is_silent && !beside.is_parted);
    detect_unsure(f, is_doubtful ? CERTAINTY_POSSIBLE : CERTAINTY_LIKELY, "the logs of both nodes");
    if (is_doubtful)
        f->severity = SEVERITY_WARNING;
    for (int end = 0; end < 2; end++)
        detect_add_gone(d, &event->conn->end[end].addr, since_ns, until_ns);
    detect_commit(d);
    return true;
}

bool detect_timed_out(struct detect *d, const struct ds_event *event, const struct conn_watch *w)
{
    const int closed_by = event->conn->link->closed_by;
    return on_silence(d, event, w, closed_by) || on_unread(d, event, w, closed_by) ||
           on_parted(d, event, w);
}
