/*
 * test_bounded_regex.c - a search takes bounded time for any expression and text, and finds what
 * PCRE2 finds.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "core/bounded_regex.h"
#include "core/signals.h"

#include <pcre2.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

enum { LONG = 1 << 16 };

static struct bounded_regex *make(const char *pattern)
{
    struct regex_error error;
    struct bounded_regex *regex =
        bounded_regex_new(pattern, strlen(pattern), PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, &error);
    if (regex == NULL)
        fail_msg("'%s': %s", pattern, error.what);
    return regex;
}

static int64_t worked_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Without a bound, each would take from seconds to days. */
static void gives_up_in_time(void **state)
{
    static const char *const patterns[] = {
        ".*.*~\\d",       ".*.*.*~\\d",    "a.*a.*~\\d",  "(?:a|aa)+~\\d", "(a*)*~\\d", "a*a*a*~\\d",
        "(.*)\\1.*~\\d",  "a{30000}~\\d",  "[^~]*~\\d",   "(?=.*.*~\\d)a", "(?>a*)~\\d", "\\X*~\\d",
        "a{2,}a{2,}~\\d", "(?i)A.*A.*~\\d", "(a+)+~\\d",   "(?<=a)a*~\\d",  "(a(?1)?)~\\d",
    };
    static char text[LONG];
    (void)state;
    memset(text, 'a', sizeof text);
    memcpy(text + LONG - 4, "\n~a~", 4); /* the text has what every match needs */
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        struct bounded_regex *regex = make(patterns[i]);
        const int64_t begin_ns = worked_ns();
        const enum regex_result result = bounded_regex_search(regex, text, sizeof text);
        const int64_t took_ns = worked_ns() - begin_ns;
        if (took_ns > 2000000000 || result == REGEX_YES)
            fail_msg("'%s' took %d ms", patterns[i], (int)(took_ns / 1000000));
        bounded_regex_free(regex);
    }
}

/* The same expressions are answered if that is quick. */
static void answers_what_can_be_answered(void **state)
{
    static char text[LONG];
    (void)state;
    struct bounded_regex *regex = make(".*.*~\\d");
    assert_int_equal(bounded_regex_search(regex, "aaaa~a", 6), REGEX_NO);
    assert_int_equal(bounded_regex_search(regex, "aaaa~1", 6), REGEX_YES);
    memset(text, 'a', sizeof text);
    assert_int_equal(bounded_regex_search(regex, text, sizeof text), REGEX_NO);
    memcpy(text, "~1", 2);
    for (size_t i = 80; i < sizeof text; i += 80)
        text[i] = '\n';
    assert_int_equal(bounded_regex_search(regex, text, sizeof text), REGEX_YES);
    text[1] = 'a';
    assert_int_equal(bounded_regex_search(regex, text, sizeof text), REGEX_NO);
    bounded_regex_free(regex);
    regex = make("error.*time(out|s)?: \\d+ ms");
    memset(text, '.', sizeof text);
    assert_int_equal(bounded_regex_search(regex, text, sizeof text), REGEX_NO);
    static const char found[] = "error in time: 5 ms";
    memcpy(text + sizeof text - strlen(found), found, strlen(found));
    assert_int_equal(bounded_regex_search(regex, text, sizeof text), REGEX_YES);
    bounded_regex_free(regex);
}

/* Both programs of an expression match the same texts. */
static void finds_what_pcre2_finds(void **state)
{
    static const char *const patterns[] = {
        "ab*c", "^a", "c$", "(a|b)+c", "(?i)AB", "a{2,3}", "b\\B", "(.)\\1", "[^a]+", "a.c|bb",
        "(?<=a)b", "(?!b)c", "a*+b", "x?y?z?$", "(?:ab)*c$", "\\bab", "(?#})a{2}",
    };
    static char text[LONG];
    uint32_t random = 1;
    (void)state;
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        struct bounded_regex *regex = make(patterns[i]);
        int error;
        PCRE2_SIZE offset;
        pcre2_code *code = pcre2_compile((PCRE2_SPTR)patterns[i], PCRE2_ZERO_TERMINATED,
                                         PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, &error, &offset,
                                         NULL);
        assert_non_null(code);
        pcre2_match_data *data = pcre2_match_data_create(1, NULL);
        for (size_t len = 0; len < sizeof text; len = len < 12 ? len + 1 : len * 3) {
            memset(text, 'z', sizeof text);
            for (size_t at = 0; at < len; at++) {
                random = random * 1103515245 + 12345;
                text[len < 12 ? at : len - 1 - at % 9] = "abc\n"[random >> 16 & 3];
            }
            const int found = pcre2_match(code, (PCRE2_SPTR)text, len, 0, 0, data, NULL);
            if ((bounded_regex_search(regex, text, len) == REGEX_YES) != (found >= 0))
                fail_msg("'%s' in '%.*s'", patterns[i], (int)len, text);
        }
        pcre2_match_data_free(data);
        pcre2_code_free(code);
        bounded_regex_free(regex);
    }
}

/* After a request to end, half a second of work is left. */
static void ends_when_asked(void **state)
{
    (void)state;
    struct bounded_regex *regex = make("a");
    stop_wanted = SIGTERM;
    assert_int_equal(bounded_regex_search(regex, "a", 1), REGEX_YES);
    const int64_t begin_ns = worked_ns();
    while (worked_ns() - begin_ns < 600000000)
        ;
    assert_int_equal(bounded_regex_search(regex, "a", 1), REGEX_GAVE_UP);
    stop_wanted = 0;
    assert_int_equal(bounded_regex_search(regex, "a", 1), REGEX_YES);
    bounded_regex_free(regex);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_up_in_time),
        cmocka_unit_test(answers_what_can_be_answered),
        cmocka_unit_test(finds_what_pcre2_finds),
        cmocka_unit_test(ends_when_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
