/*
 * metrics.h - what goes on, as numbers for Prometheus (--metrics): who sends how much to whom, how
 * long calls take, which links are up. No term of anybody is in them: labels are names of nodes,
 * those of control messages, and the words of tables.
 *
 * Memory is bounded by the cap of series for pairs of nodes and that of connections.
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
    const char *file; /* to be replaced at intervals; NULL: none */
    char *fresh;      /* its name until it is whole */
    bool has_calls;    /* calls are put together, and findings looked for */
    bool has_sockets;  /* kernels are asked about sockets (--kernel) */
    uint64_t limits[DS_LIMIT_COUNT]; /* of the session */
};

/* metrics_wanted says whether anybody asked for metrics. */
bool metrics_wanted(const struct metrics_config *config);

/* metrics_new returns NULL when memory ran out. config must stay. */
struct metrics *metrics_new(const struct metrics_config *config);
void metrics_free(struct metrics *metrics); /* NULL is allowed */

/* metrics_record counts a record. */
void metrics_record(struct metrics *metrics, const struct record *record);

/* metrics_event counts an event, of which no more is known. */
void metrics_event(struct metrics *metrics, const struct ds_event *event);

/* metrics_lost says how much has been lost in all, of that cause. */
void metrics_lost(struct metrics *metrics, enum loss_cause cause, uint64_t count);

/* metrics_print appends all in the text format of Prometheus, 0.0.4, as it is at that time or at that
 * of the latest record if it is later. Where it is time to, series are let go, see series.h. */
void metrics_print(struct metrics *metrics, int64_t now_ns, struct ds_buffer *out);

/* metrics_add_stats adds the times that memory ran out. */
void metrics_add_stats(const struct metrics *metrics, struct ds_stats *stats);

#endif
