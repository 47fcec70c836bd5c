/* Patterns: what they match, what they bind, what is not a pattern; and the lines of otp.def. */
#include "etf/term_token.h"
#include "etf_maker.h"
#include "failing_alloc.h"
#include "guard_page.h"
#include "labels/pattern.h"

#include <distsniff/identity.h>
#include <distsniff/otp.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* class_told_apart returns the class of the term that pattern_classes distinguishes. */
static uint32_t class_told_apart(const struct pattern *pattern, const struct ds_term *term)
{
    struct ds_text atom;
    struct ds_term first = *term;
    if (pattern_head(pattern, &atom) > 0)
        assert_true(ds_term_get_element(term, 0, &first));
    return 1u << token_classes[first.data[0]];
}

static bool matches(const char *text, struct ds_term term, struct pattern_match *match)
{
    struct pattern_error error;
    struct pattern_match ignored;
    struct pattern *p = pattern_compile((struct ds_text){text, strlen(text)}, &error);
    assert_non_null(p);
    bool result = pattern_run(p, &term, match != NULL ? match : &ignored);
    if (result)
        assert_true((pattern_classes(p) & class_told_apart(p, &term)) != 0);
    pattern_free(p);
    return result;
}

static void atoms_and_numbers(void **state)
{
    (void)state;
    etf_reset();
    assert_true(matches("ok", etf_atom("ok"), NULL));
    assert_true(matches("ok", etf_cached("ok"), NULL));
    assert_false(matches("ok", etf_cached(NULL), NULL));
    assert_false(matches("ok", etf_atom("okay"), NULL));
    assert_false(matches("ok", etf_atom("o"), NULL));
    assert_false(matches("ok", etf_binary("ok"), NULL));
    assert_true(matches("'$gen_call'", etf_atom("$gen_call"), NULL));
    assert_true(matches("'it\\'s'", etf_atom("it's"), NULL));
    assert_true(matches("17", etf_int(17), NULL));
    assert_true(matches("-17", etf_int(-17), NULL));
    assert_false(matches("17", etf_int(18), NULL));
    assert_true(matches("17", etf_raw("a\x11", 2), NULL));
    assert_false(matches("17", etf_atom("17"), NULL));
    assert_true(matches(" _ ", etf_binary("anything"), NULL));
}

static void containers(void **state)
{
    (void)state;
    etf_reset();
    assert_true(matches("{}", etf_tuple(0), NULL));
    assert_false(matches("{}", etf_tuple(1, etf_int(1)), NULL));
    assert_true(matches("{a, {b, _}}", etf_tuple(2, etf_atom("a"),
                                                 etf_tuple(2, etf_atom("b"), etf_int(1))), NULL));
    assert_false(matches("{a, {b, _}}", etf_tuple(2, etf_atom("a"),
                                                  etf_tuple(1, etf_atom("b"))), NULL));
    /* a large tuple */
    assert_true(matches("{a}", etf_raw("i\0\0\0\1w\1a", 8), NULL));
    assert_true(matches("[]", etf_nil(), NULL));
    assert_true(matches("[a, b]", etf_list(2, etf_atom("a"), etf_atom("b"), etf_nil()), NULL));
    assert_false(matches("[a, b]", etf_list(1, etf_atom("a"), etf_nil()), NULL));
    assert_false(matches("[a]", etf_list(1, etf_atom("a"), etf_atom("b")), NULL));
    assert_true(matches("[alias | Ref]", etf_list(1, etf_atom("alias"), etf_ref("n@h", 1)), NULL));
    assert_true(matches("[[alias | _] | _]",
                        etf_list(1, etf_list(1, etf_atom("alias"), etf_ref("n@h", 1)),
                                 etf_ref("n@h", 2)), NULL));
}

static void types(void **state)
{
    (void)state;
    etf_reset();
    static const struct {
        const char *type;
        unsigned fits; /* bits: the matching terms */
    } cases[] = {{"pid", 1},  {"reference", 2}, {"atom", 4 | 8}, {"integer", 16},
                 {"list", 32 | 64}, {"tuple", 128},   {"binary", 256}};
    struct ds_term terms[] = {
        etf_pid("n@h", 1), etf_ref("n@h", 1),  etf_atom("x"),  etf_cached("x"),  etf_int(5),
        etf_nil(),         etf_raw("k\0\1a", 4), etf_tuple(0), etf_binary("x"),
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (size_t j = 0; j < sizeof terms / sizeof terms[0]; j++) {
            char text[32];
            snprintf(text, sizeof text, "X::%s", cases[i].type);
            assert_int_equal(matches(text, terms[j], NULL), (cases[i].fits & 1u << j) != 0);
            snprintf(text, sizeof text, "{_::%s}", cases[i].type);
            assert_int_equal(matches(text, etf_tuple(1, terms[j]), NULL),
                             (cases[i].fits & 1u << j) != 0);
        }
    }
}

/* order_of_one is #{id => 1, '__struct__' => 'Elixir.Shop.Order'}. */
static struct ds_term order_of_one(void)
{
    return etf_map(2, etf_atom("id"), etf_int(1), etf_cached("__struct__"),
                   etf_atom("Elixir.Shop.Order"));
}

static void structs(void **state)
{
    (void)state;
    etf_reset();
    const char *order = "{new, Order::'Elixir.Shop.Order', _}";
    struct ds_term is = order_of_one();
    assert_true(matches(order, etf_tuple(3, etf_atom("new"), is, etf_int(2)), NULL));
    assert_true(matches("_::'Elixir.Shop.Order'", is, NULL));
    assert_false(matches("_::'Elixir.Shop.Orders'", is, NULL));
    assert_false(matches("_::''", is, NULL));
    assert_false(matches("_::'Elixir.Shop.Order'", etf_atom("Elixir.Shop.Order"), NULL));
    assert_false(matches("_::'Elixir.Shop.Order'", etf_map(0), NULL));
    assert_false(matches("_::'Elixir.Shop.Order'",
                         etf_map(1, etf_cached(NULL), etf_atom("Elixir.Shop.Order")), NULL));
    assert_false(matches("_::'Elixir.Shop.Order'",
                         etf_map(1, etf_atom("__struct__"), etf_cached(NULL)), NULL));
    /* within a value it does not count, nor is it mistaken for the next key */
    assert_false(matches("_::'Elixir.Shop.Order'", etf_map(1, etf_atom("old"), is), NULL));
    assert_false(matches("_::'Elixir.Shop.Order'",
                         etf_map(1, etf_atom("key"), etf_atom("__struct__")), NULL));
    assert_true(matches("_::'Elixir.Shop.Order'",
                        etf_map(2, etf_atom("old"), etf_map(1, etf_int(1), etf_int(2)),
                                etf_atom("__struct__"), etf_atom("Elixir.Shop.Order")), NULL));
}

static void variables(void **state)
{
    (void)state;
    etf_reset();
    struct ds_term pid = etf_pid("n@h", 90), tag = etf_ref("n@h", 1);
    struct ds_term request = etf_tuple(2, etf_atom("add"), etf_int(1));
    struct ds_term call =
        etf_tuple(3, etf_atom("$gen_call"), etf_tuple(2, pid, tag), request);
    const char *text = "{'$gen_call', {From, Tag}, Request}";
    struct pattern_error error;
    struct pattern *p = pattern_compile((struct ds_text){text, strlen(text)}, &error);
    struct pattern_match match;
    assert_true(pattern_run(p, &call, &match));
    const struct {
        const char *name;
        struct ds_term is;
    } expected[] = {{"From", pid}, {"Tag", tag}, {"Request", request}};
    for (size_t i = 0; i < 3; i++) {
        int index = pattern_find_variable(p, expected[i].name);
        assert_int_not_equal(index, -1);
        assert_int_equal(match.variable[index].len, expected[i].is.len);
        assert_memory_equal(match.variable[index].data, expected[i].is.data, expected[i].is.len);
    }
    assert_int_equal(pattern_find_variable(p, "Reply"), -1);
    struct ds_text first;
    assert_int_equal(pattern_head(p, &first), 3);
    assert_int_equal(first.len, 9);
    pattern_free(p);
}

static void what_is_no_pattern(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t column;
    } cases[] = {
        {"", 1},       {"{", 2},        {"{a", 3},      {"{a,", 4},      {"{a}}", 4},
        {"[a|b", 5},   {"[a|b,c]", 5},  {"{X, X}", 6},  {"'abc", 5},     {"X::thing", 9},
        {"X::'S", 6},
        {"99999999999999999999", 1},    {"{a|b}", 3},   {"?", 1},        {"[|a]", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct pattern_error error;
        assert_null(pattern_compile((struct ds_text){cases[i].text, strlen(cases[i].text)},
                                    &error));
        assert_int_equal(error.column, cases[i].column);
        assert_non_null(error.expected);
    }
}

/* Each prefix of a term, before an unreadable page, is refused or matched; no byte is read beyond
 * its end. */
static void prefixes(void **state)
{
    (void)state;
    etf_reset();
    struct ds_term term = etf_tuple(
        3, etf_atom("$gen_call"),
        etf_tuple(2, etf_pid("n@h", 1), etf_list(1, etf_cached("alias"), etf_ref("n@h", 1))),
        etf_tuple(3, etf_int(1), order_of_one(), etf_binary("x")));
    struct ds_otp *otp = ds_otp_new();
    assert_non_null(otp);
    for (size_t len = 0; len <= term.len; len++) {
        struct guard_page guard = guard_page_copy(term.data, len);
        struct ds_term prefix = term;
        struct ds_otp_match match;
        prefix.data = guard.bytes;
        prefix.len = len;
        assert_int_equal(matches("{'$gen_call', {From::pid, [alias | Tag]}, "
                                 "{_, _::'Elixir.Shop.Order', X::binary}}",
                                 prefix, NULL), len == term.len);
        ds_otp_find_message(otp, (struct ds_text){NULL, 0}, &prefix, &match);
        guard_page_free(&guard);
    }
    ds_otp_free(otp);
}

static void compile_all(void *context)
{
    (void)context;
    struct ds_otp *otp = ds_otp_new();
    assert_true(otp != NULL || failing_alloc_failed());
    ds_otp_free(otp);
}

static void compile_one(void *context)
{
    const char *text = context;
    struct pattern_error error;
    struct pattern *p = pattern_compile((struct ds_text){text, strlen(text)}, &error);
    assert_true(p != NULL || failing_alloc_failed());
    pattern_free(p);
}

static void memory_runs_out(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(compile_one, (void *)(uintptr_t)"{a,b,[c,d,e|f],{g,h,X,Y},i}") > 2);
    failing_alloc_at(3);
    compile_all(NULL);
    failing_alloc_at(400);
    compile_all(NULL);
    failing_alloc_at(0);
    compile_all(NULL);
}

static const char *label_of(const struct ds_otp *otp, const char *to, struct ds_term term,
                            struct ds_otp_match *match)
{
    struct ds_text name = {to, to != NULL ? strlen(to) : 0};
    return ds_otp_find_message(otp, name, &term, match) ? match->line->label : "";
}

static void lines(void **state)
{
    (void)state;
    struct ds_otp *otp = ds_otp_new();
    struct ds_otp_match match;
    assert_non_null(otp);
    etf_reset();
    struct ds_term from = etf_tuple(2, etf_pid("a@h", 1), etf_ref("a@h", 2));

    assert_string_equal(label_of(otp, "echo", etf_tuple(3, etf_atom("$gen_call"), from,
                                                        etf_atom("hi")), &match), "gen:call");
    assert_int_equal(match.kind, DS_OTP_CALL);
    assert_non_null(ds_otp_get(&match, DS_OTP_TAG));
    assert_non_null(ds_otp_get(&match, DS_OTP_FROM));
    assert_int_equal(ds_otp_get(&match, DS_OTP_REQUEST)->len, 4);

    struct ds_term is_auth = etf_tuple(3, etf_atom("$gen_call"), from,
                                       etf_tuple(2, etf_atom("is_auth"), etf_atom("a@h")));
    assert_string_equal(label_of(otp, "net_kernel", is_auth, &match), "net_kernel:is_auth");
    assert_string_equal(match.line->group, "otp");
    assert_string_equal(label_of(otp, "other", is_auth, &match), "gen:call");

    struct ds_term rpc = etf_tuple(
        3, etf_atom("$gen_call"), from,
        etf_tuple(5, etf_atom("block_call"), etf_atom("lists"), etf_atom("seq"),
                  etf_list(1, etf_int(1), etf_nil()), etf_pid("a@h", 3)));
    assert_string_equal(label_of(otp, "rex", rpc, &match), "rpc:block_call");
    assert_int_equal(ds_otp_get(&match, DS_OTP_M)->len, 7);
    assert_int_equal(match.kind, DS_OTP_CALL);

    assert_string_equal(label_of(otp, "rex", etf_tuple(2, etf_pid("a@h", 1),
                                                       etf_atom("features_request")), &match),
                        "rpc:features");
    assert_null(ds_otp_get(&match, DS_OTP_TAG));

    assert_string_equal(label_of(otp, "s", etf_tuple(2, etf_atom("$gen_cast"), etf_atom("x")),
                                 &match), "gen:cast");
    assert_int_equal(match.kind, DS_OTP_CAST);
    assert_string_equal(label_of(otp, "pg", etf_tuple(2, etf_atom("discover"), etf_pid("a@h", 1)),
                                 &match), "pg:discover");
    assert_int_equal(match.kind, DS_OTP_PEER);
    assert_string_equal(label_of(otp, NULL, etf_tuple(2, etf_ref("a@h", 1), etf_atom("ok")),
                                 &match), "gen:reply");
    assert_string_equal(label_of(otp, NULL, etf_tuple(2, etf_tuple(3, etf_atom("tid"), etf_int(4),
                                                                   etf_pid("a@h", 1)),
                                                      etf_atom("committed")), &match),
                        "mnesia_tm:commit");
    assert_string_equal(label_of(otp, "mnesia_recover", etf_atom("whatever"), &match),
                        "mnesia_recover");
    assert_string_equal(label_of(otp, NULL, etf_tuple(2, etf_atom("hello"), etf_int(1)), &match),
                        "");
    assert_string_equal(label_of(otp, "echo", etf_atom("hello"), &match), "");
    /* any program may say this: it is not RabbitMQ's */
    assert_string_equal(label_of(otp, NULL, etf_tuple(2, etf_atom("$gen_cast"),
                                                      etf_tuple(3, etf_atom("ack"), etf_int(1),
                                                                etf_pid("a@h", 1))), &match),
                        "gen:cast");

    struct ds_term mfa = etf_tuple(3, etf_atom("erpc"), etf_atom("execute_call"), etf_int(4));
    struct ds_term args = etf_list(4, etf_ref("a@h", 1), etf_atom("m"), etf_atom("f"), etf_nil(),
                                   etf_nil());
    assert_true(ds_otp_find_spawn(otp, &mfa, &args, &match));
    assert_string_equal(match.line->label, "erpc:call");
    const struct ds_otp_line *erpc = match.line;
    mfa = etf_tuple(3, etf_atom("m"), etf_atom("f"), etf_int(1));
    assert_true(ds_otp_find_spawn(otp, &mfa, &args, &match));
    assert_string_equal(match.line->label, "spawn");
    assert_non_null(ds_otp_get(&match, DS_OTP_A));

    struct ds_term thrown = etf_tuple(3, etf_ref("a@h", 1), etf_atom("throw"), etf_atom("x"));
    assert_true(ds_otp_find_result(otp, erpc, &thrown, &match));
    assert_int_equal(match.kind, DS_OTP_FAILURE);
    assert_string_equal(match.line->label, "throw");
    ds_otp_free(otp);
}

/* Terms that a pattern refuses without being run. */
static void what_is_told_apart(void **state)
{
    static const struct {
        const char *text;
        uint32_t classes;
    } cases[] = {
        {"_", UINT32_MAX},
        {"X", UINT32_MAX},
        {"{}", UINT32_MAX},
        {"{X, a}", UINT32_MAX},
        {"a", 1u << TERM_ATOM},
        {"{a, X}", 1u << TERM_ATOM},
        {"17", 1u << TERM_INTEGER},
        {"{17}", 1u << TERM_INTEGER},
        {"{{a}, X}", 1u << TERM_TUPLE},
        {"[a | X]", 1u << TERM_LIST},
        {"{[a], X}", 1u << TERM_LIST},
        {"[]", 1u << TERM_NIL},
        {"{[], X}", 1u << TERM_NIL},
        {"X::pid", 1u << TERM_PID},
        {"{X::reference}", 1u << TERM_REFERENCE},
        {"{_::list, X}", 1u << TERM_LIST | 1u << TERM_NIL | 1u << TERM_STRING},
        {"{_::'Elixir.A'}", 1u << TERM_MAP},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct pattern_error error;
        struct pattern *p =
            pattern_compile((struct ds_text){cases[i].text, strlen(cases[i].text)}, &error);
        assert_non_null(p);
        assert_int_equal(pattern_classes(p), cases[i].classes);
        pattern_free(p);
    }
}

/* A line is found for any form of its request: an atom, a tuple, a large tuple. */
static void lines_by_class(void **state)
{
    struct ds_otp *otp = ds_otp_new();
    struct ds_otp_match match;
    struct ds_text no_name = {0};
    (void)state;
    assert_non_null(otp);
    etf_reset();
    struct ds_term from = etf_tuple(2, etf_pid("a@h", 1), etf_ref("a@h", 1));
    struct ds_term call = etf_tuple(3, etf_atom("$gen_call"), from, etf_atom("which_children"));
    assert_true(ds_otp_find_message(otp, no_name, &call, &match));
    assert_string_not_equal(match.line->label, match.outer->label);
    call = etf_tuple(3, etf_atom("$gen_call"), from, etf_tuple(1, etf_atom("which_children")));
    assert_true(ds_otp_find_message(otp, no_name, &call, &match));
    assert_string_equal(match.line->label, match.outer->label);
    ds_otp_free(otp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(atoms_and_numbers), cmocka_unit_test(containers),
        cmocka_unit_test(types),
        cmocka_unit_test(structs),             cmocka_unit_test(variables),
        cmocka_unit_test(what_is_no_pattern), cmocka_unit_test(prefixes),
        cmocka_unit_test(memory_runs_out),   cmocka_unit_test(lines),
        cmocka_unit_test(what_is_told_apart), cmocka_unit_test(lines_by_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
