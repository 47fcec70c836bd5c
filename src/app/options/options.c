/*
 * options.c - parses the command line by the table options.def (option_line.h). The setters are in
 * option_input.c, option_output.c, option_select.c, option_stop.c and others.
 */
#include "app/options/options.h"

#include "core/complain.h"
#include "core/habits.h"
#include "select/filter.h"
#include "core/own_labels.h"
#include "app/options/option_explain.h"
#include "app/options/option_compare.h"
#include "app/options/option_conflicts.h"
#include "app/options/option_files.h"
#include "app/options/option_habits.h"
#include "app/options/option_line.h"
#include "app/options/option_redact.h"
#include "app/options/option_report.h"
#include "app/options/option_values.h"
#include "app/options/option_words.h"
#include "keep/pcapng_form.h"
#include "output/sink.h"

#include <assert.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG_ONLY = 1000, FIRST_LIMIT = 2000 };
static_assert(NUM_OPTION_LINES < FIRST_LIMIT - LONG_ONLY, "one value each");

/* make_getopt_tables converts the table for getopt_long: an option without a letter returns
 * LONG_ONLY plus its line, a cap FIRST_LIMIT plus its number. */
static void make_getopt_tables(char *letters, struct option *longs, char names[][32])
{
    *letters++ = ':';
    for (int i = 0; i < NUM_OPTION_LINES; i++) {
        const struct option_line *line = &option_lines[i];
        if (line->kind == OPTION_SECTION)
            continue;
        bool optional = option_line_may_lack_argument(line);
        longs->name = line->name;
        longs->has_arg = line->argument == NULL ? no_argument
                         : optional             ? optional_argument
                                                : required_argument;
        longs->flag = NULL;
        longs->val = line->letter != 0 ? line->letter : LONG_ONLY + i;
        longs++;
        if (line->letter != 0) {
            *letters++ = (char)line->letter;
            if (line->argument != NULL)
                *letters++ = ':';
        }
    }
    *letters = '\0';
    for (int i = 0; i < DS_LIMIT_COUNT; i++, longs++) {
        snprintf(names[i], sizeof names[i], "max-%s", ds_limit_name((enum ds_limit)i));
        *longs = (struct option){names[i], required_argument, NULL, FIRST_LIMIT + i};
    }
    *longs = (struct option){0};
}

/* find_line returns the line for a return value of getopt_long; NULL for a cap, which has none. */
static const struct option_line *find_line(int value)
{
    if (value >= FIRST_LIMIT)
        return NULL;
    if (value >= LONG_ONLY)
        return &option_lines[value - LONG_ONLY];
    for (int i = 0; i < NUM_OPTION_LINES; i++) {
        if (option_lines[i].letter == value && value != 0)
            return &option_lines[i];
    }
    return NULL;
}

static bool set_limit(struct options *o, enum ds_limit limit, const char *value)
{
    char option[48];
    snprintf(option, sizeof option, "--max-%s", ds_limit_name(limit));
    return option_parse_number(option, value, 1, UINT64_MAX / 2, &o->config.limits[limit]);
}

/* join_expression joins the remaining words into the BPF expression. */
static bool join_expression(struct options *o, char **words)
{
    size_t len = 1;
    for (char **word = words; *word != NULL; word++)
        len += strlen(*word) + 1;
    if (len == 1)
        return true;
    o->follow.expression = malloc(len);
    if (o->follow.expression == NULL) {
        complain("out of memory");
        return false;
    }
    char *at = o->follow.expression;
    for (char **word = words; *word != NULL; word++) {
        if (word != words)
            *at++ = ' ';
        at = stpcpy(at, *word);
    }
    return true;
}

/* check_without_calls complains about --no-calls with options that would then silently select
 * nothing. */
static bool check_without_calls(const struct options *o)
{
    const struct {
        const char *option;
        const struct filter *filter;
    } filters[] = {{"-Y", o->select.filter}, {"--trigger", o->keep.trigger}};
    for (size_t i = 0; i < o->select.num_matches; i++) {
        if (ds_match_wants_return(o->select.matches[i])) {
            complain("-m '... -> return' needs calls to be paired: leave out --no-calls");
            return false;
        }
    }
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
        const char *what = filter_needs_calls(filters[i].filter);
        if (what != NULL) {
            complain("--no-calls and %s with '%s' do not go together: it needs calls to be "
                     "paired; leave out --no-calls",
                     filters[i].option, what);
            return false;
        }
    }
    return true;
}

/* check_embedding checks files that get secrets: their names must say pcapng, as pcap cannot
 * contain any. */
static bool check_embedding(const struct options *o)
{
    const char *const names[] = {o->keep.write_file, o->keep.connections_file};
    for (size_t i = 0; i < 2; i++) {
        if (names[i] != NULL && strcmp(names[i], "-") != 0 && !pcapng_form_is_named(names[i])) {
            complain("--keylog-embed: a pcap file cannot hold secrets: give %s a name that ends "
                     "in .pcapng",
                     names[i]);
            return false;
        }
    }
    if (o->keylog.num_files != 0 || o->capture.num_read_files != 0)
        return true;
    complain("--keylog-embed: there are no secrets: name a file of secrets with --keylog-file");
    return false;
}

static bool is_on_stdout(const struct sink_format *format)
{
    return format->file == NULL && !format->kind->takes_url;
}

/* check_nats complains about --redact with packets, which cannot be redacted, and other bad
 * combinations. */
static bool check_nats(const struct options *o)
{
    const struct nats_config *nats = &o->nats;
    if (o->redact.what != 0 && (nats->types >> NATS_PACKET & 1) != 0) {
        complain("--redact and --nats-types packet: raw packets cannot be redacted: leave out "
                 "packet");
        return false;
    }
    if (nats->resume_file != NULL &&
        (nats->num_reads != 1 || !nats->reads[0].follows || o->capture.num_read_files != 1)) {
        complain("--resume needs one -r 'nats://...?follow', and nothing else to read: it goes on where "
                 "the last run has ended");
        return false;
    }
    for (size_t i = 0; i < nats->num_reads; i++) {
        if (!nats->reads[i].follows || nats->publish.num_servers == 0 ||
            strcmp(nats->reads[i].prefix, nats->publish.prefix) != 0) /* others use the same subjects */
            continue;
        complain("-r with ?follow and -T nats name the same stream, %s, which would be read and published "
                 "without end: publish to another one (nats://HOST/STREAM)", nats->publish.stream);
        return false;
    }
    if ((nats->credentials_file == NULL && nats->ca_file == NULL && nats->certificate_file == NULL &&
         nats->inbox == NULL) ||
        nats->publish.num_servers != 0 || nats->num_reads != 0)
        return true;
    complain("--nats-creds, --nats-ca, --nats-cert and --nats-inbox need -T nats=URL or -r nats://...");
    return false;
}

static bool check_together(const struct options *o)
{
    size_t on_stdout = o->keep.write_file != NULL && strcmp(o->keep.write_file, "-") == 0;
    struct ds_config usual;
    ds_config_init(&usual);
    for (size_t i = 0; i < o->output.num_formats; i++)
        on_stdout += is_on_stdout(&o->output.formats[i]);
    if (on_stdout > 1) {
        complain("only one of -T and -w can go to standard output: name a file for the others "
                 "(-T json=FILE)");
        return false;
    }
    if (o->tui && on_stdout != 0 && isatty(STDOUT_FILENO)) {
        complain("--tui and records on standard output: the terminal shows one of them: name a file for "
                 "the records (-T json=FILE)");
        return false;
    }
    if (!check_nats(o) || !otlp_check_together(&o->otlp) || (o->no_calls && !check_without_calls(o)))
        return false;
    if (o->keep.embeds_secrets && !check_embedding(o))
        return false;
    if (o->hold_ns == 0 && o->config.limits[DS_LIMIT_HELD] != usual.limits[DS_LIMIT_HELD]) {
        complain("--max-held needs --hold: it bounds what waits for that time");
        return false;
    }
    size_t from_stdin = 0;
    for (size_t i = 0; i < o->capture.num_read_files; i++)
        from_stdin += strcmp(o->capture.read_files[i], "-") == 0;
    if (from_stdin > 1) {
        complain("-r - can be used only once");
        return false;
    }
    if (o->ending.since.kind == o->ending.until.kind && o->ending.since.kind != TIME_POINT_OF_DAY &&
        o->ending.since.kind != TIME_POINT_NONE && o->ending.since.ns >= o->ending.until.ns) {
        complain("--until %s is not after --since: nothing would be shown", o->ending.until_text);
        return false;
    }
    return true;
}

/* compile_regexes compiles -e after all options, as --ignore-case may come last. */
static bool compile_regexes(struct options *o)
{
    while (o->select.num_regexes < o->num_patterns) {
        struct match_regex *regex =
            match_regex_new(o->patterns[o->select.num_regexes], o->ignore_case);
        if (regex == NULL)
            return false;
        o->select.regexes[o->select.num_regexes++] = regex;
    }
    return true;
}

/* choose_formats chooses text on standard output, unless another output is requested. */
static void choose_formats(struct options *o)
{
    bool raw_on_stdout = o->keep.write_file != NULL && strcmp(o->keep.write_file, "-") == 0;
    bool has_report = false;
    for (int i = 0; i < REPORT_COUNT; i++)
        has_report |= o->report.wanted[i];
    if (o->output.num_formats == 0 && !o->quiet && !o->explain.asked && !raw_on_stdout && !has_report &&
        !metrics_wanted(&o->metrics) && o->web.len == 0 && !o->tui)
        o->output.formats[o->output.num_formats++] =
            (struct sink_format){sink_find("text", 4), NULL};
}

static bool is_text_on_terminal(const struct options *o)
{
    const struct sink_kind *text = sink_find("text", strlen("text"));
    for (size_t i = 0; i < o->output.num_formats; i++) {
        if (o->output.formats[i].kind == text && o->output.formats[i].file == NULL)
            return isatty(STDOUT_FILENO);
    }
    return false;
}

/* choose_syntax finds out the syntax for a person who reads text on a terminal: the one most
 * modules use. Output for programs stays the same. */
static void choose_syntax(struct options *o, const struct option_given *given, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        if (strcmp(given[i].line->name, "syntax") == 0)
            return;
    }
    if (o->tui || is_text_on_terminal(o))
        o->syntax = OPTION_SYNTAX_AUTO;
}

/* choose_rate ends a live capture that writes more to a terminal than can be read, which a network
 * connection to that terminal would also have to carry. */
static void choose_rate(struct options *o)
{
    bool on_stdout = false;
    for (size_t i = 0; i < o->output.num_formats; i++)
        on_stdout = on_stdout || is_on_stdout(&o->output.formats[i]);
    if (o->ending.rate_text == NULL && o->capture.num_read_files == 0 && on_stdout &&
        isatty(STDOUT_FILENO)) {
        o->ending.rate_text = "10000/1s";
        o->rate = (struct rate){10000, 1000000000};
    }
}

/* choose_jobs limits the default number of threads: more would mostly wait for the one that reads. */
static void choose_jobs(struct options *o)
{
    enum { JOBS_BY_DEFAULT = 8 };
    if (o->jobs != 0)
        return; /* after a reload: to count processors the C library reads files, which the sandbox
                 * forbids */
    const long num = sysconf(_SC_NPROCESSORS_ONLN);
    o->jobs = num < 1 ? 1 : num > JOBS_BY_DEFAULT ? JOBS_BY_DEFAULT : (unsigned)num;
}

/* note_part records that reports on findings and links cover only a part. */
static void note_part(struct options *o)
{
    o->report.is_late = o->ending.since.kind != TIME_POINT_NONE;
    o->report.is_part = o->report.is_late || o->select.nodes.num != 0 || o->select.filter != NULL;
}

/* complain_lacks complains about an option without its argument, and says what the option is for. line is
 * NULL for a cap. */
static void complain_lacks(const char *given, const struct option_line *line)
{
    if (line == NULL)
        complain("%s needs an argument, N: see distsniff --help", given);
    else
        complain("%s needs an argument, %s (%.*s): see distsniff --help", given, line->argument,
                 (int)strcspn(line->help, ".,;:"), line->help);
}

static void complain_unknown(int value, const char *given)
{
    const struct option_line *line = find_line(optopt);
    const char letter[] = {'-', (char)optopt, '\0'};
    const bool is_letter = optopt > 0 && optopt < LONG_ONLY && strncmp(given, "--", 2) != 0;
    const char *answer = value == ':' ? NULL
                         : is_letter  ? habit_answer(HABIT_OPTION, letter + 1, 1)
                         : optopt == 0 ? habit_answer(HABIT_OPTION, given + 2, strcspn(given + 2, "="))
                                      : NULL;
    const char *nearest;
    if (value == ':')
        complain_lacks(strncmp(given, "--", 2) == 0 ? given : letter, line);
    else if (answer != NULL)
        complain("unknown option %s: %s", is_letter ? letter : given, answer);
    else if (is_letter)
        complain("unknown option -%c: see distsniff --help", optopt);
    else if (optopt != 0)
        complain("%s takes no argument: see distsniff --help", given);
    else if ((nearest = option_line_nearest(given + 2, strcspn(given + 2, "="))) != NULL)
        complain("unknown option %s: did you mean --%s?", given, nearest);
    else
        complain("unknown option %s: see distsniff --help", given);
}

/* check_once complains about an option that would silently replace an earlier one. */
static bool check_once(const struct option_given *given, size_t num)
{
    const struct option_given *last = &given[num - 1];
    for (size_t i = 0; last->line->kind == OPTION_WORD && i + 1 < num; i++) {
        if (given[i].line->offset == last->line->offset &&
            given[i].line->kind == OPTION_WORD) {
            complain("--%s can be used only once, not also as '%s'", last->line->name,
                     last->value);
            return false;
        }
    }
    return true;
}

/* find_file returns the argument of the last option of that name, NULL: there is none. It ignores
 * errors, which are reported when the options are parsed. */
static const char *find_file(const char *name, int argc, char **argv)
{
    char letters[1 + 3 * NUM_OPTION_LINES] = "-"; /* do not permute argv */
    struct option longs[NUM_OPTION_LINES + DS_LIMIT_COUNT + 1];
    char names[DS_LIMIT_COUNT][32];
    const char *file = NULL;

    make_getopt_tables(letters + 1, longs, names);
    opterr = 0;
    optind = 0;
    for (int value; (value = getopt_long(argc, argv, letters, longs, NULL)) != -1;) {
        const struct option_line *line =
            value != '?' && value != ':' && value < FIRST_LIMIT ? find_line(value) : NULL;
        if (line != NULL && strcmp(line->name, name) == 0)
            file = optarg;
    }
    return file;
}

/* read_labels reads the file of --labels first: other options use its words. */
static bool read_labels(struct options *options, int argc, char **argv)
{
    const char *file = find_file("labels", argc, argv);
    options->labels = file != NULL ? own_labels_read(file) : NULL;
    return file == NULL || options->labels != NULL;
}

/* read_config reads the file of --config, and returns the joined command line in argc and argv. */
static bool read_config(struct options *options, int *argc, char ***argv)
{
    const char *file = find_file("config", *argc, *argv);
    if (file == NULL)
        return true;
    if (!config_file_read(&options->file, file, options->is_running, *argc, *argv))
        return false;
    *argc = options->file.argc;
    *argv = options->file.argv;
    return true;
}

/* say_where makes complaints name the line of --config that contains a word. */
static void say_where(const struct options *options, const char *word, char *where, size_t size)
{
    const unsigned line = config_file_line(&options->file, word);
    if (line != 0)
        snprintf(where, size, "%s, line %u", options->file.name, line);
    complain_about(line != 0 ? where : NULL);
}

/* take processes an option and adds it to given: a synonym as the option it stands for, and a
 * report once for each name it means. */
static bool take(struct options *options, const struct option_line *line, const char *value,
                 struct option_given *given, size_t *num)
{
    const char *names[REPORT_COUNT] = {value};
    if (line->kind == OPTION_SAME) {
        names[0] = value = line->value;
        line = option_line_find(line->same_as);
    }
    size_t num_names = strcmp(line->name, "report") == 0 ? option_report_names(value, names) : 1;
    if (num_names == 0) { /* option_apply will complain about it */
        names[0] = value;
        num_names = 1;
    }
    for (size_t i = 0; i < num_names; i++) {
        given[(*num)++] = (struct option_given){line, names[i]};
        if (!check_once(given, *num) || !option_apply(options, line, names[i]))
            return false;
    }
    return true;
}

/* parse_options processes the options one by one and adds them to given, which has room for all
 * reports per letter. */
static bool parse_options(struct options *options, int argc, char **argv,
                          struct option_given *given, size_t *num)
{
    char where[512];
    char letters[3 * NUM_OPTION_LINES];
    struct option longs[NUM_OPTION_LINES + DS_LIMIT_COUNT + 1];
    char names[DS_LIMIT_COUNT][32];

    make_getopt_tables(letters, longs, names);
    opterr = 0;
    optind = 0; /* glibc: restart */
    for (int value; (value = getopt_long(argc, argv, letters, longs, NULL)) != -1;) {
        say_where(options, argv[optind - 1], where, sizeof where);
        if (value == '?' || value == ':') {
            complain_unknown(value, argv[optind - 1]);
            return false;
        }
        if (value >= FIRST_LIMIT) {
            if (!set_limit(options, (enum ds_limit)(value - FIRST_LIMIT), optarg))
                return false;
            continue;
        }
        const struct option_line *line = find_line(value);
        const bool is_apart = optarg != NULL && optarg == argv[optind - 1];
        if (!option_habits_check(line, argv[optind - (is_apart ? 2 : 1)], optarg, argv[optind]) ||
            !take(options, line, optarg, given, num))
            return false;
    }
    return true;
}

static bool read_options(struct options *options, int argc, char **argv,
                         struct option_given *given, size_t *num)
{
    const bool ok = parse_options(options, argc, argv, given, num);
    complain_about(NULL);
    return ok;
}

/* choose_drawing chooses an interval for tables without --every: always for top in a live capture,
 * for others if a terminal shows them, and never for those that print line by line. */
static void choose_drawing(struct options *o)
{
    bool is_free = o->keep.write_file == NULL || strcmp(o->keep.write_file, "-") != 0;
    for (size_t i = 0; i < o->output.num_formats; i++)
        is_free = is_free && !is_on_stdout(&o->output.formats[i]);
    if (!o->report.is_live || o->report.every_ns != 0)
        return;
    if (o->report.wanted[REPORT_TOP])
        o->report.every_ns = REPORT_TOP_EVERY_NS;
    else if (is_free && isatty(STDOUT_FILENO) && reports_draw_anew(&o->report))
        o->report.every_ns = REPORT_LIVE_EVERY_NS;
}

/* choose_verdict chooses the one-line verdict if a person watches who asked only for messages. */
static void choose_verdict(struct options *o)
{
    bool has_report = false;
    for (int i = 0; i < REPORT_COUNT; i++)
        has_report |= o->report.wanted[i];
    o->report.verdict = !has_report && !o->quiet && !o->no_calls && !o->explain.asked &&
                        o->output.num_formats == 1 && is_text_on_terminal(o) && isatty(STDERR_FILENO);
}

/* hand_down copies values that concern several stages to each of them. */
static void hand_down(struct options *o)
{
    uint64_t *const limits[] = {o->select.limits, o->output.limits, o->report.limits,
                                o->keep.limits, o->metrics.limits};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        memcpy(limits[i], o->config.limits, sizeof o->config.limits);
    o->redact.cookie_file = o->output.cookie_file = o->cookie_file;
    o->output.redacted = o->redact.what != 0;
    o->metrics.has_calls = !o->no_calls;
    o->metrics.has_sockets = o->kernel;
    o->report.is_live = o->capture.num_read_files == 0;
    o->report.nanoseconds = o->output.nanoseconds;
    choose_drawing(o);
    o->follow.all_packets = o->keep.write_file != NULL;
    o->ending.max_files = o->keep.max_files;
    o->ending.max_ring_files = o->keep.rotation.files;
}

/* read_words adds the capture files before the expression, and returns the words after them. */
static char **read_words(struct options *options, char **words, struct option_given *given, size_t *num)
{
    const size_t num_files = option_files_count(words);
    for (size_t i = 0; i < num_files; i++) {
        if (!take(options, option_line_find("read"), words[i], given, num))
            return NULL;
        complain("reading %s, as with -r", words[i]);
    }
    return words + num_files;
}

/* finish makes the checks and choices that need all options. */
static bool finish(struct options *options, char **words, struct option_given *given, size_t *num)
{
    char *expression = options->extcap.expression;
    char *of_config[] = {options->file.expression, NULL};
    if (expression != NULL && expression[0] != '\0')
        of_config[0] = expression;
    if (words[0] == NULL)
        words = of_config;
    else if (!options->is_running)
        words = read_words(options, words, given, num);
    if (words == NULL || !option_habits_check_file(options, given, *num) ||
        !option_words_check(options, words, given, *num) || !option_files_name(options) ||
        !join_expression(options, words) || !option_check_conflicts(given, *num) ||
        !check_together(options) || !option_check_redact(options) || !compile_regexes(options) ||
        !option_compare_finish(options))
        return false;
    choose_formats(options);
    choose_syntax(options, given, *num);
    choose_rate(options);
    choose_jobs(options);
    choose_verdict(options);
    note_part(options);
    hand_down(options);
    option_explain_commands(options);
    if (options->keep.trigger != NULL)
        filter_set_depth(options->keep.trigger, options->config.limits[DS_LIMIT_DEPTH]);
    filter_set_depth(options->select.filter, options->config.limits[DS_LIMIT_DEPTH]);
    return true;
}

/* parse parses the options; running is NULL at the start. */
static bool parse(struct options *options, int argc, char **argv, const struct options *running)
{
    memset(options, 0, sizeof *options);
    options->argc = argc;
    options->argv = argv;
    options->is_running = running != NULL;
    ds_config_init(&options->config);
    options->epmd_port = options->config.epmd_port;
    options->report.max_rows = REPORT_ROWS;
    options->output.on_finding_every_ns = ON_FINDING_EVERY_NS;
    option_compare_begin(options);
    options->capture.snaplen = MAX_SNAPLEN;
    options->keep.before_ns = 60 * INT64_C(1000000000);
    options->keep.after_ns = 10 * INT64_C(1000000000);

    if (!read_config(options, &argc, &argv) ||
        (running == NULL && !read_labels(options, argc, argv)))
        return false;
    if (running != NULL)
        options->labels = running->labels;
    options->select.labels = options->keep.labels = options->labels;
    size_t num_letters = 1; /* an upper limit on the number of options */
    for (int i = 0; i < argc; i++)
        num_letters += strlen(argv[i]);
    options->given = calloc(num_letters * REPORT_COUNT, sizeof *options->given);
    if (options->given == NULL) {
        complain("out of memory");
        return false;
    }
    if (!read_options(options, argc, argv, options->given, &options->num_given))
        return false;
    if (running != NULL)
        options->jobs = running->jobs;
    return (options->action != ACTION_SNIFF && options->action != ACTION_CHECK_CONFIG) ||
           finish(options, argv + optind, options->given, &options->num_given);
}

bool options_parse(struct options *options, int argc, char **argv)
{
    return parse(options, argc, argv, NULL);
}

bool options_parse_again(struct options *options, const struct options *running)
{
    return parse(options, running->argc, running->argv, running);
}

void options_free(struct options *options)
{
    for (size_t i = 0; i < MAX_FORMATS; i++)
        free(options->names_beside[i]);
    for (size_t i = 0; i < MAX_FORMATS * MAX_ALSO_WRITTEN; i++)
        free(options->names_also[i / MAX_ALSO_WRITTEN][i % MAX_ALSO_WRITTEN]);
    while (options->num_names_made != 0)
        free(options->names_made[--options->num_names_made]);
    while (options->num_node_lists != 0)
        free(options->node_lists[--options->num_node_lists]);
    free(options->command);
    free(options->nats.spool);
    free(options->behind);
    free(options->window);
    free(options->kept);
    options->command = options->behind = options->window = options->kept = NULL;
    option_compare_free(options);
    free(options->capture.read_files);
    free(options->keylog.files);
    options->keylog.files = NULL;
    free(options->follow.expression);
    free(options->metrics.fresh);
    while (options->select.num_regexes != 0)
        match_regex_free(options->select.regexes[--options->select.num_regexes]);
    while (options->select.num_matches != 0)
        ds_match_free(options->select.matches[--options->select.num_matches]);
    filter_free(options->select.filter);
    filter_free(options->keep.trigger);
    options->keep.trigger = NULL;
    options->select.filter = NULL;
    options->capture.read_files = NULL;
    options->follow.expression = NULL;
    config_file_free(&options->file);
    if (!options->is_running)
        own_labels_free(options->labels);
    free(options->given);
    options->given = NULL;
}
