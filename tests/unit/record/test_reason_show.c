/*
 * test_reason_show.c - reasons of failures: Elixir's exceptions, and Erlang's errors and exits in
 * Elixir's words, those of Exception.format_banner/3 and format_exit/1 of Elixir 1.14.
 */
#include "core/term_show.h"
#include "etf_maker.h"
#include "record/reason_show.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ds_term exception(struct ds_term module, const char *is_one, struct ds_term message)
{
    return etf_map(3, etf_atom("__struct__"), module, etf_atom("__exception__"), etf_atom(is_one),
                   etf_atom("message"), message);
}

static void assert_shown(struct ds_term reason, bool is_error, const char *expected)
{
    const struct ds_term_print_options few = {.max_bytes = 8};
    struct ds_buffer out = {0};
    assert_true(reason_show(&reason, is_error, &few, &out));
    ds_buffer_add(&out, "", 1);
    assert_string_equal(out.data, expected);
    ds_buffer_free(&out);
}

static void reason_is(struct ds_term reason, const char *expected)
{
    assert_shown(reason, false, expected);
}

static void exceptions_are_told_as_elixir_does(void **state)
{
    const struct ds_term module = etf_atom("Elixir.Shop.Refused");
    (void)state;
    term_show_use(DS_SYNTAX_ELIXIR);
    reason_is(exception(module, "true", etf_binary("no \x1b[3m")), "** (Shop.Refused) no \\x1B[3m");
    reason_is(etf_tuple(2, exception(module, "true", etf_binary("no")), etf_list(1, etf_atom("a"), etf_nil())),
              "** (Shop.Refused) no [:a]");
    assert_shown(exception(module, "true", etf_binary("no")), true, "** (Shop.Refused) no");
    reason_is(exception(module, "true", etf_binary("1234567\xc3\xa9")),
              "** (Shop.Refused) 1234567... 2 more bytes");
    reason_is(exception(module, "true", etf_binary("123456\xc3\xa9")),
              "** (Shop.Refused) 123456\xc3\xa9");
    reason_is(exception(module, "false", etf_binary("no")),
              "%Shop.Refused{__exception__: false, message: \"no\"}");
    reason_is(exception(module, "true", etf_atom("no")), "%Shop.Refused{message: :no}");
    reason_is(exception(etf_binary("a"), "true", etf_binary("no")),
              "%{__struct__: \"a\", __exception__: true, message: \"no\"}");
    reason_is(etf_atom("normal"), ":normal");
    term_show_use(DS_SYNTAX_ERLANG);
    reason_is(etf_tuple(2, exception(module, "true", etf_binary("no")), etf_atom("a")),
              "{#{'__struct__' => 'Elixir.Shop.Refused','__exception__' => true,message => <<\"no\">>},a}");
}

static struct ds_term stack_of(struct ds_term arity_or_args)
{
    return etf_list(1, etf_tuple(4, etf_atom("lists"), etf_atom("foo"), arity_or_args, etf_nil()),
                    etf_nil());
}

static void errors_are_told_as_elixir_does(void **state)
{
    (void)state;
    const struct {
        struct ds_term error;
        const char *alone, *with_stack; /* NULL: the same */
    } errors[] = {
        {etf_atom("badarith"), "(ArithmeticError) bad argument in arithmetic expression", NULL},
        {etf_atom("badarg"), "(ArgumentError) argument error", NULL},
        {etf_atom("undef"), "(UndefinedFunctionError) undefined function",
         "(UndefinedFunctionError) function :lists.foo/2 is undefined or private"},
        {etf_atom("function_clause"), "(FunctionClauseError) no function clause matches",
         "(FunctionClauseError) no function clause matching in :lists.foo/2"},
        {etf_tuple(2, etf_atom("badmatch"), etf_tuple(2, etf_atom("error"), etf_binary("x"))),
         "(MatchError) no match of right hand side value: {:error, \"x\"}", NULL},
        {etf_tuple(2, etf_atom("case_clause"), etf_int(5)),
         "(CaseClauseError) no case clause matching: 5", NULL},
        {etf_tuple(3, etf_atom("badbool"), etf_atom("and"), etf_int(1)),
         "(BadBooleanError) expected a boolean on left-side of \"and\", got: 1", NULL},
        {etf_tuple(3, etf_atom("badbool"), etf_int(2), etf_int(1)),
         "(BadBooleanError) expected a boolean on left-side of \"2\", got: 1", NULL},
        {etf_tuple(2, etf_atom("badkey"), etf_atom("a")), "(KeyError) key :a not found", NULL},
        {etf_tuple(3, etf_atom("badkey"), etf_atom("a"), etf_map(1, etf_atom("b"), etf_int(1))),
         "(KeyError) key :a not found in: %{b: 1}", NULL},
        {etf_atom("if_clause"), "(ErlangError) Erlang error: :if_clause", NULL},
        {etf_tuple(2, etf_atom("nocatch"), etf_atom("x")),
         "(ErlangError) Erlang error: {:nocatch, :x}", NULL},
        {etf_tuple(2, etf_atom("badarith"), etf_int(1)),
         "(ErlangError) Erlang error: {:badarith, 1}", NULL},
        {etf_tuple(4, etf_atom("badkey"), etf_int(1), etf_int(2), etf_int(3)),
         "(ErlangError) Erlang error: {:badkey, 1, 2, 3}", NULL},
        {etf_int(7), "(ErlangError) Erlang error: 7", NULL},
    };
    term_show_use(DS_SYNTAX_ELIXIR);
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        char expected[256];
        const char *with_stack =
            errors[i].with_stack != NULL ? errors[i].with_stack : errors[i].alone;
        snprintf(expected, sizeof expected, "** %s", errors[i].alone);
        assert_shown(errors[i].error, true, expected);
        snprintf(expected, sizeof expected, "** %s [{:lists, :foo, 2, []}]", with_stack);
        reason_is(etf_tuple(2, errors[i].error, stack_of(etf_int(2))), expected);
        assert_shown(etf_tuple(2, errors[i].error, stack_of(etf_int(2))), true, expected);
    }
    /* The arguments, which Erlang sends as a string if they are small numbers, instead of their
     * number. */
    reason_is(etf_tuple(2, etf_atom("undef"), stack_of(etf_raw("\x6b\0\3\1\2\3", 6))),
              "** (UndefinedFunctionError) function :lists.foo/3 is undefined or private "
              "[{:lists, :foo, [1, 2, 3], []}]");
    /* Not errors: no stack, or nothing like one, follows. */
    reason_is(etf_atom("badarith"), ":badarith");
    reason_is(etf_tuple(2, etf_atom("badarith"), etf_nil()), "{:badarith, []}");
    reason_is(etf_tuple(2, etf_atom("badarith"), etf_list(1, etf_int(1), etf_nil())),
              "{:badarith, [1]}");
    reason_is(etf_tuple(2, etf_atom("badarith"), stack_of(etf_atom("two"))),
              "{:badarith, [{:lists, :foo, :two, []}]}");
    term_show_use(DS_SYNTAX_ERLANG);
    assert_shown(etf_atom("badarith"), true, "badarith");
    reason_is(etf_tuple(2, etf_atom("badarith"), stack_of(etf_int(2))),
              "{badarith,[{lists,foo,2,[]}]}");
}

static void exits_are_told_as_elixir_does(void **state)
{
    (void)state;
    const struct ds_term call =
        etf_tuple(3, etf_atom("Elixir.GenServer"), etf_atom("call"),
                  etf_list(2, etf_atom("Elixir.Shop.Cart"), etf_atom("x"), etf_nil()));
    term_show_use(DS_SYNTAX_ELIXIR);
    reason_is(etf_atom("noproc"),
              "** (EXIT) no process: the process is not alive or there's no process currently "
              "associated with the given name, possibly because its application isn't started");
    reason_is(etf_atom("noconnection"), "** (EXIT) no connection");
    reason_is(etf_tuple(2, etf_atom("nodedown"), etf_atom("a@b\33")), "** (EXIT) no connection to a@b\\x1B");
    reason_is(etf_tuple(2, etf_atom("bad_return_value"), etf_int(3)), "** (EXIT) bad return value: 3");
    reason_is(etf_tuple(2, etf_atom("timeout"), call),
              "** (EXIT) exited in: GenServer.call(Shop.Cart, :x) ** (EXIT) time out");
    reason_is(etf_tuple(2, etf_tuple(2, etf_atom("badarith"), stack_of(etf_int(2))), call),
              "** (EXIT) exited in: GenServer.call(Shop.Cart, :x) ** (ArithmeticError) bad argument in "
              "arithmetic expression [{:lists, :foo, 2, []}]");
    reason_is(etf_tuple(2, etf_atom("EXIT"), etf_tuple(2, etf_atom("badarg"), stack_of(etf_int(2)))),
              "** (ArgumentError) argument error [{:lists, :foo, 2, []}]");
    /* Other reasons, and those that a term shows as well. */
    reason_is(etf_atom("killed"), ":killed");
    reason_is(etf_tuple(2, etf_atom("shutdown"), etf_atom("x")), "{:shutdown, :x}");
    reason_is(etf_tuple(2, etf_atom("noproc"), etf_int(1)), "{:noproc, 1}");
    reason_is(etf_tuple(2, etf_atom("own"), call),
              "** (EXIT) exited in: GenServer.call(Shop.Cart, :x) :own");
    reason_is(etf_tuple(2, etf_atom("own"), etf_tuple(3, etf_atom("a"), etf_atom("b"), etf_atom("c"))),
              "{:own, {:a, :b, :c}}");
    term_show_use(DS_SYNTAX_ERLANG);
    reason_is(etf_atom("noproc"), "noproc");
}

/* However deep a peer nests it, a limited number of layers is shown in words, and the rest as a term. */
static void layers_are_bounded(void **state)
{
    (void)state;
    const struct ds_term call = etf_tuple(3, etf_atom("a"), etf_atom("b"), etf_nil());
    struct ds_term reason = etf_atom("timeout");
    for (int i = 0; i < 6; i++)
        reason = etf_tuple(2, reason, call);
    term_show_use(DS_SYNTAX_ELIXIR);
    reason_is(reason, "** (EXIT) exited in: :a.b() ** (EXIT) exited in: :a.b() ** (EXIT) exited in: :a.b() "
                      "** (EXIT) exited in: :a.b() {{:timeout, {:a, :b, []}}, {:a, :b, []}}");
    term_show_use(DS_SYNTAX_ERLANG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exceptions_are_told_as_elixir_does),
        cmocka_unit_test(errors_are_told_as_elixir_does),
        cmocka_unit_test(exits_are_told_as_elixir_does),
        cmocka_unit_test(layers_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
