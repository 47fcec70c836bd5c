/*
 * detect_raft.c - raft clusters of ra (raft.h): one without a leader (DS603), leaders that change
 * often (DS604), a follower that falls behind (DS605).
 *
 * A server that misses its leader asks for votes every five seconds or so. If no server can win, it
 * repeats that, and no leader sends append_entries_rpc. A suspended node still acknowledges at TCP
 * level: only its append_entries_reply is missing.
 */
#include "analyse/findings/detect.h"

#define SECOND INT64_C(1000000000)
#define LEADERLESS_NS (10 * SECOND)
#define OFTEN_NS (60 * SECOND)
#define LAG_NS (5 * SECOND)
#define BEHIND_NS (10 * SECOND)

enum { ROUNDS = 3, OFTEN = 5, UNANSWERED = 3, SNAPSHOTS = 3, CAUGHT_UP = 100 };

static const char status_proof[] =
    "rabbitmq-queues quorum_status for that queue, or the logs of its members";

static struct finding *begin(struct detect *d, enum finding_code code, const struct ds_event *event,
                             const struct raft_cluster *c, enum certainty certainty)
{
    struct finding *f = detect_begin(d, code, event);
    if (certainty != CERTAINTY_SURE || c->is_likely)
        detect_unsure(f, c->is_likely && certainty < CERTAINTY_POSSIBLE ? certainty + 1 : certainty,
                      status_proof);
    return f;
}

static void report_leaderless(struct detect *d, const struct ds_event *event, struct raft_cluster *c)
{
    struct finding *f = begin(d, FINDING_DS603, event, c, CERTAINTY_LIKELY);
    detect_since(d, c->votes.first_ns);
    wording_say(&f->sentence, "the raft cluster {cluster} has no leader", an_atom(raft_name(c)));
    if (c->votes.by >= 0)
        wording_say(&f->detail, "{node} asks ", a_node(raft_node(c, c->votes.by)));
    wording_say(&f->detail, "for votes without success for {within}; its members, as far as they were "
                "seen: ", a_span(event->ts_ns - c->votes.first_ns));
    for (int i = 0; i < (int)c->num_members; i++) {
        wording_say(&f->detail, "{}{members}", a_word(i == 0 ? "" : ", "), a_node(raft_node(c, i)));
        if (c->member[i].refused_ns >= c->votes.first_ns)
            wording_printf(&f->detail, " (%s)", call_outcome_name(c->member[i].refusal));
    }
    detect_frame(f, c->votes.first_frame, "the first vote");
    detect_frame(f, event->frame, "the latest");
    c->found_leaderless = detect_commit(d);
}

static void on_votes(struct detect *d, const struct ds_event *event, const struct raft_news *news)
{
    struct raft_cluster *c = news->cluster;
    if (news->is_led && c->found_leaderless != 0) {
        detect_over(d, c->found_leaderless);
        c->found_leaderless = 0;
    }
    if (news->what == RAFT_VOTE && c->found_leaderless == 0 && c->votes.rounds >= ROUNDS &&
        event->ts_ns - c->votes.first_ns >= LEADERLESS_NS)
        report_leaderless(d, event, c);
}

static void on_election(struct detect *d, const struct ds_event *event, struct raft_cluster *c)
{
    if (c->elections < c->elections_found + OFTEN)
        return;
    const int64_t since_ns = c->election_ns[(c->elections - OFTEN) % RAFT_ELECTIONS];
    if (event->ts_ns - since_ns > OFTEN_NS)
        return;
    c->elections_found = c->elections;
    struct finding *f = begin(d, FINDING_DS604, event, c, CERTAINTY_SURE);
    detect_since(d, since_ns);
    f->node[0].len = f->node[1].len = 0;
    wording_say(&f->sentence, "the leader of the raft cluster {cluster} changes repeatedly",
                an_atom(raft_name(c)));
    wording_say(&f->detail, "{times} elections within {within}, to term {term}", a_number(OFTEN),
                a_span(event->ts_ns - since_ns), a_number(c->term));
    for (uint64_t i = c->elections - OFTEN; i < c->elections; i++)
        detect_frame(f, c->election_frame[i % RAFT_ELECTIONS], "a term begins");
    detect_commit(d);
}

static struct finding *begin_lag(struct detect *d, const struct ds_event *event,
                                 const struct raft_news *news, int64_t since_ns)
{
    struct finding *f = begin(d, FINDING_DS605, event, news->cluster, CERTAINTY_LIKELY);
    detect_since(d, since_ns);
    wording_say(&f->sentence, "{node} does not keep up with the raft cluster {cluster}",
                a_node(raft_node(news->cluster, news->member)), an_atom(raft_name(news->cluster)));
    return f;
}

/* may_have_answered says whether its answers may not have been captured, or could not be read.
 * Segments without an acknowledgement have not arrived. A node that sends anything else runs: its
 * server may have been stopped or deleted. In a file, messages come without the facts of their
 * link: then messages of its applications, and ticks, show that it runs. */
static bool may_have_answered(const struct detect *d, const struct ds_event *event,
                              const struct raft_member *m)
{
    const struct conn_watch *w = detect_find_watched(d, event->conn->number);
    const struct ds_tcp_stats *link = event->conn->link;
    return m->reply_ns == 0 || w == NULL || w->app_heard_ns[!event->dir] > m->asked_ns ||
           (link != NULL && detect_heard_ns(&link->side[!event->dir]) > m->asked_ns) ||
           w->is_unacked[event->dir] || detect_is_one_way(d, event->conn->number) ||
           w->unread_ns[!event->dir] >= m->asked_ns;
}

static void on_append(struct detect *d, const struct ds_event *event, const struct raft_news *news)
{
    struct raft_cluster *c = news->cluster;
    struct raft_member *m = news->member >= 0 ? &c->member[news->member] : NULL;
    if (m == NULL || m->asked_ns == 0 || m->found != 0 || m->num_asked < UNANSWERED ||
        event->ts_ns - m->asked_ns < LAG_NS || may_have_answered(d, event, m))
        return;
    const int64_t lag = raft_lag(c, news->member);
    struct finding *f = begin_lag(d, event, news, m->asked_ns);
    wording_say(&f->detail, "it has not answered its leader for {silent}",
                a_span(event->ts_ns - m->asked_ns));
    if (lag >= 0)
        wording_say(&f->detail, ", and lacks {lag} entries of {entries}", a_number(lag), a_number(c->idx));
    detect_frame(f, m->asked_frame, "append_entries_rpc without a reply");
    detect_frame(f, event->frame, "the latest");
    m->found = detect_commit(d);
}

static void on_snapshot(struct detect *d, const struct ds_event *event, const struct raft_news *news)
{
    struct raft_member *m = &news->cluster->member[news->member];
    if (m->snapshots < SNAPSHOTS)
        return;
    struct finding *f = begin_lag(d, event, news, m->snapshot_ns);
    wording_say(&f->detail, "its leader began to send it {times} snapshots within {within}",
                a_number(m->snapshots), a_span(event->ts_ns - m->snapshot_ns));
    detect_frame(f, event->frame, "the latest snapshot");
    m->snapshots = 0;
    m->found = detect_commit(d);
}

static void report_behind(struct detect *d, const struct ds_event *event, const struct raft_news *news)
{
    struct raft_member *m = &news->cluster->member[news->member];
    struct finding *f = begin_lag(d, event, news, m->behind_ns);
    wording_say(&f->detail, "it lacks {lag} entries of {entries}, and {} or more for {within}",
                a_number(raft_lag(news->cluster, news->member)), a_number(news->cluster->idx),
                a_number(RAFT_BEHIND), a_span(event->ts_ns - m->behind_ns));
    detect_frame(f, event->frame, "append_entries_reply");
    m->found = detect_commit(d);
}

static void on_reply(struct detect *d, const struct ds_event *event, const struct raft_news *news)
{
    struct raft_cluster *c = news->cluster;
    struct raft_member *m = news->member >= 0 ? &c->member[news->member] : NULL;
    if (m != NULL && m->found == 0 && m->behind_ns != 0 && event->ts_ns - m->behind_ns >= BEHIND_NS)
        report_behind(d, event, news);
    if (m == NULL || m->found == 0 || raft_lag(c, news->member) > CAUGHT_UP)
        return;
    detect_over(d, m->found);
    m->found = 0;
}

void detect_raft(struct detect *d, const struct record *record)
{
    const struct ds_event *event = record->event;
    const struct raft_news news = raft_message(&d->raft, record);
    if (news.cluster == NULL)
        return;
    on_votes(d, event, &news);
    if (news.is_election)
        on_election(d, event, news.cluster);
    if (news.what == RAFT_APPEND)
        on_append(d, event, &news);
    else if (news.what == RAFT_SNAPSHOT)
        on_snapshot(d, event, &news);
    else if (news.what == RAFT_REPLY)
        on_reply(d, event, &news);
}
