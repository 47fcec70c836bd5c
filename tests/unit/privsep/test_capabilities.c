/*
 * test_capabilities.c - a build without libcap-ng, which asks the kernel itself: root keeps the
 * capabilities for opening files, and none at the end.
 */
#define CAPABILITIES_BY_CALL
#include "privsep/capabilities.c"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static uint64_t line_of_status(const char *format)
{
    char line[256];
    uint64_t set = UINT64_MAX;
    FILE *file = fopen("/proc/self/status", "re");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL && sscanf(line, format, &set) != 1)
        continue;
    fclose(file);
    return set;
}

static void assert_capabilities(uint64_t kept)
{
    assert_int_equal(line_of_status("CapEff: %" SCNx64), kept);
    assert_int_equal(line_of_status("CapPrm: %" SCNx64), kept);
}

static void few_are_kept_and_then_none(void **state)
{
    (void)state;
    if (geteuid() == 0) {
        assert_true(capabilities_keep_for_files(true));
        assert_capabilities(1 << CAP_DAC_OVERRIDE | 1 << CAP_SETUID | 1 << CAP_SETGID);
        assert_true(keep(1 << CAP_SETUID | 1 << CAP_SETGID));
        assert_true(capabilities_keep_for_files(true)); /* of the available ones */
        assert_capabilities(1 << CAP_SETUID | 1 << CAP_SETGID);
    }
    assert_true(capabilities_drop());
    assert_capabilities(0);
    assert_true(capabilities_keep_for_files(true)); /* no dropped one returns */
    assert_capabilities(0);
    assert_non_null(capabilities_left());
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(few_are_kept_and_then_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
