/*
 * detect_link.c - findings of family 2: faults of links that were up. It uses the facts of the link
 * (distsniff/tcp_stats.h), ticks, stalls, and the ends of connections.
 */
#include "analyse/findings/detect.h"

#include "core/hash.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
#define LONG_STALL_NS SECOND
#define FORGOTTEN_NS (SECOND / 2) /* no restart, and no time limit of a middlebox, is shorter */
#define LONG_MESSAGE_NS SECOND
#define FLAPS_NS (3600 * SECOND) /* rarer changes are restarts or moves */

enum {
    TOLD_TICKTIME = 1,
    TOLD_LOSS = 2,
    TOLD_MISSED = 4, /* and the next bit, for the other end */
    TOLD_BLACK_HOLE = 16,
    TOLD_BURSTS = 32, /* and the next bit, for the other end */

    MIN_BURSTS = 3,

    MIN_RESENT = 10,
    MIN_OUTAGE = 5, /* retransmissions of one segment */
    MIN_OTHERS = 5, /* segments lost besides the one that is retransmitted again and again */
    PER_CENT = 100,
    LARGE_LEN = 1000,
    MIN_FLAPS = 3,
};

/* --- the end of a link --- */

static void report_reset(struct detect *d, const struct ds_event *event, const struct conn_watch *w,
                         int closed_by)
{
    struct finding *f = detect_begin(d, FINDING_DS204, event);
    wording_say(&f->sentence, "{node} reset its link with {peer}", an_end(&event->conn->end[closed_by]),
                an_end(&event->conn->end[!closed_by]));
    detect_frame(f, event->frame, "the RST");
    const struct ds_tcp_stats *link = event->conn->link;
    struct heard_beside cut;
    int64_t silence_ns;
    if (link->reset_is_own) {
        wording_say(&f->detail,
                    "{node} was killed or halted with data unread, or something between them reset the "
                    "link: who sent the RST still knew of it",
                    an_end(&event->conn->end[closed_by]));
    } else if (link->silence_ns >= FORGOTTEN_NS &&
               !detect_was_unread(w, event->ts_ns - link->silence_ns) &&
               link->side[closed_by].last_data_ns <= link->side[!closed_by].last_data_ns) {
        /* Whichever host sent it: that host no longer knew the link. */
        wording_say(&f->detail, "the RST answers the first data after a silence of {silent}: its host "
                    "was restarted, or a middlebox forgot the link and answered in its name (DS208)",
                    a_span(link->silence_ns));
        const struct ds_text name[2] = {event->conn->end[0].node, event->conn->end[1].node};
        const struct heard_beside beside =
            detect_silent_beside(d, name, event->ts_ns - link->silence_ns, event->ts_ns);
        if (beside.is_silent)
            wording_say(&f->detail, "; or the network was cut: another link of {node} carried nothing from "
                        "the same moment on", an_end(&event->conn->end[beside.whose]));
        detect_unsure(f, beside.is_unknown ? CERTAINTY_POSSIBLE : CERTAINTY_LIKELY,
                      "a capture at the other end, which shows whether it sent that RST");
    } else if (detect_may_be_cut(d, event, w, &silence_ns, &cut)) {
        wording_say(&f->detail, "neither was heard for {silent} before, and another link of {node} carried "
                    "nothing from the same moment on: the network may have been cut, and they disconnected "
                    "after the net_ticktime (DS201)", a_span(silence_ns),
                    an_end(&event->conn->end[cut.whose]));
        detect_unsure(f, CERTAINTY_LIKELY, "the logs of both nodes");
    }
    detect_commit(d);
}

/* report_closed merges all links that a node closes into one finding, as a node that ends closes
 * all. */
static void report_closed(struct detect *d, const struct ds_event *event, int closed_by)
{
    struct finding *f = detect_begin(d, FINDING_DS204, event);
    wording_say(&f->sentence, "{node} closed its links with other nodes",
                an_end(&event->conn->end[closed_by]));
    wording_say(&f->detail, "first the link with {peer}, which will have logged connection_closed; "
                "{node} exited, was killed, or disconnected", an_end(&event->conn->end[!closed_by]),
                an_end(&event->conn->end[closed_by]));
    detect_frame(f, event->frame, "the FIN");
    detect_commit(d);
}

static void on_end(struct detect *d, const struct ds_event *event, struct conn_watch *w)
{
    const struct ds_tcp_stats *link = event->conn->link;
    const int closed_by = link->closed_by;
    if (!w->is_up || w->is_half_closed || closed_by < 0)
        return;
    w->is_half_closed = true;
    const bool was_silent = w->is_given_up || detect_timed_out(d, event, w);
    if (was_silent)
        detect_stall_given_up(d, w->conn);
    struct pair *pair = detect_find_pair(d, event->conn);
    if (pair != NULL) {
        detect_idle_survived(pair, link);
        pair->has_ended = true;
        pair->ended_by = was_silent || (link->close == DS_CLOSE_RESET && !link->reset_is_own)
                             ? 0
                             : hash_text(event->conn->end[closed_by].node);
    }
    if (was_silent)
        return;
    if (link->close == DS_CLOSE_RESET) {
        detect_idle_reset(d, event);
        report_reset(d, event, w, closed_by);
    } else if (detect_is_published(w)) {
        report_closed(d, event, closed_by);
    }
}

/* --- flapping --- */

static void on_up(struct detect *d, const struct ds_event *event, const struct conn_watch *w)
{
    const struct ds_endpoint *end = event->conn->end;
    struct pair *p = detect_find_pair(d, event->conn);
    if (p == NULL)
        return;
    const int swapped = hash_text(end[0].node) > hash_text(end[1].node);
    const uint32_t creation[2] = {end[swapped].creation, end[!swapped].creation};
    bool is_known = true, is_restarted = false; /* both creations, of this link and of the last one */
    for (int i = 0; i < 2; i++) {
        is_known &= creation[i] != 0 && p->creation[i] != 0;
        is_restarted |= creation[i] != 0 && p->creation[i] != 0 && creation[i] != p->creation[i];
        p->creation[i] = creation[i] != 0 ? creation[i] : p->creation[i];
    }
    if (is_restarted) {
        p->ups = p->cuts = 0;
        p->survived_ns = p->idle_ns = 0;
        p->cut = (struct idle_drop){0};
    } else {
        if (is_known)
            detect_idle_again(d, event, p);
        detect_silence_again(d, event, is_known);
    }
    if (!detect_is_published(w))
        return;
    p->has_ended = false;
    const size_t at = p->ups++ % NUM_UPS;
    p->up_ns[at] = event->ts_ns;
    p->frame[at] = event->frame;
    if (p->ups < MIN_FLAPS || creation[0] == 0 || creation[1] == 0 ||
        event->ts_ns - p->up_ns[(at + NUM_UPS + 1 - MIN_FLAPS) % NUM_UPS] > FLAPS_NS)
        return;
    struct finding *f = detect_begin(d, FINDING_DS209, event);
    detect_since(d, p->up_ns[(at + NUM_UPS + 1 - MIN_FLAPS) % NUM_UPS]);
    wording_say(&f->sentence, "the link between {node} and {peer} comes and goes", an_end(&end[0]),
                an_end(&end[1]));
    wording_say(&f->detail, "connected {times} times, and neither node was restarted", a_number(p->ups));
    for (size_t i = 0; i < NUM_UPS; i++)
        detect_frame(f, p->frame[i], "up");
    detect_commit(d);
}

/* --- ticks --- */

static void on_ticktime(struct detect *d, const struct ds_event *event, struct conn_watch *w)
{
    const struct ds_tcp_side *side = event->conn->link->side;
    for (int end = 0; end < 2; end++) {
        /* Only regular ticks show the ticktime. */
        if (side[end].tick_intervals < 2 ||
            side[end].tick_max_ns > side[end].tick_min_ns + side[end].tick_min_ns / 8)
            return;
    }
    const int longer = side[1].tick_min_ns > side[0].tick_min_ns;
    const int64_t long_ns = side[longer].tick_min_ns, short_ns = side[!longer].tick_min_ns;
    if ((w->told & TOLD_TICKTIME) != 0 || long_ns < short_ns + short_ns / 4)
        return;
    w->told |= TOLD_TICKTIME;
    struct finding *f = detect_begin(d, FINDING_DS203, event);
    wording_say(&f->sentence, "{node} ticks less often than {peer}", an_end(&event->conn->end[longer]),
                an_end(&event->conn->end[!longer]));
    wording_say(&f->detail, "every {tick_interval} and every {peer_tick_interval}", a_span(long_ns),
                a_span(short_ns));
    wording_printf(&f->detail, ": net_ticktime %.0f s and %.0f s at the usual intensity",
                 (double)long_ns * 4 / 1e9, (double)short_ns * 4 / 1e9);
    detect_frame(f, event->frame, "a tick");
    detect_commit(d);
}

static void on_missed(struct detect *d, const struct ds_event *event, struct conn_watch *w, int end)
{
    const struct ds_tcp_side *side = &event->conn->link->side[end];
    const uint64_t told = TOLD_MISSED << end;
    const int64_t tick_ns =
        side->tick_intervals != 0 ? detect_tick_within(side->tick_min_ns) : DETECT_TICK_NS;
    if ((w->told & told) != 0 || side->tick_intervals == 0 || w->is_half_closed || w->is_given_up ||
        detect_has_gaps(event->conn) || side->max_idle_ns < 2 * tick_ns + tick_ns / 2 + SECOND)
        return;
    w->told |= told;
    /* No node sent anything then, so this node is not the cause. */
    if (d->pause.to_ns > event->ts_ns - side->max_idle_ns &&
        d->pause.to_ns - d->pause.from_ns > tick_ns + tick_ns / 2) {
        d->checks.paused++;
        return;
    }
    struct finding *f = detect_begin(d, FINDING_DS202, event);
    detect_since(d, event->ts_ns - side->max_idle_ns);
    wording_say(&f->sentence, "{node} missed ticks on its link with {peer}", an_end(&event->conn->end[end]),
                an_end(&event->conn->end[!end]));
    wording_say(&f->detail, "it sent nothing for {silent}, though it ticks every {tick_interval}",
                a_span(side->max_idle_ns), a_span(tick_ns));
    detect_frame(f, event->frame, "the next data, or soon after");
    detect_commit(d);
}

/* --- loss and stalls --- */

static void on_loss(struct detect *d, const struct ds_event *event, struct conn_watch *w)
{
    for (int end = 0; end < 2; end++) {
        const struct ds_tcp_side *side = &event->conn->link->side[end];
        const uint64_t again = side->retransmitted + side->lost_upstream;
        /* Data that had already arrived was not lost. */
        const uint64_t needless = side->needless < side->retransmitted ? side->needless
                                  : side->retransmitted;
        /* A segment that is retransmitted again and again shows a broken path, not a lossy one. */
        const uint64_t repeats = side->most_repeats < MIN_OUTAGE ? 0 : side->most_repeats;
        const uint64_t lost = again > repeats + needless ? again - repeats - needless : 0;
        if ((w->told & TOLD_LOSS << end * 8) != 0 || lost < MIN_RESENT || detect_is_lost(d, w) ||
            lost * PER_CENT < side->data_segments)
            continue;
        w->told |= TOLD_LOSS << end * 8;
        struct finding *f = detect_begin(d, FINDING_DS212, event);
        wording_say(&f->sentence, "packets from {node} to {peer} are lost",
                    an_end(&event->conn->end[end]), an_end(&event->conn->end[!end]));
        wording_say(&f->detail, "{retransmitted} of {segments} segments were retransmitted; ",
                    a_number(again), a_number(side->data_segments));
        if (needless != 0)
            wording_say(&f->detail, "{needless} of them needlessly, because they had arrived; ",
                        a_number(needless));
        if (side->lost_upstream == 0)
            wording_add(&f->detail, "the first copies had all been seen: lost behind the capture point");
        else if (side->retransmitted == 0)
            wording_add(&f->detail,
                        "none of the first copies had been seen: lost before the capture point");
        else
            wording_say(&f->detail, "{lost_behind} first copies had been seen (lost behind the capture "
                        "point), {lost_before} had not (before it)", a_number(side->retransmitted),
                        a_number(side->lost_upstream));
        detect_frame(f, event->frame, "so far");
        if (w->is_one_way) /* acknowledgements may have been missed */
            detect_unsure(f, CERTAINTY_POSSIBLE,
                          "a capture of both directions (the other host may be gone)");
        detect_commit(d);
    }
}

/* take_loss_amid checks a busy link, which has no ticks and may go on for days. */
static __attribute__((noinline)) void take_loss_amid(struct detect *d, const struct ds_event *event)
{
    struct conn_watch *w = detect_watch(d, event->conn);
    if (w != NULL)
        on_loss(d, event, w);
}

/* loses says whether the retransmissions are worth a check. */
static inline bool loses(const struct ds_tcp_stats *link)
{
    return link->side[0].retransmitted + link->side[0].lost_upstream >= MIN_RESENT ||
           link->side[1].retransmitted + link->side[1].lost_upstream >= MIN_RESENT;
}

/* begin_hole begins the finding about a hole. Both ends report it, in the same words. */
static struct finding *begin_hole(struct detect *d, const struct ds_event *event, int dir)
{
    struct finding *f = detect_begin(d, FINDING_DS207, event);
    if (event->type == DS_EVENT_STALL)
        detect_since(d, event->stall.start_ns);
    wording_say(&f->sentence, "a large segment from {node} to {peer} does not arrive, however often it "
                "is retransmitted", an_end(&event->conn->end[dir]), an_end(&event->conn->end[!dir]));
    return f;
}

static void on_black_hole(struct detect *d, const struct ds_event *event, struct conn_watch *w)
{
    const struct ds_stall *stall = &event->stall;
    const struct ds_tcp_side *peer = &event->conn->link->side[!event->dir];
    const struct ds_tcp_side *side = &event->conn->link->side[event->dir];
    const uint64_t others = side->retransmitted + side->lost_upstream - side->most_repeats;
    if (stall->is_over) {
        w->hole_ns[event->dir] = 0;
        w->doubt_frame[event->dir] = 0;
        return;
    }
    /* Small segments got through: the peer has answered since the link was up. And if others are
     * lost as well, the path loses packets of any size. */
    if (stall->in_flight < LARGE_LEN || (w->told & TOLD_BLACK_HOLE) != 0 ||
        peer->data_segments == 0 || (others >= MIN_OTHERS && others * PER_CENT >= side->data_segments))
        return;
    w->hole_ns[event->dir] = stall->start_ns;
    /* A host that is gone looks the same until the other end is heard. If the other end retransmits
     * what has arrived, small acknowledgements do not arrive either. */
    if (!stall->is_heard)
        w->peer_resent[event->dir] = peer->retransmitted + peer->lost_upstream;
    const bool is_unheard = !stall->is_heard && peer->last_ns < stall->start_ns;
    w->doubt_frame[event->dir] = is_unheard ? event->frame : 0;
    w->is_hole_unsure =
        is_unheard || peer->retransmitted + peer->lost_upstream != w->peer_resent[event->dir];
    if (w->is_hole_unsure)
        return;
    w->told |= TOLD_BLACK_HOLE;
    struct finding *f = begin_hole(d, event, event->dir);
    wording_say(&f->detail, "{bytes} bytes, retransmitted {} {stalled}{}", a_number(stall->in_flight),
                a_word(stall->is_heard ? "for" : "three times in"), a_span(stall->duration_ns),
                a_word(stall->is_heard ? "; the other end still sends" : "; small segments arrived"));
    detect_frame(f, event->frame,
                 stall->is_heard ? "data from the other end that does not acknowledge it"
                                 : "the third retransmission");
    detect_unsure(f, CERTAINTY_LIKELY, "a capture at the other end");
    detect_commit(d);
}

/* on_doubt handles a capture that ends before it is known whether the other end is still there. */
static void on_doubt(struct detect *d, const struct ds_event *event, const struct conn_watch *w,
                     int dir)
{
    if (w->doubt_frame[dir] == 0 || w->is_given_up || event->change.state != DS_CONN_OPEN_AT_END)
        return;
    struct finding *f = begin_hole(d, event, dir);
    f->severity = SEVERITY_WARNING;
    wording_say(&f->detail, "retransmitted for {stalled}, until the end of the capture",
                a_span(event->ts_ns - w->hole_ns[dir]));
    detect_frame(f, w->doubt_frame[dir], "the third retransmission");
    detect_unsure(f, CERTAINTY_POSSIBLE,
                  "a packet from the other end in that time (its host may be gone)");
    detect_commit(d);
}

/* on_missing handles large segments that did not even arrive at the point of capture. */
static void on_missing(struct detect *d, const struct ds_event *event, struct conn_watch *w)
{
    const struct ds_stall *stall = &event->stall;
    const struct ds_endpoint *end = event->conn->end;
    w->hole_ns[event->dir] = stall->is_over ? 0 : stall->start_ns;
    if (stall->is_over || (w->told & TOLD_BLACK_HOLE) != 0)
        return;
    w->told |= TOLD_BLACK_HOLE;
    struct finding *f = begin_hole(d, event, event->dir);
    wording_say(&f->detail, "by its sequence numbers, {node} has sent {missing_bytes} that have not "
                "arrived here or at {peer}, for {stalled}; small segments arrive", an_end(&end[event->dir]),
                a_count(stall->in_flight, "bytes"), an_end(&end[!event->dir]),
                a_span(stall->duration_ns));
    detect_frame(f, event->frame, "the latest");
    detect_unsure(f, CERTAINTY_LIKELY, "a capture at the end that sends them");
    detect_commit(d);
}

static void begin_unread(struct detect *d, const struct ds_event *event)
{
    const struct ds_stall *stall = &event->stall;
    struct finding *f = detect_begin(d, FINDING_DS205, event);
    wording_say(&f->sentence, "{node} does not read what {peer} sends",
                an_end(&event->conn->end[!event->dir]), an_end(&event->conn->end[event->dir]));
    detect_since(d, stall->start_ns);
    f->is_over = stall->is_over;
    wording_say(&f->detail, "{}{stalled}{}",
                a_word(stall->is_over ? "sending was blocked for " : "sending has been blocked for "),
                a_span(stall->duration_ns), a_word(stall->is_over ? "" : " so far"));
}

/* on_bursts reports many short stalls. */
static void on_bursts(struct detect *d, const struct ds_event *event, struct conn_watch *w)
{
    const struct ds_tcp_side *side = &event->conn->link->side[event->dir];
    const int64_t passed_ns = event->ts_ns - side->first_ns;
    if (!event->stall.is_over || (w->told & TOLD_BURSTS << event->dir) != 0 ||
        side->stalls < MIN_BURSTS || side->stalled_ns < 2 * LONG_STALL_NS ||
        side->stalled_ns < passed_ns / 10)
        return;
    w->told |= TOLD_BURSTS << event->dir;
    begin_unread(d, event);
    struct finding *f = &d->draft;
    f->severity = SEVERITY_WARNING;
    f->detail = (struct wording){.len = 0};
    wording_say(&f->detail, "sending was blocked {times} times, each time briefly, for a total of "
                "{stalled} of {within}", a_number(side->stalls), a_span(side->stalled_ns),
                a_span(passed_ns));
    detect_frame(f, event->frame, "the window opens, the latest time");
    detect_commit(d);
}

/* detect_stall_effects reports what had to wait while a peer did not read. */
void detect_stall_effects(struct detect *d, const struct record *record)
{
    const struct ds_event *event = record->event;
    const struct waited *held = record->note.held;
    struct ds_buffer text = {0};
    if (event->stall.why == DS_STALL_LOST || event->stall.why == DS_STALL_MISSING ||
        event->stall.duration_ns < LONG_STALL_NS ||
        held->num_messages == 0)
        return;
    begin_unread(d, event);
    struct finding *f = &d->draft;
    held_print(held, &text);
    wording_add(&f->detail, "; waiting behind it: ");
    if (!text.failed)
        wording_say(&f->detail, "{effects}", a_text(text_of(text.data, text.len)));
    ds_buffer_free(&text);
    detect_frame(f, event->frame, "the window opens");
    detect_frame(f, held->message[0].frame,
                 held->has_head ? "the message in its middle" : "the first that waited");
    if (held->num > 1)
        detect_frame(f, held->message[1].frame,
                     held->has_head ? "the first behind it" : "the second that waited");
    detect_complete(d);
}

/* note_unread records the latest time in which an end did not read what its peer sends. */
static void note_unread(const struct ds_event *event, struct conn_watch *w, int64_t last_data_ns)
{
    if (w->unread[event->dir].until_ns != INT64_MAX)
        w->unread[event->dir].heard_ns = last_data_ns;
    w->unread[event->dir].until_ns = event->stall.is_over ? event->ts_ns : INT64_MAX;
}

static void on_stall(struct detect *d, const struct ds_event *event, struct conn_watch *w)
{
    const struct ds_stall *stall = &event->stall;
    if (stall->why == DS_STALL_LOST) {
        const struct ds_tcp_stats *link = event->conn->link;
        if (!stall->is_over && w->is_half_closed && link->closed_by == event->dir &&
            link->close != DS_CLOSE_RESET)
            detect_fin_unacked(d, event);
        on_black_hole(d, event, w);
        return;
    }
    if (stall->why == DS_STALL_MISSING) {
        on_missing(d, event, w);
        return;
    }
    /* A full window of an end that sends nothing at all means that its host is gone. */
    const struct ds_tcp_side *reader = &event->conn->link->side[!event->dir];
    if (stall->why == DS_STALL_FULL_WINDOW && reader->last_ns <= stall->start_ns)
        return;
    note_unread(event, w, reader->last_data_ns);
    if (stall->duration_ns < LONG_STALL_NS) {
        on_bursts(d, event, w);
        return;
    }
    const bool was_told = w->stall_frame[event->dir] != 0;
    w->stall_frame[event->dir] = stall->is_over ? 0 : event->frame;
    begin_unread(d, event);
    struct finding *f = &d->draft;
    if (stall->message_size != 0)
        wording_say(&f->detail, "; a message is sent in part: {arrived_bytes} of {message_bytes} bytes "
                    "have arrived",
                    a_number(stall->message_passed), a_number(stall->message_size));
    detect_frame(f, event->frame, stall->is_over ? "the window opens" : "the latest");
    /* The sender has nothing to send, or its probes were not captured. */
    if (!detect_kernel_unread(f, event) && stall->tries == 0)
        detect_unsure(f, CERTAINTY_LIKELY, "the sender's probes of the window in that time");
    if (was_told)
        detect_complete(d); /* more about the same finding */
    else
        detect_commit(d);
}

/* on_joined_late reports what blocked a link before it was known as one: no event reports that. */
static void on_joined_late(struct detect *d, const struct ds_event *event)
{
    const struct ds_tcp_stats *link = event->conn->link;
    for (int end = 0; end < 2; end++) {
        const struct ds_tcp_side *side = &link->side[end];
        if (link->side[!end].zero_windows == 0 || side->longest_stall_ns < LONG_STALL_NS)
            continue;
        struct finding *f = detect_begin(d, FINDING_DS205, event);
        detect_since(d, side->first_ns);
        f->is_over = true;
        wording_say(&f->sentence, "{node} does not read what {peer} sends",
                    an_end(&event->conn->end[!end]), an_end(&event->conn->end[end]));
        wording_say(&f->detail, "sending was blocked for {stalled}, before the connection was recognised",
                    a_span(side->longest_stall_ns));
        detect_frame(f, event->frame, "recognised");
        detect_unsure(f, CERTAINTY_LIKELY, "a capture from the beginning of the connection");
        detect_commit(d);
    }
}

static void on_long_message(struct detect *d, const struct ds_event *event)
{
    const struct ds_message *m = &event->message;
    if (m->stalled_ns > m->wire_ns / 2 ||
        (event->fault.kind != DS_FAULT_NONE && event->fault.kind != DS_FAULT_CAP) ||
        detect_has_gaps(event->conn))
        return;
    struct finding *f = detect_begin(d, FINDING_DS206, event);
    detect_since(d, event->ts_ns - m->wire_ns);
    wording_say(&f->sentence, "a message from {node} to {peer} blocks their link",
                an_end(&event->conn->end[event->dir]), an_end(&event->conn->end[!event->dir]));
    wording_say(&f->detail, "{message_bytes} in {lasted}", a_size(m->size), a_span(m->wire_ns));
    detect_frame(f, event->frame, "its last byte");
    detect_commit(d);
}

void detect_link_message(struct detect *d, const struct ds_event *event)
{
    if (event->message.wire_ns >= LONG_MESSAGE_NS)
        on_long_message(d, event);
    if (event->conn->link != NULL && loses(event->conn->link))
        take_loss_amid(d, event);
}

void detect_link(struct detect *d, const struct ds_event *event)
{
    const struct ds_tcp_stats *link = event->conn->link;
    if (link == NULL || event->conn->end[1].port == d->config.epmd_port)
        return;
    struct conn_watch *w = detect_watch(d, event->conn);
    if (w == NULL)
        return;
    if (event->type == DS_EVENT_STALL)
        on_stall(d, event, w);
    for (int dir = 0; dir < 2 && event->type == DS_EVENT_CONN; dir++)
        on_doubt(d, event, w, dir);
    if (event->type == DS_EVENT_CONN && event->change.state == DS_CONN_JOINED_LATE)
        on_joined_late(d, event);
    on_ticktime(d, event, w);
    if (event->type == DS_EVENT_CONN && event->change.state == DS_CONN_UP)
        on_up(d, event, w);
    if (event->type == DS_EVENT_CONN &&
        (event->change.state == DS_CONN_HALF_CLOSED || event->change.state == DS_CONN_CLOSED))
        on_end(d, event, w);
    on_missed(d, event, w, 0);
    on_missed(d, event, w, 1);
    on_loss(d, event, w);
}
