/* test_process_activity.c - at the cap, the process that was inactive for longest is forgotten. */
#include "analyse/calls/process_activity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static struct pid_key pid_of(uint32_t id)
{
    return (struct pid_key){.node = 1, .creation = 5, .id = id};
}

static void answer(struct table *activities, uint32_t id, int64_t now_ns)
{
    const struct pid_key pid = pid_of(id);
    assert_non_null(process_activity_on_answer(activities, &pid, now_ns));
}

static const struct process_activity *find(const struct table *activities, uint32_t id)
{
    const struct pid_key pid = pid_of(id);
    return process_activity_find(activities, &pid);
}

static void those_that_did_nothing_for_longest_go_first(void **state)
{
    struct table activities;
    (void)state;
    process_activity_init(&activities);
    for (uint32_t id = 1; id <= MAX_HABITS; id++)
        answer(&activities, id, id);
    answer(&activities, 1, 77);      /* the oldest, */
    answer(&activities, MAX_HABITS, 78); /* the newest but for that, */
    answer(&activities, MAX_HABITS, 79); /* the newest, */
    answer(&activities, 3, 80);      /* one in between, */
    const struct pid_key second = pid_of(2);
    assert_true(process_activity_on_cast(&activities, &second, 81));
    assert_int_equal(activities.num, MAX_HABITS);
    answer(&activities, MAX_HABITS + 1, 82);
    assert_null(find(&activities, 4));
    for (uint32_t id = 5; id < MAX_HABITS; id++)
        answer(&activities, MAX_HABITS + id, 83);
    assert_int_equal(activities.num, MAX_HABITS);
    assert_non_null(find(&activities, 1));
    assert_null(find(&activities, MAX_HABITS - 1));
    assert_int_equal(find(&activities, 1)->answered_ns, 77);
    assert_int_equal(find(&activities, MAX_HABITS)->answered_ns, 79);
    assert_int_equal(find(&activities, 3)->answered_ns, 80);
    assert_int_equal(find(&activities, 2)->answered_ns, 2); /* its entry is unchanged */
    assert_int_equal(find(&activities, 2)->told_ns, 81);
    table_free(&activities);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_that_did_nothing_for_longest_go_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
