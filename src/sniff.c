/*
 * sniff.c - see sniff.h. The order of opening is that of trust: the interface first, as
 * root; then the outputs; then root is given up, before the first byte of a peer is looked
 * at.
 */
#include "sniff.h"

#include "capture.h"
#include "complain.h"
#include "correlate.h"
#include "follow.h"
#include "privileges.h"
#include "progress.h"
#include "raw_writer.h"
#include "relay.h"
#include "report.h"
#include "select.h"
#include "sink.h"
#include "stop.h"
#include "summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

enum { MAX_COOKIE_LEN = 255, CLOCK_EVERY = 4096, DRAIN_NS = 300 * 1000 * 1000 };

struct sniff {
    const struct options *options;
    struct capture capture;
    struct follow *follow;
    struct ds_session *session;
    struct sink sinks[MAX_FORMATS];
    size_t num_sinks;
    struct relay *relay; /* to the sinks, while it runs */
    struct raw_writer raw;
    struct select *select;
    struct correlate *correlate; /* NULL when nobody wants to know */
    struct report_text report_text;
    struct report_calls *calls; /* the reports, where asked for */
    struct report_trees *trees;
    struct report_monitors *monitors;
    struct report_seq_trace *seq_trace;
    struct progress progress;
    char cookie[MAX_COOKIE_LEN + 1];
    uint64_t num_passed;      /* packets */
    uint64_t num_shown;       /* messages */
    int64_t stop_ns;          /* -a: of the clock or of the capture; 0: no end set */
    bool is_full;             /* -c is reached */
    bool failed, reader_gone; /* an output failed, or nobody reads it any more */
};

static void note_outputs(struct sniff *s)
{
    for (size_t i = 0; i < s->num_sinks && s->relay == NULL; i++) {
        s->reader_gone |= s->sinks[i].output.closed;
        s->failed |= s->sinks[i].output.failed && !s->sinks[i].output.closed;
    }
    s->reader_gone |= s->raw.closed;
    s->failed |= s->raw.failed && !s->raw.closed;
}

/* Reports go to standard output, unless records do. */
static void write_reports(struct sniff *s)
{
    struct ds_buffer *text = &s->report_text.buffer;
    FILE *out = stdout;
    for (size_t i = 0; i < s->num_sinks; i++)
        out = s->sinks[i].output.is_stdout ? stderr : out;
    if (text->failed) {
        complain("out of memory");
        s->failed = true;
    }
    if (text->len != 0 && (fwrite(text->data, 1, text->len, out) != text->len ||
                           fflush(out) != 0)) {
        if (errno != EPIPE)
            complain("cannot write the report: %s", strerror(errno));
        s->reader_gone |= errno == EPIPE;
        s->failed |= errno != EPIPE;
    }
    text->len = 0;
    text->failed = false;
}

enum { REPORT_WRITE = 65536 };

static void report_record(struct sniff *s, const struct record *record)
{
    if (s->calls != NULL)
        report_calls_record(s->calls, record);
    if (s->trees != NULL)
        report_trees_record(s->trees, record);
    if (s->seq_trace != NULL)
        report_seq_trace_record(s->seq_trace, record);
    if (s->report_text.buffer.len >= REPORT_WRITE)
        write_reports(s);
}

static void on_monitor(void *context, const struct monitor_end *end)
{
    struct sniff *s = context;
    if (s->monitors != NULL && !s->reader_gone)
        report_monitors_take(s->monitors, s->correlate, end);
}

/* stop_relay waits for the sinks and takes them back. */
static void stop_relay(struct sniff *s)
{
    s->failed |= !relay_stop(s->relay);
    s->relay = NULL;
    note_outputs(s);
}

static void on_record(void *context, const struct record *record)
{
    struct sniff *s = context;
    if (s->is_full || s->failed || s->reader_gone || !select_wants(s->select, record))
        return;
    report_record(s, record);
    if (s->relay != NULL && !relay_record(s->relay, record))
        stop_relay(s);
    if (record->call == NULL && record->event->type == DS_EVENT_MESSAGE &&
        ++s->num_shown == s->options->max_messages)
        s->is_full = true;
}

static void on_event(void *context, const struct ds_event *event)
{
    struct sniff *s = context;
    if (s->correlate != NULL) {
        correlate_event(s->correlate, event);
        return;
    }
    const struct record record = {.event = event};
    on_record(s, &record);
}

static void on_port(void *context, uint16_t port, struct ds_text name)
{
    struct sniff *s = context;
    follow_learn(s->follow, port, name);
}

static void flush(void *context)
{
    struct sniff *s = context;
    if (s->relay != NULL)
        relay_flush(s->relay);
    raw_writer_flush(&s->raw);
    note_outputs(s);
}

/* Opening an input for writing would empty it. */
static bool is_input(const struct options *options, const char *name)
{
    struct stat output, input;
    if (name == NULL || stat(name, &output) != 0 || !S_ISREG(output.st_mode))
        return false;
    for (size_t i = 0; i < options->num_read_files; i++) {
        if (stat(options->read_files[i], &input) == 0 && input.st_dev == output.st_dev &&
            input.st_ino == output.st_ino) {
            complain("%s is being read: write to another file", name);
            return true;
        }
    }
    return false;
}

static bool open_outputs(struct sniff *s)
{
    const struct options *options = s->options;
    if (is_input(options, options->write_file))
        return false;
    for (size_t i = 0; i < options->num_formats; i++) {
        if (is_input(options, options->formats[i].file) ||
            !sink_open(&s->sinks[i], &options->formats[i], options))
            return false;
        s->sinks[i].time_digits = capture_has_nanoseconds(&s->capture) ? 9 : 6;
        s->num_sinks++;
    }
    return options->write_file == NULL ||
           raw_writer_open(&s->raw, options->write_file, &s->capture);
}

/* The cookie is the text of the file up to white space, as the runtime system takes it. */
static bool read_cookie(struct sniff *s, struct ds_text *cookie)
{
    const char *name = s->options->cookie_file;
    if (name == NULL)
        return true;
    FILE *file = fopen(name, "re");
    size_t len = file != NULL ? fread(s->cookie, 1, MAX_COOKIE_LEN, file) : 0;
    if (file == NULL || ferror(file)) {
        complain("cannot read the cookie file %s: %s", name, strerror(errno));
        if (file != NULL)
            fclose(file);
        return false;
    }
    fclose(file);
    s->cookie[len] = '\0';
    len = strcspn(s->cookie, " \t\r\n");
    if (len == 0) {
        complain("the cookie file %s has no cookie in its first line", name);
        return false;
    }
    *cookie = (struct ds_text){s->cookie, len};
    return true;
}

static bool open_session(struct sniff *s)
{
    struct ds_config config = s->options->config;
    config.on_event = on_event;
    config.on_port = on_port;
    config.context = s;
    config.epmd_port = s->options->epmd_port;
    config.dist_ports = s->options->dist_ports;
    config.num_dist_ports = s->options->num_dist_ports;
    if (!read_cookie(s, &config.cookie))
        return false;
    s->session = ds_session_new(&config);
    if (s->session == NULL)
        complain("out of memory");
    return s->session != NULL;
}

/* What a call asked is kept for its record; a report only shows the beginning. */
enum { KEEP_REQUEST = 65536, KEEP_FOR_REPORT = 512 };

static bool open_reports(struct sniff *s)
{
    const bool *wanted = s->options->reports;
    const uint64_t max = s->options->config.limits[DS_LIMIT_REPORT];
    const uint64_t max_kept = s->options->config.limits[DS_LIMIT_CALLS];
    s->report_text.time_digits = capture_has_nanoseconds(&s->capture) ? 9 : 6;
    if (wanted[REPORT_CALLS])
        s->calls = report_calls_new(&s->report_text, s->options->call_order, max);
    if (wanted[REPORT_TREES])
        s->trees = report_trees_new(&s->report_text, max_kept);
    if (wanted[REPORT_MONITORS])
        s->monitors = report_monitors_new(&s->report_text);
    if (wanted[REPORT_SEQ_TRACE])
        s->seq_trace = report_seq_trace_new(&s->report_text, max_kept);
    return (!wanted[REPORT_CALLS] || s->calls != NULL) &&
           (!wanted[REPORT_TREES] || s->trees != NULL) &&
           (!wanted[REPORT_MONITORS] || s->monitors != NULL) &&
           (!wanted[REPORT_SEQ_TRACE] || s->seq_trace != NULL);
}

static void end_reports(struct sniff *s)
{
    if (s->calls != NULL)
        report_calls_end(s->calls);
    if (s->trees != NULL)
        report_trees_end(s->trees);
    if (s->monitors != NULL)
        report_monitors_end(s->monitors);
    if (s->seq_trace != NULL)
        report_seq_trace_end(s->seq_trace);
}

/* Conversations are put together when something is shown; -q alone is not slowed down. */
static bool open_correlate(struct sniff *s)
{
    const bool *reports = s->options->reports;
    const bool any_report = reports[REPORT_CALLS] || reports[REPORT_TREES] ||
                            reports[REPORT_MONITORS] || reports[REPORT_SEQ_TRACE];
    if ((s->num_sinks == 0 || s->options->no_calls) && !any_report)
        return true;
    struct correlate_config config = {
        .emit = on_record,
        .on_monitor = reports[REPORT_MONITORS] ? on_monitor : NULL,
        .context = s,
        .names = s->num_sinks != 0,
        .keep = s->num_sinks != 0 ? KEEP_REQUEST : KEEP_FOR_REPORT,
    };
    uint64_t seed;
    if (getrandom(&seed, sizeof seed, 0) == sizeof seed)
        keys_seed(seed);
    memcpy(config.limits, s->options->config.limits, sizeof config.limits);
    s->correlate = correlate_new(&config);
    if (s->correlate == NULL || !open_reports(s)) {
        complain("out of memory");
        return false;
    }
    return true;
}

static bool open_all(struct sniff *s)
{
    bool is_live = s->options->num_read_files == 0;
    if (!is_live && !privileges_return())
        return false;
    if (!capture_open(&s->capture, s->options))
        return false;
    if (is_live && !privileges_return())
        return false;
    s->follow = follow_new(s->options, &s->capture);
    s->select = select_new(s->options);
    if (s->select == NULL)
        complain("out of memory");
    return s->follow != NULL && s->select != NULL && open_session(s) && open_outputs(s) &&
           open_correlate(s) && privileges_drop(s->options->user);
}

/* The counts of the session and of the correlation together. */
static struct ds_stats all_stats(const struct sniff *s)
{
    struct ds_stats stats = *ds_session_stats(s->session);
    if (s->correlate != NULL)
        correlate_add_stats(s->correlate, &stats);
    select_add_stats(s->select, &stats);
    return stats;
}

static void print_summary(struct sniff *s)
{
    const struct ds_stats stats = all_stats(s);
    struct summary summary = {
        .num_read = s->capture.is_live ? s->num_passed : s->capture.num_packets,
        .num_passed = s->num_passed,
        .is_live = s->capture.is_live,
        .num_dropped = capture_get_drops(&s->capture),
        .stats = &stats,
        .config = &s->options->config,
    };
    summary_print(&summary, stderr);
}

/* What is looked at only now and then. */
static void look_around(struct sniff *s)
{
    progress_update(&s->progress, &s->capture, ds_session_stats(s->session));
    if (counts_wanted) {
        counts_wanted = 0;
        print_summary(s);
    }
}

static void take_packet(struct sniff *s, struct ds_packet *packet)
{
    if (!follow_pass(s->follow, packet))
        return;
    s->num_passed++;
    if (s->capture.is_live)
        packet->frame = s->num_passed; /* what the kernel let through in vain is not counted */
    raw_writer_write(&s->raw, packet);
    if (s->raw.failed)
        note_outputs(s);
    ds_session_packet(s->session, packet);
}

static bool is_over(const struct sniff *s)
{
    return s->is_full || s->failed || s->reader_gone;
}

/* drain takes what was captured before the user asked for the end. The kernel hands a block
 * of packets over when it is full or has waited long enough. */
static void drain(struct sniff *s)
{
    const int64_t begin_ns = clock_now_ns();
    struct timespec asked;
    clock_gettime(CLOCK_REALTIME, &asked); /* that of time stamps */
    const int64_t asked_ns = (int64_t)asked.tv_sec * 1000000000 + asked.tv_nsec;
    struct ds_packet packet;
    while (!is_over(s) && clock_now_ns() - begin_ns < DRAIN_NS) {
        enum capture_status status = capture_next(&s->capture, &packet);
        if (status == CAPTURE_END || (status == CAPTURE_PACKET && packet.ts_ns > asked_ns))
            return;
        if (status == CAPTURE_PACKET)
            take_packet(s, &packet);
        else
            capture_wait(&s->capture);
    }
}

static void run(struct sniff *s)
{
    const struct options *options = s->options;
    const int64_t max_ns = (int64_t)(options->max_seconds * 1e9);
    struct ds_packet packet;
    uint64_t num_taken = 0;

    if (max_ns != 0 && s->capture.is_live)
        s->stop_ns = clock_now_ns() + max_ns;
    progress_init(&s->progress, &s->capture);
    while (!stop_wanted && !is_over(s)) {
        enum capture_status status = capture_next(&s->capture, &packet);
        if (status == CAPTURE_END)
            break;
        if (status == CAPTURE_IDLE || ++num_taken % CLOCK_EVERY == 0) {
            look_around(s);
            if (s->capture.is_live && max_ns != 0 && clock_now_ns() >= s->stop_ns)
                break;
        }
        if (status == CAPTURE_IDLE) {
            flush(s);
            capture_wait(&s->capture);
            continue;
        }
        if (max_ns != 0 && !s->capture.is_live) {
            if (num_taken == 1)
                s->stop_ns = packet.ts_ns + max_ns;
            if (packet.ts_ns > s->stop_ns)
                break;
        }
        take_packet(s, &packet);
        if (options->max_packets != 0 &&
            (s->capture.is_live ? s->num_passed : num_taken) >= options->max_packets)
            break;
    }
    if (stop_wanted && s->capture.is_live)
        drain(s);
    progress_clear(&s->progress);
    ds_session_end(s->session);
    if (s->correlate != NULL)
        correlate_end(s->correlate);
}

static int close_all(struct sniff *s, bool opened)
{
    stop_relay(s);
    for (size_t i = 0; i < s->num_sinks; i++)
        sink_close(&s->sinks[i]);
    raw_writer_close(&s->raw);
    note_outputs(s);
    end_reports(s);
    bool complete = true;
    if (opened) {
        if (s->options->reports[REPORT_CLOCKS])
            capture_report_clocks(&s->capture, &s->report_text.buffer);
        if (!s->reader_gone)
            write_reports(s);
        const struct ds_stats stats = all_stats(s);
        complete = summary_is_complete(&stats);
        const uint64_t num_given_up = select_num_given_up(s->select);
        if (num_given_up != 0 && !s->reader_gone)
            complain("-e gave up on %llu messages, as finding out would take too long; they are "
                     "taken not to match: simplify the expression",
                     (unsigned long long)num_given_up);
        if (!s->reader_gone)
            print_summary(s);
    }
    s->failed |= !capture_close(&s->capture) || !opened;
    follow_free(s->follow);
    correlate_free(s->correlate);
    select_free(s->select);
    ds_buffer_free(&s->report_text.buffer);
    ds_session_free(s->session);
    if (s->failed)
        return STATUS_TROUBLE;
    return s->options->strict && !complete ? STATUS_INCOMPLETE : STATUS_OK;
}

int sniff_run(const struct options *options)
{
    struct sniff *s = calloc(1, sizeof *s);
    if (s == NULL) {
        complain("out of memory");
        return STATUS_TROUBLE;
    }
    s->options = options;
    stop_install();
    bool opened = open_all(s);
    if (opened) {
        s->capture.on_wait = flush;
        s->capture.wait_context = s;
        opened = capture_survey(&s->capture, !options->no_clock_correction);
        if (opened && s->num_sinks != 0)
            opened = (s->relay = relay_start(s->sinks, s->num_sinks)) != NULL;
        if (opened)
            run(s);
    }
    int status = close_all(s, opened);
    free(s);
    return status;
}
