/*
 * findings.h - finds faults in what is captured: records in, records of findings out.
 *
 * The detectors, a file each, get every record as outputs do, and keep what they need in tables
 * with caps. Equal findings are merged into one, which has a count.
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
    record_fn emit; /* a record with a finding, valid until emit returns */
    void *context;
    /* The user may ask for some nodes only. has_node says whether a node is one of them, and
     * have_nodes_occurred whether any has occurred so far. Both NULL: the user asks for all. */
    bool (*has_node)(void *context, struct ds_text name, const struct ds_addr *addr);
    bool (*have_nodes_occurred)(void *context);
    uint16_t epmd_port;
    bool has_cookie; /* digests are checked */
    bool has_timeline; /* the timeline is emitted too (timeline.h) */
    bool is_live;
    uint64_t limits[DS_LIMIT_COUNT];
};

/* findings_new returns NULL if memory ran out. */
struct findings *findings_new(const struct findings_config *config);
void findings_free(struct findings *findings); /* NULL is allowed */

/* findings_record processes a record of any kind. */
void findings_record(struct findings *findings, const struct record *record);

/* findings_lost records that packets or records were lost here: findings that span it are less
 * certain. */
void findings_lost(struct findings *findings, const struct loss *loss);

/* findings_silent handles a capture point that has fallen silent, or is back. */
void findings_silent(struct findings *findings, const struct silent_point *point);

/* findings_time sets the current time while no record comes. */
void findings_time(struct findings *findings, int64_t now_ns);

/* findings_overdue_after returns which open calls the caller passes to findings_overdue, each once:
 * those that began after the result and not after *until_ns, which it sets. Captures that end do
 * not need it. */
int64_t findings_overdue_after(struct findings *findings, int64_t now_ns, int64_t *until_ns);
void findings_overdue(struct findings *findings, const struct record *record);

/* findings_set_since suppresses reports of what was restarted, or came and went, before that time. */
void findings_set_since(struct findings *findings, int64_t since_ns);

/* findings_set_unseen sets what never became a record: without it a verdict would claim too much. */
struct findings_unseen {
    uint64_t lost_packets; /* by the kernel or the interface */
    uint64_t bad_packets;  /* of an unknown link type, or with invalid headers */
    uint64_t cut_packets;  /* by the snap length */
    uint64_t cut_files;    /* that could not be read to the end */
    uint64_t ignored;      /* with the addresses and ports of a connection, but no node accepts them */
    uint64_t differing;    /* retransmitted with different bytes */
    uint64_t fragments;    /* IP packets whose fragments do not fit together */
    uint64_t caps;         /* times that a cap was reached and something was dropped */
};
void findings_set_unseen(struct findings *findings, const struct findings_unseen *unseen);

/* findings_unusual reports what a baseline does not have; it copies the texts.
 * findings_set_baseline sets what was compared with it so far: without it the verdict does not
 * mention a baseline. */
void findings_unusual(struct findings *findings, const struct unusual *unusual);
void findings_set_baseline(struct findings *findings, const struct baseline_checks *checks);

/* findings_sum_up emits what was checked and is in order, and what could not be checked. */
void findings_sum_up(struct findings *findings);

/* findings_end emits what is certain at the end of the capture, then sums up. */
void findings_end(struct findings *findings);

void findings_add_stats(const struct findings *findings, struct ds_stats *stats);

#endif
