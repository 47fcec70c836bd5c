/*
 * sniff_parts.h - shared by the files of a run. sniff_open.c opens all stages, sniff_files.c lists
 * their files; sniff.c reads the packets, sniff_decode.c decodes them; sniff_end.c decides when to
 * end, and closes; sniff_notices.c prints messages to the user, sniff_reload.c does what SIGHUP
 * asks for.
 */
#ifndef SRC_SNIFF_PARTS_H
#define SRC_SNIFF_PARTS_H

#include "app/pipeline/pipeline.h"
#include "app/run/late_notice.h"
#include "app/run/packet_hold.h"
#include "app/run/progress.h"
#include "app/run/service.h"
#include "app/run/sniff.h"
#include "app/run/syntax_choice.h"
#include "capture/capture.h"
#include "capture/live_clock.h"
#include "capture/port_filter.h"
#include "core/stop_condition.h"
#include "files/cookie_file.h"
#include "files/keylog_file.h"
#include "keep/annotated_file.h"
#include "keep/capture_writer.h"
#include "keep/conn_states.h"
#include "keep/packet_recorder.h"
#include "privsep/file_helper.h"
#include "record/point_board.h"
#include "send/epmd/epmd_asker.h"
#include "send/kernel/kernel_watch.h"
#include "send/nats/nats_follow.h"
#include "send/nats/nats_publisher.h"
#include "send/nats/nats_reader.h"
#include "send/otlp/otlp_publisher.h"
#include "send/stream/stream_reader.h"
#include "ui/tui/tui.h"
#include "ui/tui/tui_save.h"
#include "ui/web/metrics_server.h"
#include "ui/web/web.h"

enum { MAX_RUN_FILES = MAX_FORMATS * (1 + MAX_ALSO_WRITTEN) + MAX_KEYLOG_FILES + 13 + SAVE_NAMES };

struct sniff {
    const struct options *options;
    struct options *again; /* the options as last reloaded, for the selection; NULL: not reloaded */
    struct capture capture;
    struct port_filter *follow;
    struct ds_config config;
    struct ds_session *session;
    struct packet_hold *hold; /* NULL: packets do not wait */
    struct pipeline *pipeline; /* NULL until it is open */
    struct pending_messages *openings; /* for readers of the stream that begin later; NULL: not published */
    struct conn_states states;         /* which are published with them */
    struct point_board points; /* capture points of streams */
    struct web *web;           /* NULL: without --web */
    struct tui *tui;           /* NULL: without --tui */
    struct capture_writer save;
    struct packet_recorder *recorder; /* NULL: neither -O nor --trigger */
    struct packet_notes *notes; /* for the packets of -O; NULL: none */
    struct metrics_server *metrics_server; /* NULL: metrics are not served */
    struct annotated_file *annotated; /* NULL: no -T pcapng */
    unsigned time_digits;            /* of the capture: 6 or 9 */
    struct epmd_asker *asker;        /* NULL: no --ask-epmd */
    struct kernel_watch *kernel;     /* NULL: no --kernel */
    struct nats_publisher *nats;     /* NULL: no -T nats */
    struct nats_config nats_config;  /* the options' configuration, with the host's pseudonym */
    char nats_host[NATS_MAX_WORD];   /* the pseudonym */
    struct otlp_publisher *otlp;     /* NULL: no -T otlp=URL */
    struct capture_config capture_config; /* the options' configuration, with inputs for streams */
    int *read_fds; /* of capture_config; NULL: none */
    struct nats_read read;
    struct nats_follower followers[NATS_MAX_READS]; /* of -r 'nats://...?follow' */
    struct stream_reader servers; /* of -r tcp://HOST:PORT */
    struct progress progress;
    struct helper_file files[MAX_RUN_FILES];
    char *save_names[SAVE_NAMES]; /* files that --tui may save */
    struct file_helper_config helper;
    char cookie[MAX_COOKIE_LEN + 1];
    struct keylog_config keylog_config;
    struct keylog_files *keylog;    /* NULL: none was given, and none can come */
    bool is_hidden;                 /* see hide_memory */
    uint64_t num_taken, num_passed; /* packets, and how many of them passed the filter */
    uint64_t num_context; /* of num_taken, those from before the shown part of a stream */
    struct stop_condition ending;
    struct stop_range range; /* times of the packets that were read */
    struct service service; /* the service, if this is one */
    int64_t begin_ns; /* of the monotonic clock */
    uint64_t num_dropped[LOSS_CAUSE_COUNT]; /* as far as reported */
    struct live_clock clock;
    int64_t stamp_ns; /* of the latest packet, until the clock is set by it; else 0 */
    int64_t idle_ns; /* since when a pipe is idle, by the monotonic clock; 0: it is not */
    int64_t published_ns; /* when the file of --metrics was written, by the monotonic clock */
    int64_t state_ns; /* time of the packet at which NATS got the state; 0: none */
    int64_t told_ns;  /* when the time was last reported, by the monotonic clock */
    int64_t drops_asked_ns;                 /* when the kernel was last asked for drops, since 1970 */
    uint64_t explained_frame; /* of --explain packet:N, else 0 */
    bool has_begun;   /* ending knows the start time */
    bool save_gone;   /* the reader of -w has gone, and this was printed */
    bool silence_is_told;
    struct late_notice late; /* messages about connections that were up before */
    struct ds_atom_memory *memory;
    int64_t shown_ns; /* the time of the latest packet that was read ... */
    int64_t shown_before_ns; /* ... and of an earlier one, up to which all is written, or is about
                              * to be: pipeline_mark */
    int64_t place_shown_ns, place_ns; /* the time in the file of --resume, and when it was checked */
    bool has_unwritten; /* at the end: outputs did not write everything in time */
    char *resume_new;  /* name of that file until it is complete */
    char *learned_new; /* name of the file of --learned until it is complete */
    char *baseline_new; /* name of the file of --write-baseline until it is complete */
    bool failed;      /* for reasons other than what is shown */
    struct syntax_choice syntax; /* of --syntax auto */
};

/* sniff_open opens everything. False after a complaint. sniff_close closes everything, whether
 * opened or not, prints how the run went, and returns the exit status. */
bool sniff_open(struct sniff *s);
int sniff_close(struct sniff *s, bool opened);

/* sniff_start_nats starts the process that publishes, if requested, sniff_start_otlp the one that
 * sends spans. sniff_read_streams starts to fetch the streams that -r names, and fills in
 * capture_config. False after a complaint. */
bool sniff_start_nats(struct sniff *s);
bool sniff_start_otlp(struct sniff *s);
bool sniff_read_streams(struct sniff *s);
void sniff_forget_streams(struct sniff *s);

/* sniff_decode decodes a packet, and passes it to those that keep packets by their contents. */
void sniff_decode(struct sniff *s, const struct ds_packet *packet);

/* sniff_writes_later says whether packets are written with comments, which wait (--hold): their
 * file is chosen then. */
bool sniff_writes_later(const struct sniff *s);

/* sniff_keep_place writes the file of --resume at intervals: the place up to which outputs have
 * everything. is_end: the run has ended, and outputs are closed. */
void sniff_keep_place(struct sniff *s, bool is_end);

/* sniff_start_helper starts the process that opens the files of this run. */
bool sniff_start_helper(struct sniff *s);

/* sniff_check_outputs checks that no file is written twice, or read and written. Call it before any
 * is opened: that would empty the file. False after a complaint. */
bool sniff_check_outputs(const struct sniff *s);

/* sniff_may_record says whether the files of --trigger can be created, sniff_may_replace whether
 * the files of --learned and --metrics can be replaced. False after a complaint. */
bool sniff_may_record(const struct sniff *s);
bool sniff_may_replace(const struct sniff *s);

/* sniff_warn_of_secrets prints which files get secrets: users who pass one on have to know. */
void sniff_warn_of_secrets(const struct options *options);

/* sniff_is_over says whether events have no use any more; sniff_has_ended whether there is any
 * reason to end, and records it. */
bool sniff_is_over(struct sniff *s);
bool sniff_has_ended(struct sniff *s);

/* sniff_reload applies the current --config, and goes on in the files that have their names now;
 * sniff_free_again frees what it has read, after the pipeline. */
void sniff_reload(struct sniff *s);
void sniff_free_again(struct sniff *s);

/* sniff_stats returns the counts of all stages together. */
struct ds_stats sniff_stats(const struct sniff *s);
void sniff_print_summary(struct sniff *s);
void sniff_explain_missed(const struct sniff *s); /* compares --since and --until with the captured
                                                   * times */

/* sniff_count_drops reports the packets that were dropped since its last call: the kernel counts
 * them, but does not say when they came. */
void sniff_count_drops(struct sniff *s);

/* sniff_say_alive reports to the service manager, when due, that this one is alive, and its
 * progress. */
void sniff_say_alive(struct sniff *s);

void sniff_say_listening(const struct sniff *s);
void sniff_say_given_up(const struct sniff *s);

/* sniff_explain_silence prints possible causes if nothing has been seen for a while;
 * sniff_explain_nothing_passed says what would pass if an expression has matched nothing. */
void sniff_explain_silence(struct sniff *s);
void sniff_explain_nothing_passed(const struct sniff *s);

#endif
