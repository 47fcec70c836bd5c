/*
 * raft.h - raft clusters of ra, as seen in their messages: which servers each has, who leads it
 * since when, how far each follower is, and elections. RabbitMQ has one for each quorum queue, for
 * its metadata (Khepri) and for its streams' coordinator.
 *
 * A cluster is the servers with one registered name on several nodes. Terms and indices are ra's
 * own numbers, so they are right on a link that was joined late, too; the names on it may be likely
 * ones.
 *
 * leader to follower:
 *     {append_entries_rpc, Term, {Name, LeaderNode}, Commit, PrevIdx, PrevTerm, Entries}
 *     {install_snapshot_rpc, Term, {Name, LeaderNode}, Meta, {Chunk, _}, Data}
 * follower to leader:
 *     {{Name, Node}, {append_entries_reply, Term, Success, NextIdx, LastIdx, LastTerm}}
 * candidate to the others:
 *     {pre_vote_rpc, Version, MachineVersion, Term, Token, {Name, Node}, LastIdx, LastTerm}
 *     {request_vote_rpc, Term, {Name, Node}, LastIdx, LastTerm}
 */
#ifndef SRC_RAFT_H
#define SRC_RAFT_H

#include "core/table.h"
#include "record/record.h"

#include <string.h>

enum { RAFT_NAME_LEN = 120, RAFT_NODE_LEN = 128, RAFT_MEMBERS = 7, RAFT_ELECTIONS = 8, RAFT_BEHIND = 1000 };

struct raft_member {
    size_t len;
    char node[RAFT_NODE_LEN];
    int64_t idx;         /* the last entry in its log, as it reported; -1: unknown */
    int64_t sent_idx;    /* the last entry that the leader has sent to it */
    int64_t reply_ns;    /* when it last answered a leader; 0: never */
    int64_t asked_ns;    /* since when the leader's messages are not answered; 0: all are answered */
    int64_t last_asked_ns;
    unsigned num_asked;  /* messages since asked_ns on that connection */
    uint64_t asked_frame, asked_conn;
    int64_t behind_ns;   /* since when it reports to lack RAFT_BEHIND entries or more; 0: it does
                          * not */
    unsigned snapshots;  /* transfers begun since snapshot_ns */
    int64_t snapshot_ns;
    int64_t refused_ns;  /* when it last left a candidate unanswered */
    enum call_outcome refusal;
    uint64_t found; /* for the caller's use, as are found_leaderless and elections_found */
};

struct raft_cluster {
    struct table_entry entry;
    uint64_t key;
    size_t len;
    char name[RAFT_NAME_LEN];
    bool is_likely; /* an atom of its messages is only likely */
    bool has_more;  /* it has more members than there is room for */
    unsigned num_members;
    struct raft_member member[RAFT_MEMBERS];
    int leader;       /* index of a member; -1: unknown */
    int64_t term;     /* the highest seen; -1: none */
    int64_t since_ns; /* when this leader was first seen, in this term */
    int64_t commit, idx; /* of the leader; -1: unknown */
    int64_t first_idx, first_ns; /* the leader's index when first seen */
    int64_t heard_ns;            /* when the latest message came */
    uint64_t elections;          /* terms that began while the cluster was watched */
    int64_t election_ns[RAFT_ELECTIONS];
    uint64_t election_frame[RAFT_ELECTIONS];
    struct {
        unsigned rounds; /* a second or more apart; 0: the latest message is from a leader */
        int64_t first_ns, last_ns;
        uint64_t first_frame;
        int by; /* the candidate */
    } votes;
    int64_t timed_idx, timed_ns; /* an entry that waits for its commit; timed_idx 0: none */
    int64_t slowest_ns;          /* longest time from an entry to its commit; 0: none seen */
    uint64_t found_leaderless, elections_found;
};

struct raft {
    struct table clusters;
    uint64_t no_memory;
};

/* raft_news is what a message reports. */
enum raft_what { RAFT_NOTHING, RAFT_APPEND, RAFT_REPLY, RAFT_VOTE, RAFT_SNAPSHOT };
struct raft_news {
    enum raft_what what;
    struct raft_cluster *cluster;
    int member;       /* the server that was asked, answers, or asks for votes */
    bool is_election; /* a term has begun */
    bool is_led;      /* the cluster has a leader again, after votes */
};

void raft_init(struct raft *raft);
void raft_free(struct raft *raft);

/* raft_is_label says whether raft_message processes messages with that label (which may be NULL). */
static inline bool raft_is_label(const char *label)
{
    return label != NULL && label[0] == 'r' && label[1] == 'a' && label[2] == ':' &&
           (label[3] == 'a' || label[3] == 'v' || label[3] == 's');
}

/* raft_gets_no_vote says whether a call is a candidate's that timed out or was abandoned: a member that
 * sees no need for an election does not answer, and the candidate does not wait for it. */
static inline bool raft_gets_no_vote(const struct call *call)
{
    return raft_is_label(call->label) && call->label[3] == 'v' &&
           (call->outcome == CALL_TIMEOUT || call->outcome == CALL_ABANDONED);
}

/* raft_message processes a message whose label raft_is_label accepts. The result is valid until the
 * next call. */
struct raft_news raft_message(struct raft *raft, const struct record *record);

/* raft_call processes a call that has ended, labelled ra:vote: a member that did not answer a
 * candidate. */
void raft_call(struct raft *raft, const struct call *call);

static inline struct ds_text raft_name(const struct raft_cluster *cluster)
{
    return (struct ds_text){cluster->name, cluster->len};
}

static inline struct ds_text raft_node(const struct raft_cluster *cluster, int member)
{
    return (struct ds_text){cluster->member[member].node, cluster->member[member].len};
}

/* raft_lag returns how many of the leader's entries a member lacks; -1: unknown. */
int64_t raft_lag(const struct raft_cluster *cluster, int member);

#endif
