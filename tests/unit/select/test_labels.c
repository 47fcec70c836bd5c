/*
 * test_labels.c - the words of --only and --hide: their meanings, and unknown ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_alloc.h"
#include "select/labels.h"

#include <string.h>

/* A word is a label, the part before its colon, or a group. */
static void words_fit(void **state)
{
    static const struct {
        const char *list;
        bool fits;
    } cases[] = {
        {"gen:call", true},  {"gen", true},         {"otp", true},        {"ge", false},
        {"gen:cal", false},  {"gen:calls", false},  {"ot", false},        {"otpx", false},
        {"call", false},     {"", false},           {",", false},         {",,gen", true},
        {"rpc,gen", true},   {"rpc,erpc", false},   {"gen,", true},       {"rpc,,gen:call", true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (labels_fit(cases[i].list, "gen:call", "otp") != cases[i].fits)
            fail_msg("%s", cases[i].list);
    }
    assert_true(labels_fit("gen", "gen", ""));
    assert_false(labels_fit("x", "gen:call", ""));
    assert_true(labels_fit("phoenix", "Phoenix.PubSub", "elixir"));
    assert_true(labels_fit("task", "Task", "elixir"));
    assert_false(labels_fit("phoen", "Phoenix.PubSub", "elixir"));
    assert_false(labels_fit("Task", "Task.Supervisor", "elixir"));
    assert_false(labels_fit("gen", "Gen.call", ""));
}

static void words_are_known(void **state)
{
    static const char *const good[] = {"gen:call", "gen", "otp", "spawn", "monitor", "link",
                                       "", ",", "gen,otp", "gen,,link,", "phoenix", "swarm",
                                       "GenServer.call", "Phoenix.PubSub"};
    static const char *const bad[] = {"gen:cal", "spawns", "gen,nonsense", "nonsense,gen", "s", "Phoenix",
                                      "genserver.call", "Pub"};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(labels_check(NULL, "--only", good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(labels_check(NULL, "--only", bad[i]));
    failing_alloc_at(1); /* for a hint */
    assert_false(labels_check(NULL, "--only", "gen:cal"));
    failing_alloc_at(0);
}

/* All labels, each with its group, and then those without one. */
static void all_have_names(void **state)
{
    size_t num = 0, num_groups = 0;
    (void)state;
    while (labels_name(NULL, num) != NULL) {
        assert_true(labels_check(NULL, "--only", labels_name(NULL, num)));
        num++;
    }
    while (labels_group(NULL, num_groups) != NULL)
        num_groups++;
    assert_int_equal(num, num_groups + 3);
    assert_string_equal(labels_name(NULL, num - 1), "link");
    assert_null(labels_name(NULL, num + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_fit),
        cmocka_unit_test(words_are_known),
        cmocka_unit_test(all_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
