/* test_habits.c - whose habits are forgotten at the cap: those of who neither answered nor asked for
 * longest. */
#include "habits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static struct pid_key pid_of(uint32_t id)
{
    return (struct pid_key){.node = 1, .creation = 5, .id = id};
}

static void answer(struct table *habits, uint32_t id, int64_t now_ns)
{
    const struct pid_key pid = pid_of(id);
    assert_non_null(habits_note_answer(habits, &pid, now_ns));
}

static const struct habit *find(const struct table *habits, uint32_t id)
{
    const struct pid_key pid = pid_of(id);
    return habits_find(habits, &pid);
}

static void those_that_did_nothing_for_longest_go_first(void **state)
{
    struct table habits;
    (void)state;
    habits_init(&habits);
    for (uint32_t id = 1; id <= MAX_HABITS; id++)
        answer(&habits, id, id);
    answer(&habits, 1, 77);          /* the oldest, */
    answer(&habits, MAX_HABITS, 78); /* the newest but for that, */
    answer(&habits, MAX_HABITS, 79); /* the newest, */
    answer(&habits, 3, 80);          /* one of those between, */
    const struct pid_key second = pid_of(2);
    assert_true(habits_note_cast(&habits, &second, 81));
    assert_int_equal(habits.num, MAX_HABITS);
    answer(&habits, MAX_HABITS + 1, 82);
    assert_null(find(&habits, 4));
    for (uint32_t id = 5; id < MAX_HABITS; id++)
        answer(&habits, MAX_HABITS + id, 83);
    assert_int_equal(habits.num, MAX_HABITS);
    assert_non_null(find(&habits, 1));
    assert_null(find(&habits, MAX_HABITS - 1));
    assert_int_equal(find(&habits, 1)->answered_ns, 77);
    assert_int_equal(find(&habits, MAX_HABITS)->answered_ns, 79);
    assert_int_equal(find(&habits, 3)->answered_ns, 80);
    assert_int_equal(find(&habits, 2)->answered_ns, 2); /* what was known of it stays */
    assert_int_equal(find(&habits, 2)->told_ns, 81);
    table_free(&habits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_that_did_nothing_for_longest_go_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
