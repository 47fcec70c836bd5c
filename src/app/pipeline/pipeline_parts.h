/*
 * pipeline_parts.h - shared by the files of the pipeline. pipeline_new.c opens the stages;
 * pipeline.c processes events up to their correlation, and runs the threads; pipeline_record.c
 * distributes records from there, pipeline_pass.c takes them to the outputs, pipeline_facts.c adds
 * records besides the events; pipeline_reports.c writes reports while events still come. These four
 * run in the correlation thread. pipeline_reload.c changes settings while events come,
 * pipeline_state.c says whether the pipeline goes on.
 */
#ifndef SRC_PIPELINE_PARTS_H
#define SRC_PIPELINE_PARTS_H

#include "analyse/calls/correlate.h"
#include "analyse/calls/stall_effects.h"
#include "analyse/findings/findings.h"
#include "analyse/metrics/metrics.h"
#include "app/pipeline/outputs.h"
#include "app/pipeline/pipeline.h"
#include "compare/compare.h"
#include "explain/explain.h"
#include "keep/annotated_file.h"
#include "keep/packet_notes.h"
#include "keep/packet_recorder.h"
#include "record/deferred_records.h"
#include "redact/redact.h"
#include "reports/reports.h"
#include "select/selector.h"

#include <pthread.h>
#include <stdatomic.h>

enum { LINKS_DUE = 1024, CACHE_LINE = 64 };

/* link_due is when the facts of a link are due again. A link may replace another one here, whose
 * facts are then delayed. */
struct link_due {
    uint64_t conn;
    int64_t due_ns;
};

/* silent_points wait for the second thread: each of 256 hosts may fall silent, and be back. */
enum { MAX_SILENT_POINTS = 512 };
struct silent_points {
    pthread_mutex_t lock;
    struct silent_point points[MAX_SILENT_POINTS];
    size_t num;
};

struct pipeline {
    const struct options *options;
    struct sink_config output; /* the options' configuration, with the server of the page */
    struct outputs outputs;
    bool threaded;               /* a separate thread correlates */
    struct record_queue *events; /* to that thread, while it runs */
    struct record_queue *queue;  /* of records to the outputs, while their threads run */
    unsigned mark;               /* of pipeline_mark: in events, then in queue */
    bool mark_is_in_queue;
    struct selector *select;
    struct correlate *correlate; /* NULL if nothing needs it */
    struct redact *redact;       /* NULL: nothing is redacted */
    struct findings *findings; /* NULL if nothing needs them */
    struct novelty *novelty;       /* NULL: no --baseline; it belongs to the reports' comparison */
    struct explain *explain;       /* NULL: no --explain of a thing */
    struct stall_effects *held_up; /* NULL: nothing uses stalls */
    bool tells_links;        /* an output wants facts of links */
    int64_t link_every_ns;   /* how often, while a link is open; 0: when it ends */
    struct link_due link_due[LINKS_DUE];
    struct reports *reports;
    struct metrics *metrics;         /* NULL: not needed */
    struct metrics_server *server;   /* that gets them; NULL: none */
    bool only_counts;                /* only the metrics need the events */
    bool is_unpublished;             /* writing their file failed, after a complaint */
    uint64_t lost[LOSS_CAUSE_COUNT]; /* packets, for the metrics */
    bool wants_unselected;           /* some sinks also get records that were not selected */
    bool counts_unselected;          /* some reports do */
    struct packet_recorder *recorder; /* NULL: no packets are kept */
    struct annotated_file *annotated; /* NULL: no -T pcapng */
    struct packet_notes *notes[MAX_NOTES]; /* comments in files of packets */
    size_t num_notes;
    bool holds_back;                  /* with -c: hold back connections without a shown message */
    struct deferred_records held_back;
    bool limit_reached; /* of -c: what belongs to the last message is still to come */
    bool raw;  /* some sinks get raw events */
    bool idle; /* nothing needs the events */
    bool only_reports; /* only reports need the records, all of them and unchanged */
    struct rate_limit rate_limit;
    int64_t since_ns;            /* nothing before it is shown */
    int64_t sum_up_ns;           /* when findings are summed up for the page again; INT64_MAX: never */
    int64_t next_ns;             /* when the reports are written again; INT64_MAX: never */
    _Atomic bool show_wanted;    /* to be done by the second thread */
    _Atomic bool publish_wanted; /* the same */
    _Atomic bool silent_wanted;  /* the same */
    struct silent_points silent; /* for that thread */
    uint64_t num_lost, num_left; /* records: not passed on, not written at the end */
    uint64_t num_unwritten;      /* of these, and of the records that outputs were still writing at
                                  * the end */
    uint64_t num_cut;            /* records: not processed, or not redacted, at the end */
    bool is_reopen_due;          /* the queue had no room for the request */
    struct findings_unseen unseen; /* at the end */
    struct {
        uint64_t no_memory, num_given_up;
    } before;                    /* of earlier selections */
    _Atomic int state;           /* enum pipeline_state; never decreases */
    /* Members from here on are written by the correlation thread for each event, those above are
     * read by the first thread for each of its events: in one cache line they would slow each other
     * down. */
    unsigned char apart[CACHE_LINE];
    uint64_t num_shown; /* messages */
    int64_t num_errors; /* shown findings that are still errors */
    bool is_past;       /* the current event is from before the capture */
};

/* pipeline_silent_now reports the waiting points to the findings. */
void pipeline_silent_now(struct pipeline *pipeline);

/* pipeline_set_state changes the state, unless a later one is reached. Any thread may call it. */
void pipeline_set_state(struct pipeline *pipeline, enum pipeline_state state);

/* pipeline_choose_way finds out which shortcuts are possible: only metrics or reports need the
 * events, or nothing does. */
void pipeline_choose_way(struct pipeline *pipeline);

/* pipeline_set_reports_status records whether a report could be written. */
void pipeline_set_reports_status(struct pipeline *pipeline, enum reports_status status);

/* pipeline_redact replaces a record by its form that may be shown. False if it may not be shown. */
bool pipeline_redact(struct pipeline *pipeline, const struct record **record);

/* pipeline_on_record and pipeline_on_finding receive records of the correlation and the findings;
 * context is the pipeline. */
void pipeline_on_record(void *context, const struct record *record);
void pipeline_on_finding(void *context, const struct record *record);

/* pipeline_pass passes a record to the outputs if it is selected; pipeline_pass_on passes it
 * unchanged, and returns false if it was lost. */
void pipeline_pass(struct pipeline *pipeline, const struct record *record);
bool pipeline_pass_on(struct pipeline *pipeline, const struct record *record);

/* pipeline_on_unshown processes an event that no output shows; pipeline_on_link passes on the
 * facts of a link when it ends, and with --every at intervals; pipeline_on_stall_effects processes
 * the end of a stall when it is known what waited behind it. */
void pipeline_on_unshown(struct pipeline *pipeline, const struct record *record);
void pipeline_on_link(struct pipeline *pipeline, const struct record *record);

/* pipeline_wants_link says, before the record is passed, whether to call pipeline_on_link with
 * it: with -c, links without a shown message are left out. */
bool pipeline_wants_link(const struct pipeline *pipeline, const struct record *record);
void pipeline_on_stall_effects(void *context, const struct record *record);

/* pipeline_show_record passes a selected record to the outputs and reports. */
void pipeline_show_record(void *context, const struct record *record);

/* pipeline_repeat_reports writes the reports again if they are due at now_ns. */
void pipeline_repeat_reports(struct pipeline *pipeline, int64_t now_ns);

/* pipeline_sum_up sends the findings so far to a page or screen, at intervals. */
void pipeline_sum_up(struct pipeline *pipeline, int64_t now_ns);

/* pipeline_show_now does pipeline_show in the correlation thread. */
void pipeline_show_now(struct pipeline *pipeline, int64_t now_ns);

/* pipeline_publish_now does pipeline_publish in that thread. */
void pipeline_publish_now(struct pipeline *pipeline, int64_t now_ns);

/* pipeline_publish_last publishes the final numbers, which stay served. */
void pipeline_publish_last(struct pipeline *pipeline);

#endif
