/* test_tools.c - which nodes are tools: by their names, their flags, and requests to them. */
#include "analyse/findings/tools.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static bool has_name(const char *name)
{
    return tools_have_name((struct ds_text){name, strlen(name)});
}

static void names(void **state)
{
    (void)state;
    assert_true(has_name("rabbitmqcli-404-rabbit@rab1"));
    assert_true(has_name("rem-1a2b-shop@h"));
    assert_true(has_name("rpc-00ff-shop@h"));
    assert_true(has_name("remsh1a2b3c4d-shop@h"));
    assert_false(has_name("rabbit@rab1"));
    assert_false(has_name("rabbitmqcli-rabbit@rab1")); /* no number */
    assert_false(has_name("rem-1a2-shop@h"));          /* too short a number */
    assert_false(has_name("rem-1a2b@h"));              /* nothing behind it */
    assert_false(has_name("rem-1a2b"));
    assert_false(has_name("rpc-gateway-1@h"));
    assert_false(has_name("remote@h"));
    assert_false(has_name("maintenance-1@h"));
    assert_false(has_name("rem-"));
    assert_false(has_name(""));
    assert_false(tools_have_name((struct ds_text){NULL, 0}));
    assert_false(tools_have_name((struct ds_text){"rem-1\0002b-shop@h", 16}));
}

static size_t number(const char *name, size_t digits)
{
    return tools_number_len((struct ds_text){name, strlen(name)}, digits);
}

static void numbers(void **state)
{
    (void)state;
    assert_int_equal(number("ask1234@host", 3), 3);
    assert_int_equal(number("ask1234", 4), 3);
    assert_int_equal(number("ask1234@h", 5), 0);
    assert_int_equal(number("ask@h1234", 3), 0); /* the host's */
    assert_int_equal(number("1234@h", 3), 0);    /* nothing else */
    assert_int_equal(number("ask1234b@h", 3), 0);
    assert_int_equal(number("@", 3), 0);
    assert_int_equal(number("", 3), 0);
    assert_int_equal(tools_number_len((struct ds_text){NULL, 0}, 3), 0);
}

static void flags(void **state)
{
    (void)state;
    assert_true(tools_are_hidden(UINT64_C(0xd07df7fbc)));
    assert_true(tools_are_hidden(UINT64_C(0x200000001))); /* its peer is to name it */
    assert_false(tools_are_hidden(UINT64_C(0xd07df7fbd)));
}

/* {io_request, 1, 2, {get_line, 3}}, and others. */
static void terminals(void **state)
{
    static const uint8_t reads[] = "h\4w\12io_requesta\1a\2h\2w\10get_linea\3",
                         writes[] = "h\4w\12io_requesta\1a\2h\2w\11put_charsa\3",
                         odd[] = "h\4w\12io_requesta\1a\2a\3";
    const struct ds_term line = {.data = reads, .len = sizeof reads - 1},
                         chars = {.data = writes, .len = sizeof writes - 1},
                         number = {.data = odd, .len = sizeof odd - 1}, none = {0};
    (void)state;
    assert_true(tools_read_terminal("io_request", &line));
    assert_false(tools_read_terminal("io_request", &chars));
    assert_false(tools_read_terminal("io_request", &number));
    assert_false(tools_read_terminal("io_request", &none));
    assert_false(tools_read_terminal("gen:call", &line));
    assert_false(tools_read_terminal(NULL, &line));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(numbers), cmocka_unit_test(flags),
                                       cmocka_unit_test(terminals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
