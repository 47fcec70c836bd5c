/*
 * findings.h - what is wrong in what is seen: records in, records of findings out.
 *
 * The detectors, a file a family, see each record as outputs do, and keep what they need of it in
 * tables with caps. Equal findings become one, which counts.
 */
#ifndef SRC_FINDINGS_H
#define SRC_FINDINGS_H

#include "analyse/findings/unusual.h"
#include "record/loss.h"
#include "record/record.h"
#include "record/silent_point.h"

#include <distsniff/dissect.h>

struct findings;

struct findings_config {
    record_fn emit; /* a record with a finding, which lives until emit returns */
    void *context;
    /* The user may ask for some nodes alone. has_node says whether a node is one of them, and
     * have_nodes_occurred whether any of them has occurred so far. NULL, both: the user asks for all. */
    bool (*has_node)(void *context, struct ds_text name, const struct ds_addr *addr);
    bool (*have_nodes_occurred)(void *context);
    uint16_t epmd_port;
    bool has_cookie; /* digests are checked */
    bool has_timeline; /* what happened when is given out too (timeline.h) */
    bool is_live;
    uint64_t limits[DS_LIMIT_COUNT];
};

/* findings_new returns NULL when memory ran out. */
struct findings *findings_new(const struct findings_config *config);
void findings_free(struct findings *findings); /* NULL is allowed */

/* findings_record takes a record, of whatever kind. */
void findings_record(struct findings *findings, const struct record *record);

/* findings_lost is told of packets or records that were lost here: what spans that is less certain. */
void findings_lost(struct findings *findings, const struct loss *loss);

/* findings_silent is told of a capture point that has fallen silent, or is back. */
void findings_silent(struct findings *findings, const struct silent_point *point);

/* findings_time tells how late it is while no record comes. */
void findings_time(struct findings *findings, int64_t now_ns);

/* findings_overdue_after says which open calls are to be given to findings_overdue, each once: those
 * that began after what it returns and not after *until_ns, which it sets. Not needed for captures
 * that end. */
int64_t findings_overdue_after(struct findings *findings, int64_t now_ns, int64_t *until_ns);
void findings_overdue(struct findings *findings, const struct record *record);

/* findings_set_since: what was restarted, or came and went, before that time is not told of. */
void findings_set_since(struct findings *findings, int64_t since_ns);

/* findings_set_unseen tells what never became a record: without it a verdict would say too much. */
struct findings_unseen {
    uint64_t lost_packets; /* by the kernel or the interface */
    uint64_t bad_packets;  /* of a link type that is not known, or with headers that make no sense */
    uint64_t cut_packets;  /* by the snap length */
    uint64_t cut_files;    /* that could not be read to their end */
    uint64_t ignored;      /* with the numbers of a connection, and no node takes them */
    uint64_t differing;    /* retransmitted with other bytes than the first copy */
    uint64_t fragments;    /* IP packets whose fragments do not fit together */
    uint64_t caps;         /* times that a cap was reached and something dropped */
};
void findings_set_unseen(struct findings *findings, const struct findings_unseen *unseen);

/* findings_unusual takes what a baseline does not have; texts are copied. findings_set_baseline tells what
 * was compared with it so far: without it the verdict does not mention a baseline. */
void findings_unusual(struct findings *findings, const struct unusual *unusual);
void findings_set_baseline(struct findings *findings, const struct baseline_checks *checks);

/* findings_sum_up emits what was looked at and is in order, and what could not be looked at. */
void findings_sum_up(struct findings *findings);

/* findings_end emits what is certain now that nothing more comes, then sums up. */
void findings_end(struct findings *findings);

void findings_add_stats(const struct findings *findings, struct ds_stats *stats);

#endif
