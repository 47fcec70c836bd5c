/* test_refresh_code.c - the code of --print-refresh is recognised only if every character matches.
 * A capture has it in parsed form: refresh-25.pcap.gz has no warning of DS403. */
#include "failing_alloc.h"
#include "record/refresh_code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static uint8_t bytes[16384];
static size_t len;

static void put(const void *data, size_t num)
{
    assert_true(num <= sizeof bytes - len);
    memcpy(bytes + len, data, num);
    len += num;
}

static void put_size(uint8_t tag, size_t size)
{
    const uint8_t head[] = {tag, (uint8_t)(size >> 24), (uint8_t)(size >> 16), (uint8_t)(size >> 8), (uint8_t)size};
    put(head, sizeof head);
}

/* is_code checks [<<Before, Code, Behind>> more times 1]. */
static bool is_code(const char *before, const char *code, const char *behind, size_t more)
{
    enum { LIST = 108, BINARY = 109 };
    len = 0;
    put_size(LIST, 1 + more);
    put_size(BINARY, strlen(before) + strlen(code) + strlen(behind));
    put(before, strlen(before));
    put(code, strlen(code));
    put(behind, strlen(behind));
    for (size_t i = 0; i < more; i++)
        put("a\1", 2);
    put("j", 1);
    const struct ds_term args = {.data = bytes, .len = len};
    return refresh_code_is(&args);
}

static void as_text(void **state)
{
    (void)state;
    assert_true(is_code("", REFRESH_ERLANG, "", 0));
    assert_true(is_code(" ", REFRESH_ERLANG, " \n", 1));
    assert_true(is_code("", REFRESH_ELIXIR_PARSES REFRESH_ELIXIR_RUNS, "", 0));
    assert_true(is_code("", REFRESH_ELIXIR_PARSES, "IO.inspect(" REFRESH_ELIXIR_RUNS ")", 0));
}

static void near_misses(void **state)
{
    (void)state;
    assert_false(is_code("", REFRESH_ERLANG, "", 2)); /* functions that are called instead */
    assert_false(is_code("os:cmd(\"id\"), ", REFRESH_ERLANG, "", 0));
    assert_false(is_code("", REFRESH_ERLANG, " os:cmd(\"id\").", 0));
    assert_false(is_code("% " REFRESH_EXPRESSION "\n", "os:cmd(\"id\").", "", 0));
    assert_false(is_code("", REFRESH_EXPRESSION, "", 0)); /* no user is told to type that */
    assert_false(is_code("", "", "", 0));
    char part[sizeof REFRESH_ERLANG];
    memcpy(part, REFRESH_ERLANG, sizeof part);
    part[sizeof part - 2] = '\0';
    assert_false(is_code("", part, "", 0));
    static char many[9000];
    memset(many, ' ', sizeof many - 1);
    assert_false(is_code(many, REFRESH_ERLANG, "", 0)); /* longer than is looked at */
    const struct ds_term none = {0}, atom = {.data = (const uint8_t *)"w\2ok", .len = 4},
                         number = {.data = (const uint8_t *)"l\0\0\0\1a\1j", .len = 8};
    assert_false(refresh_code_is(&none));
    assert_false(refresh_code_is(&atom));
    assert_false(refresh_code_is(&number));
}

static void run(void *context)
{
    const struct ds_term number = {.data = (const uint8_t *)"l\0\0\0\1a\1j", .len = 8};
    (void)context;
    assert_false(refresh_code_is(&number));
}

static void without_memory(void **state)
{
    (void)state;
    failing_alloc_each(run, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_text), cmocka_unit_test(near_misses),
                                       cmocka_unit_test(without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
