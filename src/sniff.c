/*
 * sniff.c - see sniff.h. The order of opening is that of trust: a small process that is to open
 * files by name, then, as root, the interface or the files that are read. Then all rights are
 * given up and the sandbox closes, before the first byte of a peer is looked at.
 */
#include "sniff.h"

#include "capture.h"
#include "clock.h"
#include "complain.h"
#include "counted.h"
#include "cookie_file.h"
#include "file_helper.h"
#include "ending.h"
#include "follow.h"
#include "live_clock.h"
#include "keylog_file.h"
#include "late_hints.h"
#include "learned_file.h"
#include "static_atoms_file.h"
#include "look_ahead.h"
#include "packet_recorder.h"
#include "privileges.h"
#include "progress.h"
#include "sandbox.h"
#include "save.h"
#include "pipeline.h"
#include "sink.h"
#include "stop.h"
#include "summary.h"
#include "syntax_choice.h"
#include "warm_up.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>

enum { MAX_RUN_FILES = MAX_FORMATS + MAX_KEYLOG_FILES + 7 };

/* While nothing comes the time is told at intervals, less what the kernel may keep back. */
enum {
    CLOCK_EVERY = 4096,
    DRAIN_NS = 300 * 1000 * 1000,
    TELL_EVERY_NS = 100 * 1000 * 1000,
    SETTLE_NS = 300 * 1000 * 1000,
};

struct sniff {
    const struct options *options;
    struct capture capture;
    struct follow *follow;
    struct ds_config config;
    struct ds_session *session;
    struct pipeline *pipeline; /* NULL before it is open */
    struct save save;
    struct packet_recorder *recorder; /* NULL: neither -O nor --trigger */
    struct progress progress;
    struct helper_file files[MAX_RUN_FILES];
    struct file_helper_config helper;
    char cookie[MAX_COOKIE_LEN + 1];
    struct keylog_config keylog_config;
    struct keylog_files *keylog;    /* NULL: none was given, nor can there be any */
    bool is_hidden;                 /* memory, see hide_memory */
    uint64_t num_taken, num_passed; /* packets, and those of them that passed the filter */
    struct ending ending;
    int64_t begin_ns; /* of the monotonic clock */
    uint64_t num_dropped[LOSS_CAUSE_COUNT]; /* as far as it has been told */
    struct live_clock clock;
    int64_t stamp_ns; /* of the latest packet, if the clock has not been set by it yet, else 0 */
    int64_t idle_ns; /* since when a pipe has brought nothing, by the monotonic clock; 0: it does */
    int64_t told_ns;  /* when the time was told last, by the monotonic clock */
    int64_t drops_asked_ns;                 /* when the kernel was asked last, since 1970 */
    bool has_begun;   /* ending knows when */
    bool save_gone;   /* nobody reads what -w writes, and that has been said */
    bool silence_is_told;
    bool said_late;   /* what to do about connections that were up before */
    struct ds_atom_memory *memory;
    char *learned_new; /* what the file of --learned is called until it is whole */
    bool failed;      /* not by what is shown */
    struct syntax_choice syntax; /* of --syntax auto */
};

/* An output that nobody reads any more ends the run when there is no other. */
static bool is_save_read(const struct sniff *s)
{
    return s->save.is_on && save_get_ending(&s->save) != ENDING_READER;
}

static bool is_save_all(const struct sniff *s)
{
    return s->recorder == NULL && (s->pipeline == NULL || !pipeline_is_written(s->pipeline));
}

static bool is_reader_gone(const struct sniff *s)
{
    return (save_get_ending(&s->save) == ENDING_READER && is_save_all(s)) ||
           (s->recorder != NULL && recorder_get_ending(s->recorder) == ENDING_READER) ||
           (s->pipeline != NULL && pipeline_get_state(s->pipeline) == PIPELINE_NO_OUTPUT &&
            !pipeline_has_failed(s->pipeline) && !is_save_read(s));
}

/* save_ending is why saving ends the run. */
static enum ending_reason save_ending(struct sniff *s)
{
    const enum ending_reason ending = save_get_ending(&s->save);
    if (ending != ENDING_READER || is_save_all(s))
        return ending;
    if (!s->save_gone)
        complain("%s is not read any more: the other outputs go on", s->save.writer.output.name);
    s->save_gone = true;
    return ENDING_NONE;
}

static bool is_over(struct sniff *s)
{
    return save_ending(s) != ENDING_NONE ||
           (s->recorder != NULL && recorder_get_ending(s->recorder) != ENDING_NONE) ||
           pipeline_get_state(s->pipeline) != PIPELINE_ON;
}

/* has_ended says whether there is a reason to end, and notes it. */
static bool has_ended(struct sniff *s)
{
    static const enum ending_reason reasons[] = {
        [PIPELINE_ON] = ENDING_NONE,
        [PIPELINE_FULL] = ENDING_COUNT,
        [PIPELINE_RATE_EXCEEDED] = ENDING_RATE,
        [PIPELINE_FAILED] = ENDING_OUTPUT,
    };
    const enum pipeline_state state = pipeline_get_state(s->pipeline);
    if (state != PIPELINE_NO_OUTPUT)
        ending_set(&s->ending, reasons[state]);
    else if (!is_save_read(s))
        ending_set(&s->ending, pipeline_has_failed(s->pipeline) ? ENDING_OUTPUT : ENDING_READER);
    /* What a live capture could not write can not be had again. */
    if (s->capture.is_live && pipeline_has_failed(s->pipeline))
        ending_set(&s->ending, ENDING_OUTPUT);
    ending_set(&s->ending, save_ending(s));
    if (s->recorder != NULL)
        ending_set(&s->ending, recorder_get_ending(s->recorder));
    if (stop_wanted) {
        s->ending.signal = stop_wanted;
        ending_set(&s->ending, ENDING_SIGNAL);
    }
    return s->ending.reason != ENDING_NONE;
}

static void on_event(void *context, const struct ds_event *event)
{
    struct sniff *s = context;
    if (event->type == DS_EVENT_CONN && event->change.state == DS_CONN_JOINED_LATE &&
        !s->options->quiet)
        late_hints_joined(&s->said_late);
    if (s->syntax.otp != NULL)
        syntax_choice_event(&s->syntax, event);
    if (!is_over(s))
        pipeline_event(s->pipeline, event);
}

static void on_all_known(void *context, const struct ds_conn *conn, unsigned dir)
{
    const struct sniff *s = context;
    if (!s->options->quiet)
        late_hints_known(conn, dir, s->options->redact.what == 0);
}

static void on_port(void *context, uint16_t port, struct ds_text name)
{
    struct sniff *s = context;
    const bool may_tell = s->options->redact.what == 0;
    follow_learn(s->follow, port, may_tell ? name : (struct ds_text){NULL, 0});
}

static void flush(void *context)
{
    struct sniff *s = context;
    pipeline_flush(s->pipeline);
    save_flush(&s->save);
    if (s->recorder != NULL)
        recorder_flush(s->recorder);
}

/* split_name returns the last part of a name, and in folder what the rest of it is. */
static const char *split_name(const char *name, struct stat *folder)
{
    const char *slash = strrchr(name, '/');
    char *path = slash == NULL ? strdup(".") : strndup(name, (size_t)(slash + 1 - name));
    if (path == NULL || stat(path, folder) != 0)
        *folder = (struct stat){0};
    free(path);
    return slash == NULL ? name : slash + 1;
}

/* is_same_file says whether two names are of one file, which need not be there yet. */
static bool is_same_file(const char *a, const char *b)
{
    struct stat one, other;
    const bool has_one = stat(a, &one) == 0;
    const bool has_other = stat(b, &other) == 0;
    if (has_one != has_other)
        return false;
    if (!has_one && strcmp(split_name(a, &one), split_name(b, &other)) != 0)
        return false;
    const mode_t kind = has_one ? S_IFREG : S_IFDIR;
    return (one.st_mode & S_IFMT) == kind && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

/* check_outputs looks before anything is opened: that would empty a file. */
static bool check_outputs(const struct sniff *s)
{
    const struct options *options = s->options;
    const char *names[MAX_FORMATS + 2] = {options->keep.write_file, options->keep.connections_file};
    for (size_t i = 0; i < options->output.num_formats; i++)
        names[i + 2] = options->output.formats[i].file;
    for (size_t i = 0; i < options->output.num_formats + 2; i++) {
        if (names[i] != NULL && capture_is_input(&s->capture, names[i]))
            return false;
        for (size_t j = 0; j < i && names[i] != NULL; j++) {
            if (names[j] != NULL && is_same_file(names[i], names[j])) {
                complain("%s would be written by two at once: name another file for one of them",
                         names[i]);
                return false;
            }
        }
    }
    return true;
}

/* warn_of_secrets: what is asked for has to be known by who passes such a file on. */
static void warn_of_secrets(const struct keep_config *keep)
{
    const char *const names[] = {keep->write_file, keep->connections_file};
    for (size_t i = 0; i < 2 && keep->embeds_secrets; i++) {
        if (names[i] != NULL)
            complain("%s gets the secrets of its TLS connections: whoever has it can read all that they "
                     "say",
                     strcmp(names[i], "-") == 0 ? "standard output" : names[i]);
    }
}

static bool open_outputs(struct sniff *s)
{
    const struct options *options = s->options;
    s->pipeline = pipeline_new(options, capture_has_nanoseconds(&s->capture) ? 9 : 6);
    warn_of_secrets(&options->keep);
    save_init(&s->save, &options->keep, &s->capture);
    if (options->keep.embeds_secrets)
        s->save.keylog = s->config.keylog;
    if (s->pipeline == NULL || !recorder_wanted(&options->keep))
        return s->pipeline != NULL;
    s->recorder = recorder_new(&options->keep, &s->config, &s->capture);
    pipeline_set_recorder(s->pipeline, s->recorder);
    return s->recorder != NULL;
}

/* open_keylog reads the secrets. */
static bool open_keylog(struct sniff *s)
{
    return s->keylog == NULL || keylog_files_open(s->keylog);
}

static bool open_session(struct sniff *s)
{
    struct ds_config *config = &s->config;
    *config = s->options->config;
    config->on_event = on_event;
    config->on_port = on_port;
    config->on_all_known = on_all_known;
    config->context = s;
    config->epmd_port = s->options->epmd_port;
    config->dist_ports = s->options->follow.dist_ports;
    config->num_dist_ports = s->options->follow.num_dist_ports;
    config->facts = s->options->output.num_formats != 0 || s->options->select.filter != NULL ||
                    s->options->keep.trigger != NULL || pipeline_takes_findings(s->options) ||
                    reports_take_facts(&s->options->report);
    config->raw = sinks_want_raw(&s->options->output);
    config->certain = config->certain || sinks_are_read_back(&s->options->output);
    if (!config->certain) {
        s->memory = ds_atom_memory_new(config->limits[DS_LIMIT_ATOM_BOOKS]);
        config->atom_memory = s->memory;
        config->learn = s->options->learned_file != NULL;
        if (s->memory == NULL) {
            complain("out of memory");
            return false;
        }
        if (!static_atoms_file_read(s->options->static_atoms_file, s->memory) ||
            (s->options->learned_file != NULL &&
            !learned_file_read(s->options->learned_file, s->memory)))
            return false;
    }
    if (!cookie_file_read(s->options->cookie_file, s->cookie, &config->cookie))
        return false;
    if (s->keylog != NULL) {
        config->keylog = keylog_files_get(s->keylog);
        config->keylog_grows = s->capture.is_live;
        config->keylog_notes = s->options->keep.embeds_secrets;
    }
    s->session = ds_session_new(config);
    if (s->session == NULL)
        complain("out of memory");
    return s->session != NULL;
}

/* may_record says whether the files of --trigger can be created. Of a folder that is named by the
 * time it is not known yet. */
static bool may_record(const struct sniff *s)
{
    const char *name = s->options->keep.write_file;
    if (s->options->keep.trigger == NULL)
        return true;
    const char *slash = strrchr(name, '/');
    const char *percent = strchr(name, '%');
    if ((slash != NULL && percent != NULL && percent < slash) || file_helper_may_create(name))
        return true;
    complain("cannot write %s: %s", name, strerror(errno));
    return false;
}

static void add_file(struct sniff *s, const char *name, enum helper_use use)
{
    if (name != NULL && strcmp(name, "-") != 0)
        s->files[s->helper.num_files++] = (struct helper_file){name, use};
}

/* start_helper starts the process that opens the files of this run. */
static bool start_helper(struct sniff *s)
{
    const struct options *options = s->options;
    const bool is_later = options->keep.trigger != NULL || rotation_is_on(&options->keep.rotation);
    s->helper = (struct file_helper_config){
        .files = s->files,
        .command = options->keep.after_command,
        .user = privileges_user(options->keep.user),
        .is_confined = options->sandbox != SANDBOX_OFF,
    };
    add_file(s, options->cookie_file, HELPER_READ);
    add_file(s, options->redact.key_file, HELPER_READ);
    for (size_t i = 0; i < options->keylog.num_files; i++)
        add_file(s, options->keylog.files[i], HELPER_READ);
    add_file(s, options->static_atoms_file, HELPER_READ);
    if (options->learned_file != NULL) {
        add_file(s, options->learned_file, HELPER_READ);
        if (asprintf(&s->learned_new, "%s.new", options->learned_file) < 0) {
            s->learned_new = NULL;
            complain("out of memory");
            return false;
        }
        add_file(s, s->learned_new, HELPER_WRITE);
    }
    add_file(s, options->keep.write_file, is_later ? HELPER_LATER : HELPER_WRITE);
    add_file(s, options->keep.connections_file, HELPER_WRITE);
    for (size_t i = 0; i < options->output.num_formats; i++)
        add_file(s, options->output.formats[i].file, HELPER_WRITE);
    return file_helper_start(&s->helper);
}

static bool close_in(const struct sniff *s, bool is_live)
{
    const struct sandbox_config config = {
        .wish = s->options->sandbox,
        .is_live = is_live,
        .says_so = s->options->output.verbose > 0,
    };
    return sandbox_enter(&config);
}

/* hide_memory keeps secrets out of dumps of memory. */
static bool hide_memory(struct sniff *s)
{
    if (!s->is_hidden && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
        complain("cannot keep secrets out of dumps of memory: %s", strerror(errno));
    else
        s->is_hidden = true;
    return s->is_hidden;
}

/* on_secrets takes a line of those that a capture file holds. */
static void on_secrets(void *context, const char *line, size_t len)
{
    struct sniff *s = context;
    if (hide_memory(s))
        keylog_files_take(s->keylog, line, len);
}

/* prepare_keylog makes ready for secrets: those of files come later, as do those that stand in
 * what is read. */
static bool prepare_keylog(struct sniff *s)
{
    s->keylog_config = s->options->keylog;
    s->keylog_config.grows = s->capture.is_live;
    s->keylog_config.max_secrets = s->options->config.limits[DS_LIMIT_SECRETS];
    if (s->capture.is_live && s->keylog_config.num_files == 0)
        return true;
    s->keylog = keylog_files_new(&s->keylog_config);
    s->capture.on_secrets = (struct secrets_sink){.take = on_secrets, .context = s};
    return s->keylog != NULL && (s->keylog_config.num_files == 0 || hide_memory(s));
}

/* open_inputs opens what is read, and gives up all rights. A live capture has no bytes to be read
 * before it begins, so its filter is made first; that of files only where it has names in it,
 * which may have to be looked up. */
static bool open_inputs(struct sniff *s)
{
    const bool is_live = s->options->capture.num_read_files == 0;
    if (!start_helper(s) || (!is_live && !privileges_return()) ||
        !capture_open(&s->capture, &s->options->capture) || (is_live && !privileges_return()) ||
        !prepare_keylog(s))
        return false;
    s->follow = follow_new(&s->options->follow, &s->capture);
    if (s->follow == NULL || !check_outputs(s) || (is_live && !follow_begin(s->follow)) ||
        !privileges_drop(s->options->keep.user))
        return false;
    if (s->options->output.verbose > 0)
        privileges_say();
    warm_up(s->options->cookie_file != NULL || s->options->redact.what != 0 ||
            pipeline_takes_findings(s->options));
    if (is_live)
        return close_in(s, true);
    return follow_needs_names(s->follow)
               ? capture_begin(&s->capture) && follow_begin(s->follow) && close_in(s, false)
               : close_in(s, false) && capture_begin(&s->capture) && follow_begin(s->follow);
}

/* may_learn says whether the file of --learned can be replaced in the end. */
static bool may_learn(const struct sniff *s)
{
    if (s->learned_new == NULL || file_helper_may_create(s->learned_new))
        return true;
    complain("cannot write %s: %s", s->learned_new, strerror(errno));
    return false;
}

static bool open_all(struct sniff *s)
{
    return open_inputs(s) && open_keylog(s) && open_session(s) && open_outputs(s) &&
           save_open(&s->save) && may_record(s) && may_learn(s);
}

/* The counts of all stages together. */
static struct ds_stats all_stats(const struct sniff *s)
{
    struct ds_stats stats = *ds_session_stats(s->session);
    pipeline_add_stats(s->pipeline, &stats);
    if (s->recorder != NULL)
        recorder_add_stats(s->recorder, &stats);
    if (s->keylog != NULL) {
        const struct ds_keylog_stats *keylog = ds_keylog_stats(keylog_files_get(s->keylog));
        stats.limits_hit[DS_LIMIT_SECRETS] += keylog->dropped;
        stats.no_memory += keylog->no_memory;
    }
    return stats;
}

static void print_summary(struct sniff *s)
{
    const struct ds_stats stats = all_stats(s);
    struct summary summary = {
        .num_read =
            s->capture.is_live ? s->num_passed : s->capture.num_packets - s->capture.num_made,
        .num_passed = s->num_passed,
        .is_live = s->capture.is_live,
        .num_dropped = s->num_dropped[LOSS_KERNEL],
        .num_missed = s->num_dropped[LOSS_INTERFACE],
        .stats = &stats,
        .config = &s->options->config,
    };
    summary.chooses = pipeline_get_shown(s->pipeline, &summary.num_shown);
    summary_print(&summary, stderr);
}

/* note_drops tells of the packets that have been dropped since it was called last: the kernel
 * counts them, and does not say when they came. */
static void note_drops(struct sniff *s)
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
        pipeline_lose(s->pipeline, &loss);
        s->num_dropped[cause] = drops[cause];
    }
}

enum { SILENCE_S = 10 };

/* explain_silence says what may be the matter when nothing has been seen for a while. */
static void explain_silence(struct sniff *s)
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
        complain("nothing of Erlang in %d s: -D lists the interfaces", SILENCE_S);
}

/* explain_nothing_passed says what would pass where an expression has left out everything. */
static void explain_nothing_passed(const struct sniff *s)
{
    if (!s->capture.is_live && s->num_passed == 0 && s->num_taken != 0 &&
        s->options->follow.expression != NULL && s->ending.reason == ENDING_INPUT)
        complain("none of %s passes %s: without it, distribution is found on any port",
                 counted(s->num_taken, "packets").text, s->options->follow.expression);
}

static void say_listening(const struct sniff *s)
{
    const char *interface = s->options->capture.interface;
    const char *expression = s->options->follow.expression;
    fprintf(stderr, "listening on %s%s%s; Ctrl-C ends\n", interface != NULL ? interface : "any",
            expression != NULL ? " for " : "", expression != NULL ? expression : "");
}

static int64_t read_live_clock(struct sniff *s)
{
    const int64_t monotonic_ns = clock_now_ns();
    if (s->stamp_ns != 0)
        live_clock_set(&s->clock, s->stamp_ns, monotonic_ns);
    s->stamp_ns = 0;
    return live_clock_read(&s->clock, clock_since_1970_ns(), monotonic_ns);
}

/* What is looked at only now and then. */
static void look_around(struct sniff *s)
{
    if (s->capture.is_live) {
        if (s->keylog != NULL)
            keylog_files_read(s->keylog);
        note_drops(s);
        explain_silence(s);
    }
    progress_update(&s->progress, &s->capture, ds_session_stats(s->session));
    if (counts_wanted) {
        counts_wanted = 0;
        print_summary(s);
        pipeline_show(s->pipeline, s->capture.is_live ? read_live_clock(s) : INT64_MIN);
    }
    if (flush_wanted) {
        flush_wanted = 0;
        flush(s);
    }
}

/* wait_for_input is called while no packet is there to be read from a pipe. */
static void wait_for_input(void *context)
{
    struct sniff *s = context;
    const int64_t now_ns = clock_now_ns();
    look_around(s);
    if (s->idle_ns == 0)
        s->idle_ns = now_ns;
    else if (now_ns - s->idle_ns >= SETTLE_NS)
        ds_session_settle(s->session); /* it goes on without what does not come */
    flush(s);
}

static void tell_time(struct sniff *s, int64_t now_ns)
{
    ds_session_time(s->session, now_ns);
    pipeline_time(s->pipeline, now_ns);
}

/* go_on tells the stages how late it is while nothing comes. */
static void go_on(struct sniff *s)
{
    const int64_t now_ns = clock_now_ns();
    if (now_ns - s->told_ns < TELL_EVERY_NS)
        return;
    s->told_ns = now_ns;
    tell_time(s, read_live_clock(s) - DRAIN_NS);
}

/* What the clock can end, in a live capture. */
static void look_at_clock(struct sniff *s)
{
    ending_clock(&s->ending, clock_now_ns() - s->begin_ns, clock_since_1970_ns());
    pipeline_set_since(s->pipeline, s->ending.since_ns);
}

static void begin(struct sniff *s, int64_t start_ns)
{
    ending_begin(&s->ending, start_ns);
    pipeline_set_since(s->pipeline, s->ending.since_ns);
    s->has_begun = true;
}

/* take_made takes a packet that stands for the past: it counts nowhere. */
static void take_made(struct sniff *s, const struct ds_packet *packet)
{
    if (!follow_pass(s->follow, packet) || !save_packet(&s->save, packet))
        return;
    const struct ds_where where = ds_session_packet(s->session, packet);
    if (s->recorder != NULL)
        recorder_packet(s->recorder, packet, &where);
}

static void take_packet(struct sniff *s, struct ds_packet *packet)
{
    if (packet->past.kind != DS_PAST_NONE) {
        take_made(s, packet);
        return;
    }
    s->num_taken++;
    s->idle_ns = 0;
    s->stamp_ns = packet->ts_ns;
    if (!s->has_begun)
        begin(s, packet->ts_ns);
    if (!ending_takes(&s->ending, packet->ts_ns))
        return;
    if (follow_pass(s->follow, packet) && save_packet(&s->save, packet)) {
        s->num_passed++;
        if (s->capture.is_live)
            packet->frame = s->num_passed; /* what the kernel let through in vain is not counted */
        const struct ds_where where = ds_session_packet(s->session, packet);
        if (s->recorder != NULL)
            recorder_packet(s->recorder, packet, &where);
        ending_file(&s->ending, s->save.writer.size);
    }
    ending_count(&s->ending, s->capture.is_live ? s->num_passed : s->num_taken);
}

/* drain takes what was captured before the end. The kernel hands a block of packets over when
 * it is full or has waited long enough. */
static void drain(struct sniff *s)
{
    const int64_t begin_ns = clock_now_ns();
    const int64_t asked_ns = clock_since_1970_ns(); /* as time stamps are */
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

/* ends_by_clock says whether packets from before the end may still be with the kernel. */
static bool ends_by_clock(const struct sniff *s)
{
    const enum ending_reason reason = s->ending.reason;
    return s->capture.is_live &&
           (reason == ENDING_SIGNAL || reason == ENDING_DURATION || reason == ENDING_UNTIL);
}

static void run(struct sniff *s)
{
    struct ds_packet packet;

    s->begin_ns = clock_now_ns();
    live_clock_set(&s->clock, clock_since_1970_ns(), s->begin_ns);
    s->drops_asked_ns = clock_since_1970_ns();
    if (s->capture.is_live) {
        begin(s, s->drops_asked_ns);
        say_listening(s);
    }
    progress_init(&s->progress, &s->capture);
    while (!has_ended(s)) {
        enum capture_status status = capture_next(&s->capture, &packet);
        if (status == CAPTURE_END) {
            has_ended(s); /* a signal ends reading, too */
            ending_set(&s->ending, s->capture.is_live ? ENDING_INTERFACE : ENDING_INPUT);
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
            take_packet(s, &packet);
        }
    }
    if (ends_by_clock(s))
        drain(s);
    if (s->capture.is_live)
        tell_time(s, read_live_clock(s));
    note_drops(s);
    progress_clear(&s->progress);
    ds_session_end(s->session);
    pipeline_end(s->pipeline);
    if (s->recorder != NULL)
        recorder_end(s->recorder);
}

static void say_given_up(const struct sniff *s)
{
    const uint64_t num_given_up = pipeline_num_given_up(s->pipeline);
    if (num_given_up != 0)
        complain("-e, -m, -Y, --trigger or --redact-keep gave up %s, as finding out would take too "
                 "long; what they were held against is taken not to match: simplify the expression",
                 counted(num_given_up, "times").text);
}

static int close_all(struct sniff *s, bool opened)
{
    save_close(&s->save);
    bool complete = true;
    const bool has_errors = s->pipeline != NULL && s->options->report.wanted[REPORT_DOCTOR] &&
                            pipeline_has_errors(s->pipeline);
    if (opened) {
        if (s->options->report.wanted[REPORT_CLOCKS])
            capture_report_clocks(&s->capture, pipeline_report_text(s->pipeline));
        if (!is_reader_gone(s))
            pipeline_write_reports(s->pipeline);
        const struct ds_stats stats = all_stats(s);
        complete = summary_is_complete(&stats);
        if (!is_reader_gone(s)) {
            say_given_up(s);
            if (s->keylog != NULL)
                keylog_files_complain(s->keylog);
            explain_nothing_passed(s);
            print_summary(s);
        }
    }
    s->failed |= !capture_close(&s->capture) || !opened || save_has_failed(&s->save) ||
                 (s->recorder != NULL && recorder_has_failed(s->recorder)) ||
                 (s->pipeline != NULL && pipeline_has_failed(s->pipeline));
    if (opened && !is_reader_gone(s))
        ending_print(&s->ending, stderr);
    follow_free(s->follow);
    pipeline_free(s->pipeline);
    recorder_free(s->recorder);
    ds_session_free(s->session);
    keylog_files_close(s->keylog);
    if (opened && s->options->learned_file != NULL && s->memory != NULL)
        s->failed |= !learned_file_write(s->options->learned_file, s->memory);
    ds_atom_memory_free(s->memory);
    file_helper_stop();
    free(s->learned_new);
    if (s->failed)
        return STATUS_TROUBLE;
    if (s->options->strict && !complete)
        return STATUS_INCOMPLETE;
    return has_errors ? STATUS_FOUND : STATUS_OK;
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
    ending_init(&s->ending, &options->ending, options->capture.num_read_files == 0);
    stop_install();
    bool opened = open_all(s);
    if (opened) {
        s->capture.on_wait = wait_for_input;
        s->capture.wait_context = s;
        opened = capture_survey(&s->capture, !options->no_clock_correction);
        opened = opened && look_ahead(&s->capture, &s->config) && choose_syntax(s) &&
                 pipeline_start(s->pipeline);
        if (opened)
            run(s);
    }
    int status = close_all(s, opened);
    syntax_choice_end(&s->syntax);
    free(s);
    return status;
}
