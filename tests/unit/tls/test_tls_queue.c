/*
 * test_tls_queue.c - what waits for the keys of a connection with TLS: order, cap, dropping, and
 * failing memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_alloc.h"
#include "tls/tls_waiting.h"

static const uint8_t text[] = "what one end says, and what the other one does";

enum { HEAD = sizeof(struct tls_waiter) };

static bool add(struct tls_waiting *waiting, struct dissect_ctx *env, enum tls_waiting_kind kind,
                int dir, size_t len, uint64_t max)
{
    const struct tls_waiter waiter = {
        .ts_ns = (int64_t)len, .len = len, .kind = (uint8_t)kind, .dir = (uint8_t)dir};
    struct ds_stall stall = {.in_flight = len};
    const struct cursor bytes = kind == TLS_WAITS_RECORD ? cursor_make(text + dir, len)
                                : kind == TLS_WAITS_STALL ? cursor_make(&stall, sizeof stall)
                                                          : cursor_make(NULL, 0);
    return tls_waiting_add(waiting, env, &waiter, bytes, max);
}

static struct dissect_ctx some_env(void)
{
    return (struct dissect_ctx){.memcap.max = 1 << 20};
}

/* assert_next reads an entry and returns what is behind its bytes. */
static void assert_next(struct tls_waiting_at *at, enum tls_waiting_kind kind, int dir, size_t len)
{
    struct tls_waiter waiter;
    struct cursor bytes;
    struct ds_stall stall;
    assert_true(tls_waiting_next(at, &waiter, &bytes));
    assert_int_equal(waiter.kind, kind);
    assert_int_equal(waiter.dir, dir);
    assert_int_equal(waiter.ts_ns, len);
    if (kind == TLS_WAITS_RECORD) {
        assert_int_equal(cursor_left(&bytes), len);
        assert_memory_equal(bytes.at, text + dir, len);
    } else if (kind == TLS_WAITS_STALL) {
        assert_true(cursor_read_bytes(&bytes, (uint8_t *)&stall, sizeof stall));
        assert_int_equal(stall.in_flight, len);
    } else {
        assert_int_equal(cursor_left(&bytes), 0);
    }
}

static void fill(struct tls_waiting *waiting, struct dissect_ctx *env)
{
    assert_true(add(waiting, env, TLS_WAITS_RECORD, 0, 7, 1000));
    assert_true(add(waiting, env, TLS_WAITS_RECORD, 1, 9, 1000));
    assert_true(add(waiting, env, TLS_WAITS_STALL, 1, 3, 1000));
    assert_true(add(waiting, env, TLS_WAITS_GAP, 0, 500, 1000));
    assert_true(add(waiting, env, TLS_WAITS_RECORD, 0, 11, 1000));
    assert_true(add(waiting, env, TLS_WAITS_END, 1, 0, 1000));
}

static void comes_out_as_it_came(void **state)
{
    struct dissect_ctx env = some_env();
    struct tls_waiting waiting = {0};
    (void)state;
    assert_true(tls_waiting_is_empty(&waiting));
    fill(&waiting, &env);
    struct tls_waiting_at at = tls_waiting_begin(&waiting);
    struct tls_waiter waiter;
    struct cursor bytes;
    assert_next(&at, TLS_WAITS_RECORD, 0, 7);
    assert_next(&at, TLS_WAITS_RECORD, 1, 9);
    assert_next(&at, TLS_WAITS_STALL, 1, 3);
    const struct tls_waiting_at middle = at;
    assert_next(&at, TLS_WAITS_GAP, 0, 500);
    assert_next(&at, TLS_WAITS_RECORD, 0, 11);
    assert_next(&at, TLS_WAITS_END, 1, 0);
    assert_false(tls_waiting_next(&at, &waiter, &bytes));

    assert_int_equal(waiting.records[0], 2);
    assert_int_equal(waiting.records[1], 1);
    tls_waiting_drop(&waiting, &env, &middle);
    assert_int_equal(waiting.records[0], 1);
    assert_int_equal(waiting.records[1], 0);
    at = tls_waiting_begin(&waiting);
    assert_next(&at, TLS_WAITS_GAP, 0, 500);
    assert_next(&at, TLS_WAITS_RECORD, 0, 11);
    assert_next(&at, TLS_WAITS_END, 1, 0);
    tls_waiting_drop(&waiting, &env, &at);
    assert_true(tls_waiting_is_empty(&waiting));
    assert_int_equal(env.memcap.used, 0);
}

/* The room of a direction is filled by its waiting bytes and by all marks of time, to the exact byte. */
static void fills_its_room(void **state)
{
    struct dissect_ctx env = some_env();
    struct tls_waiting waiting = {0};
    (void)state;
    assert_true(add(&waiting, &env, TLS_WAITS_RECORD, 0, 20, HEAD + 20));
    assert_false(add(&waiting, &env, TLS_WAITS_RECORD, 0, 20, 2 * (HEAD + 20) - 1));
    assert_true(add(&waiting, &env, TLS_WAITS_RECORD, 0, 20, 2 * (HEAD + 20)));
    assert_false(add(&waiting, &env, TLS_WAITS_RECORD, 1, 5, 3 * HEAD + 4));
    assert_true(add(&waiting, &env, TLS_WAITS_RECORD, 1, 5, 3 * HEAD + 5));
    assert_false(add(&waiting, &env, TLS_WAITS_GAP, 0, 1, 3 * HEAD));
    assert_int_equal(waiting.records[0], 2);
    assert_int_equal(waiting.records[1], 1);
    tls_waiting_free(&waiting, &env);
    assert_int_equal(env.memcap.used, 0);
}

/* If memory runs out, nothing was added and nothing is lost. */
static void without_memory(void **state)
{
    (void)state;
    for (int by_cap = 0; by_cap < 2; by_cap++) {
        for (unsigned long n = 1; n < 6; n++) {
            struct dissect_ctx env = some_env();
            struct tls_waiting waiting = {0};
            unsigned num = 0;
            if (by_cap != 0)
                env.memcap.max = 128 * n;
            else
                failing_alloc_at(n);
            for (unsigned i = 0; i < 30; i++)
                num += add(&waiting, &env, TLS_WAITS_RECORD, (int)i & 1, 40, 10000);
            failing_alloc_at(0);
            assert_true(num < 30);
            struct tls_waiting_at at = tls_waiting_begin(&waiting);
            struct tls_waiter waiter;
            struct cursor bytes;
            for (unsigned i = 0; i < num; i++) {
                assert_true(tls_waiting_next(&at, &waiter, &bytes));
                assert_int_equal(cursor_left(&bytes), 40);
                assert_memory_equal(bytes.at, text + waiter.dir, 40);
            }
            assert_false(tls_waiting_next(&at, &waiter, &bytes));
            assert_int_equal(waiting.records[0] + waiting.records[1], num);
            tls_waiting_free(&waiting, &env);
            assert_int_equal(env.memcap.used, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_out_as_it_came),
        cmocka_unit_test(fills_its_room),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
