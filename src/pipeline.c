/*
 * pipeline.c - see pipeline.h.
 */
#include "pipeline.h"

#include "complain.h"
#include "correlate.h"
#include "counted.h"
#include "draft.h"
#include "filter.h"
#include "findings.h"
#include "held_back.h"
#include "packet_recorder.h"
#include "hash.h"
#include "redact.h"
#include "record_queue.h"
#include "reports.h"
#include "selector.h"
#include "sink.h"
#include "term_show.h"
#include "stop.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { MAX_DRAFTS = MAX_JOBS + 1 };

struct pipeline {
    const struct options *options;
    struct sink sinks[MAX_FORMATS];
    size_t num_sinks;
    _Atomic unsigned num_written; /* sinks that go on */
    _Atomic bool has_failed;      /* one could not be written */
    struct record_queue *queue; /* while the other threads run */
    void *drafts[MAX_DRAFTS];   /* struct draft, of the threads that write; NULL: none */
    bool behind;                /* the correlation is behind the queue */
    struct record passing;      /* on the way there: an event, of which nothing is known yet */
    struct selector *select;
    struct correlate *correlate; /* NULL when nobody wants to know */
    struct redact *redact;       /* NULL: everything may be seen */
    struct findings *findings; /* NULL when nobody wants to know */
    bool has_errors;           /* some were shown */
    struct reports *reports;
    bool whole;                       /* some sinks also get what was not selected */
    struct packet_recorder *recorder; /* NULL: nobody keeps packets */
    uint64_t num_shown;               /* messages */
    bool holds_back;                  /* with -c: what no message has been shown of */
    struct held_back held_back;
    bool last; /* -c is reached: what belongs to its message is still to come */
    bool raw;  /* some sinks get that */
    bool idle; /* nobody wants to know anything */
    bool is_past; /* the event at hand is of before the capture */
    struct rate_limit rate_limit;
    int64_t since_ns;            /* before it, nothing is shown */
    int64_t next_ns;             /* when the reports are written again; INT64_MAX: never */
    _Atomic bool show_wanted;    /* by the second thread */
    uint64_t num_lost, num_left; /* records: not passed on, not written at the end */
    uint64_t num_cut;            /* records: not looked at, or not redacted, at the end */
    _Atomic int state;           /* enum pipeline_state; never becomes less */
};

static void set_state(struct pipeline *s, enum pipeline_state state)
{
    int now = atomic_load(&s->state);
    while (now < (int)state && !atomic_compare_exchange_weak(&s->state, &now, (int)state))
        ;
}

enum pipeline_state pipeline_get_state(const struct pipeline *s)
{
    return (enum pipeline_state)atomic_load_explicit(&s->state, memory_order_relaxed);
}

static void note_reports(struct pipeline *s, enum reports_status status)
{
    if (status != REPORTS_OK)
        set_state(s, status == REPORTS_FAILED ? PIPELINE_FAILED : PIPELINE_NO_OUTPUT);
}

/* lose_output leaves out a sink whose reader has gone away, or that could not be written, which has
 * been complained of. */
static void lose_output(struct pipeline *s, struct sink *sink)
{
    const bool goes_on = atomic_fetch_sub(&s->num_written, 1) > 1 || s->recorder != NULL ||
                         s->options->keep.write_file != NULL;
    sink->is_lost = true;
    if (!sink->output.closed)
        atomic_store(&s->has_failed, true);
    else if (goes_on)
        complain("%s is not read any more: the other outputs go on", sink->output.name);
}

/* note_output returns whether there is any use in going on. */
static bool note_output(struct pipeline *s, struct sink *sink)
{
    if (!sink->output.failed)
        return true;
    if (!sink->is_lost)
        lose_output(s, sink);
    if (atomic_load(&s->num_written) != 0 || s->recorder != NULL)
        return true;
    set_state(s, PIPELINE_NO_OUTPUT);
    return false;
}

/* In another thread when there is one. False when there is no use in going on. */
static bool write_record(void *context, const struct record *record)
{
    struct pipeline *s = context;
    bool ok = true;
    for (size_t i = 0; i < s->num_sinks; i++) {
        sink_record(&s->sinks[i], record);
        ok = note_output(s, &s->sinks[i]) && ok;
    }
    return ok;
}

/* What of a record is still to be done when it was drafted. */
static bool write_rest(void *context, const struct record *record)
{
    struct pipeline *s = context;
    bool ok = true;
    for (size_t i = 0; i < s->num_sinks; i++) {
        if (sink_is_drafted(&s->sinks[i]))
            continue;
        sink_record(&s->sinks[i], record);
        ok = note_output(s, &s->sinks[i]) && ok;
    }
    return ok;
}

static bool write_draft(void *context, void *draft, bool wanted)
{
    struct pipeline *s = context;
    bool ok = true;
    if (!wanted) {
        draft_clear(draft);
        return false;
    }
    draft_write(draft, s->sinks);
    for (size_t i = 0; i < s->num_sinks; i++)
        ok = note_output(s, &s->sinks[i]) && ok;
    return ok;
}

static bool add_to_draft(void *draft, const struct record *record)
{
    return draft_add(draft, record);
}

static bool flush_sinks(void *context)
{
    struct pipeline *s = context;
    bool ok = true;
    for (size_t i = 0; i < s->num_sinks; i++) {
        output_file_flush(&s->sinks[i].output);
        ok = note_output(s, &s->sinks[i]) && ok;
    }
    return ok;
}

static bool write_lost(void *context, const struct loss *loss)
{
    struct pipeline *s = context;
    bool ok = true;
    for (size_t i = 0; i < s->num_sinks; i++) {
        sink_lost(&s->sinks[i], loss);
        ok = note_output(s, &s->sinks[i]) && ok;
    }
    return ok;
}

/* From here on in the thread of the correlation. */

/* is_taken says whether anything is written of a record. */
static bool is_taken(const struct pipeline *s, const struct record *record)
{
    for (size_t i = 0; i < s->num_sinks; i++) {
        if (sink_takes(&s->sinks[i], record))
            return true;
    }
    return false;
}

/* pass_on returns false when the record was lost. */
static bool pass_on(struct pipeline *s, const struct record *record)
{
    if (!is_taken(s, record))
        return true;
    if (s->queue == NULL || s->behind)
        return write_record(s, record);
    const uint64_t num_lost = record_queue_num_lost(s->queue);
    if (!record_queue_record(s->queue, record) && !stop_is_overdue() &&
        pipeline_get_state(s) == PIPELINE_ON)
        set_state(s, PIPELINE_FAILED);
    return record_queue_num_lost(s->queue) == num_lost;
}

/* count counts a message that was selected, and passed on or lost. */
static void count(struct pipeline *s, const struct ds_event *event, bool passed)
{
    s->num_shown += passed;
    s->last = s->last || (passed && s->num_shown == s->options->ending.max_messages);
    if (rate_limit_exceeded(&s->rate_limit, event->ts_ns))
        set_state(s, PIPELINE_RATE_EXCEEDED);
}

/* fail_redaction: what takes too long when the end was asked for is merely left out. */
static void fail_redaction(struct pipeline *s)
{
    if (stop_is_overdue()) {
        s->num_cut++;
        return;
    }
    complain("out of memory: what cannot be redacted is not shown");
    set_state(s, PIPELINE_FAILED);
}

/* redact replaces a record by what may be shown. False when nothing may. */
static bool redact(struct pipeline *s, const struct record **record)
{
    const enum redact_status status =
        s->redact != NULL ? redact_record(s->redact, *record, record) : REDACT_OK;
    if (status == REDACT_FAILED)
        fail_redaction(s);
    return status == REDACT_OK;
}

/* pass_on_all passes on a record as it may be shown, and the frame made anew of it. */
static bool pass_on_all(struct pipeline *s, const struct record *shown)
{
    bool passed = pass_on(s, shown);
    const struct record *frame = s->redact != NULL ? redact_get_frame(s->redact) : NULL;
    if (s->redact != NULL && frame == NULL && redact_failed(s->redact))
        fail_redaction(s);
    if (frame != NULL)
        passed = pass_on(s, frame) && passed;
    return passed;
}

/* leave_out passes on what was not selected to those that want whole connections. */
static void leave_out(struct pipeline *s, const struct record *record)
{
    struct record left_out = *record;
    const struct record *shown = &left_out;
    left_out.left_out = true;
    if (s->whole && redact(s, &shown))
        pass_on_all(s, shown);
}

/* is_past_last ends the run once the message that -c ends with has all that belongs to it: it
 * comes right behind it, calls that it ended first, then its frame. */
static bool is_past_last(struct pipeline *s, const struct record *record)
{
    const bool is_call =
        record->call != NULL || record->monitor != NULL || record->finding != NULL;
    if (!s->last || is_call || (s->raw && record->event->type == DS_EVENT_FRAME))
        return false;
    set_state(s, PIPELINE_FULL);
    return true;
}

/* show gives a record to the outputs and reports. */
static void show(void *context, const struct record *record)
{
    struct pipeline *s = context;
    const bool is_raw = record->event != NULL && ds_event_is_raw(record->event);
    const struct record *shown = record;
    if (pipeline_get_state(s) != PIPELINE_ON || !redact(s, &shown))
        return;
    if (!is_raw)
        note_reports(s, reports_record(s->reports, shown));
    /* That of a call is there to be counted. */
    const bool passed =
        record->monitor == NULL || !record->monitor->of_call ? pass_on_all(s, shown) : true;
    if (record_is_message(record))
        count(s, record->event, passed);
    if (is_raw && s->last)
        set_state(s, PIPELINE_FULL);
}

/* is_held_back says whether a record is to wait for the first message of its connection, and
 * keeps it. A message has what waits for it shown. */
static bool is_held_back(struct pipeline *s, const struct record *record)
{
    if (!s->holds_back || record->call != NULL || record->monitor != NULL ||
        record->finding != NULL)
        return false;
    if (record->event->type != DS_EVENT_MESSAGE)
        return held_back_add(&s->held_back, record);
    held_back_release(&s->held_back, record->event->conn, show, s);
    return false;
}

/* is_all_before says whether nothing of a record is in the capture: what was open before it, and
 * is so still. */
static bool is_all_before(const struct record *record)
{
    if (record->call != NULL)
        return record->call->began_before &&
               (record->call->outcome == CALL_UNANSWERED || record->call->outcome == CALL_UNKNOWN ||
                record->call->outcome == CALL_OPEN);
    return record->monitor != NULL && record->monitor->began_before &&
           record->monitor->outcome == MONITOR_OPEN;
}

/* pass takes a record to the outputs, if it is one of those that are wanted. */
static void pass(struct pipeline *s, const struct record *record)
{
    if (pipeline_get_state(s) != PIPELINE_ON || is_all_before(record))
        return;
    if (stop_is_overdue()) {
        s->num_cut++;
        return;
    }
    if (s->is_past) {
        selector_wants(s->select, record); /* an answer may come */
        return;
    }
    if (is_past_last(s, record))
        return;
    /* The selection sees what comes before --since: a request there may have its reply after. */
    const bool wanted = selector_wants(s->select, record) && record_time(record) >= s->since_ns;
    if (s->recorder != NULL)
        recorder_record(s->recorder, record, wanted);
    if (!wanted) {
        leave_out(s, record);
        return;
    }
    s->has_errors |= record->finding != NULL && record->finding->severity == SEVERITY_ERROR;
    if (!is_held_back(s, record))
        show(s, record);
}

static void visit_open(void *context, const struct record *record)
{
    struct pipeline *s = context;
    if (redact(s, &record))
        reports_visit(s->reports, record);
}

/* repeat_reports writes the reports again when it is time to: that of the capture, of which the
 * first one is the beginning. */
static void repeat_reports(struct pipeline *s, int64_t now_ns)
{
    const int64_t every_ns = s->options->report.every_ns;
    if (s->next_ns == INT64_MIN) {
        s->next_ns = now_ns + every_ns;
        return;
    }
    const int64_t due_ns = s->next_ns + (now_ns - s->next_ns) / every_ns * every_ns;
    s->next_ns = due_ns + every_ns;
    correlate_visit_open(s->correlate, due_ns, visit_open, s);
    reports_visit(s->reports, NULL);
    if (s->findings != NULL)
        findings_sum_up(s->findings);
    note_reports(s, reports_repeat(s->reports, due_ns));
}

/* on_finding takes what was found; what only counts, or sums up, is for reports and for outputs that
 * are like one. */
static void on_finding(void *context, const struct record *record)
{
    struct pipeline *s = context;
    const struct finding *finding = record->finding;
    const struct record *shown = record;
    if (!finding->is_update)
        pass(s, record);
    else if (pipeline_get_state(s) == PIPELINE_ON &&
             (finding->kind == NULL || selector_wants(s->select, record)) && redact(s, &shown)) {
        note_reports(s, reports_record(s->reports, shown));
        if (sinks_want_findings(&s->options->output))
            pass_on(s, shown);
    }
}

static void on_record(void *context, const struct record *record)
{
    struct pipeline *s = context;
    pass(s, record);
    if (s->findings != NULL && !s->is_past && pipeline_get_state(s) == PIPELINE_ON)
        findings_record(s->findings, record);
}

static void correlate_or_show(struct pipeline *s, const struct ds_event *event)
{
    const struct record record = {.event = event};
    s->is_past = event->past;
    if (!event->past && event->ts_ns >= s->next_ns)
        repeat_reports(s, event->ts_ns);
    if (s->correlate != NULL)
        correlate_event(s->correlate, event);
    else
        on_record(s, &record);
    s->is_past = false;
    if (s->last && !s->raw)
        set_state(s, PIPELINE_FULL);
}

static void show_open(void *context, const struct record *record)
{
    struct pipeline *s = context;
    struct ds_buffer line = {0};
    if (!redact(s, &record))
        return;
    reports_visit(s->reports, record);
    if (record->call != NULL)
        reports_print_open(s->reports, record->call, &line);
    if (line.len != 0 && !line.failed)
        fwrite(line.data, 1, line.len, stderr);
    ds_buffer_free(&line);
}

static void show_now(struct pipeline *s, int64_t now_ns)
{
    correlate_visit_open(s->correlate, now_ns, show_open, s);
    reports_visit(s->reports, NULL);
    if (s->findings != NULL)
        findings_sum_up(s->findings);
    reports_show(s->reports);
}

/* show_wanted does what the first thread has asked for, which knows nothing of calls. */
static void show_wanted(struct pipeline *s)
{
    atomic_store(&s->show_wanted, false);
    show_now(s, INT64_MIN);
}

static bool take_event(void *context, const struct record *record)
{
    struct pipeline *s = context;
    if (atomic_load_explicit(&s->show_wanted, memory_order_relaxed))
        show_wanted(s);
    correlate_or_show(s, record->event);
    return pipeline_get_state(s) == PIPELINE_ON;
}

static bool flush_behind(void *context)
{
    struct pipeline *s = context;
    if (atomic_load_explicit(&s->show_wanted, memory_order_relaxed))
        show_wanted(s);
    return flush_sinks(s);
}

bool pipeline_is_written(const struct pipeline *s)
{
    return atomic_load(&s->num_written) != 0;
}

bool pipeline_has_failed(const struct pipeline *s)
{
    return atomic_load(&s->has_failed) || pipeline_get_state(s) == PIPELINE_FAILED;
}

void pipeline_set_recorder(struct pipeline *s, struct packet_recorder *recorder)
{
    s->recorder = recorder;
}

void pipeline_set_since(struct pipeline *s, int64_t since_ns)
{
    s->since_ns = since_ns;
}

void pipeline_event(struct pipeline *s, const struct ds_event *event)
{
    if (s->idle)
        return;
    if (s->queue == NULL || !s->behind) {
        correlate_or_show(s, event);
        return;
    }
    s->passing.event = event;
    if (!record_queue_record(s->queue, &s->passing) && !stop_is_overdue() &&
        pipeline_get_state(s) == PIPELINE_ON)
        set_state(s, PIPELINE_FAILED);
}

void pipeline_lose(struct pipeline *s, const struct loss *loss)
{
    if (s->queue != NULL)
        record_queue_lose(s->queue, loss);
}

static void take_overdue(void *context, const struct record *record)
{
    struct pipeline *s = context;
    findings_overdue(s->findings, record);
}

/* find_overdue has the findings look at calls that have been open for long. */
static void find_overdue(struct pipeline *s, int64_t now_ns)
{
    int64_t until_ns;
    const int64_t after_ns = findings_overdue_after(s->findings, now_ns, &until_ns);
    if (until_ns > after_ns)
        correlate_visit_overdue(s->correlate, after_ns, until_ns, now_ns, take_overdue, s);
}

void pipeline_time(struct pipeline *s, int64_t now_ns)
{
    if (s->findings != NULL && !s->behind)
        findings_time(s->findings, now_ns);
    if (s->correlate == NULL || s->behind)
        return;
    correlate_time(s->correlate, now_ns);
    if (s->findings != NULL && pipeline_get_state(s) == PIPELINE_ON)
        find_overdue(s, now_ns);
    if (now_ns >= s->next_ns && pipeline_get_state(s) == PIPELINE_ON)
        repeat_reports(s, now_ns);
}

void pipeline_show(struct pipeline *s, int64_t now_ns)
{
    if (s->correlate == NULL)
        return;
    if (s->behind && s->queue != NULL) {
        atomic_store(&s->show_wanted, true);
        record_queue_wake(s->queue);
        return;
    }
    show_now(s, now_ns);
}

void pipeline_flush(struct pipeline *s)
{
    if (s->queue != NULL)
        record_queue_flush(s->queue);
}

/* What a call asked is kept for its record; a report only shows the beginning. */
enum { KEEP_REQUEST = 65536, KEEP_FOR_REPORT = 512 };

static bool takes_monitors(const struct pipeline *s)
{
    for (size_t i = 0; i < s->num_sinks; i++) {
        if (s->sinks[i].kind->takes_monitors)
            return true;
    }
    return false;
}

/* Conversations are put together when something is shown; -q alone is not slowed down. */
static bool open_correlate(struct pipeline *s)
{
    const struct options *options = s->options;
    const bool wanted = s->num_sinks != 0 || recorder_wanted(&options->keep);
    if ((!wanted || options->no_calls) && !reports_wanted(&options->report))
        return true;
    struct correlate_config config = {
        .emit = on_record,
        .monitors = reports_take_monitors(&options->report) || takes_monitors(s) ||
                    recorder_wanted(&options->keep),
        .context = s,
        .names = wanted || reports_take_names(&options->report),
        .keep = wanted || s->redact != NULL || options->syntax != OPTION_SYNTAX_ERLANG
                    ? KEEP_REQUEST : KEEP_FOR_REPORT,
    };
    uint64_t seed;
    if (getrandom(&seed, sizeof seed, 0) == sizeof seed)
        hash_seed(seed);
    memcpy(config.limits, options->config.limits, sizeof config.limits);
    s->correlate = correlate_new(&config);
    return s->correlate != NULL;
}

bool pipeline_takes_findings(const struct options *options)
{
    return options->report.wanted[REPORT_DOCTOR] || sinks_want_findings(&options->output) ||
           filter_asks_findings(options->select.filter) || filter_asks_findings(options->keep.trigger);
}

static bool open_findings(struct pipeline *s)
{
    const struct options *options = s->options;
    if (!pipeline_takes_findings(options))
        return true;
    struct findings_config config = {.emit = on_finding,
                                     .context = s,
                                     .epmd_port = options->epmd_port,
                                     .has_cookie = options->cookie_file != NULL};
    memcpy(config.limits, options->config.limits, sizeof config.limits);
    s->findings = findings_new(&config);
    return s->findings != NULL;
}

static bool open_some_sinks(struct pipeline *s, unsigned time_digits, bool keeps)
{
    const struct options *options = s->options;
    for (size_t i = 0; i < options->output.num_formats; i++) {
        if (options->output.formats[i].kind->keeps != keeps)
            continue;
        if (!sink_open(&s->sinks[s->num_sinks], &options->output.formats[i], &options->output))
            return false;
        s->sinks[s->num_sinks++].time_digits = time_digits;
        atomic_fetch_add(&s->num_written, 1);
    }
    return true;
}

/* open_sinks opens first what must not be there yet: if it is, nothing else has been emptied. */
static bool open_sinks(struct pipeline *s, unsigned time_digits)
{
    if (open_some_sinks(s, time_digits, true) && open_some_sinks(s, time_digits, false))
        return true;
    for (size_t i = 0; i < s->num_sinks; i++)
        sink_withdraw(&s->sinks[i]);
    return false;
}

static bool has_stdout(const struct pipeline *s)
{
    const char *packets = s->options->keep.write_file;
    if (packets != NULL && strcmp(packets, "-") == 0)
        return true;
    for (size_t i = 0; i < s->num_sinks; i++) {
        if (s->sinks[i].output.is_stdout)
            return true;
    }
    return false;
}

/* Where most events come to nothing, what remains to be done for them is worth a thread. A
 * live capture is left as it is: there the queue parts it from a slow reader. So is what ends
 * with a certain message, so that no more packets are read. */
static bool is_better_behind(const struct pipeline *s)
{
    const struct options *options = s->options;
    const bool few = options->select.num_regexes != 0 || options->select.num_matches != 0 ||
                     options->select.filter != NULL;
    return options->capture.num_read_files != 0 && options->ending.max_messages == 0 &&
           !recorder_wanted(&options->keep) && /* what it needs is there with the packet */
           options->rate.max == 0 && s->correlate != NULL && (s->num_sinks == 0 || few);
}

struct pipeline *pipeline_new(const struct options *options, unsigned time_digits)
{
    struct pipeline *s = calloc(1, sizeof *s);
    if (s == NULL) {
        complain("out of memory");
        return NULL;
    }
    if (options->output.unicode_strings)
        term_show_unicode();
    if (options->syntax == OPTION_SYNTAX_ELIXIR)
        term_show_use(DS_SYNTAX_ELIXIR);
    term_show_limit(options->output.limits[DS_LIMIT_TEXT]);
    s->options = options;
    s->since_ns = INT64_MIN;
    s->next_ns = options->report.every_ns != 0 ? INT64_MIN : INT64_MAX;
    s->whole = sinks_want_whole(&options->output);
    if ((options->redact.what != 0 && (s->redact = redact_new(&options->redact)) == NULL) ||
        !open_sinks(s, time_digits)) {
        pipeline_free(s);
        return NULL;
    }
    s->select = selector_new(&options->select);
    s->reports = reports_new(&options->report, time_digits, has_stdout(s));
    if (s->select == NULL || s->reports == NULL ||
        !rate_limit_init(&s->rate_limit, &options->rate) || !open_findings(s) ||
        !open_correlate(s)) {
        complain("out of memory");
        pipeline_free(s);
        return NULL;
    }
    s->behind = is_better_behind(s);
    s->holds_back = options->ending.max_messages != 0 && s->num_sinks != 0 && !s->whole &&
                    !sinks_want_raw(&options->output);
    if (s->holds_back)
        held_back_init(&s->held_back, options->config.limits[DS_LIMIT_CONNECTIONS],
                       HELD_BACK_BYTES);
    return s;
}

/* prepare_drafts says how several threads write what can be written by several; ahead stays zero
 * where one thread is enough. */
static bool prepare_drafts(struct pipeline *s, struct record_queue_drafts *ahead)
{
    size_t num_drafted = 0;
    for (size_t i = 0; i < s->num_sinks; i++)
        num_drafted += sink_is_drafted(&s->sinks[i]);
    const unsigned num_threads = s->options->jobs;
    if (s->behind || num_threads < 2 || num_drafted == 0)
        return true;
    for (unsigned i = 0; i <= num_threads; i++) {
        s->drafts[i] = draft_new(s->sinks, s->num_sinks);
        if (s->drafts[i] == NULL) {
            complain("out of memory");
            return false;
        }
    }
    *ahead = (struct record_queue_drafts){
        .num_threads = num_threads,
        .drafts = s->drafts,
        .add = add_to_draft,
        .write = write_draft,
        .rest = num_drafted < s->num_sinks ? write_rest : NULL,
    };
    return true;
}

bool pipeline_start(struct pipeline *s)
{
    s->idle = s->num_sinks == 0 && s->correlate == NULL && s->recorder == NULL &&
              s->options->ending.max_messages == 0 && s->rate_limit.rate.max == 0;
    s->raw = sinks_want_raw(&s->options->output);
    if (s->num_sinks == 0 && !s->behind)
        return true;
    struct record_queue_target target = {
        .record = s->behind ? take_event : write_record,
        .flush = s->behind ? flush_behind : flush_sinks,
        .lost = write_lost,
        .context = s,
    };
    if (!prepare_drafts(s, &target.ahead))
        return false;
    const struct options *options = s->options;
    const bool is_live = options->capture.num_read_files == 0;
    s->queue = record_queue_start(&target, is_live ? options->config.limits[DS_LIMIT_QUEUE] : 0);
    return s->queue != NULL;
}

/* stop_relay waits for the other threads, and what they had is this one's. */
static void stop_relay(struct pipeline *s)
{
    if (s->queue == NULL)
        return;
    s->num_lost += record_queue_num_lost(s->queue);
    if (!record_queue_stop(s->queue, &s->num_left))
        set_state(s, PIPELINE_FAILED);
    s->queue = NULL;
}

/* say_left says what was not written because that would have kept the user waiting who wanted to
 * end. */
static void say_left(const struct pipeline *s)
{
    uint64_t num_left = s->num_left + s->num_cut, most_cut = 0;
    for (size_t i = 0; i < s->num_sinks; i++)
        most_cut = s->sinks[i].num_cut > most_cut ? s->sinks[i].num_cut : most_cut;
    num_left += most_cut;
    bool is_said = num_left == 0 || s->num_sinks == 0 || !stop_wanted;
    for (size_t i = 0; i < s->num_sinks; i++)
        is_said = is_said || s->sinks[i].output.failed;
    if (!is_said)
        complain("the end was asked for: the last %s could not be written in time",
                 counted(num_left, "records").text);
}

static void close_sinks(struct pipeline *s)
{
    say_left(s);
    for (size_t i = 0; i < MAX_DRAFTS; i++) {
        draft_free(s->drafts[i]);
        s->drafts[i] = NULL;
    }
    for (size_t i = 0; i < s->num_sinks; i++) {
        sink_close(&s->sinks[i]);
        note_output(s, &s->sinks[i]);
        output_file_say_unread(&s->sinks[i].output, s->num_left);
    }
    s->num_sinks = 0;
}

void pipeline_end(struct pipeline *s)
{
    if (s->behind)
        stop_relay(s);
    if (s->correlate != NULL)
        correlate_end(s->correlate);
    if (s->findings != NULL)
        findings_end(s->findings);
    if (s->holds_back && pipeline_get_state(s) == PIPELINE_ON)
        held_back_end(&s->held_back, s->options->ending.max_messages - s->num_shown, show, s);
    stop_relay(s);
    close_sinks(s);
    reports_end(s->reports);
}

struct ds_buffer *pipeline_report_text(struct pipeline *s)
{
    return reports_text(s->reports);
}

void pipeline_write_reports(struct pipeline *s)
{
    if (pipeline_get_state(s) != PIPELINE_NO_OUTPUT || pipeline_has_failed(s))
        note_reports(s, reports_write(s->reports));
}

void pipeline_add_stats(const struct pipeline *s, struct ds_stats *stats)
{
    if (s->behind && s->queue != NULL)
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
}

bool pipeline_has_errors(const struct pipeline *s)
{
    return s->has_errors;
}

bool pipeline_get_shown(const struct pipeline *s, uint64_t *num)
{
    if (s->options->output.num_formats == 0 || (s->behind && s->queue != NULL) ||
        !selector_chooses(s->select))
        return false;
    *num = s->num_shown;
    return true;
}

uint64_t pipeline_num_given_up(const struct pipeline *s)
{
    return selector_num_given_up(s->select) +
           filter_num_given_up(s->options->keep.trigger) +
           (s->redact != NULL ? redact_num_given_up(s->redact) : 0);
}

void pipeline_free(struct pipeline *s)
{
    if (s == NULL)
        return;
    stop_relay(s);
    close_sinks(s);
    correlate_free(s->correlate);
    findings_free(s->findings);
    redact_free(s->redact);
    if (s->holds_back)
        held_back_free(&s->held_back);
    reports_free(s->reports);
    selector_free(s->select);
    rate_limit_free(&s->rate_limit);
    free(s);
}
