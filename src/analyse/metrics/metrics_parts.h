/*
 * metrics_parts.h - what metrics.c counts and metrics_text.c writes.
 */
#ifndef SRC_METRICS_PARTS_H
#define SRC_METRICS_PARTS_H

#include "analyse/findings/finding_kinds.h"
#include "analyse/metrics/metrics.h"
#include "analyse/metrics/series.h"

enum { METRICS_OPS = 64, METRICS_BUCKETS = 18 };

/* What prevents a socket from sending: a label. */
enum metrics_limit { METRICS_RECEIVE_WINDOW, METRICS_SEND_BUFFER, METRICS_LIMITS };

/* The queues in the kernels of sender and receiver. */
enum metrics_queue_kind { METRICS_SEND_QUEUE, METRICS_RECEIVE_QUEUE, METRICS_QUEUES };
struct metrics_queue {
    uint32_t sockets; /* whose kernels have answered */
    uint64_t bytes;
};

/* metrics_socket is a socket as its kernel last reported it, with the totals of that time. */
struct metrics_socket {
    int64_t asked_ns; /* 0: never */
    uint64_t queue[METRICS_QUEUES]; /* bytes */
    int64_t limited_ns[METRICS_LIMITS];
    uint32_t retransmitted;
};

/* metrics_pair counts what one node sends to another. */
struct metrics_pair {
    struct series series; /* src, dst */
    uint64_t messages[METRICS_OPS]; /* by op code; 0, which is no op: of unknown ops */
    uint64_t bytes;
    int64_t stalled_ns;
    int64_t limited_ns[METRICS_LIMITS];
    uint64_t retransmitted; /* segments */
    struct metrics_queue queue[METRICS_QUEUES]; /* used while writing: of all its connections */
    uint32_t links;  /* used while writing: connections that are up */
    int64_t gap_ns;  /* used while writing: the longest silence on them */
};

/* duration is how long the calls of one caller, callee, label and outcome took. */
struct duration {
    struct series series; /* src, dst, label, outcome */
    uint64_t bucket[METRICS_BUCKETS]; /* each call is in one; the last: longer calls */
    uint64_t count;
    int64_t sum_ns;
};

/* How a handshake ended: a label, so it is a word of this program. */
enum handshake_end {
#define HANDSHAKE_END(id, name) HANDSHAKE_##id,
#include "analyse/metrics/handshake_end.def"
#undef HANDSHAKE_END
    HANDSHAKE_END_COUNT
};

/* metrics_link is a connection of the distribution, or of EPMD, which has no messages. */
struct metrics_link {
    struct table_entry entry;
    uint64_t number;
    char *names; /* of both ends; NULL: not set yet */
    uint8_t len[2]; /* of each; an end without a name has its address in names */
    bool has_name[2];
    bool is_up, is_shaking; /* is_shaking: a handshake has begun and not ended */
    enum handshake_end trouble; /* how it ended, if it turns out to have failed */
    uint32_t generation; /* of the series when pair was looked up */
    struct metrics_pair *pair[2]; /* by direction; NULL: it has no entry */
    int64_t heard_ns[2];
    struct metrics_socket socket[2];
};
TABLE_KEYED(struct metrics_link, number);

struct metrics {
    const struct metrics_config *config;
    struct series_set pairs, durations;
    struct metrics_pair other_pair;
    struct duration other_durations[CALL_OUTCOME_COUNT];
    struct table links;
    struct metrics_link *latest; /* the link looked up last, or NULL */
    uint64_t closes[DS_CLOSE_CAPTURE + 1];
    uint64_t handshakes[HANDSHAKE_END_COUNT];
    uint64_t findings[FINDING_CODE_COUNT];
    uint64_t lost[LOSS_CAUSE_COUNT];
    uint64_t no_memory;
    int64_t now_ns;    /* of the latest record or the latest output */
    int64_t review_ns; /* when to review the series next */
};

/* The upper bounds of the buckets, in nanoseconds and as Prometheus text. */
struct metrics_bucket {
    int64_t ns;
    const char *seconds;
};
extern const struct metrics_bucket metrics_buckets[METRICS_BUCKETS];

/* metrics_pair returns the pair of a link's direction, or the pair of the others if it has no
 * entry. */
struct metrics_pair *metrics_pair(struct metrics *metrics, struct metrics_link *link, unsigned dir);

#endif
