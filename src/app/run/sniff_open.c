/*
 * sniff_open.c - opens all stages, in the order of trust: a small process that will open files by
 * name, then, as root, the interface or the input files. Then all rights are dropped and the
 * sandbox closes, before the first byte of a peer is read. See sniff_parts.h.
 */
#include "app/run/sniff_parts.h"

#include "app/options/late_hints.h"
#include "app/run/baseline_file.h"
#include "app/run/learned_file.h"
#include "app/run/static_atoms_file.h"
#include "core/complain.h"
#include "output/sink.h"
#include "privsep/own_process.h"
#include "privsep/privileges.h"
#include "privsep/sandbox.h"
#include "privsep/sandbox_preload.h"

#include <stdlib.h>
#include <errno.h>
#include <string.h>

/* note_late has EPMD asked about a connection that was joined late and whose nodes have no names
 * yet. */
static void note_late(struct sniff *s, const struct ds_event *event)
{
    for (int end = 0; end < 2; end++) {
        const struct ds_endpoint *endpoint = &event->conn->end[end];
        if (endpoint->node.data == NULL)
            epmd_asker_add_port(s->asker, endpoint->port);
    }
}

/* takes_events says whether events are shown. Those of packets that wait (--hold) had arrived
 * before full files ended the run. */
static bool takes_events(struct sniff *s)
{
    return s->hold != NULL ? pipeline_get_state(s->pipeline) == PIPELINE_ON : !sniff_is_over(s);
}

static void on_event(void *context, const struct ds_event *event)
{
    struct sniff *s = context;
    if (s->asker != NULL && event->type == DS_EVENT_CONN && event->change.state == DS_CONN_JOINED_LATE)
        note_late(s, event);
    if (!s->options->quiet)
        late_notice_event(&s->late, event);
    if (s->syntax.otp != NULL)
        syntax_choice_event(&s->syntax, event);
    if (s->openings != NULL && !ds_event_is_raw(event))
        pending_messages_event(s->openings, event);
    if (takes_events(s))
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
    port_filter_learn(s->follow, port, may_tell ? name : (struct ds_text){NULL, 0});
}

/* on_node processes an answer from EPMD. */
static void on_node(void *context, const struct ds_addr *addr, uint16_t port, struct ds_text name)
{
    struct sniff *s = context;
    ds_session_name_port(s->session, addr, port, name);
    if (s->hold != NULL)
        packet_hold_name_port(s->hold, addr, port, name);
}

/* start_asker starts the process that asks EPMD, if requested. False after a complaint. */
static bool start_asker(struct sniff *s)
{
    const struct options *options = s->options;
    const struct epmd_ask_config config = {
        .hosts = options->ask_epmd,
        .port = options->epmd_port,
        .user = options->keep.user,
        .is_confined = options->sandbox != SANDBOX_OFF,
        .may_name = options->redact.what == 0,
        .on_node = on_node,
        .context = s,
    };
    if (options->ask_epmd == NULL)
        return true;
    complain("--ask-epmd asks EPMD, port %u of %s, for the names of nodes", options->epmd_port,
             options->ask_epmd);
    s->asker = epmd_asker_start(&config);
    return s->asker != NULL;
}

/* on_socket processes an answer from the kernel. */
static void on_socket(void *context, const struct ds_addr addr[2], const uint16_t port[2],
                      const struct ds_socket *socket)
{
    const struct sniff *s = context;
    if (s->session != NULL)
        (void)ds_session_socket(s->session, addr, port, socket);
}

/* start_kernel starts the process that asks the kernel, if requested. False after a complaint. */
static bool start_kernel(struct sniff *s)
{
    const struct options *options = s->options;
    const struct kernel_watch_config config = {
        .user = options->keep.user,
        .is_confined = options->sandbox != SANDBOX_OFF,
        .may_name = options->redact.what == 0,
        .on_socket = on_socket,
        .context = s,
    };
    if (!options->kernel)
        return true;
    s->kernel = kernel_watch_start(&config);
    return s->kernel != NULL;
}

/* open_annotated opens the file of -T pcapng, if any. */
static bool open_annotated(struct sniff *s)
{
    const struct sink_format *format = sinks_find_of_packets(&s->options->output);
    if (format == NULL)
        return true;
    const struct annotated_config config = {
        .name = format->file != NULL ? format->file : "-",
        .verbose = s->options->output.verbose,
        .secrets = s->options->keep.embeds_secrets ? s->config.keylog : NULL,
    };
    s->annotated = annotated_new(&config, &s->capture);
    s->failed |= s->annotated == NULL;
    pipeline_set_annotated(s->pipeline, s->annotated);
    return s->annotated != NULL;
}

/* open_notes opens comments for a file of packets, if its name shows a format that has them. */
static bool open_notes(struct sniff *s, const char *name, struct packet_notes **notes)
{
    const struct packet_notes_config config = {
        .verbose = s->options->output.verbose,
        .hides_tls = !s->options->keep.embeds_secrets,
    };
    if (!packet_notes_wanted(name))
        return true;
    *notes = packet_notes_new(&config);
    if (*notes == NULL) {
        complain("out of memory");
        return false;
    }
    pipeline_add_notes(s->pipeline, *notes);
    return true;
}

static bool open_recorder(struct sniff *s)
{
    const struct options *options = s->options;
    struct ds_config session = s->config;
    session.beside = s->session;
    s->recorder = recorder_new(&options->keep, &session, &s->capture);
    pipeline_set_recorder(s->pipeline, s->recorder);
    if (s->recorder == NULL || !open_notes(s, options->keep.connections_file, &s->notes))
        return false;
    recorder_set_notes(s->recorder, s->notes);
    return true;
}

static bool open_outputs(struct sniff *s)
{
    const struct options *options = s->options;
    s->time_digits = capture_has_nanoseconds(&s->capture) ? 9 : 6;
    s->pipeline = pipeline_new(options, s->web, s->tui, s->nats, s->otlp, &s->points,
                               s->time_digits);
    if (s->pipeline != NULL)
        pipeline_set_server(s->pipeline, s->metrics_server);
    sniff_warn_of_secrets(options);
    capture_writer_init(&s->save, &options->keep, &s->capture);
    if (options->keep.embeds_secrets)
        s->save.keylog = s->config.keylog;
    if (s->pipeline == NULL || !open_annotated(s))
        return false;
    /* After pipeline_new, which seeds the hashes of its tables. */
    if (options->report.compare != NULL && !baseline_file_read(options->report.compare))
        return false;
    if (s->save.is_on && !open_notes(s, options->keep.write_file, &s->save.notes))
        return false;
    return !recorder_wanted(&options->keep) || open_recorder(s);
}

/* open_keylog reads the TLS secrets. */
static bool open_keylog(struct sniff *s)
{
    return s->keylog == NULL || keylog_files_open(s->keylog);
}

static void on_held(void *context, const struct ds_packet *packet)
{
    struct sniff *s = context;
    if (takes_events(s))
        sniff_decode(s, packet);
}

/* holds says whether packets wait. Packets of files do not: files are read twice. */
static bool holds(const struct sniff *s)
{
    return s->options->hold_ns != 0 && s->memory != NULL && capture_goes_on(&s->capture);
}

/* open_hold opens that delay. False after a complaint. */
static bool open_hold(struct sniff *s)
{
    const struct packet_hold_config config = {
        .hold_ns = s->options->hold_ns,
        .max_bytes = s->config.limits[DS_LIMIT_HELD],
        .session = &s->config,
        .beside = s->session,
        .take = on_held,
        .context = s,
    };
    if (!holds(s))
        return true;
    s->hold = packet_hold_new(&config);
    if (s->hold == NULL)
        complain("out of memory");
    return s->hold != NULL;
}

/* open_openings opens the list of requests for readers of the stream that begin later. */
static bool open_openings(struct sniff *s)
{
    if (!s->config.remember)
        return true;
    s->openings = calloc(1, sizeof *s->openings);
    if (s->openings != NULL &&
        pending_messages_init(s->openings, s->options->labels, s->options->config.limits))
        return true;
    free(s->openings);
    s->openings = NULL;
    complain("out of memory");
    return false;
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
                    s->options->keep.trigger != NULL || pipeline_wants_findings(s->options) ||
                    reports_want_facts(&s->options->report) || s->options->kernel;
    config->sockets = s->options->kernel;
    /* Packets are published as they come: the state of a session that lags behind would be
     * outdated. */
    config->remember = s->nats != NULL && s->options->capture.num_read_files == 0 && !holds(s) &&
                       nats_publisher_wants(s->nats, NATS_STATE);
    config->lookups = pipeline_wants_findings(s->options);
    config->parts = s->options->report.wanted[REPORT_OPEN];
    config->raw = sinks_want_raw(&s->options->output);
    config->certain = config->certain || sinks_are_read_back(&s->options->output);
    /* Guesses would contain in clear what is redacted. */
    config->guesses = s->options->output.verbose != 0 && s->options->redact.what == 0;
    if (!config->certain) {
        s->memory = ds_atom_memory_new(config->limits[DS_LIMIT_ATOM_BOOKS]);
        config->atom_memory = s->memory;
        config->learn = s->options->learned_file != NULL && !holds(s);
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
        config->keylog_grows = s->keylog_config.grows;
        config->keylog_notes = s->options->keep.embeds_secrets;
    }
    if (!open_openings(s))
        return false;
    s->session = ds_session_new(config);
    if (s->session == NULL)
        complain("out of memory");
    return s->session != NULL && open_hold(s);
}

static bool close_in(const struct sniff *s, bool is_live)
{
    const struct sandbox_config config = {
        .wish = s->options->sandbox,
        .is_live = is_live,
        .widens = is_live && port_filter_widens(s->follow),
        .has_screen = s->tui != NULL,
        .serves = s->web != NULL || s->metrics_server != NULL,
        .says_so = s->options->output.verbose > 0,
    };
    return sandbox_enter(&config);
}

/* hide_memory keeps secrets out of core dumps. */
static bool hide_memory(struct sniff *s)
{
    if (!s->is_hidden && !own_process_hide())
        complain("cannot keep secrets out of core dumps: %s", strerror(errno));
    else
        s->is_hidden = true;
    return s->is_hidden;
}

/* on_secrets processes a line of TLS secrets from a capture file. */
static void on_secrets(void *context, const char *line, size_t len)
{
    struct sniff *s = context;
    if (hide_memory(s))
        keylog_files_add_line(s->keylog, line, len);
}

/* prepare_keylog prepares for TLS secrets: they come later, from files or from the capture itself. */
static bool prepare_keylog(struct sniff *s)
{
    s->keylog_config = s->options->keylog;
    s->keylog_config.grows = s->keylog_config.num_files != 0 && capture_goes_on(&s->capture);
    s->keylog_config.max_secrets = s->options->config.limits[DS_LIMIT_SECRETS];
    if (s->capture.is_live && s->keylog_config.num_files == 0)
        return true;
    s->keylog = keylog_files_new(&s->keylog_config);
    s->capture.on_secrets = (struct secrets_sink){.take = on_secrets, .context = s};
    return s->keylog != NULL && (s->keylog_config.num_files == 0 || hide_memory(s));
}

/* open_web opens the socket that serves the page. */
static bool open_web(struct sniff *s)
{
    const struct options *options = s->options;
    struct web_config config = {.address = options->web,
                                .token_file = options->web_token_file,
                                .is_live = options->capture.num_read_files == 0,
                                .redacted = options->redact.what != 0};
    if (options->web.len == 0)
        return true;
    memcpy(config.limits, options->config.limits, sizeof config.limits);
    s->web = web_open(&config);
    return s->web != NULL;
}

/* open_tui takes over the terminal. */
static bool open_tui(struct sniff *s)
{
    const struct options *options = s->options;
    const bool is_live = options->capture.num_read_files == 0;
    const char *file = is_live ? NULL : strrchr(options->capture.read_files[0], '/');
    const char *interface = options->capture.interface;
    struct tui_config config = {.is_live = is_live,
                                .source = file != NULL ? file + 1
                                          : !is_live   ? options->capture.read_files[0]
                                          : interface != NULL ? interface
                                                              : "any"};
    if (!options->tui)
        return true;
    config.save_folder = options->save_folder;
    config.is_redacted = options->redact.what != 0;
    config.capture = &s->capture;
    config.own_labels = options->labels;
    memcpy(config.limits, options->config.limits, sizeof config.limits);
    s->tui = tui_open(&config);
    return s->tui != NULL;
}

/* open_server opens the socket that serves metrics. */
static bool open_server(struct sniff *s)
{
    const struct listen_address *address = &s->options->metrics.address;
    if (address->len == 0)
        return true;
    s->metrics_server = metrics_server_open(address);
    return s->metrics_server != NULL;
}

/* open_inputs opens the inputs, and drops all rights. A live capture reads no bytes before it
 * begins, so its filter is compiled first; the filter for files only if it contains names, which
 * may have to be looked up. */
static bool open_inputs(struct sniff *s)
{
    const bool is_live = s->options->capture.num_read_files == 0;
    if (!start_asker(s) || !start_kernel(s) || !sniff_start_nats(s) || !sniff_start_otlp(s) ||
        !sniff_start_helper(s) || !sniff_read_streams(s) ||
        (!is_live && !privileges_return()) || !capture_open(&s->capture, &s->capture_config) ||
        (is_live && !privileges_return()) || !prepare_keylog(s))
        return false;
    struct port_filter_config follow = s->options->follow;
    follow.with_dns = pipeline_wants_findings(s->options);
    s->follow = port_filter_new(&follow, &s->capture);
    if (s->follow == NULL || !sniff_check_outputs(s) ||
        (is_live && !port_filter_begin(s->follow)) ||
        !open_web(s) || !open_server(s) || !privileges_drop(s->options->keep.user) || !open_tui(s))
        return false;
    if (s->options->output.verbose > 0)
        privileges_say();
    sandbox_preload(s->options->redact.what != 0);
    if (is_live)
        return close_in(s, true);
    return port_filter_needs_names(s->follow)
               ? capture_begin(&s->capture) && port_filter_begin(s->follow) && close_in(s, false)
               : close_in(s, false) && capture_begin(&s->capture) && port_filter_begin(s->follow);
}

bool sniff_open(struct sniff *s)
{
    return open_inputs(s) && open_keylog(s) && open_session(s) && open_outputs(s) &&
           capture_writer_open(&s->save) && sniff_may_record(s) && sniff_may_replace(s) &&
           (s->web == NULL || web_start(s->web)) && (s->tui == NULL || tui_start(s->tui)) &&
           (s->metrics_server == NULL || metrics_server_start(s->metrics_server));
}
