/*
 * pipeline_new.c - opens the stages after the decoder that are needed. See pipeline_parts.h.
 */
#include "app/pipeline/pipeline_parts.h"

#include "core/complain.h"
#include "core/hash.h"
#include "core/random_bytes.h"
#include "core/term_show.h"
#include "select/filter.h"

#include <stdlib.h>
#include <string.h>

/* Requests are kept for the records of their calls, up to this length; a report only shows the
 * beginning. */
enum { KEEP_REQUEST = 65536, KEEP_FOR_REPORT = 512 };

/* counts_calls says whether the metrics need calls and findings. */
static bool counts_calls(const struct options *options)
{
    return metrics_wanted(&options->metrics) && options->metrics.has_calls;
}

/* has_notes says whether files of packets get comments. */
static bool has_notes(const struct options *options)
{
    const struct keep_config *keep = &options->keep;
    return packet_notes_wanted(keep->connections_file) ||
           (keep->trigger == NULL && packet_notes_wanted(keep->write_file));
}

/* needs_packets says whether records must come while their packets are still available. */
static bool needs_packets(const struct options *options)
{
    return recorder_wanted(&options->keep) || has_notes(options) ||
           sinks_find_of_packets(&options->output) != NULL;
}

/* choose_keep returns the maximum length of requests kept for the ends of their calls. In a live
 * capture a later selection may need them. */
static size_t choose_keep(const struct pipeline *s)
{
    const struct options *options = s->options;
    const bool is_shown =
        s->outputs.num_sinks != 0 || needs_packets(options) || options->explain.asked;
    const bool is_for_reports = reports_wanted(&options->report) || counts_calls(options) ||
                                pipeline_wants_findings(options);
    if (!is_for_reports && !needs_packets(options) && !outputs_want_requests(&s->outputs) &&
        !selector_chooses(s->select) && options->capture.num_read_files != 0)
        return 0;
    return is_shown || s->redact != NULL || options->syntax != OPTION_SYNTAX_ERLANG ? KEEP_REQUEST
                                                                                   : KEEP_FOR_REPORT;
}

/* choose_ends says who uses the ends of calls. In a live capture a later selection may use them;
 * and redaction counts what it gives up on, in ends too. */
static enum ends_seen_by choose_ends(const struct pipeline *s)
{
    const struct options *options = s->options;
    if (needs_packets(options) || options->explain.asked || counts_calls(options) ||
        reports_want_calls(&options->report) || selector_chooses(s->select) ||
        options->capture.num_read_files == 0)
        return ENDS_SEEN_BY_ALL;
    const bool has_outputs = s->outputs.num_sinks != 0;
    if (s->findings != NULL || s->redact != NULL || outputs_want_answered(&s->outputs))
        return has_outputs ? ENDS_SEEN_BY_ALL : ENDS_SEEN_BY_FINDINGS;
    return has_outputs ? ENDS_SEEN_BY_OUTPUTS : ENDS_SEEN_BY_NOBODY;
}

/* open_correlate opens the correlation if something is shown; -q alone is not slowed down. */
static bool open_correlate(struct pipeline *s)
{
    const struct options *options = s->options;
    const bool wanted =
        s->outputs.num_sinks != 0 || needs_packets(options) || options->explain.asked;
    if ((!wanted || options->no_calls) && !reports_wanted(&options->report) &&
        !counts_calls(options))
        return true;
    struct correlate_config config = {
        .emit = pipeline_on_record,
        .monitors = reports_want_monitors(&options->report) || outputs_want_monitors(&s->outputs) ||
                    recorder_wanted(&options->keep),
        .context = s,
        .labels = options->labels,
        /* --syntax auto may choose Elixir later. */
        .is_elixir = options->syntax == OPTION_SYNTAX_AUTO || term_show_uses(DS_SYNTAX_ELIXIR),
        .names = wanted || reports_want_names(&options->report),
        /* No output shows the owners, and no report distinguishes them; in a live capture a later
         * selection may. */
        .owners = needs_packets(options) || selector_chooses(s->select) ||
                  options->capture.num_read_files == 0,
        .keep = choose_keep(s),
        .ends_seen_by = choose_ends(s),
    };
    memcpy(config.limits, options->config.limits, sizeof config.limits);
    s->correlate = correlate_new(&config);
    return s->correlate != NULL;
}

/* publishes_findings says whether --nats-types asks for findings. */
static bool publishes_findings(const struct options *options)
{
    return options->nats.publish.num_servers != 0 && (options->nats.types & 1u << NATS_FINDING) != 0;
}

bool pipeline_wants_findings(const struct options *options)
{
    return options->report.verdict || options->report.wanted[REPORT_DOCTOR] ||
           options->report.wanted[REPORT_TIMELINE] || options->report.wanted[REPORT_CHANGES] ||
           options->explain.asked || counts_calls(options) ||
           sinks_want_findings(&options->output) || has_notes(options) || publishes_findings(options) ||
           options->web.len != 0 || options->tui || options->output.on_finding != NULL ||
           filter_asks_findings(options->select.filter) ||
           filter_asks_findings(options->keep.trigger);
}

static bool has_node(void *context, struct ds_text name, const struct ds_addr *addr)
{
    const struct pipeline *s = context;
    return selector_has_node(s->select, name, addr);
}

static bool have_nodes_occurred(void *context)
{
    const struct pipeline *s = context;
    return selector_nodes_occurred(s->select);
}

static bool open_findings(struct pipeline *s)
{
    const struct options *options = s->options;
    const bool asks_nodes = options->select.nodes.num != 0;
    if (!pipeline_wants_findings(options))
        return true;
    struct findings_config config = {.emit = pipeline_on_finding,
                                     .context = s,
                                     .has_node = asks_nodes ? has_node : NULL,
                                     .have_nodes_occurred = asks_nodes ? have_nodes_occurred : NULL,
                                     .epmd_port = options->epmd_port,
                                     .has_cookie = options->cookie_file != NULL,
                                     .has_timeline = options->report.wanted[REPORT_TIMELINE] ||
                                                     sinks_want_timeline(&s->output) ||
                                                     options->web.len != 0 || options->tui,
                                     .is_live = options->capture.num_read_files == 0};
    memcpy(config.limits, options->config.limits, sizeof config.limits);
    s->findings = findings_new(&config);
    if (options->report.compare != NULL && options->compare.finds_new)
        s->novelty = &options->report.compare->novelty;
    return s->findings != NULL;
}

/* open_stall_effects opens the list of what waited behind stalls, if stalls are used. */
static bool open_stall_effects(struct pipeline *s)
{
    if (s->outputs.num_sinks == 0 && s->findings == NULL && !recorder_wanted(&s->options->keep))
        return true;
    s->held_up = stall_effects_new(pipeline_on_stall_effects, s);
    return s->held_up != NULL;
}

static bool open_metrics(struct pipeline *s)
{
    if (!metrics_wanted(&s->options->metrics))
        return true;
    s->metrics = metrics_new(&s->options->metrics);
    return s->metrics != NULL;
}

static void seed_hashes(void)
{
    uint64_t seed;
    if (random_bytes(&seed, sizeof seed))
        hash_seed(seed);
}

static bool has_stdout(const struct pipeline *s)
{
    const char *packets = s->options->keep.write_file;
    if (packets != NULL && strcmp(packets, "-") == 0)
        return true;
    return outputs_have_stdout(&s->outputs);
}

static void on_outputs_over(void *context)
{
    pipeline_set_state(context, PIPELINE_NO_OUTPUT);
}

static bool open_outputs(struct pipeline *s, unsigned time_digits)
{
    s->outputs.on_over = on_outputs_over;
    s->outputs.context = s;
    s->outputs.has_packets = s->options->keep.write_file != NULL;
    return outputs_open(&s->outputs, &s->output, time_digits);
}

/* is_better_threaded says whether the work besides decoding is worth a second thread. Not in a live
 * capture: there the queue decouples a slow reader. Nor if a certain message ends the run: no
 * further packets must be read. */
static bool is_better_threaded(const struct pipeline *s)
{
    const struct options *options = s->options;
    /* Behind the queue, facts of links would be those at their ends. */
    if (options->report.every_ns != 0 && (s->tells_links || reports_want_facts(&options->report)))
        return false;
    return options->capture.num_read_files != 0 && options->ending.max_messages == 0 &&
           !needs_packets(options) && options->rate.max == 0 && s->correlate != NULL;
}

/* choose_link_every returns the interval for facts of links. A screen shows the current state of
 * links; the counters in queued events are old ones. */
static int64_t choose_link_every(const struct options *options)
{
    enum { SCREEN_EVERY_NS = 1000000000 };
    const bool has_screen = options->tui && options->capture.num_read_files == 0;
    return options->report.every_ns == 0 && has_screen ? SCREEN_EVERY_NS : options->report.every_ns;
}

struct pipeline *pipeline_new(const struct options *options, struct web *web, struct tui *tui,
                              struct nats_publisher *nats, struct otlp_publisher *otlp,
                              struct point_board *points, unsigned time_digits)
{
    struct pipeline *s = calloc(1, sizeof *s);
    if (s == NULL) {
        complain("out of memory");
        return NULL;
    }
    pthread_mutex_init(&s->silent.lock, NULL);
    if (options->output.unicode_strings)
        term_show_unicode();
    if (options->syntax == OPTION_SYNTAX_ELIXIR)
        term_show_use(DS_SYNTAX_ELIXIR);
    term_show_use_also(options->output.json_syntax);
    term_show_limit(options->output.limits[DS_LIMIT_TEXT]);
    s->options = options;
    s->output = options->output;
    s->output.has_timeline = options->report.wanted[REPORT_TIMELINE];
    s->output.compare = options->compare.finds_new ? NULL : options->report.compare;
    s->output.web = web;
    s->output.tui = tui;
    s->output.nats = nats;
    s->output.otlp = otlp;
    s->output.points = points;
    s->sum_up_ns = (web != NULL || tui != NULL) && options->capture.num_read_files == 0 ? INT64_MIN
                                                                                      : INT64_MAX;
    s->since_ns = INT64_MIN;
    s->next_ns = options->report.every_ns != 0 ? INT64_MIN : INT64_MAX;
    s->wants_unselected = sinks_want_unselected(&options->output);
    s->counts_unselected = reports_want_left_out(&options->report);
    if ((options->redact.what != 0 && (s->redact = redact_new(&options->redact)) == NULL) ||
        !open_outputs(s, time_digits)) {
        pipeline_free(s);
        return NULL;
    }
    seed_hashes();
    if (options->explain_run != NULL)
        s->explain = explain_new(&options->explain,
                                 options->explain_run->finds ? NULL : &options->explain_run->found,
                                 &options->report, time_digits);
    s->select = selector_new(&options->select);
    struct report_config report = options->report;
    report.points = points;
    s->reports = reports_new(&report, time_digits, has_stdout(s));
    if ((options->explain_run != NULL && s->explain == NULL) || s->select == NULL || s->reports == NULL ||
        !rate_limit_init(&s->rate_limit, &options->rate) || !open_findings(s) ||
        !open_stall_effects(s) || !open_metrics(s) || !open_correlate(s)) {
        complain("out of memory");
        pipeline_free(s);
        return NULL;
    }
    s->tells_links = outputs_want_links(&s->outputs);
    s->link_every_ns = choose_link_every(options);
    s->threaded = is_better_threaded(s);
    s->holds_back = options->ending.max_messages != 0 && s->outputs.num_sinks != 0 &&
                    !s->wants_unselected && !sinks_want_raw(&options->output);
    if (s->holds_back)
        deferred_records_init(&s->held_back, options->config.limits[DS_LIMIT_CONNECTIONS],
                              DEFERRED_RECORDS_BYTES);
    return s;
}
