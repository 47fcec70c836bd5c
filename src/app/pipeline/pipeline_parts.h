/*
 * pipeline_parts.h - what the files of the pipeline share. pipeline_new.c opens the stages;
 * pipeline.c has the way of events up to their correlation, and the threads; pipeline_record.c says
 * who gets a record from there, pipeline_pass.c takes it to the outputs, pipeline_facts.c what is
 * told beside the events; pipeline_reports.c has the reports that come while events still do. What
 * stands in these four runs in the thread of the correlation. pipeline_reload.c changes what may
 * change meanwhile, pipeline_state.c says whether all this goes on.
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

#include <stdatomic.h>

enum { LINKS_DUE = 1024, CACHE_LINE = 64 };

/* link_due is when the facts of a link are told again. One takes another one's place: then it is told
 * of later. */
struct link_due {
    uint64_t conn;
    int64_t due_ns;
};

struct pipeline {
    const struct options *options;
    struct sink_config output; /* that of options, with who serves the page */
    struct outputs outputs;
    bool threaded;               /* the correlation is, in a thread of its own */
    struct record_queue *events; /* to it, while that thread runs */
    struct record_queue *queue;  /* of records to the outputs, while their threads run */
    unsigned mark;               /* of pipeline_mark: in events, then in queue */
    bool mark_is_in_queue;
    struct selector *select;
    struct correlate *correlate; /* NULL when nobody wants to know */
    struct redact *redact;       /* NULL: everything may be seen */
    struct findings *findings; /* NULL when nobody wants to know */
    struct novelty *novelty;       /* NULL: no --baseline; it is that of the reports' comparison */
    struct explain *explain;       /* NULL: --explain asks for no thing */
    struct stall_effects *held_up; /* NULL: nobody asks what waited behind stalls */
    bool tells_links;        /* an output takes their facts */
    int64_t link_every_ns;   /* how often, while a link is open; 0: when it ends */
    struct link_due link_due[LINKS_DUE];
    struct reports *reports;
    struct metrics *metrics;         /* NULL: nobody wants them */
    struct metrics_server *server;   /* that they are given to; NULL: none */
    bool only_counts;                /* for them: nobody else wants to know anything */
    bool is_unpublished;             /* their file could not be written, and that was said */
    uint64_t lost[LOSS_CAUSE_COUNT]; /* for them */
    bool wants_unselected;           /* some sinks also get what was not selected */
    bool counts_unselected;          /* some reports do */
    struct packet_recorder *recorder; /* NULL: nobody keeps packets */
    struct annotated_file *annotated; /* NULL: no -T pcapng */
    struct packet_notes *notes[MAX_NOTES]; /* of packets that are kept */
    size_t num_notes;
    bool holds_back;                  /* with -c: what no message has been shown of */
    struct deferred_records held_back;
    bool limit_reached; /* of -c: what belongs to its message is still to come */
    bool raw;  /* some sinks get that */
    bool idle; /* nobody wants to know anything */
    bool only_reports; /* nobody but they do, and they are given everything as it is */
    struct rate_limit rate_limit;
    int64_t since_ns;            /* before it, nothing is shown */
    int64_t sum_up_ns;           /* when what was found is told the page again; INT64_MAX: never */
    int64_t next_ns;             /* when the reports are written again; INT64_MAX: never */
    _Atomic bool show_wanted;    /* by the second thread */
    _Atomic bool publish_wanted; /* the same */
    uint64_t num_lost, num_left; /* records: not passed on, not written at the end */
    uint64_t num_unwritten;      /* of those, and of what an output was writing, at the end */
    uint64_t num_cut;            /* records: not looked at, or not redacted, at the end */
    bool is_reopen_due;          /* and the queue had no room for that */
    struct findings_unseen unseen; /* as of the end */
    struct {
        uint64_t no_memory, num_given_up;
    } before;                    /* of selections that others took the place of */
    _Atomic int state;           /* enum pipeline_state; never becomes less */
    /* What the thread of the correlation writes for each event. The first one reads what stands above for
     * each of its own: in one cache line they would wait for each other. */
    unsigned char apart[CACHE_LINE];
    uint64_t num_shown; /* messages */
    int64_t num_errors; /* findings that were shown, and are errors still */
    bool is_past;       /* the event at hand is of before the capture */
};

/* pipeline_set_state goes over to a state, unless it is in a later one. In any thread. */
void pipeline_set_state(struct pipeline *pipeline, enum pipeline_state state);

/* pipeline_choose_way finds out whether anybody wants to know more than what the metrics count, or the
 * reports, or anything at all. */
void pipeline_choose_way(struct pipeline *pipeline);

/* pipeline_note_reports notes whether a report could be written. */
void pipeline_note_reports(struct pipeline *pipeline, enum reports_status status);

/* pipeline_redact replaces a record by what may be shown. False when nothing may. */
bool pipeline_redact(struct pipeline *pipeline, const struct record **record);

/* pipeline_on_record and pipeline_on_finding, of which context is the pipeline, take what the
 * correlation and the findings give out. */
void pipeline_on_record(void *context, const struct record *record);
void pipeline_on_finding(void *context, const struct record *record);

/* pipeline_pass takes a record to the outputs, if it is one of those that are wanted; pipeline_pass_on
 * as it is, and returns false when it was lost. */
void pipeline_pass(struct pipeline *pipeline, const struct record *record);
bool pipeline_pass_on(struct pipeline *pipeline, const struct record *record);

/* pipeline_take_aside takes an event that no output shows; pipeline_take_link tells the facts of a link
 * when it ends, and with --every at intervals; pipeline_on_stall_effects takes the end of a stall, now
 * that it is known what waited behind it. */
void pipeline_take_aside(struct pipeline *pipeline, const struct record *record);
void pipeline_take_link(struct pipeline *pipeline, const struct record *record);

/* pipeline_tells_link says, before the record is passed, whether pipeline_take_link is to be called
 * with it: with -c nothing is told of connections of which nothing is shown. */
bool pipeline_tells_link(const struct pipeline *pipeline, const struct record *record);
void pipeline_on_stall_effects(void *context, const struct record *record);

/* pipeline_show_record gives the outputs and reports a record that was selected. */
void pipeline_show_record(void *context, const struct record *record);

/* pipeline_repeat_reports writes the reports again, when it is time to, as of the time now_ns. */
void pipeline_repeat_reports(struct pipeline *pipeline, int64_t now_ns);

/* pipeline_sum_up tells a page that is looked at what was found so far, now and then. */
void pipeline_sum_up(struct pipeline *pipeline, int64_t now_ns);

/* pipeline_show_now is pipeline_show in the thread of the correlation. */
void pipeline_show_now(struct pipeline *pipeline, int64_t now_ns);

/* pipeline_publish_now is pipeline_publish in that thread. */
void pipeline_publish_now(struct pipeline *pipeline, int64_t now_ns);

/* pipeline_publish_last publishes what no more is counted behind: it stays served. */
void pipeline_publish_last(struct pipeline *pipeline);

#endif
