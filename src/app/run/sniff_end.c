/*
 * sniff_end.c - why and how a run ends: it closes what is open, and reports to the user. See
 * sniff_parts.h.
 */
#include "app/run/sniff_parts.h"

#include "app/run/baseline_file.h"
#include "app/run/learned_file.h"
#include "app/run/summary.h"
#include "capture/capture.h"
#include "core/complain.h"
#include "core/signals.h"
#include "files/keylog_file.h"
#include "privsep/file_helper.h"

#include <stdio.h>
#include <stdlib.h>

/* is_save_read says whether -w still has a reader. Without one, it ends the run if there is no
 * other output. */
static bool is_save_read(const struct sniff *s)
{
    return s->save.is_on && capture_writer_get_stop(&s->save) != STOP_READER;
}

static enum stop_reason annotated_ending(const struct sniff *s)
{
    return s->annotated != NULL ? annotated_get_stop(s->annotated) : STOP_NONE;
}

static bool is_save_all(const struct sniff *s)
{
    return s->recorder == NULL && s->annotated == NULL &&
           (s->pipeline == NULL || !pipeline_is_written(s->pipeline));
}

/* reader_is_gone says whether the run ends because no process reads its output. */
static bool reader_is_gone(const struct sniff *s)
{
    return (capture_writer_get_stop(&s->save) == STOP_READER && is_save_all(s)) ||
           (s->recorder != NULL && recorder_get_stop(s->recorder) == STOP_READER) ||
           annotated_ending(s) == STOP_READER ||
           (s->pipeline != NULL && pipeline_get_state(s->pipeline) == PIPELINE_NO_OUTPUT &&
            !pipeline_has_failed(s->pipeline) && !is_save_read(s));
}

/* save_ending returns the reason for which -w ends the run. */
static enum stop_reason save_ending(struct sniff *s)
{
    const enum stop_reason ending = capture_writer_get_stop(&s->save);
    if (ending != STOP_READER || is_save_all(s))
        return ending;
    if (!s->save_gone)
        complain("the reader of %s closed it: the other outputs continue", s->save.writer.output.name);
    s->save_gone = true;
    return STOP_NONE;
}

bool sniff_is_over(struct sniff *s)
{
    return save_ending(s) != STOP_NONE ||
           (s->recorder != NULL && recorder_get_stop(s->recorder) != STOP_NONE) ||
           annotated_ending(s) != STOP_NONE ||
           pipeline_get_state(s->pipeline) != PIPELINE_ON;
}

static enum stop_reason pipeline_ending(const struct sniff *s)
{
    static const enum stop_reason reasons[] = {
        [PIPELINE_ON] = STOP_NONE,
        [PIPELINE_FULL] = STOP_COUNT,
        [PIPELINE_RATE_EXCEEDED] = STOP_RATE,
        [PIPELINE_FAILED] = STOP_OUTPUT,
    };
    const enum pipeline_state state = pipeline_get_state(s->pipeline);
    if (state == PIPELINE_NO_OUTPUT && is_save_read(s))
        return STOP_NONE;
    if (state == PIPELINE_NO_OUTPUT)
        return pipeline_has_failed(s->pipeline) ? STOP_OUTPUT : STOP_READER;
    return reasons[state];
}

/* find_ending returns the first reason to end. */
static enum stop_reason find_ending(struct sniff *s)
{
    enum stop_reason reason = pipeline_ending(s);
    /* Output that a live capture failed to write is lost. */
    if (reason == STOP_NONE && s->capture.is_live && pipeline_has_failed(s->pipeline))
        reason = STOP_OUTPUT;
    if (reason == STOP_NONE)
        reason = save_ending(s);
    if (reason == STOP_NONE && s->recorder != NULL)
        reason = recorder_get_stop(s->recorder);
    if (reason == STOP_NONE)
        reason = annotated_ending(s);
    return reason == STOP_NONE && stop_wanted ? STOP_SIGNAL : reason;
}

/* note_ending checks the reasons to end one by one. */
static __attribute__((noinline)) void note_ending(struct sniff *s)
{
    stop_condition_set(&s->ending, find_ending(s));
    if (stop_wanted)
        s->ending.signal = stop_wanted;
}

/* sniff_has_ended says whether there is a reason to end, and records it. */
bool sniff_has_ended(struct sniff *s)
{
    if (s->capture.is_live || stop_wanted || sniff_is_over(s))
        note_ending(s);
    return s->ending.reason != STOP_NONE;
}

/* explain keeps the result of the first run of --explain, or prints the explanation in the second. */
static void explain(struct sniff *s)
{
    struct explain_run_state *state = s->options->explain_run;
    struct explain *explained = pipeline_get_explain(s->pipeline);
    if (state->finds)
        state->found = *explain_get_found(explained, s->num_taken);
    else if (state->found.is_there)
        explain_print(explained, pipeline_report_text(s->pipeline));
}

/* say_verdict prints one line that says what is wrong, and which command shows more. */
static void say_verdict(const struct sniff *s)
{
    const struct options *options = s->options;
    const struct ds_text verdict = pipeline_verdict(s->pipeline);
    if (verdict.len == 0)
        return;
    const bool is_part = !s->capture.is_live && s->ending.reason != STOP_INPUT;
    fprintf(stderr, "%s%.*s; ", is_part ? "up to here: " : "", (int)verdict.len, verdict.data);
    if (options->report.command != NULL || options->kept != NULL)
        fprintf(stderr, "distsniff %s%s--report doctor%s says more\n",
                options->report.command != NULL ? options->report.command : options->kept,
                options->report.window != NULL ? options->report.window : "",
                options->report.command != NULL ? options->report.behind : "");
    else
        fputs("--report doctor says more\n", stderr);
}

/* finish_outputs writes what comes at the end: reports, complaints and the summary. It says whether
 * everything was decoded. */
static bool finish_outputs(struct sniff *s)
{
    if (s->options->report.wanted[REPORT_CLOCKS])
        capture_report_clocks(&s->capture, pipeline_report_text(s->pipeline));
    if (pipeline_get_explain(s->pipeline) != NULL)
        explain(s);
    if (!reader_is_gone(s))
        pipeline_write_reports(s->pipeline);
    const struct ds_stats stats = sniff_stats(s);
    if (!reader_is_gone(s)) {
        sniff_say_given_up(s);
        pipeline_suggest(s->pipeline);
        if (s->keylog != NULL)
            keylog_files_complain(s->keylog);
        sniff_explain_nothing_passed(s);
        sniff_explain_missed(s);
        late_notice_end(&s->late);
        if (!s->options->explain.asked)
            sniff_print_summary(s);
    }
    return summary_is_complete(&stats);
}

/* free_parts frees the parts that read packets and write records. */
static void free_parts(struct sniff *s)
{
    port_filter_free(s->follow);
    s->has_unwritten = s->pipeline != NULL && pipeline_num_unwritten(s->pipeline) != 0;
    pipeline_free(s->pipeline);
    sniff_free_again(s);
    recorder_free(s->recorder);
    packet_notes_free(s->notes);
    annotated_free(s->annotated);
    packet_hold_free(s->hold);
    ds_session_free(s->session);
    conn_states_free(&s->states);
    if (s->openings != NULL)
        pending_messages_free(s->openings);
    free(s->openings);
    keylog_files_close(s->keylog);
}

/* end_processes ends the other processes, and frees the names of files that the helper could open. */
static void end_processes(struct sniff *s)
{
    epmd_asker_end(s->asker);
    kernel_watch_end(s->kernel);
    s->failed |= !nats_publisher_end(s->nats);
    s->failed |= !otlp_publisher_end(s->otlp);
    file_helper_stop();
    sniff_forget_streams(s);
    free(s->learned_new);
    free(s->resume_new);
    for (size_t i = 0; i < SAVE_NAMES; i++)
        free(s->save_names[i]);
    free(s->baseline_new);
}

int sniff_close(struct sniff *s, bool opened)
{
    capture_writer_close(&s->save);
    if (opened && s->tui != NULL && !stop_wanted && !pipeline_has_failed(s->pipeline))
        tui_stay(s->tui);
    tui_free(s->tui);
    s->tui = NULL;
    const bool has_errors = s->pipeline != NULL && s->options->report.wanted[REPORT_DOCTOR] &&
                            pipeline_has_errors(s->pipeline);
    const bool complete = !opened || finish_outputs(s);
    s->failed |= !capture_close(&s->capture) || !opened || capture_writer_has_failed(&s->save) ||
                 (s->recorder != NULL && recorder_has_failed(s->recorder)) ||
                 annotated_ending(s) == STOP_OUTPUT ||
                 (s->pipeline != NULL &&
                  (pipeline_has_failed(s->pipeline) || pipeline_is_unpublished(s->pipeline)));
    if (!opened && s->pipeline == NULL)
        extcap_abandon(s->options->extcap.fifo);
    if (opened && !reader_is_gone(s) && !s->options->explain.asked && !s->options->extcap.captures) {
        stop_condition_print(&s->ending, stderr);
        say_verdict(s);
    }
    const bool shows_on = opened && s->web != NULL && !stop_wanted &&
                          !pipeline_has_failed(s->pipeline);
    free_parts(s);
    if (opened && s->options->compare.write_file != NULL && !s->failed)
        s->failed |= !baseline_file_write(s->options->compare.write_file, s->options->report.compare);
    /* The file contains names, so it is not written if names are redacted. */
    if (opened && s->options->learned_file != NULL && s->memory != NULL &&
        s->options->redact.what == 0)
        s->failed |= !learned_file_write(s->options->learned_file, s->memory);
    ds_atom_memory_free(s->memory);
    if (opened && !s->failed)
        sniff_keep_place(s, true);
    end_processes(s);
    if (shows_on)
        web_serve_on(s->web);
    web_free(s->web);
    metrics_server_free(s->metrics_server);
    if (s->failed)
        return STATUS_TROUBLE;
    if (s->options->strict && !complete)
        return STATUS_INCOMPLETE;
    const struct compare *compare = s->options->report.compare;
    return compare != NULL && compare->is_worse ? STATUS_WORSE : has_errors ? STATUS_FOUND : STATUS_OK;
}
