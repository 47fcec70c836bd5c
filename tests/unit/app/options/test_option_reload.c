/*
 * test_option_reload.c - --config read again: a mistake in it changes nothing, and failing memory
 * is reported. A change that is possible shows in the struct, one that is not in a message.
 */
#include "app/options/option_reload.h"
#include "failing_alloc.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char conf[] = "/tmp/conf.XXXXXX";
static char program[] = "distsniff", option[] = "--config";
static char *words[] = {program, option, conf, NULL};
static char said[2048];

static int make_conf(void **state)
{
    (void)state;
    const int fd = mkstemp(conf);
    return fd < 0 ? -1 : close(fd);
}

static int remove_conf(void **state)
{
    (void)state;
    return unlink(conf);
}

static void write_conf(const char *text)
{
    FILE *out = fopen(conf, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static bool reload(struct options *again, const struct options *running, const char *text)
{
    FILE *caught = tmpfile();
    const int before = dup(STDERR_FILENO);
    write_conf(text);
    assert_non_null(caught);
    dup2(fileno(caught), STDERR_FILENO);
    const bool ok = option_reload(again, running);
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(caught);
    said[fread(said, 1, sizeof said - 1, caught)] = '\0';
    fclose(caught);
    return ok;
}

static void takes_another_selection(void **state)
{
    struct options running, again;
    (void)state;
    write_conf("interface = lo\nnode = alice\nop = reg_send\n");
    assert_true(options_parse(&running, 3, words));
    assert_true(reload(&again, &running, "interface = lo\nnode = bob\nregexp = x\nhide = otp\n"));
    assert_string_equal(said, "");
    assert_string_equal(again.select.nodes.word[0], "bob");
    assert_false(again.select.ops.any);
    assert_int_equal(again.select.num_regexes, 1);
    assert_int_equal(again.jobs, running.jobs);
    options_free(&again);
    options_free(&running);
}

static void names_what_cannot_change(void **state)
{
    static const char *const changes[][2] = {
        {"interface = lo\n", "interface"}, /* there, and not */
        {"", NULL},
        {"quiet\n", "quiet"},
        {"dist-port = 1\ndist-port = 2\n", "dist-port"},
        {"max-calls = 3\n", "max-calls"},
        {"expression = tcp\n", "expression"},
        {"verbose\nverbose\n", "verbose"},
    };
    enum { NUM = sizeof changes / sizeof changes[0] };
    (void)state;
    for (int i = 0; i < NUM; i++) {
        for (int j = 0; j < NUM; j++) {
            struct options running, again;
            write_conf(changes[i][0]);
            assert_true(options_parse(&running, 3, words));
            assert_true(reload(&again, &running, changes[j][0]));
            for (int k = 0; k < NUM; k++) {
                if (changes[k][1] != NULL)
                    assert_true((strstr(said, changes[k][1]) != NULL) ==
                                (i != j && (k == i || k == j)));
            }
            options_free(&again);
            options_free(&running);
        }
    }
}

static void sees_one_value_more_or_in_another_order(void **state)
{
    static const char *const changes[] = {"report = calls\nreport = open\n",
                                          "report = open\nreport = calls\n", "report = calls\n"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            struct options running, again;
            write_conf(changes[i]);
            assert_true(options_parse(&running, 3, words));
            assert_true(reload(&again, &running, changes[j]));
            assert_true((strstr(said, "report") != NULL) == (i != j));
            options_free(&again);
            options_free(&running);
        }
    }
}

static void refuses_what_makes_no_sense(void **state)
{
    static const char *const bad[] = {"regexp = (\n", "match = {\n", "op = no_such\n", "nonsense\n",
                                      "quiet\nformat = json\n", "version\n"};
    struct options running, again;
    (void)state;
    write_conf("interface = lo\n");
    assert_true(options_parse(&running, 3, words));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(reload(&again, &running, bad[i]));
        assert_true(said[0] != '\0');
        options_free(&again);
    }
    options_free(&running);
}

static void reload_short_of_memory(void *context)
{
    struct options again;
    if (option_reload(&again, context))
        assert_int_equal(again.select.num_regexes, 1);
    options_free(&again);
}

static void survives_lack_of_memory(void **state)
{
    struct options running;
    (void)state;
    write_conf("interface = lo\nexpression = tcp\n");
    assert_true(options_parse(&running, 3, words));
    write_conf("interface = eth0\nregexp = x\ndisplay-filter = op == \"send\"\nmatch = {a, B}\n");
    assert_true(failing_alloc_each(reload_short_of_memory, &running) > 8);
    options_free(&running);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_another_selection),
        cmocka_unit_test(names_what_cannot_change),
        cmocka_unit_test(sees_one_value_more_or_in_another_order),
        cmocka_unit_test(refuses_what_makes_no_sense),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, make_conf, remove_conf);
}
