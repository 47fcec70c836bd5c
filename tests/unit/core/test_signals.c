/*
 * test_signals.c - the requests that signals make, also signals that arrive before their meaning is
 * known.
 */
#include "core/signals.h"
#include "privsep/file_helper.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

/* begin_anew forgets earlier requests: a process has one set of handlers. */
static void begin_anew(void)
{
    alarm(0);
    stop_wanted = 0;
    counts_wanted = flush_wanted = reload_wanted = 0;
    signal(SIGHUP, SIG_DFL);
    signals_prepare();
}

static void early_wishes_are_kept(void **state)
{
    (void)state;
    begin_anew();
    raise(SIGUSR1);
    raise(SIGUSR2);
    signals_install(false);
    assert_true(counts_wanted && flush_wanted);
    assert_int_equal(stop_wanted, 0);
}

static void an_early_hangup_means_what_later_ones_do(void **state)
{
    (void)state;
    begin_anew();
    assert_false(stop_may_be_wanted());
    raise(SIGHUP);
    assert_true(stop_may_be_wanted());
    assert_int_equal(stop_wanted, 0);
    signals_install(false);
    assert_int_equal(stop_wanted, SIGHUP);

    begin_anew();
    raise(SIGHUP);
    signals_install(true);
    assert_true(reload_wanted);
    assert_int_equal(stop_wanted, 0);
    assert_false(stop_may_be_wanted());

    begin_anew();
    signals_install(true);
    assert_false(reload_wanted);
    raise(SIGHUP);
    assert_true(reload_wanted);
}

/* No process ever writes into the FIFO. */
static void a_hangup_before_a_wait_ends_it(void **state)
{
    char folder[] = "/tmp/test_stop.XXXXXX", name[64];
    (void)state;
    begin_anew();
    assert_non_null(mkdtemp(folder));
    snprintf(name, sizeof name, "%s/fifo", folder);
    assert_int_equal(mkfifo(name, 0600), 0);
    raise(SIGHUP);
    assert_null(file_helper_fopen(name));
    assert_int_equal(errno, EINTR);
    unlink(name);
    rmdir(folder);
}

static void an_ignored_hangup_stays_ignored(void **state)
{
    (void)state;
    begin_anew();
    signal(SIGHUP, SIG_IGN);
    signals_prepare();
    raise(SIGHUP);
    signals_install(true);
    assert_false(reload_wanted);
    signals_install(false);
    raise(SIGHUP);
    assert_int_equal(stop_wanted, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(early_wishes_are_kept),
        cmocka_unit_test(an_early_hangup_means_what_later_ones_do),
        cmocka_unit_test(a_hangup_before_a_wait_ends_it),
        cmocka_unit_test(an_ignored_hangup_stays_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
