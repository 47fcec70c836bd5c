/*
 * test_numbered_name.c - repeated file names get a number before their suffix.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "keep/numbered_name.h"

#include <string.h>

static void puts_the_number_before_the_end(void **state)
{
    static const struct {
        const char *base;
        uint64_t number;
        const char *name;
    } cases[] = {
        {"a.pcap", 0, "a.pcap"},         {"a.pcap", 1, "a.pcap"},
        {"a.pcap", 2, "a-2.pcap"},       {"a.b.pcap", 10, "a.b-10.pcap"},
        {"a", 2, "a-2"},                 {".pcap", 2, ".pcap-2"},
        {"x.y/a", 2, "x.y/a-2"},         {"x/.a", 2, "x/.a-2"},
        {"x/b.a", 2, "x/b-2.a"},         {"a.", 18446744073709551615u, "a-18446744073709551615."},
    };
    char name[64];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(numbered_name(cases[i].base, cases[i].number, name, sizeof name));
        assert_string_equal(name, cases[i].name);
    }
}

static void says_what_does_not_fit(void **state)
{
    char name[9];
    (void)state;
    assert_true(numbered_name("a.pcap", 2, name, sizeof name));
    assert_string_equal(name, "a-2.pcap");
    assert_false(numbered_name("a.pcap", 10, name, sizeof name));
    assert_false(numbered_name("", 1, name, sizeof name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(puts_the_number_before_the_end),
        cmocka_unit_test(says_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
