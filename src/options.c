/*
 * options.c - the command line, from the table in options.def.
 *
 * Every option has a setter, named after it: it takes the argument and returns false after
 * saying in one line what is wrong and what would be right.
 */
#include "options.h"

#include "complain.h"
#include "filter.h"
#include "sink.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

/* Reads a whole number between min and max. */
static bool parse_number(const char *option, const char *value, uint64_t min, uint64_t max,
                         uint64_t *out)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 || number < min ||
        number > max) {
        if (max == UINT64_MAX)
            complain("%s takes a whole number from %llu, not '%s'", option,
                     (unsigned long long)min, value);
        else
            complain("%s takes a whole number from %llu to %llu, not '%s'", option,
                     (unsigned long long)min, (unsigned long long)max, value);
        return false;
    }
    *out = number;
    return true;
}

static bool set_interface(struct options *o, const char *value)
{
    o->interface = value;
    return true;
}

static bool set_read(struct options *o, const char *value)
{
    const char **files = reallocarray(o->read_files, o->num_read_files + 1, sizeof *files);
    if (files == NULL) {
        complain("out of memory");
        return false;
    }
    o->read_files = files;
    o->read_files[o->num_read_files++] = value;
    return true;
}

static bool set_list_interfaces(struct options *o, const char *value)
{
    (void)value;
    o->action = ACTION_LIST_INTERFACES;
    return true;
}

static bool set_snaplen(struct options *o, const char *value)
{
    uint64_t bytes;
    if (!parse_number("-s", value, 0, MAX_SNAPLEN, &bytes))
        return false;
    o->snaplen = bytes == 0 ? MAX_SNAPLEN : (int)bytes;
    return true;
}

static bool set_buffer(struct options *o, const char *value)
{
    uint64_t kib;
    if (!parse_number("-B", value, 1, INT32_MAX / 1024, &kib))
        return false;
    o->buffer_kib = (int)kib;
    return true;
}

static bool set_no_promiscuous(struct options *o, const char *value)
{
    (void)value;
    o->no_promiscuous = true;
    return true;
}

static bool set_direction(struct options *o, const char *value)
{
    static const char *const names[] = {"inout", "in", "out"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(value, names[i]) == 0) {
            o->direction = (enum direction)i;
            return true;
        }
    }
    complain("-Q takes in, out or inout, not '%s'", value);
    return false;
}

static bool set_immediate(struct options *o, const char *value)
{
    (void)value;
    o->immediate = true;
    return true;
}

static bool set_user(struct options *o, const char *value)
{
    o->user = value;
    return true;
}

static bool set_filter_file(struct options *o, const char *value)
{
    o->filter_file = value;
    return true;
}

static bool set_no_clock_correction(struct options *o, const char *value)
{
    (void)value;
    o->no_clock_correction = true;
    return true;
}

static bool set_no_calls(struct options *o, const char *value)
{
    (void)value;
    o->no_calls = true;
    return true;
}

static bool set_no_follow(struct options *o, const char *value)
{
    (void)value;
    o->no_follow = true;
    return true;
}

static bool set_dist_port(struct options *o, const char *value)
{
    char list[512];
    if (strlen(value) >= sizeof list) {
        complain("--dist-port takes at most %d ports", MAX_DIST_PORTS);
        return false;
    }
    strcpy(list, value);
    char *rest = list;
    for (char *one; (one = strsep(&rest, ",")) != NULL;) {
        uint64_t port;
        if (!parse_number("--dist-port", one, 1, 65535, &port))
            return false;
        if (o->num_dist_ports == MAX_DIST_PORTS) {
            complain("--dist-port takes at most %d ports", MAX_DIST_PORTS);
            return false;
        }
        o->dist_ports[o->num_dist_ports++] = (uint16_t)port;
    }
    return true;
}

static bool set_epmd_port(struct options *o, const char *value)
{
    uint64_t port;
    if (!parse_number("--epmd-port", value, 1, 65535, &port))
        return false;
    o->epmd_port = (uint16_t)port;
    return true;
}

static bool set_cookie_file(struct options *o, const char *value)
{
    o->cookie_file = value;
    return true;
}

static bool set_format(struct options *o, const char *value)
{
    size_t len = strcspn(value, "=");
    const struct sink_kind *kind = sink_find(value, len);
    if (kind == NULL) {
        char names[256];
        sink_list_names(names, sizeof names);
        complain("unknown format '%.*s': -T takes %s", (int)len, value, names);
        return false;
    }
    if (o->num_formats == MAX_FORMATS) {
        complain("-T can be given at most %d times", MAX_FORMATS);
        return false;
    }
    const char *file = value[len] == '=' ? value + len + 1 : NULL;
    if (file != NULL && file[0] == '\0') {
        complain("-T %s needs a file name after the =", value);
        return false;
    }
    if (file != NULL && strcmp(file, "-") == 0)
        file = NULL;
    o->formats[o->num_formats++] = (struct option_format){kind, file};
    return true;
}

static bool set_lanes(struct options *o, const char *value)
{
    if (strcmp(value, "node") == 0) {
        o->lanes = LANES_NODE;
    } else if (strcmp(value, "process") == 0) {
        o->lanes = LANES_PROCESS;
    } else {
        complain("--lanes takes node or process, not '%s'", value);
        return false;
    }
    return true;
}

static bool set_report(struct options *o, const char *value)
{
    static const char *const names[] = {
#define REPORT(id, name) name,
#include "reports.def"
#undef REPORT
    };
    char all[128] = "";
    for (int i = 0; i < REPORT_COUNT; i++) {
        if (strcmp(value, names[i]) == 0) {
            o->reports[i] = true;
            return true;
        }
        size_t len = strlen(all);
        snprintf(all + len, sizeof all - len, "%s%s", i == 0 ? "" : ", ", names[i]);
    }
    complain("there is no report '%s': --report takes %s", value, all);
    return false;
}

static bool set_sort(struct options *o, const char *value)
{
    if (strcmp(value, "latency") != 0 && strcmp(value, "time") != 0) {
        complain("--sort takes latency or time, not '%s'", value);
        return false;
    }
    o->call_order = value[0] == 'l' ? CALLS_BY_LATENCY : CALLS_BY_TIME;
    return true;
}

static bool set_calls_only(struct options *o, const char *value)
{
    (void)value;
    o->calls_only = true;
    return true;
}

static bool add_word(const char *option, struct words *words, const char *value)
{
    if (value[0] == '\0') {
        complain("%s takes a name, not nothing", option);
        return false;
    }
    if (words->num == MAX_PICKS) {
        complain("%s can be given at most %d times", option, MAX_PICKS);
        return false;
    }
    words->word[words->num++] = value;
    return true;
}

static bool set_only(struct options *o, const char *value)
{
    return add_word("--only", &o->only, value);
}

static bool set_hide(struct options *o, const char *value)
{
    return add_word("--hide", &o->hide, value);
}

static bool set_node(struct options *o, const char *value)
{
    return add_word("--node", &o->nodes, value);
}

static bool set_process(struct options *o, const char *value)
{
    if (o->num_processes == MAX_PICKS) {
        complain("--process can be given at most %d times", MAX_PICKS);
        return false;
    }
    return pick_process_parse(&o->processes[o->num_processes++], value);
}

static bool set_op(struct options *o, const char *value)
{
    return op_set_add(&o->ops, value);
}

static bool set_regex(struct options *o, const char *value)
{
    if (o->num_patterns == MAX_REGEXES) {
        complain("-e can be given at most %d times", MAX_REGEXES);
        return false;
    }
    o->patterns[o->num_patterns++] = value;
    return true;
}

static bool set_ignore_case(struct options *o, const char *value)
{
    (void)value;
    o->ignore_case = true;
    return true;
}

static bool set_invert(struct options *o, const char *value)
{
    (void)value;
    o->invert = true;
    return true;
}

static bool set_after(struct options *o, const char *value)
{
    return parse_number("-A", value, 0, UINT32_MAX, &o->num_after);
}

static bool set_no_pairs(struct options *o, const char *value)
{
    (void)value;
    o->no_pairs = true;
    return true;
}

static bool set_filter(struct options *o, const char *value)
{
    struct filter_error error;
    struct filter *filter = filter_parse(value, &error);
    if (filter == NULL && error.column == 0)
        complain("%s", error.what);
    else if (filter == NULL)
        complain("-Y: column %zu: %s", error.column, error.what);
    else
        o->filter = filter_and(o->filter, filter);
    return filter != NULL;
}

static bool set_fields(struct options *o, const char *value)
{
    (void)value;
    o->action = ACTION_LIST_FIELDS;
    return true;
}

static bool set_etf(struct options *o, const char *value)
{
    (void)value;
    o->etf = true;
    return true;
}

static bool set_write(struct options *o, const char *value)
{
    o->write_file = value;
    return true;
}

static bool set_quiet(struct options *o, const char *value)
{
    (void)value;
    o->quiet = true;
    return true;
}

static bool set_verbose(struct options *o, const char *value)
{
    (void)value;
    o->verbose++;
    return true;
}

static bool set_hex(struct options *o, const char *value)
{
    (void)value;
    o->hex = true;
    return true;
}

static bool set_time(struct options *o, const char *value)
{
    (void)value;
    if (++o->time_letters > TIME_SINCE_FIRST) {
        complain("-t can be given at most five times");
        return false;
    }
    o->time_style = (enum time_style)o->time_letters;
    return true;
}

static bool set_color(struct options *o, const char *value)
{
    static const char *const names[] = {"auto", "always", "never"};
    for (int i = 0; i < 3; i++) {
        if (value == NULL || strcmp(value, names[i]) == 0) {
            o->color = value == NULL ? COLOR_ALWAYS : (enum color_when)i;
            return true;
        }
    }
    complain("--color takes auto, always or never, not '%s'", value);
    return false;
}

static bool set_line_buffered(struct options *o, const char *value)
{
    (void)value;
    o->line_buffered = true;
    return true;
}

static bool set_numeric(struct options *o, const char *value)
{
    (void)o;
    (void)value;
    return true;
}

static bool set_count(struct options *o, const char *value)
{
    return parse_number("-c", value, 1, UINT64_MAX, &o->max_messages);
}

static bool set_packets(struct options *o, const char *value)
{
    return parse_number("--packets", value, 1, UINT64_MAX, &o->max_packets);
}

static bool set_autostop(struct options *o, const char *value)
{
    static const char prefix[] = "duration:";
    const char *seconds = value + sizeof prefix - 1;
    char *end;
    if (strncmp(value, prefix, sizeof prefix - 1) == 0 && *seconds >= '0' && *seconds <= '9') {
        o->max_seconds = strtod(seconds, &end);
        if (*end == '\0' && o->max_seconds > 0 && o->max_seconds < 1e9)
            return true;
    }
    complain("-a takes duration:SECONDS, not '%s'", value);
    return false;
}

static bool set_strict(struct options *o, const char *value)
{
    (void)value;
    o->strict = true;
    return true;
}

static bool set_help(struct options *o, const char *value)
{
    (void)value;
    o->action = ACTION_HELP;
    return true;
}

static bool set_version(struct options *o, const char *value)
{
    (void)value;
    o->action = ACTION_VERSION;
    return true;
}

/* option is one line of the table; a section has no setter. */
struct option_line {
    bool (*set)(struct options *, const char *value);
    const char *name;
    int letter;
    const char *argument;
    const char *help;
};

static const struct option_line lines[] = {
#define SECTION(title) {NULL, title, 0, NULL, NULL},
#define OPTION(setter, name, letter, argument, help) {set_##setter, name, letter, argument, help},
#include "options.def"
#undef SECTION
#undef OPTION
};

enum { NUM_LINES = sizeof lines / sizeof lines[0], LONG_ONLY = 1000, FIRST_LIMIT = 2000 };

/* getopt_long's own view of the table: an option without a letter returns LONG_ONLY plus
 * its line, a cap FIRST_LIMIT plus its number. */
static void make_getopt_tables(char *letters, struct option *longs, char names[][32])
{
    *letters++ = ':';
    for (int i = 0; i < NUM_LINES; i++) {
        const struct option_line *line = &lines[i];
        if (line->set == NULL)
            continue;
        bool optional = line->argument != NULL && line->argument[0] == '[';
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

static const struct option_line *find_line(int value)
{
    if (value >= LONG_ONLY)
        return &lines[value - LONG_ONLY];
    for (int i = 0; i < NUM_LINES; i++) {
        if (lines[i].letter == value && lines[i].set != NULL)
            return &lines[i];
    }
    return NULL;
}

static bool set_limit(struct options *o, enum ds_limit limit, const char *value)
{
    char option[48];
    snprintf(option, sizeof option, "--max-%s", ds_limit_name(limit));
    return parse_number(option, value, 1, UINT64_MAX / 2, &o->config.limits[limit]);
}

/* The rest of the line is the BPF expression. */
static bool join_expression(struct options *o, char **words)
{
    size_t len = 1;
    for (char **word = words; *word != NULL; word++)
        len += strlen(*word) + 1;
    if (len == 1)
        return true;
    o->expression = malloc(len);
    if (o->expression == NULL) {
        complain("out of memory");
        return false;
    }
    char *at = o->expression;
    for (char **word = words; *word != NULL; word++) {
        if (word != words)
            *at++ = ' ';
        at = stpcpy(at, *word);
    }
    return true;
}

static bool check_together(const struct options *o)
{
    size_t on_stdout = o->write_file != NULL && strcmp(o->write_file, "-") == 0;
    for (size_t i = 0; i < o->num_formats; i++)
        on_stdout += o->formats[i].file == NULL;
    if (on_stdout > 1) {
        complain("only one of -T and -w can go to standard output: name a file for the others "
                 "(-T json=FILE)");
        return false;
    }
    if (o->interface != NULL && o->num_read_files != 0) {
        complain("packets come from an interface or from files: give -i or -r, not both");
        return false;
    }
    size_t from_stdin = 0;
    for (size_t i = 0; i < o->num_read_files; i++)
        from_stdin += strcmp(o->read_files[i], "-") == 0;
    if (from_stdin > 1) {
        complain("-r - can be given once only");
        return false;
    }
    return true;
}

/* Whether case matters is known when all options have been read. */
static bool compile_regexes(struct options *o)
{
    if (o->num_patterns == 0 && (o->ignore_case || o->invert)) {
        complain("%s is about -e: give an expression with it",
                 o->invert ? "--invert" : "--ignore-case");
        return false;
    }
    while (o->num_regexes < o->num_patterns) {
        struct match_regex *regex =
            match_regex_new(o->patterns[o->num_regexes], o->ignore_case);
        if (regex == NULL)
            return false;
        o->regexes[o->num_regexes++] = regex;
    }
    return true;
}

/* Text on standard output, unless something else was asked for. */
static void choose_formats(struct options *o)
{
    bool raw_on_stdout = o->write_file != NULL && strcmp(o->write_file, "-") == 0;
    bool has_report = false;
    for (int i = 0; i < REPORT_COUNT; i++)
        has_report |= o->reports[i];
    if (o->num_formats == 0 && !o->quiet && !raw_on_stdout && !has_report)
        o->formats[o->num_formats++] = (struct option_format){sink_find("text", 4), NULL};
}

bool options_parse(struct options *options, int argc, char **argv)
{
    char letters[3 * NUM_LINES];
    struct option longs[NUM_LINES + DS_LIMIT_COUNT + 1];
    char names[DS_LIMIT_COUNT][32];

    memset(options, 0, sizeof *options);
    ds_config_init(&options->config);
    options->epmd_port = options->config.epmd_port;
    options->snaplen = MAX_SNAPLEN;

    make_getopt_tables(letters, longs, names);
    opterr = 0;
    optind = 0; /* glibc: begin anew */
    for (int value; (value = getopt_long(argc, argv, letters, longs, NULL)) != -1;) {
        const char *given = argv[optind - 1];
        if (value == '?' || value == ':') {
            const struct option_line *line = find_line(optopt);
            if (value == ':' && line != NULL)
                complain("-%c needs an argument, %s: see distsniff --help", optopt,
                         line->argument);
            else if (value == ':')
                complain("%s needs an argument: see distsniff --help", given);
            else if (optopt != 0 && optopt < LONG_ONLY && strncmp(given, "--", 2) != 0)
                complain("unknown option -%c: see distsniff --help", optopt);
            else if (optopt != 0)
                complain("%s takes no argument: see distsniff --help", given);
            else
                complain("unknown option %s: see distsniff --help", given);
            return false;
        }
        bool ok = value >= FIRST_LIMIT
                      ? set_limit(options, (enum ds_limit)(value - FIRST_LIMIT), optarg)
                      : find_line(value)->set(options, optarg);
        if (!ok)
            return false;
    }
    if (options->action != ACTION_SNIFF)
        return true;
    if (!join_expression(options, argv + optind) || !check_together(options) ||
        !compile_regexes(options))
        return false;
    choose_formats(options);
    filter_set_depth(options->filter, options->config.limits[DS_LIMIT_DEPTH]);
    return true;
}

void options_free(struct options *options)
{
    free(options->read_files);
    free(options->expression);
    while (options->num_regexes != 0)
        match_regex_free(options->regexes[--options->num_regexes]);
    filter_free(options->filter);
    options->filter = NULL;
    options->read_files = NULL;
    options->expression = NULL;
}

enum { HELP_COLUMN = 32, HELP_WIDTH = 96 };

/* Writes text from HELP_COLUMN on, folded between words. used columns are taken. */
static void print_folded(FILE *out, int used, const char *text)
{
    int column = HELP_COLUMN;
    if (used >= HELP_COLUMN)
        fprintf(out, "\n%*s", HELP_COLUMN, "");
    else
        fprintf(out, "%*s", HELP_COLUMN - used, "");
    while (*text != '\0') {
        int len = (int)strcspn(text, " ");
        if (column > HELP_COLUMN && column + 1 + len > HELP_WIDTH) {
            fprintf(out, "\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
        }
        column += fprintf(out, "%s%.*s", column > HELP_COLUMN ? " " : "", len, text);
        text += len;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

void options_print_help(FILE *out)
{
    fputs("distsniff [-i IF | -r FILE ...] [options] [BPF expression]\n"
          "Shows what Erlang nodes say to each other, from their packets.\n", out);
    for (int i = 0; i < NUM_LINES; i++) {
        const struct option_line *line = &lines[i];
        if (line->set == NULL) {
            fprintf(out, "\n%s:\n", line->name);
            continue;
        }
        int used = line->letter != 0 ? fprintf(out, "  -%c, ", line->letter)
                                     : fprintf(out, "      ");
        const char *argument = line->argument != NULL ? line->argument : "";
        used += fprintf(out, argument[0] == '[' ? "--%s[=%s" : "--%s%s%s", line->name,
                        argument[0] == '[' ? argument + 1 : argument[0] != '\0' ? " " : "",
                        argument);
        print_folded(out, used, line->help);
    }
    fputs("\nCaps; reaching one drops the oldest, and the summary says so:\n", out);
    struct ds_config defaults;
    ds_config_init(&defaults);
    for (int i = 0; i < DS_LIMIT_COUNT; i++) {
        char help[160];
        int used = fprintf(out, "      --max-%s N", ds_limit_name((enum ds_limit)i));
        snprintf(help, sizeof help, "%s; %llu by default", ds_limit_what((enum ds_limit)i),
                 (unsigned long long)defaults.limits[i]);
        print_folded(out, used, help);
    }
    fputs("\nThe BPF expression is tcpdump's, see pcap-filter(7). The ports that EPMD and\n"
          "handshakes reveal are added to it:\n"
          "  sudo distsniff -i eth0 port 4369\n"
          "  distsniff -r cluster.pcap -T json\n", out);
}
