/*
 * crash_world.h - requests that end with their callee, with the reason of a crash, for tests of DS312 and DS314.
 */
#ifndef TESTS_CRASH_WORLD_H
#define TESTS_CRASH_WORLD_H

#include "findings_world.h"

static inline void begin_calls(void)
{
    begin();
    begin_terms();
}

/* put_stack is {Why, [{calc, divide, 2, []}, {calc, Callback, 3, []}]}. */
static inline void put_stack(const char *why, const char *callback)
{
    put_tuple(2);
    put_atom(why);
    put_list(2);
    for (int i = 0; i < 2; i++) {
        put_tuple(4);
        put_atom("calc");
        put_atom(i == 0 ? "divide" : callback);
        put_small(i == 0 ? 2 : 3);
        put_nil();
    }
    put_nil();
}

static inline struct call ended(void)
{
    struct call call = call_of(CALL_ERROR);
    call.error_class = "exit";
    call.reason = term_since(0);
    return call;
}

#endif
