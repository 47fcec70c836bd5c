/*
 * raft.c - see raft.h.
 */
#include "analyse/calls/raft.h"

#include "core/hash.h"

#include <distsniff/identity.h>

#define SECOND INT64_C(1000000000)
#define SNAPSHOTS_NS (60 * SECOND)
#define AGAIN_NS (3 * SECOND) /* a leader that pauses for longer is not waiting for an answer */

enum { MAX_CLUSTERS = 1024 };

void raft_init(struct raft *raft)
{
    table_init(&raft->clusters, sizeof(struct raft_cluster), MAX_CLUSTERS);
}

void raft_free(struct raft *raft)
{
    table_free(&raft->clusters);
}

/* --- clusters and members --- */

static int find_member(const struct raft_cluster *c, struct ds_text node)
{
    for (unsigned i = 0; node.data != NULL && i < c->num_members; i++) {
        if (c->member[i].len == node.len && memcmp(c->member[i].node, node.data, node.len) == 0)
            return (int)i;
    }
    return -1;
}

/* add_member finds or adds a member. -1: its node is unknown, or there is no room. */
static int add_member(struct raft_cluster *c, struct ds_text node)
{
    const int found = find_member(c, node);
    if (found >= 0 || node.data == NULL || node.len == 0 || node.len > RAFT_NODE_LEN)
        return found;
    if (c->num_members == RAFT_MEMBERS) {
        c->has_more = true;
        return -1;
    }
    struct raft_member *m = &c->member[c->num_members];
    *m = (struct raft_member){.len = node.len, .idx = -1, .sent_idx = -1};
    memcpy(m->node, node.data, node.len);
    return (int)c->num_members++;
}

static struct raft_cluster *find_of(const struct raft *raft, struct ds_text name, struct ds_text node)
{
    const uint64_t key = hash_short(31, name);
    struct raft_cluster *c = table_first(&raft->clusters, (uint32_t)key);
    while (c != NULL && (c->key != key || find_member(c, node) < 0))
        c = table_next(&raft->clusters, c);
    return c;
}

static void begin_cluster(struct raft_cluster *c)
{
    c->leader = -1;
    c->term = c->commit = c->idx = -1;
    c->votes.rounds = 0;
    c->timed_idx = 0;
    for (unsigned i = 0; i < c->num_members; i++) {
        c->member[i].idx = c->member[i].sent_idx = -1;
        c->member[i].asked_ns = 0;
    }
}

/* find finds the cluster of that name that has one of two nodes, or adds it. Different clusters may
 * have the same name on other nodes. If each node was known from a different cluster, both are one. */
static struct raft_cluster *find(struct raft *raft, struct ds_text name, struct ds_text a,
                                 struct ds_text b)
{
    struct raft_cluster *c = find_of(raft, name, a), *other = find_of(raft, name, b);
    if (c != NULL && other != NULL && c != other) {
        for (unsigned i = 0; i < other->num_members; i++)
            add_member(c, raft_node(other, (int)i));
        table_remove(&raft->clusters, other);
    }
    if (c == NULL)
        c = other;
    if (c != NULL || name.len > RAFT_NAME_LEN || (a.data == NULL && b.data == NULL))
        return c;
    const uint64_t key = hash_short(31, name);
    c = table_add_forgetting(&raft->clusters, (uint32_t)key);
    if (c == NULL) {
        raft->no_memory++;
        return NULL;
    }
    c->key = key;
    c->len = name.len;
    memcpy(c->name, name.data, name.len);
    begin_cluster(c);
    return c;
}

/* --- messages --- */

/* said is a parsed message. */
struct raft_said {
    enum raft_what what;
    struct ds_text name, node; /* of the leader, the candidate, or the server that answers */
    int64_t term;
    int64_t commit, prev, num; /* of append_entries_rpc */
    int64_t idx;               /* of a reply */
    bool is_vote;              /* request_vote_rpc: a term begins */
    bool is_first;             /* first chunk of a snapshot */
};

static bool word_is(struct ds_text text, const char *word)
{
    return text.len == strlen(word) && memcmp(text.data, word, text.len) == 0;
}

static bool get_integer(const struct ds_term *tuple, uint32_t i, int64_t *out)
{
    struct ds_term term;
    return ds_term_get_element(tuple, i, &term) && ds_term_get_integer(&term, out);
}

static bool get_server(const struct ds_term *tuple, uint32_t i, struct raft_said *said)
{
    struct ds_term server, name, node;
    return ds_term_get_element(tuple, i, &server) && ds_term_get_element(&server, 0, &name) &&
           ds_term_get_element(&server, 1, &node) && ds_term_get_atom(&name, &said->name) &&
           ds_term_get_atom(&node, &said->node);
}

static bool read_append(const struct ds_term *body, struct raft_said *said)
{
    struct ds_term entries;
    uint32_t num = 0;
    said->what = RAFT_APPEND;
    if (!get_integer(body, 1, &said->term) || !get_server(body, 2, said) ||
        !get_integer(body, 3, &said->commit) || !get_integer(body, 4, &said->prev) ||
        !ds_term_get_element(body, 6, &entries) || !ds_term_get_length(&entries, &num))
        return false;
    said->num = num;
    return true;
}

static bool read_reply(const struct ds_term *body, struct raft_said *said)
{
    struct ds_term reply, word;
    struct ds_text text;
    said->what = RAFT_REPLY;
    return get_server(body, 0, said) && ds_term_get_element(body, 1, &reply) &&
           ds_term_get_element(&reply, 0, &word) && ds_term_get_atom(&word, &text) &&
           word_is(text, "append_entries_reply") && get_integer(&reply, 1, &said->term) &&
           get_integer(&reply, 4, &said->idx);
}

static bool read_said(const struct ds_term *body, struct raft_said *said)
{
    struct ds_term word, chunk;
    struct ds_text text;
    int64_t number = 0;
    *said = (struct raft_said){.what = RAFT_NOTHING};
    if (!ds_term_get_element(body, 0, &word))
        return false;
    if (!ds_term_get_atom(&word, &text))
        return read_reply(body, said);
    if (word_is(text, "append_entries_rpc"))
        return read_append(body, said);
    if (word_is(text, "pre_vote_rpc")) {
        said->what = RAFT_VOTE;
        return get_integer(body, 3, &said->term) && get_server(body, 5, said);
    }
    if (word_is(text, "request_vote_rpc")) {
        said->what = RAFT_VOTE;
        said->is_vote = true;
        return get_integer(body, 1, &said->term) && get_server(body, 2, said);
    }
    if (word_is(text, "install_snapshot_rpc")) {
        said->what = RAFT_SNAPSHOT;
        said->is_first = ds_term_get_element(body, 4, &chunk) && get_integer(&chunk, 0, &number) &&
                         number <= 1;
        return get_integer(body, 1, &said->term) && get_server(body, 2, said);
    }
    return false;
}

/* --- what follows from messages --- */

/* begin_term returns true if an election has begun. The first term that is seen is not one. */
static bool begin_term(struct raft_cluster *c, int64_t term, const struct ds_event *event)
{
    const bool is_first = c->term < 0;
    if (term <= c->term)
        return false;
    c->term = term;
    c->leader = -1;
    if (is_first)
        return false;
    c->election_ns[c->elections % RAFT_ELECTIONS] = event->ts_ns;
    c->election_frame[c->elections % RAFT_ELECTIONS] = event->frame;
    c->elections++;
    return true;
}

static void time_commit(struct raft_cluster *c, int64_t now_ns)
{
    if (c->timed_idx != 0 && c->commit >= c->timed_idx) {
        if (now_ns - c->timed_ns > c->slowest_ns)
            c->slowest_ns = now_ns - c->timed_ns;
        c->timed_idx = 0;
    }
    if (c->timed_idx == 0 && c->idx > c->commit) {
        c->timed_idx = c->idx;
        c->timed_ns = now_ns;
    }
}

static void ask(struct raft_member *m, int64_t sent_idx, const struct ds_event *event)
{
    if (sent_idx > m->sent_idx)
        m->sent_idx = sent_idx;
    if (m->asked_ns == 0 || m->asked_conn != event->conn->number ||
        event->ts_ns - m->last_asked_ns > AGAIN_NS) {
        m->asked_ns = event->ts_ns;
        m->asked_frame = event->frame;
        m->asked_conn = event->conn->number;
        m->num_asked = 0;
    }
    m->last_asked_ns = event->ts_ns;
    m->num_asked++;
}

/* lead records that a leader sent a message. */
static void lead(struct raft_news *news, const struct raft_said *said, const struct ds_event *event)
{
    struct raft_cluster *c = news->cluster;
    const int leader = add_member(c, said->node);
    news->is_led = c->votes.rounds != 0;
    c->votes.rounds = 0;
    if (leader == c->leader)
        return;
    c->leader = leader;
    c->since_ns = event->ts_ns;
    c->timed_idx = 0;
    for (unsigned i = 0; i < c->num_members; i++)
        c->member[i].asked_ns = 0;
}

static void on_append(struct raft_news *news, const struct raft_said *said,
                      const struct ds_event *event)
{
    struct raft_cluster *c = news->cluster;
    news->member = add_member(c, event->conn->end[!event->dir].node);
    if (said->term < c->term && said->prev == 0)
        begin_cluster(c); /* a cluster that was deleted and created again */
    if (said->term < c->term)
        return; /* from a former leader */
    news->is_election = begin_term(c, said->term, event);
    lead(news, said, event);
    if (said->commit > c->commit)
        c->commit = said->commit;
    if (said->prev + said->num > c->idx)
        c->idx = said->prev + said->num;
    if (c->first_ns == 0) {
        c->first_ns = event->ts_ns;
        c->first_idx = c->idx;
    }
    if (c->leader >= 0)
        c->member[c->leader].idx = c->idx;
    time_commit(c, event->ts_ns);
    if (news->member >= 0)
        ask(&c->member[news->member], said->prev + said->num, event);
    news->what = RAFT_APPEND;
}

static void on_reply(struct raft_news *news, const struct raft_said *said, const struct ds_event *event)
{
    struct raft_cluster *c = news->cluster;
    news->member = add_member(c, said->node);
    news->what = RAFT_REPLY;
    add_member(c, event->conn->end[!event->dir].node);
    if (news->member < 0)
        return;
    struct raft_member *m = &c->member[news->member];
    m->idx = said->idx;
    m->reply_ns = event->ts_ns;
    m->asked_ns = 0;
    if (said->idx > c->idx)
        c->idx = said->idx;
    if (c->idx - said->idx < RAFT_BEHIND)
        m->behind_ns = 0;
    else if (m->behind_ns == 0)
        m->behind_ns = event->ts_ns;
    if (c->leader < 0 && said->term >= c->term) { /* it answers the leader */
        const struct raft_said leads = {.node = event->conn->end[!event->dir].node};
        news->is_election = begin_term(c, said->term, event);
        if (leads.node.data != NULL)
            lead(news, &leads, event);
    }
}

static void on_vote(struct raft_news *news, const struct raft_said *said, const struct ds_event *event)
{
    struct raft_cluster *c = news->cluster;
    news->what = RAFT_VOTE;
    news->member = add_member(c, said->node);
    add_member(c, event->conn->end[!event->dir].node);
    if (said->is_vote)
        news->is_election = begin_term(c, said->term, event);
    else if (c->term < 0)
        c->term = said->term;
    if (c->votes.rounds == 0) {
        c->votes.first_ns = event->ts_ns;
        c->votes.first_frame = event->frame;
    }
    if (c->votes.rounds == 0 || event->ts_ns - c->votes.last_ns >= SECOND)
        c->votes.rounds++;
    c->votes.last_ns = event->ts_ns;
    c->votes.by = news->member;
}

static void on_snapshot(struct raft_news *news, const struct raft_said *said,
                        const struct ds_event *event)
{
    struct raft_cluster *c = news->cluster;
    news->member = add_member(c, event->conn->end[!event->dir].node);
    news->is_election = begin_term(c, said->term, event);
    lead(news, said, event);
    if (news->member < 0 || !said->is_first)
        return;
    struct raft_member *m = &c->member[news->member];
    if (m->snapshots == 0 || event->ts_ns - m->snapshot_ns > SNAPSHOTS_NS) {
        m->snapshots = 0;
        m->snapshot_ns = event->ts_ns;
    }
    m->snapshots++;
    news->what = RAFT_SNAPSHOT;
}

struct raft_news raft_message(struct raft *raft, const struct record *record)
{
    const struct ds_event *event = record->event;
    const struct ds_term *body =
        record->note.body.data != NULL ? &record->note.body : &event->message.payload;
    struct raft_news news = {.what = RAFT_NOTHING, .member = -1};
    struct raft_said said;
    if (body->data == NULL || !read_said(body, &said))
        return news;
    news.cluster = find(raft, said.name, said.node, event->conn->end[!event->dir].node);
    if (news.cluster == NULL)
        return news;
    news.cluster->heard_ns = event->ts_ns;
    news.cluster->is_likely |= event->likely_atoms != 0;
    switch (said.what) {
    case RAFT_APPEND:
        on_append(&news, &said, event);
        break;
    case RAFT_REPLY:
        on_reply(&news, &said, event);
        break;
    case RAFT_VOTE:
        on_vote(&news, &said, event);
        break;
    case RAFT_SNAPSHOT:
        on_snapshot(&news, &said, event);
        break;
    case RAFT_NOTHING:
        break;
    }
    return news;
}

void raft_call(struct raft *raft, const struct call *call)
{
    if (call->callee.name.data == NULL || call->callee.node.data == NULL ||
        !call_outcome_is_failure(call->outcome))
        return;
    struct raft_cluster *c = find_of(raft, call->callee.name, call->callee.node);
    const int member = c != NULL ? find_member(c, call->callee.node) : -1;
    if (member < 0)
        return;
    c->member[member].refused_ns = call->end_ns;
    c->member[member].refusal = call->outcome;
}

int64_t raft_lag(const struct raft_cluster *c, int member)
{
    const int64_t idx = c->member[member].idx;
    return c->idx < 0 || idx < 0 ? -1 : c->idx > idx ? c->idx - idx : 0;
}
