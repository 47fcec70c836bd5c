/*
 * pipeline.c - see pipeline.h.
 */
#include "app/pipeline/pipeline_parts.h"

#include "core/signals.h"
#include "core/term_show.h"
#include "select/filter.h"

#include <stdlib.h>

/* show_alone shows an event without correlation. */
static __attribute__((noinline)) void show_alone(struct pipeline *s, const struct ds_event *event)
{
    const struct record record = {.event = event};
    pipeline_on_record(s, &record);
}

/* tell_again writes what is due at intervals. Not inline: nearly all events come in between. */
static __attribute__((noinline)) void tell_again(struct pipeline *s, int64_t now_ns)
{
    if (now_ns >= s->next_ns)
        pipeline_repeat_reports(s, now_ns);
    if (now_ns >= s->sum_up_ns)
        pipeline_sum_up(s, now_ns);
}

static inline void correlate_or_show(struct pipeline *s, const struct ds_event *event)
{
    s->is_past = event->past;
    if (!event->past && (event->ts_ns >= s->next_ns || event->ts_ns >= s->sum_up_ns))
        tell_again(s, event->ts_ns);
    if (s->correlate != NULL)
        correlate_event(s->correlate, event);
    else
        show_alone(s, event);
    s->is_past = false;
    if (s->limit_reached && !s->raw)
        pipeline_set_state(s, PIPELINE_FULL);
}

static __attribute__((noinline)) void show_as_wanted(struct pipeline *s)
{
    atomic_store(&s->show_wanted, false);
    pipeline_show_now(s, INT64_MIN);
}

/* do_wanted does what the first thread has requested, which does not correlate calls itself. */
static inline void do_wanted(struct pipeline *s)
{
    if (atomic_load_explicit(&s->show_wanted, memory_order_relaxed))
        show_as_wanted(s);
    if (atomic_load_explicit(&s->publish_wanted, memory_order_relaxed))
        pipeline_publish_now(s, INT64_MIN);
    if (atomic_load_explicit(&s->silent_wanted, memory_order_relaxed))
        pipeline_silent_now(s);
}

/* Work of the correlation thread, if there is one. */

static bool on_event(void *context, const struct record *record, const struct copied_record *copy)
{
    struct pipeline *s = context;
    do_wanted(s);
    if (s->queue != NULL)
        record_queue_refer(s->queue, copy, record->event);
    correlate_or_show(s, record->event);
    return pipeline_get_state(s) == PIPELINE_ON;
}

/* keep_events keeps a block of events, to which queued records refer. */
static void keep_events(void *context, struct record_block *block)
{
    struct pipeline *s = context;
    if (s->queue != NULL)
        record_queue_keep(s->queue, block);
}

static bool flush_behind(void *context)
{
    struct pipeline *s = context;
    do_wanted(s);
    if (s->queue != NULL)
        record_queue_flush(s->queue);
    return pipeline_get_state(s) == PIPELINE_ON;
}

static bool lose_behind(void *context, const struct loss *loss)
{
    struct pipeline *s = context;
    if (s->findings != NULL)
        findings_lost(s->findings, loss);
    if (s->queue != NULL)
        record_queue_add_loss(s->queue, loss);
    return pipeline_get_state(s) == PIPELINE_ON;
}

bool pipeline_is_written(const struct pipeline *s)
{
    return atomic_load(&s->outputs.num_written) != 0;
}

bool pipeline_has_failed(const struct pipeline *s)
{
    return atomic_load(&s->outputs.has_failed) || pipeline_get_state(s) == PIPELINE_FAILED;
}

void pipeline_set_recorder(struct pipeline *s, struct packet_recorder *recorder)
{
    s->recorder = recorder;
    s->outputs.has_recorder |= recorder != NULL;
}

void pipeline_set_annotated(struct pipeline *s, struct annotated_file *file)
{
    s->annotated = file;
    s->outputs.has_recorder |= file != NULL;
}

void pipeline_add_notes(struct pipeline *s, struct packet_notes *notes)
{
    s->notes[s->num_notes++] = notes;
}

void pipeline_set_since(struct pipeline *s, int64_t since_ns)
{
    s->since_ns = since_ns;
    reports_set_since(s->reports, since_ns);
    if (s->findings != NULL)
        findings_set_since(s->findings, since_ns);
}

void pipeline_event(struct pipeline *s, const struct ds_event *event)
{
    if (s->idle)
        return;
    if (s->only_counts) {
        if (!event->past && event->ts_ns >= s->since_ns)
            metrics_event(s->metrics, event);
        return;
    }
    if (s->events == NULL) {
        correlate_or_show(s, event);
        return;
    }
    if (!record_queue_event(s->events, event) && !stop_is_overdue() &&
        pipeline_get_state(s) == PIPELINE_ON)
        pipeline_set_state(s, PIPELINE_FAILED);
}

/* own_queue returns the queue that the first thread fills; NULL: none. */
static struct record_queue *own_queue(const struct pipeline *s)
{
    return s->events != NULL ? s->events : s->queue;
}

void pipeline_on_loss(struct pipeline *s, const struct loss *loss)
{
    struct record_queue *queue = own_queue(s);
    s->lost[loss->cause] += loss->count;
    if (s->findings != NULL && s->events == NULL)
        findings_lost(s->findings, loss);
    if (queue != NULL)
        record_queue_add_loss(queue, loss);
}

static void on_overdue(void *context, const struct record *record)
{
    struct pipeline *s = context;
    findings_overdue(s->findings, record);
}

/* find_overdue passes calls that have been open for long to the findings. */
static void find_overdue(struct pipeline *s, int64_t now_ns)
{
    int64_t until_ns;
    const int64_t after_ns = findings_overdue_after(s->findings, now_ns, &until_ns);
    if (until_ns > after_ns)
        correlate_visit_overdue(s->correlate, after_ns, until_ns, now_ns, on_overdue, s);
}

/* pass_time advances the time. No other thread may use the stages. */
static void pass_time(struct pipeline *s, int64_t now_ns)
{
    if (s->held_up != NULL)
        stall_effects_time(s->held_up, now_ns);
    if (s->findings != NULL)
        findings_time(s->findings, now_ns);
    if (s->correlate == NULL)
        return;
    correlate_time(s->correlate, now_ns);
    if (s->findings != NULL && pipeline_get_state(s) == PIPELINE_ON)
        find_overdue(s, now_ns);
}

void pipeline_time(struct pipeline *s, int64_t now_ns)
{
    if (s->threaded)
        return;
    pass_time(s, now_ns);
    if (s->correlate == NULL)
        return;
    if (now_ns >= s->next_ns && pipeline_get_state(s) == PIPELINE_ON)
        pipeline_repeat_reports(s, now_ns);
    if (now_ns >= s->sum_up_ns && pipeline_get_state(s) == PIPELINE_ON)
        pipeline_sum_up(s, now_ns);
}

void pipeline_show(struct pipeline *s, int64_t now_ns)
{
    if (s->correlate == NULL)
        return;
    if (s->events != NULL) {
        atomic_store(&s->show_wanted, true);
        record_queue_wake(s->events);
        return;
    }
    pipeline_show_now(s, now_ns);
}

void pipeline_flush(struct pipeline *s)
{
    struct record_queue *queue = own_queue(s);
    if (queue != NULL)
        record_queue_flush(queue);
    if (!s->threaded && pipeline_get_state(s) == PIPELINE_ON)
        pipeline_set_reports_status(s, reports_flush(s->reports));
}

void pipeline_mark(struct pipeline *s)
{
    struct record_queue *queue = own_queue(s);
    s->mark_is_in_queue = s->events == NULL;
    if (queue != NULL)
        record_queue_flush(queue);
    s->mark = queue != NULL ? record_queue_mark(queue) : 0;
}

bool pipeline_mark_is_written(struct pipeline *s)
{
    if (!s->mark_is_in_queue && s->events != NULL) {
        if (!record_queue_is_written(s->events, s->mark))
            return false;
        s->mark_is_in_queue = true; /* what was before the mark has been flushed into the other
                                     * queue */
        s->mark = s->queue != NULL ? record_queue_mark(s->queue) : 0;
    }
    return s->queue == NULL || record_queue_is_written(s->queue, s->mark);
}

uint64_t pipeline_num_unwritten(const struct pipeline *s)
{
    return s->num_unwritten;
}

void pipeline_choose_way(struct pipeline *s)
{
    const bool none_shown = s->outputs.num_sinks == 0 && s->explain == NULL && s->recorder == NULL &&
                            s->annotated == NULL && s->num_notes == 0 &&
                            s->options->ending.max_messages == 0 && s->rate_limit.rate.max == 0;
    const bool none_wanted = none_shown && s->correlate == NULL;
    const bool all_as_is = s->redact == NULL && !selector_chooses(s->select);
    s->idle = none_wanted && s->metrics == NULL;
    s->only_counts = none_wanted && s->metrics != NULL && all_as_is;
    s->only_reports = none_shown && s->metrics == NULL && all_as_is;
}

/* choose_block_len returns the length of a queue's blocks. For files each formatting thread may
 * have a block of records and one of events, so with many threads they are short. */
static size_t choose_block_len(const struct pipeline *s)
{
    enum { FEW_JOBS = 8 };
    const bool is_live = s->options->capture.num_read_files == 0;
    return !is_live && s->options->jobs > FEW_JOBS ? RECORD_BLOCK_LEN / 8 : 0;
}

static bool start_outputs(struct pipeline *s)
{
    const struct options *options = s->options;
    struct record_queue_target target = {
        .record = outputs_record,
        .flush = outputs_flush,
        .lost = outputs_lost,
        .context = &s->outputs,
        .block_len = choose_block_len(s),
    };
    if (!outputs_prepare_drafts(&s->outputs, options->jobs, &target.ahead))
        return false;
    const bool is_live = options->capture.num_read_files == 0;
    s->queue = record_queue_start(&target, is_live ? options->config.limits[DS_LIMIT_QUEUE] : 0);
    return s->queue != NULL;
}

static bool start_correlation(struct pipeline *s)
{
    const struct record_queue_target target = {
        .copied = on_event,
        .done = keep_events,
        .flush = flush_behind,
        .lost = lose_behind,
        .context = s,
        .block_len = choose_block_len(s),
    };
    s->events = record_queue_start(&target, 0);
    return s->events != NULL;
}

bool pipeline_start(struct pipeline *s)
{
    pipeline_choose_way(s);
    s->raw = sinks_want_raw(&s->options->output);
    return (s->outputs.num_sinks == 0 || start_outputs(s)) &&
           (!s->threaded || start_correlation(s));
}

/* stop_queue waits for the threads of a queue; then this thread may use their data. */
static void stop_queue(struct pipeline *s, struct record_queue **queue)
{
    uint64_t num_left = 0;
    if (*queue == NULL)
        return;
    s->num_lost += record_queue_num_lost(*queue);
    if (!record_queue_stop(*queue, &num_left))
        pipeline_set_state(s, PIPELINE_FAILED);
    s->num_left += num_left;
    *queue = NULL;
}

void pipeline_set_stats(struct pipeline *s, const struct ds_stats *stats, unsigned num_cut)
{
    s->unseen.cut_files = num_cut;
    s->unseen.cut_packets = stats->truncated_packets;
    s->unseen.bad_packets = stats->unknown_link + stats->malformed_packets;
    s->unseen.ignored = stats->ignored;
    s->unseen.differing = stats->overlaps_differing;
    s->unseen.fragments = stats->fragments_discarded;
    s->unseen.caps = 0;
    for (int i = DS_LIMIT_CONNECTIONS; i <= DS_LIMIT_IP_FRAGMENTS; i++)
        s->unseen.caps += stats->limits_hit[i];
}

void pipeline_end(struct pipeline *s, int64_t end_ns)
{
    stop_queue(s, &s->events);
    if (end_ns != INT64_MIN)
        pass_time(s, end_ns);
    if (s->held_up != NULL)
        stall_effects_end(s->held_up);
    if (s->correlate != NULL)
        correlate_end(s->correlate);
    if (s->findings != NULL) {
        s->unseen.lost_packets = s->lost[LOSS_KERNEL] + s->lost[LOSS_INTERFACE];
        findings_set_unseen(s->findings, &s->unseen);
        findings_end(s->findings);
    }
    if (s->holds_back && pipeline_get_state(s) == PIPELINE_ON)
        deferred_records_end(&s->held_back, s->options->ending.max_messages - s->num_shown,
                             pipeline_show_record, s);
    stop_queue(s, &s->queue);
    s->num_unwritten = outputs_close(&s->outputs, s->num_left, s->num_cut);
    reports_end(s->reports);
    pipeline_publish_last(s);
}

struct explain *pipeline_get_explain(struct pipeline *s)
{
    return s->explain;
}

struct ds_buffer *pipeline_report_text(struct pipeline *s)
{
    return reports_text(s->reports);
}

struct ds_text pipeline_verdict(const struct pipeline *s)
{
    return reports_verdict(s->reports);
}

void pipeline_write_reports(struct pipeline *s)
{
    if (pipeline_get_state(s) != PIPELINE_NO_OUTPUT || pipeline_has_failed(s))
        pipeline_set_reports_status(s, reports_write(s->reports));
}

void pipeline_add_stats(const struct pipeline *s, struct ds_stats *stats)
{
    if (s->events != NULL)
        return;
    stats->limits_hit[DS_LIMIT_QUEUE] +=
        s->num_lost + (s->queue != NULL ? record_queue_num_lost(s->queue) : 0);
    stats->limits_hit[DS_LIMIT_QUEUE] += s->held_back.num_dropped;
    stats->limits_hit[DS_LIMIT_TEXT] += term_show_num_cut();
    stats->no_memory += s->held_back.no_memory;
    if (s->correlate != NULL)
        correlate_add_stats(s->correlate, stats);
    if (s->findings != NULL)
        findings_add_stats(s->findings, stats);
    selector_add_stats(s->select, stats);
    stats->no_memory += s->before.no_memory;
    if (s->metrics != NULL)
        metrics_add_stats(s->metrics, stats);
}

bool pipeline_has_errors(const struct pipeline *s)
{
    return s->num_errors > 0;
}

bool pipeline_get_shown(const struct pipeline *s, uint64_t *num)
{
    const bool is_shown = s->output.num_formats != 0 || s->output.web != NULL || s->output.tui != NULL;
    if (!is_shown || s->events != NULL || (!selector_chooses(s->select) && s->since_ns == INT64_MIN))
        return false;
    *num = s->num_shown;
    return true;
}

void pipeline_suggest(const struct pipeline *s)
{
    if (s->redact == NULL) /* else a name would be revealed */
        selector_suggest(s->select);
}

uint64_t pipeline_num_given_up(const struct pipeline *s)
{
    return s->before.num_given_up + selector_num_given_up(s->select) +
           filter_num_given_up(s->options->keep.trigger) +
           (s->redact != NULL ? redact_num_given_up(s->redact) : 0);
}

void pipeline_free(struct pipeline *s)
{
    if (s == NULL)
        return;
    stop_queue(s, &s->events);
    stop_queue(s, &s->queue);
    (void)outputs_close(&s->outputs, s->num_left, s->num_cut);
    pthread_mutex_destroy(&s->silent.lock);
    correlate_free(s->correlate);
    findings_free(s->findings);
    explain_free(s->explain);
    stall_effects_free(s->held_up);
    redact_free(s->redact);
    if (s->holds_back)
        deferred_records_free(&s->held_back);
    reports_free(s->reports);
    metrics_free(s->metrics);
    selector_free(s->select);
    rate_limit_free(&s->rate_limit);
    free(s);
}
