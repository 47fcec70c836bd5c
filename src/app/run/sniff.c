/*
 * sniff.c - see sniff.h. Packets are read until there is a reason to end.
 */
#include "app/run/sniff_parts.h"

#include "app/run/first_pass.h"
#include "core/clock.h"
#include "core/complain.h"
#include "core/signals.h"

#include <stdlib.h>
#include <unistd.h>

/* Without packets, the time is reported at intervals, less the delay that the kernel may cause. */
enum {
    CLOCK_EVERY = 4096,
    DRAIN_NS = 300 * 1000 * 1000,
    TELL_EVERY_NS = 100 * 1000 * 1000,
    SETTLE_NS = 300 * 1000 * 1000,
};
enum { NAMES_OF_POINTS = 1 << REDACT_NODES | 1 << REDACT_ADDRESSES }; /* --redact of these hides them */
#define PUBLISH_EVERY_NS (10 * INT64_C(1000000000)) /* --metrics FILE */

static void flush(void *context)
{
    struct sniff *s = context;
    pipeline_flush(s->pipeline);
    capture_writer_flush(&s->save);
    if (s->recorder != NULL)
        recorder_flush(s->recorder);
}

static int64_t read_live_clock(struct sniff *s)
{
    const int64_t monotonic_ns = clock_now_ns();
    if (s->stamp_ns != 0)
        live_clock_set(&s->clock, s->stamp_ns, monotonic_ns);
    s->stamp_ns = 0;
    return live_clock_read(&s->clock, clock_since_1970_ns(), monotonic_ns);
}

static void publish(struct sniff *s)
{
    const int64_t now_ns = clock_now_ns();
    const bool is_due = s->options->metrics.file != NULL &&
                        now_ns - s->published_ns >= PUBLISH_EVERY_NS;
    const bool is_asked = s->metrics_server != NULL && metrics_server_is_asked(s->metrics_server);
    if (is_due)
        s->published_ns = now_ns;
    if (is_due || is_asked)
        pipeline_publish(s->pipeline, s->capture.is_live ? read_live_clock(s) : INT64_MIN);
}

/* A notice that waits for messages is printed after this time at the latest. */
#define LATE_NOTICE_NS INT64_C(10000000000)

/* look_around does what is due only now and then. */
static void look_around(struct sniff *s)
{
    if (s->keylog != NULL && s->keylog_config.grows)
        keylog_files_read(s->keylog);
    if (s->asker != NULL)
        epmd_asker_look(s->asker);
    if (s->kernel != NULL)
        kernel_watch_look(s->kernel);
    if (s->capture.is_live) {
        sniff_count_drops(s);
        sniff_explain_silence(s);
        if (clock_now_ns() - s->begin_ns >= LATE_NOTICE_NS)
            late_notice_end(&s->late);
    }
    publish(s);
    sniff_keep_place(s, false);
    sniff_say_alive(s);
    progress_update(&s->progress, &s->capture, ds_session_stats(s->session));
    if (counts_wanted) {
        counts_wanted = 0;
        sniff_print_summary(s);
        pipeline_show(s->pipeline, s->capture.is_live ? read_live_clock(s) : INT64_MIN);
    }
    if (flush_wanted) {
        flush_wanted = 0;
        flush(s);
    }
    if (reload_wanted) {
        reload_wanted = 0;
        service_reloads(&s->service, clock_now_ns());
        sniff_reload(s);
        service_say(&s->service, "READY=1");
    }
    pipeline_try_reopen(s->pipeline);
}

/* wait_for_input is called while a pipe has no packet to read. */
static void wait_for_input(void *context)
{
    struct sniff *s = context;
    const int64_t now_ns = clock_now_ns();
    look_around(s);
    if (s->idle_ns == 0)
        s->idle_ns = now_ns;
    if (s->hold != NULL && now_ns - s->idle_ns >= s->options->hold_ns)
        packet_hold_end(s->hold);
    if (now_ns - s->idle_ns >= SETTLE_NS) {
        if (s->hold != NULL)
            packet_hold_settle(s->hold);
        ds_session_settle(s->session); /* it stops waiting for missing packets */
    }
    flush(s);
}

/* on_silent is called for a capture point of a stream. */
static void on_silent(void *context, const struct silent_point *point)
{
    struct sniff *s = context;
    pipeline_silent(s->pipeline, point);
}

/* on_point is called for each capture point of a stream from time to time. */
static void on_point(void *context, const struct capture_point *point)
{
    struct sniff *s = context;
    (void)point_board_set(&s->points, point);
}

static void pass_time(struct sniff *s, int64_t now_ns)
{
    if (s->hold != NULL)
        now_ns = packet_hold_time(s->hold, now_ns);
    ds_session_time(s->session, now_ns);
    pipeline_time(s->pipeline, now_ns);
}

/* go_on reports the time to the stages while no packet comes. */
static void go_on(struct sniff *s)
{
    const int64_t now_ns = clock_now_ns();
    if (now_ns - s->told_ns < TELL_EVERY_NS)
        return;
    s->told_ns = now_ns;
    pass_time(s, read_live_clock(s) - DRAIN_NS);
}

/* look_at_clock checks whether the time ends a live capture. */
static void look_at_clock(struct sniff *s)
{
    stop_condition_clock(&s->ending, clock_now_ns() - s->begin_ns, clock_since_1970_ns());
    pipeline_set_since(s->pipeline, s->ending.since_ns);
}

static void begin(struct sniff *s, int64_t start_ns)
{
    stop_condition_begin(&s->ending, start_ns);
    s->range = (struct stop_range){start_ns, start_ns};
    pipeline_set_since(s->pipeline, s->ending.since_ns);
    s->has_begun = true;
}

/* passes applies the filter to a packet. If it opens a connection, EPMD may have named its port in
 * packets that the session still keeps while it waits for others: they are processed first. */
static bool passes(struct sniff *s, const struct ds_packet *packet)
{
    if (port_filter_pass(s->follow, packet))
        return true;
    if (!port_filter_may_yet_pass(s->follow, packet))
        return false;
    if (s->hold != NULL)
        packet_hold_settle(s->hold);
    else
        ds_session_settle(s->session);
    return port_filter_pass(s->follow, packet);
}

/* decode_in_time decodes a packet, now or after its wait. */
static void decode_in_time(struct sniff *s, const struct ds_packet *packet)
{
    if (s->hold != NULL)
        packet_hold_packet(s->hold, packet);
    else
        sniff_decode(s, packet);
}

/* goes_into_file writes a packet, or leaves that to sniff_decode. False at the end of the last
 * file. */
static bool goes_into_file(struct sniff *s, const struct ds_packet *packet)
{
    return sniff_writes_later(s) || capture_writer_packet(&s->save, packet);
}

/* take_made processes a pseudo packet of a snapshot: it is not counted. Not inline, as there are
 * few. */
static __attribute__((noinline)) void take_made(struct sniff *s, const struct ds_packet *packet)
{
    if (port_filter_pass(s->follow, packet) && goes_into_file(s, packet))
        decode_in_time(s, packet);
}

static void on_packet(struct sniff *s, struct ds_packet *packet)
{
    if (packet->past.kind != DS_SNAPSHOT_NONE) {
        take_made(s, packet);
        return;
    }
    s->num_taken++;
    s->num_context += packet->ts_ns < s->ending.from_ns;
    s->idle_ns = 0;
    s->stamp_ns = packet->ts_ns;
    if (!s->has_begun)
        begin(s, packet->ts_ns);
    if (packet->ts_ns > s->range.last_ns)
        s->range.last_ns = packet->ts_ns;
    if (!stop_condition_accepts(&s->ending, packet->ts_ns))
        return;
    s->shown_ns = packet->ts_ns > s->shown_ns ? packet->ts_ns : s->shown_ns;
    if (passes(s, packet) && goes_into_file(s, packet)) {
        s->num_passed++;
        if (s->capture.is_live)
            packet->frame = s->num_passed; /* packets that only the kernel's filter let pass are not
                                            * counted */
        if (s->nats != NULL)
            nats_publish_packet(s->nats, packet, s->time_digits);
        decode_in_time(s, packet);
        (void)stop_condition_file(&s->ending, s->save.writer.size);
    }
    stop_condition_count(&s->ending, s->capture.is_live ? s->num_passed : s->num_taken - s->num_context);
}

/* drain reads packets that were captured before the end. The kernel hands over a block of packets
 * when it is full or has waited long enough. */
static void drain(struct sniff *s)
{
    const int64_t begin_ns = clock_now_ns();
    const int64_t asked_ns = clock_since_1970_ns(); /* as time stamps are */
    struct ds_packet packet;
    while (!sniff_is_over(s) && clock_now_ns() - begin_ns < DRAIN_NS) {
        enum capture_status status = capture_next(&s->capture, &packet);
        if (status == CAPTURE_END || (status == CAPTURE_PACKET && packet.ts_ns > asked_ns))
            return;
        if (status == CAPTURE_PACKET)
            on_packet(s, &packet);
        else
            capture_wait(&s->capture);
    }
}

/* ends_by_clock says whether the kernel may still have packets from before the end. */
static bool ends_by_clock(const struct sniff *s)
{
    const enum stop_reason reason = s->ending.reason;
    return s->capture.is_live &&
           (reason == STOP_SIGNAL || reason == STOP_DURATION || reason == STOP_UNTIL);
}

static void run(struct sniff *s)
{
    struct ds_packet packet;

    s->begin_ns = clock_now_ns();
    live_clock_set(&s->clock, clock_since_1970_ns(), s->begin_ns);
    s->drops_asked_ns = clock_since_1970_ns();
    if (s->capture.is_live) {
        begin(s, s->drops_asked_ns);
        sniff_say_listening(s);
    }
    service_say(&s->service, "READY=1");
    progress_init(&s->progress, &s->capture);
    while (!sniff_has_ended(s)) {
        enum capture_status status = capture_next(&s->capture, &packet);
        if (status == CAPTURE_END) {
            sniff_has_ended(s); /* a signal also ends reading */
            stop_condition_set(&s->ending, s->capture.is_live ? STOP_INTERFACE : STOP_INPUT);
            break;
        }
        if (status == CAPTURE_IDLE || (s->num_taken + 1) % CLOCK_EVERY == 0) {
            look_around(s);
            if (s->capture.is_live)
                look_at_clock(s);
        }
        if (status == CAPTURE_IDLE) {
            if (s->capture.is_live)
                go_on(s);
            flush(s);
            capture_wait(&s->capture);
        } else {
            on_packet(s, &packet);
        }
    }
    service_say(&s->service, "STOPPING=1");
    if (ends_by_clock(s))
        drain(s);
    if (s->hold != NULL)
        packet_hold_end(s->hold);
    const int64_t end_ns = s->capture.is_live ? read_live_clock(s) : stop_condition_end_ns(&s->ending);
    if (end_ns != INT64_MIN)
        pass_time(s, end_ns);
    sniff_count_drops(s);
    progress_clear(&s->progress);
    ds_session_end(s->session);
    pipeline_set_stats(s->pipeline, ds_session_stats(s->session), s->capture.num_cut);
    pipeline_end(s->pipeline, end_ns);
    if (s->recorder != NULL)
        recorder_end(s->recorder);
    if (s->annotated != NULL)
        annotated_end(s->annotated);
}

static bool choose_syntax(struct sniff *s)
{
    const struct options *options = s->options;
    return options->syntax != OPTION_SYNTAX_AUTO ||
           syntax_choice_begin(&s->syntax, &s->capture, &s->config, options->output.verbose != 0);
}

int sniff_run(const struct options *options)
{
    struct sniff *s = calloc(1, sizeof *s);
    if (s == NULL) {
        complain("out of memory");
        return STATUS_TROUBLE;
    }
    s->options = options;
    point_board_init(&s->points, (options->redact.what & NAMES_OF_POINTS) != 0);
    s->late.on_terminal = isatty(STDERR_FILENO);
    s->late.may_name = options->redact.what == 0;
    if (options->explain.asked && options->explain.kind == EXPLAIN_PACKET)
        s->explained_frame = options->explain.number;
    stop_condition_init(&s->ending, &options->ending, options->capture.num_read_files == 0);
    signals_install(options->config_file != NULL && options->capture.num_read_files == 0);
    service_open(&s->service);
    bool opened = sniff_open(s);
    if (opened) {
        s->capture.on_wait = wait_for_input;
        s->capture.on_silent = on_silent;
        s->capture.on_point = on_point;
        s->capture.wait_context = s;
        opened = capture_survey(&s->capture, !options->no_clock_correction);
        opened = opened && first_pass(&s->capture, &s->config) && choose_syntax(s) &&
                 pipeline_start(s->pipeline);
        if (opened)
            run(s);
    }
    int status = sniff_close(s, opened);
    service_close(&s->service);
    syntax_choice_end(&s->syntax);
    point_board_free(&s->points);
    free(s);
    return status;
}
