/*
 * detect_stall.c - a link is stalled now (DS214): data of an end has not been acknowledged for
 * three seconds or more, though it was retransmitted. An error while it lasts, also at the end of
 * the capture; a warning when it is over.
 *
 * Not reported here: a closed or full window is DS205, and the loss of large segments alone, while
 * small ones arrive, is DS207. When the nodes give each other up (DS201, DS208), this finding
 * becomes a note.
 */
#include "analyse/findings/detect.h"

#include <string.h>

#define SECOND INT64_C(1000000000)
#define STALLED_NS (3 * SECOND)
#define ANSWER_NS SECOND /* a packet this long after the first loss was sent without the lost data */

enum { LONG_REPEATS = 5 }; /* each waits twice as long as the previous one: at least six seconds */

/* stalled is a link on which data is retransmitted without an acknowledgement. */
struct stalled {
    bool is_used, is_told;
    bool waits[2];    /* data of that end is not acknowledged */
    bool is_heard[2]; /* it has sent something since */
    int64_t heard_ns[2];   /* the first time after ANSWER_NS; 0: never */
    int64_t repeats_ns[2]; /* likewise, that it retransmits acknowledged data */
    uint64_t conn, frame[2], retransmitted[2];
    uint64_t needless[2];  /* ds_tcp_side's counter at the start */
    uint32_t most_repeats; /* of one segment */
    int64_t start_ns;
    int64_t end_ns;      /* if it has ended; INT64_MAX: it lasts */
    int64_t repeated_ns; /* the last retransmission of unacknowledged data */
    bool has_arrived;    /* the data had arrived before, as the silent end shows when it is heard */
    bool says_arrived;   /* by D-SACK */
    const char *icmp;
    struct wording name[2];
    struct ds_socket socket[2]; /* as reported by the kernels of the ends */
    struct finding finding; /* its sentence and nodes */
};

enum { MAX_STALLED = 32 };

struct stall_watch {
    struct stalled stalled[MAX_STALLED];
    bool has_stalled; /* some entry is in use */
};

const struct detect_family detect_stall_family = {sizeof(struct stall_watch), {{0}}};

static struct stalled *find(struct detect *d, uint64_t conn)
{
    for (size_t i = 0; i < MAX_STALLED; i++) {
        if (d->stall->stalled[i].is_used && d->stall->stalled[i].conn == conn)
            return &d->stall->stalled[i];
    }
    return NULL;
}

/* get finds or adds the entry of a connection. If there is no free one it evicts the one that began
 * first. */
static struct stalled *get(struct detect *d, const struct ds_event *event)
{
    struct stalled *s = find(d, event->conn->number);
    if (s != NULL)
        return s;
    s = &d->stall->stalled[0];
    for (size_t i = 0; i < MAX_STALLED && s->is_used; i++) {
        if (!d->stall->stalled[i].is_used || d->stall->stalled[i].start_ns < s->start_ns)
            s = &d->stall->stalled[i];
    }
    *s = (struct stalled){.is_used = true, .conn = event->conn->number,
                          .start_ns = event->stall.start_ns, .end_ns = INT64_MAX};
    d->stall->has_stalled = true;
    return s;
}

static bool is_one_way(const struct detect *d, const struct stalled *s)
{
    const struct conn_watch *w = detect_find_watched(d, s->conn);
    return w != NULL && w->is_one_way;
}

/* span_of returns how long the stall has lasted, without a time in which no packet was captured,
 * unless the retransmissions alone took longer. Retransmissions are not records. An end that
 * retransmits has got no acknowledgement until then: if only one direction was captured, no more is
 * known. */
static int64_t span_of(const struct detect *d, const struct stalled *s, int64_t now_ns)
{
    const int64_t span_ns = now_ns - s->start_ns, seen_ns = s->repeated_ns - s->start_ns;
    if (is_one_way(d, s))
        return seen_ns;
    const bool is_within = s->most_repeats < LONG_REPEATS &&
                           d->pause.from_ns >= s->start_ns && d->pause.to_ns <= now_ns;
    const int64_t rest_ns = is_within ? span_ns - (d->pause.to_ns - d->pause.from_ns) : span_ns;
    return rest_ns > seen_ns ? rest_ns : seen_ns;
}

/* begin fills in the draft with what is known now; the caller adds the rest of the detail. */
static struct finding *begin(struct detect *d, const struct stalled *s)
{
    d->draft = s->finding;
    detect_since(d, s->start_ns);
    d->draft.evidence[0].ts_ns = s->start_ns;
    return &d->draft;
}

static void keep_ends(struct detect *d, struct stalled *s, const struct ds_event *event)
{
    const struct ds_endpoint *end = event->conn->end;
    struct finding *f = detect_begin(d, FINDING_DS214, event);
    wording_say(&f->sentence, "the link between {node} and {peer} is stalled", an_end(&end[0]),
                an_end(&end[1]));
    s->finding = *f;
    for (int i = 0; i < 2; i++) {
        s->name[i] = (struct wording){.len = 0};
        wording_say(&s->name[i], "{}", an_end(&end[i]));
    }
}

/* was_heard says whether that end was heard during the stall. The packet that ended it does not
 * count. */
static bool was_heard(const struct stalled *s, int end)
{
    return s->waits[end] || (s->heard_ns[end] != 0 && s->heard_ns[end] < s->end_ns);
}

/* put_way writes which direction is cut, as far as that is known. */
static void put_way(const struct detect *d, struct wording *detail, const struct stalled *s)
{
    const int waits = s->waits[0] ? 0 : 1;
    if (s->waits[0] && s->waits[1]) {
        wording_add(detail, s->is_heard[0] && s->is_heard[1]
                                ? "both are heard, but neither acknowledges what the other sends"
                                : "neither acknowledges what the other sends");
        return;
    }
    wording_add(detail, "what ");
    wording_words(detail, &s->name[waits]);
    wording_add(detail, " sends is retransmitted and not acknowledged; ");
    const int64_t repeats_ns = s->repeats_ns[!waits];
    if (is_one_way(d, s)) {
        wording_add(detail, "no packet from ");
        wording_words(detail, &s->name[!waits]);
        wording_add(detail, " was captured");
    } else if (s->has_arrived) {
        wording_add(detail, "it had arrived, and what ");
        wording_words(detail, &s->name[!waits]);
        wording_add(detail, " sent was lost: that way was cut");
    } else if (repeats_ns != 0 && repeats_ns < s->end_ns) {
        wording_words(detail, &s->name[!waits]);
        wording_add(detail, " retransmits what was acknowledged: nothing reaches it, but the way "
                            "back is open");
    } else if (was_heard(s, !waits)) {
        wording_words(detail, &s->name[!waits]);
        wording_add(detail, " still sends: nothing reaches it, but the way back is open");
    } else {
        wording_add(detail, s->end_ns != INT64_MAX ? "nothing was heard from " : "nothing is heard from ");
        wording_words(detail, &s->name[!waits]);
    }
}

static void judge(const struct detect *d, struct finding *f, const struct stalled *s)
{
    bool is_proved = false;
    for (int end = 0; end < 2; end++)
        is_proved |= s->waits[end] && detect_kernel_lost(f, s->start_ns, &s->name[end], &s->socket[end]);
    if (is_proved)
        return;
    const struct conn_watch *w = detect_find_watched(d, s->conn);
    const bool has_pause = d->pause.from_ns >= s->start_ns && d->pause.to_ns <= d->now_ns &&
                           s->repeated_ns - s->start_ns < STALLED_NS &&
                           span_of(d, s, d->now_ns) < 2 * STALLED_NS;
    if (has_pause || (w != NULL && w->gap_ns >= s->start_ns))
        detect_unsure(f, CERTAINTY_POSSIBLE, "a capture without losses (acknowledgements may be missing)");
    else if (w != NULL && w->is_one_way)
        detect_unsure(f, CERTAINTY_LIKELY, "a capture of both directions");
    else if (!s->is_heard[0] || !s->is_heard[1] || (s->has_arrived && !s->says_arrived))
        detect_unsure(f, CERTAINTY_LIKELY, "a capture at the other end");
}

/* is_others says whether another finding reports that link. */
static bool is_others(const struct detect *d, const struct stalled *s)
{
    const struct conn_watch *w = detect_find_watched(d, s->conn);
    return w != NULL && (w->is_given_up ||
                         ((w->hole_ns[0] != 0 || w->hole_ns[1] != 0) && !w->is_hole_unsure));
}

static void report(struct detect *d, struct stalled *s, const char *end, enum severity severity)
{
    struct finding *f = begin(d, s);
    f->severity = severity;
    f->is_over = severity != SEVERITY_ERROR;
    const int64_t until_ns = s->end_ns < d->now_ns ? s->end_ns : d->now_ns;
    wording_say(&f->detail, "for {stalled}{}", a_span(until_ns - s->start_ns), a_word(end));
    put_way(d, &f->detail, s);
    wording_icmp(&f->detail, s->icmp);
    for (int i = 0; i < 2; i++)
        detect_frame(f, s->frame[i], "retransmitted for the third time");
    judge(d, f, s);
    if (s->is_told)
        detect_change(d, severity);
    else
        detect_commit(d);
    s->is_told = true;
}

static void on_lost(struct detect *d, const struct ds_event *event)
{
    const struct ds_tcp_stats *link = event->conn->link;
    const int dir = event->dir;
    if (link == NULL || event->conn->end[1].port == d->config.epmd_port)
        return;
    struct stalled *s = get(d, event);
    if (s->finding.kind == NULL)
        keep_ends(d, s, event);
    s->start_ns = event->stall.start_ns < s->start_ns ? event->stall.start_ns : s->start_ns;
    s->waits[dir] = true;
    s->frame[dir] = event->frame;
    s->icmp = link->icmp;
    s->retransmitted[!dir] = link->side[!dir].retransmitted;
    s->needless[dir] = link->side[dir].needless;
    s->is_heard[dir] = true;
    for (int end = 0; end < 2; end++)
        s->socket[end] = link->side[end].socket;
    s->is_heard[!dir] |= link->side[!dir].last_ns > event->stall.start_ns;
}

/* on_heard handles any packet of a stalled link, also a retransmission. */
static void on_heard(struct stalled *s, const struct ds_event *event)
{
    const struct ds_tcp_stats *link = event->conn->link;
    if (link == NULL)
        return;
    for (int end = 0; end < 2; end++) {
        const struct ds_tcp_side *side = &link->side[end];
        s->socket[end] = side->socket;
        s->is_heard[end] |= side->last_ns > s->start_ns;
        if (s->heard_ns[end] == 0 && side->last_ns - s->start_ns >= ANSWER_NS)
            s->heard_ns[end] = side->last_ns;
        if (s->repeats_ns[end] == 0 && s->waits[!end] && !s->waits[end] &&
            side->retransmitted > s->retransmitted[end])
            s->repeats_ns[end] = side->last_ns;
        if (!s->waits[end])
            continue;
        if (side->most_repeats > s->most_repeats)
            s->most_repeats = side->most_repeats;
        if (side->repeated_ns > s->repeated_ns)
            s->repeated_ns = side->repeated_ns;
    }
}

/* says_arrived says whether the acknowledgement that ends the stall is for data that had arrived
 * long before, by D-SACK. */
static bool says_arrived(const struct stalled *s, const struct ds_event *event)
{
    return event->conn->link->side[event->dir].needless > s->needless[event->dir];
}

/* had_arrived also accepts an acknowledgement with data, long after the last retransmission: it
 * does not answer that one. An acknowledgement alone may come from a host that had stopped. */
static bool had_arrived(const struct stalled *s, const struct ds_event *event)
{
    const struct ds_tcp_side *waits = &event->conn->link->side[event->dir];
    const struct ds_tcp_side *other = &event->conn->link->side[!event->dir];
    return says_arrived(s, event) ||
           (s->repeated_ns != 0 && s->end_ns - s->repeated_ns >= ANSWER_NS &&
            waits->last_ns <= s->repeated_ns && other->last_data_ns == other->last_ns);
}

/* goes_on says whether a link with only one direction captured sends new data. */
static bool goes_on(const struct detect *d, const struct stalled *s, const struct ds_event *event)
{
    const int waits = s->waits[0] ? 0 : 1;
    return event->conn->link != NULL && is_one_way(d, s) &&
           event->conn->link->side[waits].last_data_ns > s->repeated_ns;
}

/* how_over says how a stall ended: an end that has sent its FIN or RST does not use the link again,
 * even if that is acknowledged. */
static const char *how_over(const struct ds_event *event)
{
    const struct ds_tcp_stats *link = event->conn->link;
    return link != NULL && (link->closed_by >= 0 || link->close == DS_CLOSE_FIN ||
                            link->close == DS_CLOSE_RESET)
               ? ", until the link went down: "
               : ", then it recovered: ";
}

/* on_over handles the end of a stall: the link goes on, or has ended. */
static void on_over(struct detect *d, struct stalled *s, const char *how)
{
    if (s->end_ns == INT64_MAX)
        s->end_ns = d->now_ns;
    if ((s->is_told || span_of(d, s, d->now_ns) >= STALLED_NS) && !is_others(d, s))
        report(d, s, how, SEVERITY_WARNING);
    s->is_used = false;
}

void detect_stall(struct detect *d, const struct ds_event *event)
{
    const bool is_lost = event->type == DS_EVENT_STALL && event->stall.why == DS_STALL_LOST;
    if (is_lost && !event->stall.is_over && !event->stall.is_heard)
        on_lost(d, event);
    struct stalled *s = d->stall->has_stalled ? find(d, event->conn->number) : NULL;
    if (s == NULL)
        return;
    on_heard(s, event);
    if (is_lost && event->stall.is_over) {
        s->end_ns = event->stall.start_ns + event->stall.duration_ns;
        const bool is_silent = event->conn->link != NULL && !was_heard(s, !event->dir);
        s->has_arrived = is_silent && had_arrived(s, event);
        s->says_arrived = is_silent && says_arrived(s, event);
        s->waits[event->dir] = false;
        if (!s->waits[!event->dir]) {
            s->waits[event->dir] = true; /* so that it is reported */
            on_over(d, s, how_over(event));
        } else {
            s->end_ns = INT64_MAX;
        }
    } else if (goes_on(d, s, event)) {
        on_over(d, s, how_over(event));
    } else if (event->type == DS_EVENT_CONN && event->change.state == DS_CONN_OPEN_AT_END) {
        detect_stall_time(d);
        s->is_used = false;
    } else if (event->type == DS_EVENT_CONN &&
               (event->change.final || event->change.state == DS_CONN_CLOSED ||
                event->change.state == DS_CONN_FAILED)) {
        on_over(d, s, ", until the link went down: ");
    }
}

void detect_stall_given_up(struct detect *d, uint64_t conn)
{
    struct stalled *s = d->stall->has_stalled ? find(d, conn) : NULL;
    if (s == NULL)
        return;
    const struct finding draft = d->draft;
    const int64_t since_ns = d->since_ns;
    const bool has_since = d->has_since;
    if (s->is_told)
        report(d, s, ", until the nodes disconnected: ", SEVERITY_NOTE);
    s->is_used = false;
    d->draft = draft;
    d->since_ns = since_ns;
    d->has_since = has_since;
}

void detect_stall_time(struct detect *d)
{
    if (!d->stall->has_stalled)
        return;
    d->stall->has_stalled = false;
    for (size_t i = 0; i < MAX_STALLED; i++) {
        struct stalled *s = &d->stall->stalled[i];
        d->stall->has_stalled |= s->is_used;
        if (s->is_used && !s->is_told && span_of(d, s, d->now_ns) >= STALLED_NS && !is_others(d, s))
            report(d, s, " so far: ", SEVERITY_ERROR);
    }
}

static bool is_of(const struct stalled *s, struct ds_text name)
{
    for (int end = 0; end < 2 && name.data != NULL; end++) {
        const struct ds_text node = finding_node(&s->finding, end);
        if (node.len == name.len && memcmp(node.data, name.data, name.len) == 0)
            return true;
    }
    return false;
}

bool detect_stall_beside(const struct detect *d, const struct ds_text name[2], int64_t from_ns,
                         int64_t until_ns)
{
    for (size_t i = 0; i < MAX_STALLED; i++) {
        const struct stalled *s = &d->stall->stalled[i];
        if (s->finding.kind != NULL && s->start_ns >= from_ns && s->end_ns >= until_ns &&
            is_of(s, name[0]) != is_of(s, name[1]))
            return true;
    }
    return false;
}
