/*
 * test_match_habits.c - syntax of other tools in patterns is recognised, with its place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "select/match_habits.h"

#include <string.h>

static void knows_whole_patterns(void **state)
{
    static const char *const known[] = {"send", "'send'", " receive\n", "'receive' ", "\tfun"};
    static const char *const others[] = {"", "sends", "sen", "send x", "'send", "funs", "send("};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        assert_non_null(match_habits_whole(known[i]));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_null(match_habits_whole(others[i]));
}

/* The place is the first one of HERE. */
static void knows_places(void **state)
{
    static const struct {
        const char *text, *here, *word; /* parts of the message; NULL: no message */
    } cases[] = {
        {"X when Y ++ Z", "++", "++"},    {"X when Y--Z", "--", "--"},
        {"X when Y + Z", "+", NULL},      {"X when Y =:= <0.1.0>", "<", "pid"},
        {"X when <<1>>", "<<", NULL},     {"pid(0,1,0)", "(", "pid"},
        {"pid (0,1,0)", "(", "pid"},      {"X when pid(1)", "(1", "pid"},
        {"apid(1)", "(", NULL},           {"pida(1)", "(", NULL},
        {"fun(X) -> X", "(", "fun"},      {"fun X", "X", "fun"},
        {"afun X", "X", NULL},            {"(fun X", "X", "fun"},
        {"X", "X", NULL},                 {"X -> count", "count", "-c counts"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *here = strstr(cases[i].text, cases[i].here);
        const char *why = match_habits_at(cases[i].text, (size_t)(here - cases[i].text));
        if ((why != NULL) != (cases[i].word != NULL) ||
            (why != NULL && strstr(why, cases[i].word) == NULL))
            fail_msg("%s: %s", cases[i].text, why != NULL ? why : "nothing");
    }
    assert_null(match_habits_at("", 0));
}

static void knows_modules_of_elixir(void **state)
{
    static const struct {
        const char *text;
        size_t len;
    } cases[] = {
        {"Enum:map(_, _)", 4}, {" \t\nEnum:map", 4}, {"My_App:run", 6}, {"Map2:get", 4},
        {"Mod:f", 0},          {"Module:f", 0},      {"M:f", 0},        {"Mx:f", 0},
        {"Max:f", 3},          {"enum:map", 0},      {"ENUM:map", 0},   {"Enum.map", 0},
        {"Enum", 0},           {"Enum:map(Enum)", 0}, {"", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (match_habits_module(cases[i].text) != cases[i].len)
            fail_msg("%s", cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_whole_patterns),
        cmocka_unit_test(knows_places),
        cmocka_unit_test(knows_modules_of_elixir),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
