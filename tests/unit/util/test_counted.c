/* test_counted.c - a count of one has a singular noun. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <distsniff/counted.h>

static void counts(void **state)
{
    (void)state;
    assert_string_equal(ds_counted(0, "bytes").text, "0 bytes");
    assert_string_equal(ds_counted(1, "bytes").text, "1 byte");
    assert_string_equal(ds_counted(2, "unknown atoms").text, "2 unknown atoms");
    assert_string_equal(ds_counted(1, "unknown atoms").text, "1 unknown atom");
    assert_string_equal(ds_counted(UINT64_MAX, "messages").text, "18446744073709551615 messages");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
