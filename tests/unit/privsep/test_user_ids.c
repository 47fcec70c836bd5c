/*
 * test_user_ids.c - the variant for other systems, tested on this one: all three ids are as
 * requested; a process that may return to root can, and one that has given that up cannot.
 */
#define USER_IDS_BY_REUID
#include "privsep/user_ids.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <sys/wait.h>

enum { NOBODY = 65534, SOMEBODY = 1234 };

static bool are_users(uid_t real, uid_t effective, uid_t saved)
{
    uid_t id[3];
    return getresuid(&id[0], &id[1], &id[2]) == 0 && id[0] == real && id[1] == effective && id[2] == saved;
}

static bool are_groups(gid_t real, gid_t effective, gid_t saved)
{
    gid_t id[3];
    return getresgid(&id[0], &id[1], &id[2]) == 0 && id[0] == real && id[1] == effective && id[2] == saved;
}

/* become_and_return returns 0, or the number of the failed check. */
static int become_and_return(void)
{
    if (!group_ids_set(NOBODY, NOBODY, 0) || !are_groups(NOBODY, NOBODY, 0))
        return 1;
    if (!user_ids_set(NOBODY, NOBODY, 0) || !are_users(NOBODY, NOBODY, 0))
        return 2;
    if (!user_ids_set(0, 0, 0) || !are_users(0, 0, 0))
        return 3;
    return !group_ids_set(0, 0, 0) || !are_groups(0, 0, 0) ? 4 : 0;
}

static int become_for_good(void)
{
    if (!group_ids_set(SOMEBODY, SOMEBODY, SOMEBODY) || !are_groups(SOMEBODY, SOMEBODY, SOMEBODY))
        return 1;
    if (!user_ids_set(NOBODY, NOBODY, NOBODY) || !are_users(NOBODY, NOBODY, NOBODY))
        return 2;
    if (user_ids_set(0, 0, 0) || !are_users(NOBODY, NOBODY, NOBODY))
        return 3;
    return group_ids_set(0, 0, 0) || !are_groups(SOMEBODY, SOMEBODY, SOMEBODY) ? 4 : 0;
}

/* in_child runs it in a child process, which need not return to its user. */
static int in_child(int (*run)(void))
{
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(run());
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void all_three_are_set(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip(); /* only root can become others */
    assert_int_equal(in_child(become_and_return), 0);
    assert_int_equal(in_child(become_for_good), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_three_are_set)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
