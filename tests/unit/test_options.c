/*
 * test_options.c - the command line: what it makes of good ones, and that bad ones are
 * refused.
 */
#include "options.h"
#include "sink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

enum { MAX_WORDS = 32 };

/* Parses a line of words separated by single spaces. */
static bool parse(struct options *options, const char *line)
{
    static char copy[512];
    char *words[MAX_WORDS + 1] = {0};
    int num = 0;
    assert_true(strlen(line) < sizeof copy);
    strcpy(copy, line);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
        assert_true(num < MAX_WORDS);
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
    assert_null(o.interface);
    assert_null(o.expression);
    assert_int_equal(o.num_read_files, 0);
    assert_int_equal(o.snaplen, 262144);
    assert_int_equal(o.epmd_port, 4369);
    assert_int_equal(o.num_formats, 1);
    assert_ptr_equal(o.formats[0].kind, &sink_text);
    assert_null(o.formats[0].file);
    assert_int_equal(o.config.limits[DS_LIMIT_DEPTH], 2000000);
    options_free(&o);
}

static void takes_all_kinds_of_options(void **state)
{
    struct options o;
    (void)state;
    assert_true(parse(&o, "distsniff -r a -r b -I - -vvttt -T json=x -T text -c 5 --packets 7 "
                          "-a duration:1.5 -s0 --max-depth 9 tcp port 4369"));
    assert_int_equal(o.num_read_files, 3);
    assert_string_equal(o.read_files[2], "-");
    assert_int_equal(o.verbose, 2);
    assert_int_equal(o.time_style, TIME_DELTA);
    assert_int_equal(o.num_formats, 2);
    assert_ptr_equal(o.formats[0].kind, &sink_json);
    assert_string_equal(o.formats[0].file, "x");
    assert_null(o.formats[1].file);
    assert_int_equal(o.max_messages, 5);
    assert_int_equal(o.max_packets, 7);
    assert_true(o.max_seconds == 1.5);
    assert_int_equal(o.snaplen, 262144);
    assert_int_equal(o.config.limits[DS_LIMIT_DEPTH], 9);
    assert_string_equal(o.expression, "tcp port 4369");
    options_free(&o);
}

static void takes_ports_and_names_of_others(void **state)
{
    struct options o;
    (void)state;
    assert_true(parse(&o, "distsniff -d lo --dist-port 9100,9101 --epmd-port 5000 -Qin -B 64 "
                          "--color -pnlqx --strict --etf --no-follow --immediate-mode -Z me"));
    assert_string_equal(o.interface, "lo");
    assert_int_equal(o.num_dist_ports, 2);
    assert_int_equal(o.dist_ports[1], 9101);
    assert_int_equal(o.epmd_port, 5000);
    assert_int_equal(o.direction, DIRECTION_IN);
    assert_int_equal(o.buffer_kib, 64);
    assert_int_equal(o.color, COLOR_ALWAYS);
    assert_true(o.no_promiscuous && o.line_buffered && o.quiet && o.hex && o.strict && o.etf &&
                o.no_follow && o.immediate);
    assert_string_equal(o.user, "me");
    assert_int_equal(o.num_formats, 0);
    options_free(&o);
}

static void takes_what_is_shown(void **state)
{
    struct options o;
    (void)state;
    assert_true(parse(&o, "distsniff --node a@h --node b --process rex --process <a@h.85.0> "
                          "--op send,names_req --op op_200 --only gen --label rpc,global "
                          "--no-pairs --hide otp"));
    assert_int_equal(o.nodes.num, 2);
    assert_int_equal(o.num_processes, 2);
    assert_int_equal(o.only.num, 2);
    assert_string_equal(o.only.word[1], "rpc,global");
    assert_int_equal(o.hide.num, 1);
    assert_true(o.no_pairs && o.ops.any);
    options_free(&o);
}

static void takes_ends(void **state)
{
    struct options o;
    (void)state;
    assert_true(parse(&o, "distsniff -r x -w f -a filesize:100 -a files:3 -a duration:2 "
                          "--rate 5000/2s --since +10s --until 12:00:00"));
    assert_int_equal(o.max_file_kb, 100);
    assert_int_equal(o.max_files, 3);
    assert_int_equal(o.rate.max, 5000);
    assert_int_equal(o.rate.within_ns, 2000000000);
    assert_int_equal(o.since.kind, MOMENT_RELATIVE);
    assert_int_equal(o.until.kind, MOMENT_OF_DAY);
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

static void writes_no_records_beside_packets_on_stdout(void **state)
{
    struct options o;
    (void)state;
    assert_true(parse(&o, "distsniff -w -"));
    assert_int_equal(o.num_formats, 0);
    options_free(&o);
    assert_true(parse(&o, "distsniff -w file"));
    assert_int_equal(o.num_formats, 1);
    options_free(&o);
}

static void refuses_bad_lines(void **state)
{
    static const char *const lines[] = {
        "distsniff -Y x", "distsniff -Y", "distsniff -Y op -Y (op", "distsniff -O f",
        "distsniff -A x", "distsniff -e a(", "distsniff --invert",
        "distsniff --nonsense", "distsniff -r", "distsniff --etf=1", "distsniff -T xml",
        "distsniff -T json=", "distsniff -T text -T json", "distsniff -T text -w -",
        "distsniff -c 0", "distsniff -c -1", "distsniff -c 1x", "distsniff -c 99999999999999999999",
        "distsniff -s 262145", "distsniff --epmd-port 65536", "distsniff --epmd-port 0",
        "distsniff --dist-port 1,,2", "distsniff -a 5", "distsniff -a duration:0",
        "distsniff -a duration:5x", "distsniff -Q sideways", "distsniff --color=blue",
        "distsniff -i lo -r file", "distsniff -r - -r -", "distsniff -tttttt",
        "distsniff --op sned", "distsniff --op send,", "distsniff --op op_256", "distsniff --node=",
        "distsniff --process=", "distsniff --process <1.2>", "distsniff --process <a@h.1.>",
        "distsniff -a filesize:", "distsniff -a files:0", "distsniff -a filesize:1KB",
        "distsniff -a size:1", "distsniff --rate 0", "distsniff --rate 5/", "distsniff --rate 5/0s",
        "distsniff --rate 5/-1s", "distsniff --rate 1000001", "distsniff --rate /1s",
        "distsniff --rate 5/1parsec", "distsniff --since noon", "distsniff --until 1s",
        "distsniff --max-depth 0", "distsniff --max-nonsense 1",
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
    assert_non_null(o.filter);
    options_free(&o);
    assert_null(o.filter);
    assert_true(parse(&o, "distsniff --fields"));
    assert_int_equal(o.action, ACTION_LIST_FIELDS);
    options_free(&o);
}

static void helps_without_looking_further(void **state)
{
    struct options o;
    (void)state;
    assert_true(parse(&o, "distsniff -h -i lo -r x"));
    assert_int_equal(o.action, ACTION_HELP);
    options_free(&o);
    assert_true(parse(&o, "distsniff -D"));
    assert_int_equal(o.action, ACTION_LIST_INTERFACES);
    options_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_defaults),
        cmocka_unit_test(takes_all_kinds_of_options),
        cmocka_unit_test(takes_ports_and_names_of_others),
        cmocka_unit_test(takes_what_is_shown),
        cmocka_unit_test(takes_ends),
        cmocka_unit_test(writes_no_records_beside_packets_on_stdout),
        cmocka_unit_test(refuses_bad_lines),
        cmocka_unit_test(takes_filters),
        cmocka_unit_test(helps_without_looking_further),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
