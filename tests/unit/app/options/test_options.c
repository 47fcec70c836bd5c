/*
 * test_options.c - the command line: how valid ones are parsed, and that invalid ones are refused.
 */
#include "app/options/option_conflicts.h"
#include "app/options/options.h"
#include "failing_alloc.h"
#include "app/options/option_line.h"
#include "core/habits.h"
#include "output/sink.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { MAX_ARGUMENTS = 32 };

/* Parses a line of words separated by single spaces. */
static bool parse(struct options *options, const char *line)
{
    static char copy[512];
    char *words[MAX_ARGUMENTS + 1] = {0};
    int num = 0;
    assert_true(strlen(line) < sizeof copy);
    strcpy(copy, line);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
        assert_true(num < MAX_ARGUMENTS);
        words[num++] = word;
    }
    return options_parse(options, num, words);
}

static void takes_defaults(void **state)
{
    struct options o;
    (void)state;
    assert_true(parse(&o, "distsniff"));
    assert_int_equal(o.action, ACTION_SNIFF);
    assert_null(o.capture.interface);
    assert_null(o.follow.expression);
    assert_int_equal(o.capture.num_read_files, 0);
    assert_int_equal(o.capture.snaplen, 262144);
    assert_int_equal(o.epmd_port, 4369);
    assert_int_equal(o.output.num_formats, 1);
    assert_ptr_equal(o.output.formats[0].kind, &sink_text);
    assert_null(o.output.formats[0].file);
    assert_int_equal(o.config.limits[DS_LIMIT_DEPTH], 500000);
    options_free(&o);
}

static void takes_all_kinds_of_options(void **state)
{
    struct options o;
    (void)state;
    assert_true(parse(&o, "distsniff -r a -r b -I - -vvttt -T json=x -T text -c 5 --packets 7 "
                          "-a duration:1.5 -s0 --max-depth 9 tcp port 4369"));
    assert_int_equal(o.capture.num_read_files, 3);
    assert_string_equal(o.capture.read_files[2], "-");
    assert_int_equal(o.output.verbose, 2);
    assert_int_equal(o.output.time_style, TIME_DELTA);
    assert_int_equal(o.output.num_formats, 2);
    assert_ptr_equal(o.output.formats[0].kind, &sink_json);
    assert_string_equal(o.output.formats[0].file, "x");
    assert_null(o.output.formats[1].file);
    assert_int_equal(o.ending.max_messages, 5);
    assert_int_equal(o.ending.max_packets, 7);
    assert_true(o.ending.max_seconds == 1.5);
    assert_int_equal(o.capture.snaplen, 262144);
    assert_int_equal(o.config.limits[DS_LIMIT_DEPTH], 9);
    assert_string_equal(o.follow.expression, "tcp port 4369");
    options_free(&o);
}

static void takes_ports_and_names_of_others(void **state)
{
    struct options o;
    (void)state;
    assert_true(parse(&o, "distsniff -d lo --dist-port 9100,9101 --epmd-port 5000 -Qin -B 64 "
                          "--color -pnlx --strict --etf -T json --no-follow --immediate-mode -Z me"));
    assert_string_equal(o.capture.interface, "lo");
    assert_int_equal(o.follow.num_dist_ports, 2);
    assert_int_equal(o.follow.dist_ports[1], 9101);
    assert_int_equal(o.epmd_port, 5000);
    assert_int_equal(o.capture.direction, DIRECTION_IN);
    assert_int_equal(o.capture.buffer_kib, 64);
    assert_int_equal(o.output.color, COLOR_ALWAYS);
    assert_true(o.capture.no_promiscuous && o.output.line_buffered && o.output.hex && o.strict &&
                o.output.etf && o.follow.no_follow && o.capture.immediate);
    assert_string_equal(o.keep.user, "me");
    options_free(&o);
    assert_true(parse(&o, "distsniff -q"));
    assert_true(o.quiet);
    assert_int_equal(o.output.num_formats, 0);
    options_free(&o);
}

static void takes_what_is_shown(void **state)
{
    struct options o;
    (void)state;
    assert_true(parse(&o, "distsniff --node a@h --node b --process rex --process <a@h.85.0> "
                          "--op send,names_req --op op_200 --only gen --label rpc,global "
                          "--no-pairs --hide otp"));
    assert_int_equal(o.select.nodes.num, 2);
    assert_int_equal(o.select.num_processes, 2);
    assert_int_equal(o.select.only.num, 2);
    assert_string_equal(o.select.only.word[1], "rpc,global");
    assert_int_equal(o.select.hide.num, 1);
    assert_true(o.select.no_pairs && o.select.ops.any);
    options_free(&o);
}

static void takes_ends(void **state)
{
    struct options o;
    (void)state;
    assert_true(parse(&o, "distsniff -r x -w f -C 1 -a filesize:100 -a files:3 -a duration:2 "
                          "--rate 5000/2s --since +10s --until 12:00:00"));
    assert_int_equal(o.ending.max_file_kb, 100);
    assert_int_equal(o.keep.max_files, 3);
    assert_int_equal(o.rate.max, 5000);
    assert_int_equal(o.rate.within_ns, 2000000000);
    assert_int_equal(o.ending.since.kind, TIME_POINT_RELATIVE);
    assert_int_equal(o.ending.until.kind, TIME_POINT_OF_DAY);
    options_free(&o);
    assert_true(parse(&o, "distsniff --rate 100/500ms"));
    assert_int_equal(o.rate.within_ns, 500000000);
    options_free(&o);
    assert_true(parse(&o, "distsniff --rate 100"));
    assert_int_equal(o.rate.within_ns, 1000000000);
    options_free(&o);
    assert_true(parse(&o, "distsniff --rate off"));
    assert_int_equal(o.rate.max, 0);
    options_free(&o);
}

/* A live capture on a terminal has a rate limit. */
static void has_a_fuse_on_a_terminal(void **state)
{
    static const struct {
        const char *line;
        uint64_t max;
    } cases[] = {
        {"distsniff", 10000},        {"distsniff -r x", 0},           {"distsniff --rate off", 0},
        {"distsniff --rate 7", 7},   {"distsniff -T json=f", 0},      {"distsniff -q", 0},
        {"distsniff -T json", 10000}, {"distsniff -r x --rate 5", 5},
    };
    (void)state;
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    const int other = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    const int before = dup(STDOUT_FILENO);
    assert_true(other >= 0 && before >= 0);
    bool ok = true;
    struct options o;
    fflush(stdout);
    dup2(other, STDOUT_FILENO);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ok = parse(&o, cases[i].line) && o.rate.max == cases[i].max && ok;
        options_free(&o);
    }
    dup2(before, STDOUT_FILENO);
    assert_true(ok);
    const int file = open("/dev/null", O_WRONLY);
    dup2(file, STDOUT_FILENO);
    ok = parse(&o, "distsniff");
    dup2(before, STDOUT_FILENO);
    assert_true(ok && o.rate.max == 0);
    options_free(&o);
    close(file);
    close(before);
    close(other);
    close(terminal);
}

static void writes_no_records_beside_packets_on_stdout(void **state)
{
    struct options o;
    (void)state;
    assert_true(parse(&o, "distsniff -w -"));
    assert_int_equal(o.output.num_formats, 0);
    options_free(&o);
    assert_true(parse(&o, "distsniff -w file"));
    assert_int_equal(o.output.num_formats, 1);
    options_free(&o);
}

static void refuses_bad_lines(void **state)
{
    static const char *const lines[] = {
        "distsniff -Y x", "distsniff -Y", "distsniff -Y op -Y (op", "distsniff -O -",
        "distsniff -A x", "distsniff -e a(", "distsniff --invert",
        "distsniff --nonsense", "distsniff -r", "distsniff --etf=1", "distsniff -T xml",
        "distsniff -T json=", "distsniff -T text -T json", "distsniff -T text -w -",
        "distsniff -c 0", "distsniff -c -1", "distsniff -c 1x", "distsniff -c 99999999999999999999",
        "distsniff -s 262145", "distsniff --epmd-port 65536", "distsniff --epmd-port 0",
        "distsniff --dist-port 1,,2", "distsniff -a 5", "distsniff -a duration:0",
        "distsniff -a duration:5x", "distsniff -Q sideways", "distsniff --color=blue",
        "distsniff -i lo -r file", "distsniff -r - -r -", "distsniff -tttttt",
        "distsniff --op sned", "distsniff --op send,", "distsniff --op op_256", "distsniff --node=",
        "distsniff --process=", "distsniff --process <1.2.>", "distsniff --process <a@h.1.>",
        "distsniff -a filesize:", "distsniff -a files:0", "distsniff -a filesize:1KB",
        "distsniff -a size:1", "distsniff --rate 0", "distsniff --rate 5/", "distsniff --rate 5/0s",
        "distsniff --rate 5/-1s", "distsniff --rate 1000001", "distsniff --rate /1s",
        "distsniff --rate 5/1parsec", "distsniff --since noon", "distsniff --until 1s",
        "distsniff -w a -w b", "distsniff -i lo -d eth0", "distsniff --since +2s --until +1s",
        "distsniff --since +2s --until +2s", "distsniff --max-depth 0", "distsniff --max-nonsense 1",
    };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct options o;
        if (parse(&o, lines[i]))
            fail_msg("accepted: %s", lines[i]);
        options_free(&o);
    }
}

static void takes_filters(void **state)
{
    struct options o;
    (void)state;
    assert_true(parse(&o, "distsniff -Y op --display-filter term||size>1KB"));
    assert_non_null(o.select.filter);
    options_free(&o);
    assert_null(o.select.filter);
    assert_true(parse(&o, "distsniff --fields"));
    assert_int_equal(o.action, ACTION_LIST_FIELDS);
    options_free(&o);
}

/* give makes an option from a word of option_conflicts.def, "name" or "name=value". */
static struct option_given give(const char *word, size_t len)
{
    static char names[2][64];
    static int which;
    char *name = names[which ^= 1];
    assert_true(len < sizeof names[0]);
    memcpy(name, word, len);
    name[len] = '\0';
    char *value = strchr(name, '=');
    if (value != NULL)
        *value++ = '\0';
    for (int i = 0; i < NUM_OPTION_LINES; i++) {
        const struct option_line *line = &option_lines[i];
        if (line->kind == OPTION_SECTION || strcmp(line->name, name) != 0)
            continue;
        if (line->kind == OPTION_FLAG)
            assert_null(value);
        return (struct option_given){line, value};
    }
    fail_msg("no option %s", name);
    return (struct option_given){0};
}

static void check_refused(bool needs, const char *these, const char *those)
{
    for (const char *a = these; *a != '\0'; a += *a == '|') {
        const size_t a_len = strcspn(a, "|");
        for (const char *b = those; *b != '\0'; b += *b == '|') {
            const size_t b_len = strcspn(b, "|");
            const struct option_given given[] = {give(a, a_len), give(b, b_len)};
            if (option_check_conflicts(given, needs ? 1 : 2))
                fail_msg("accepted: %.*s, %.*s", (int)a_len, a, (int)b_len, b);
            b += b_len;
        }
        a += a_len;
    }
}

/* Each row of the table names existing options, and refuses them together. */
static void refuses_conflicts(void **state)
{
    (void)state;
#define EXCLUDES(these, those, why) check_refused(false, these, those);
#define NEEDS(these, those, why) check_refused(true, these, those);
#define HAS_NO_USE(these, those, unless, why)
#include "app/options/option_conflicts.def"
#undef EXCLUDES
#undef NEEDS
#undef HAS_NO_USE
}

static void takes_what_goes_together(void **state)
{
    static const char *const lines[] = {
        "distsniff -r x --report calls --sort time", "distsniff -T mermaid=x --lanes process",
        "distsniff -e a --invert --ignore-case -A 1", "distsniff -Y op -A 1 --no-pairs",
        "distsniff -T text -T json=x --etf", "distsniff -r x --no-calls --report clocks",
        "distsniff -q -w f -a filesize:1", "distsniff -q --report calls",
        "distsniff -r a -r b --no-clock-correction", "distsniff -a duration:1 -Qin",
        "distsniff --since 12:00:00 --until 11:00:00", "distsniff --since +1 --until 12:00:00",
        "distsniff -e a -e b --node a --node b -vvtt",
    };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct options o;
        if (!parse(&o, lines[i]))
            fail_msg("refused: %s", lines[i]);
        options_free(&o);
    }
}

static void says_that_memory_ran_out(void **state)
{
    struct options o;
    int n = 0;
    (void)state;
    for (bool ok = false; !ok; options_free(&o)) {
        assert_true(++n < 100);
        failing_alloc_at(n);
        ok = parse(&o, "distsniff -r a -r b -e x -Y op port 4369");
        failing_alloc_at(0);
    }
    assert_true(n > 4);
}

static void helps_without_looking_further(void **state)
{
    struct options o;
    (void)state;
    assert_true(parse(&o, "distsniff --help -i lo -r x"));
    assert_int_equal(o.action, ACTION_HELP);
    options_free(&o);
    assert_true(parse(&o, "distsniff -D"));
    assert_int_equal(o.action, ACTION_LIST_INTERFACES);
    options_free(&o);
}

/* Each report can be requested by its name alone. */
static void reports_have_options(void **state)
{
    (void)state;
#define REPORT(id, name, kind, what)                                                               \
    {                                                                                              \
        const struct option_line *line = option_line_find(name);                                   \
        if (line == NULL)                                                                          \
            fail_msg("options.def has no SAME(\"%s\", \"report\", \"%s\")", name, name);             \
        assert_string_equal(line->same_as, "report");                                              \
        assert_string_equal(line->value, name);                                                    \
    }
#include "reports/reports.def"
#undef REPORT
}

static void is_no_habit(enum habit_where where, const char *name)
{
    const char *answer = habit_answer(where, name, strlen(name));
    if (answer != NULL)
        fail_msg("habits.def says of %s, which exists: %s", name, answer);
}

/* The answer of a row in habits.def is right only while no report, format or option has that name.
 * A row about fields may be a prefix of some (epmd*): fields are looked for first. */
static void habits_name_nothing_that_there_is(void **state)
{
    const char *names[MAX_KINDS];
    (void)state;
#define REPORT(id, name, kind, what) is_no_habit(HABIT_REPORT, name);
#include "reports/reports.def"
#undef REPORT
    for (size_t num = sink_get_names(names), i = 0; i < num; i++)
        is_no_habit(HABIT_FORMAT, names[i]);
    for (size_t i = 0; i < NUM_OPTION_LINES; i++) {
        const char letter[] = {(char)option_lines[i].letter, '\0'};
        if (option_lines[i].kind == OPTION_SECTION)
            continue;
        is_no_habit(HABIT_OPTION, option_lines[i].name);
        is_no_habit(HABIT_OPTION, letter);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_defaults),
        cmocka_unit_test(takes_all_kinds_of_options),
        cmocka_unit_test(takes_ports_and_names_of_others),
        cmocka_unit_test(takes_what_is_shown),
        cmocka_unit_test(takes_ends),
        cmocka_unit_test(has_a_fuse_on_a_terminal),
        cmocka_unit_test(writes_no_records_beside_packets_on_stdout),
        cmocka_unit_test(refuses_bad_lines),
        cmocka_unit_test(habits_name_nothing_that_there_is),
        cmocka_unit_test(takes_filters),
        cmocka_unit_test(refuses_conflicts),
        cmocka_unit_test(takes_what_goes_together),
        cmocka_unit_test(says_that_memory_ran_out),
        cmocka_unit_test(helps_without_looking_further),
        cmocka_unit_test(reports_have_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
