/*
 * sniff_notices.c - messages to the user besides the output: counts, losses, and possible causes of
 * trouble. See sniff_parts.h.
 */
#include "app/run/sniff_parts.h"

#include "app/options/late_hints.h"
#include "app/run/summary.h"
#include "core/clock.h"
#include "core/complain.h"

#include <distsniff/counted.h>
#include <stdio.h>

/* sniff_stats adds up the counts of all stages. */
struct ds_stats sniff_stats(const struct sniff *s)
{
    struct ds_stats stats = *ds_session_stats(s->session);
    if (s->hold != NULL)
        packet_hold_add_stats(s->hold, &stats);
    pipeline_add_stats(s->pipeline, &stats);
    if (s->recorder != NULL)
        recorder_add_stats(s->recorder, &stats);
    if (s->keylog != NULL) {
        const struct ds_keylog_stats *keylog = ds_keylog_stats(keylog_files_get(s->keylog));
        stats.limits_hit[DS_LIMIT_SECRETS] += keylog->dropped;
        stats.no_memory += keylog->no_memory;
    }
    if (s->web != NULL)
        stats.limits_hit[DS_LIMIT_WEB_CLIENTS] += web_num_refused(s->web);
    return stats;
}

/* print_fit prints the application whose messages make atoms of a node likely. */
static void print_fit(void *context, const struct ds_fit *fit)
{
    struct ds_buffer text = {0};
    ds_buffer_add_text(&text, "atoms of ");
    ds_endpoint_print(&fit->node, &text);
    ds_buffer_printf(&text, " are likely by the shapes of its messages: %u of %u are those of %s\n",
                     fit->num_known, fit->num, fit->application);
    if (!text.failed)
        fwrite(text.data, 1, text.len, context);
    ds_buffer_free(&text);
}

void sniff_print_summary(struct sniff *s)
{
    if (s->options->extcap.captures)
        return; /* Wireshark treats this as an error */
    const struct ds_stats stats = sniff_stats(s);
    struct summary summary = {
        .num_read =
            s->capture.is_live ? s->num_passed : s->capture.num_packets - s->capture.num_made,
        .num_passed = s->num_passed,
        .is_live = s->capture.is_live,
        .num_dropped = s->num_dropped[LOSS_KERNEL],
        .num_missed = s->num_dropped[LOSS_INTERFACE],
        .has_keylog = s->options->keylog.num_files != 0,
        .stats = &stats,
        .config = &s->options->config,
    };
    summary.chooses = pipeline_get_shown(s->pipeline, &summary.num_shown);
    summary_print(&summary, stderr);
    if (s->options->redact.what == 0)
        ds_session_fits(s->session, print_fit, stderr);
}

/* sniff_count_drops reports the packets that were dropped since its last call: the kernel counts
 * them, but does not say when they came. */
void sniff_count_drops(struct sniff *s)
{
    uint64_t drops[LOSS_CAUSE_COUNT] = {0};
    const int64_t now_ns = clock_since_1970_ns();
    const int64_t asked_ns = s->drops_asked_ns < now_ns ? s->drops_asked_ns : now_ns;
    capture_get_drops(&s->capture, &drops[LOSS_KERNEL], &drops[LOSS_INTERFACE]);
    s->drops_asked_ns = now_ns;
    for (int cause = 0; cause < LOSS_CAUSE_COUNT; cause++) {
        if (drops[cause] <= s->num_dropped[cause])
            continue;
        const struct loss loss = {.cause = (enum loss_cause)cause,
                                  .count = drops[cause] - s->num_dropped[cause],
                                  .first_ns = asked_ns,
                                  .last_ns = now_ns};
        pipeline_on_loss(s->pipeline, &loss);
        s->num_dropped[cause] = drops[cause];
    }
    if (s->nats != NULL)
        nats_publisher_dropped(s->nats, s->num_dropped[LOSS_KERNEL] + s->num_dropped[LOSS_INTERFACE]);
}

enum { SILENCE_S = 10 };

/* sniff_explain_silence prints possible causes if nothing has been seen for a while. */
void sniff_explain_silence(struct sniff *s)
{
    const struct ds_stats *stats = ds_session_stats(s->session);
    if (s->silence_is_told || clock_now_ns() - s->begin_ns < SILENCE_S * INT64_C(1000000000))
        return;
    s->silence_is_told = true;
    if (stats->connections != 0 || stats->messages != 0)
        return;
    if (s->options->follow.expression != NULL)
        late_hints_silence(SILENCE_S, s->options->follow.expression,
                           s->options->capture.interface);
    else
        complain("No Erlang traffic seen for %d s. Wrong interface? -D lists them", SILENCE_S);
}

/* sniff_explain_nothing_passed says what would pass if an expression has matched nothing. */
void sniff_explain_nothing_passed(const struct sniff *s)
{
    if (!s->capture.is_live && s->num_passed == 0 && s->num_taken != 0 &&
        s->options->follow.expression != NULL && s->ending.reason == STOP_INPUT)
        complain("none of %s matches '%s': without an expression, distribution is found on any "
                 "port",
                 ds_counted(s->num_taken, "packets").text, s->options->follow.expression);
    else if (!s->capture.is_live && s->num_passed != 0 && s->ending.reason == STOP_INPUT &&
             ds_session_stats(s->session)->connections == 0)
        complain("no connection of Erlang nodes was recognised: if one began before the capture, or is "
                 "encrypted, name the port of a node with --dist-port");
}

void sniff_explain_missed(const struct sniff *s)
{
    char line[256];
    if (stop_condition_missed(&s->ending, &s->range, line, sizeof line))
        complain("%s", line);
}

void sniff_say_alive(struct sniff *s)
{
    char lines[256];
    if (!service_is_due(&s->service, clock_now_ns()))
        return;
    const struct ds_stats *stats = ds_session_stats(s->session);
    snprintf(lines, sizeof lines, "WATCHDOG=1\nSTATUS=%s, %s, %s",
             ds_counted(s->num_passed, "packets").text, ds_counted(stats->connections, "connections").text,
             ds_counted(stats->messages, "messages").text);
    service_say(&s->service, lines);
}

void sniff_say_listening(const struct sniff *s)
{
    if (s->options->extcap.captures)
        return;
    const char *interface = s->options->capture.interface;
    const char *expression = s->options->follow.expression;
    fprintf(stderr, "listening on %s%s%s; Ctrl-C stops\n", interface != NULL ? interface : "any",
            expression != NULL ? " for " : "", expression != NULL ? expression : "");
}

void sniff_say_given_up(const struct sniff *s)
{
    const uint64_t num_given_up = pipeline_num_given_up(s->pipeline);
    if (num_given_up != 0)
        complain("-e, -m, -Y, --trigger or --redact-keep exceeded the time limit of a match %s, "
                 "which counts as no match: simplify the expression",
                 ds_counted(num_given_up, "times").text);
}
