/*
 * metrics.h - traffic as numbers for Prometheus (--metrics): which node sends how much to which
 * other one, how long calls take, which links are up. They contain no terms: labels are names of
 * nodes and of control messages, and words of tables.
 *
 * Memory is bounded by the cap of series for pairs of nodes and the cap of connections.
 */
#ifndef SRC_METRICS_H
#define SRC_METRICS_H

#include "core/listen_address.h"
#include "record/loss.h"
#include "record/record.h"

#include <distsniff/dissect.h>

struct metrics;

struct metrics_config {
    struct listen_address address; /* where they are served; len 0: nowhere */
    const char *file; /* replaced at intervals; NULL: none */
    char *fresh;      /* its name until it is complete */
    bool has_calls;    /* calls are correlated, and findings detected */
    bool has_sockets;  /* kernels are asked about sockets (--kernel) */
    uint64_t limits[DS_LIMIT_COUNT]; /* of the session */
};

/* metrics_wanted says whether the user asked for metrics. */
bool metrics_wanted(const struct metrics_config *config);

/* metrics_new returns NULL if memory ran out. config must stay valid. */
struct metrics *metrics_new(const struct metrics_config *config);
void metrics_free(struct metrics *metrics); /* NULL is allowed */

/* metrics_record counts a record. */
void metrics_record(struct metrics *metrics, const struct record *record);

/* metrics_event counts an event for which there is no record. */
void metrics_event(struct metrics *metrics, const struct ds_event *event);

/* metrics_lost sets the total lost for that cause. */
void metrics_lost(struct metrics *metrics, enum loss_cause cause, uint64_t count);

/* metrics_print appends everything in the text format of Prometheus, 0.0.4, as of that time or of
 * the latest record if that is later. When it is due, it evicts old series, see series.h. */
void metrics_print(struct metrics *metrics, int64_t now_ns, struct ds_buffer *out);

/* metrics_add_stats adds how often memory ran out. */
void metrics_add_stats(const struct metrics *metrics, struct ds_stats *stats);

#endif
