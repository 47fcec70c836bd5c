/* The memory for calls does not grow with their number: a short version of what tests/bench/flat
 * does with whole captures. Every call has a reference, a caller and a server of its own; names of
 * global and groups of pg come and go. */
#include "analyse/calls/correlate.h"
#include "etf_maker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <malloc.h>

/* The sanitizer's allocator keeps its own count. */
extern size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static size_t allocated(void)
{
    return __sanitizer_get_current_allocated_bytes != NULL
               ? __sanitizer_get_current_allocated_bytes()
               : mallinfo2().uordblks;
}

struct world {
    struct correlate *correlate;
    struct ds_conn conn;
    int64_t now_ns;
    uint64_t num_ended, num_monitors_ended;
};

static void on_record(void *context, const struct record *record)
{
    struct world *w = context;
    w->num_ended += record->call != NULL;
    w->num_monitors_ended += record->monitor != NULL;
}

static struct ds_text text(const char *string)
{
    return (struct ds_text){string, strlen(string)};
}

static void message(struct world *w, int code, unsigned dir, struct ds_term from, struct ds_term to,
                    struct ds_term ref, struct ds_term payload)
{
    struct ds_event event = {.type = DS_EVENT_MESSAGE, .dir = (uint8_t)dir,
                             .ts_ns = w->now_ns += 1000, .frame = 1, .conn = &w->conn};
    event.message.code = code;
    event.message.op = ds_op_find(code);
    event.message.role[DS_ROLE_FROM] = from;
    event.message.role[DS_ROLE_TO] = to;
    event.message.role[DS_ROLE_REF] = ref;
    event.message.payload = payload;
    correlate_event(w->correlate, &event);
}

/* call plays one call: most are answered, some given up, some never answered. */
static void call(struct world *w, uint32_t i)
{
    const struct ds_term none = {0};
    char name[32];
    etf_reset();
    snprintf(name, sizeof name, "server_%u", i % 100);
    const struct ds_term me = etf_pid("a@h", i), ref = etf_ref("a@h", i);
    const struct ds_term server = etf_pid("b@h", i), to = i % 2 == 0 ? etf_atom(name) : server;
    const struct ds_term tag = etf_list(1, etf_atom("alias"), ref);
    message(w, 19, 0, me, to, ref, none);
    message(w, i % 2 == 0 ? 6 : 22, 0, me, to, none,
            etf_tuple(3, etf_atom("$gen_call"), etf_tuple(2, me, tag), etf_atom("what")));
    if (i % 50 == 0)
        message(w, 22, 1, server, me, none,
                etf_tuple(2, etf_atom("$gen_cast"),
                          etf_tuple(3, etf_atom("sync"), server,
                                    etf_list(1, etf_tuple(2, etf_atom(name), server),
                                             etf_nil()))));
    if (i % 100 == 7)
        return;
    if (i % 100 != 8)
        message(w, 33, 1, server, ref, none, etf_tuple(2, tag, etf_atom("ok")));
    message(w, 20, 0, me, to, ref, none);
    if (i % 3 == 0)
        message(w, 28, 1, server, me, etf_ref("a@h", i), etf_atom("normal"));
}

static void stays_flat(void **state)
{
    enum { CALLS = 40000, ROUNDS = 4, CAP = 500 };
    struct world w = {.now_ns = 1000000};
    struct correlate_config config = {
        .emit = on_record, .context = &w, .names = true, .monitors = true, .keep = 1000};
    size_t after[ROUNDS];
    (void)state;
    config.limits[DS_LIMIT_CALLS] = config.limits[DS_LIMIT_MONITORS] = CAP;
    config.limits[DS_LIMIT_NAMES] = CAP;
    w.conn.number = 1;
    w.conn.end[0].node = text("a@h");
    w.conn.end[1].node = text("b@h");
    w.correlate = correlate_new(&config);
    assert_non_null(w.correlate);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < CALLS; i++)
            call(&w, round * CALLS + i);
        after[round] = allocated();
    }
    /* By then all capped tables are full; the kept texts vary a little in length. */
    assert_in_range(after[ROUNDS - 1], 0, after[1] + 4096);
    correlate_end(w.correlate);
    assert_int_equal(w.num_ended, CALLS * ROUNDS);
    assert_true(w.num_monitors_ended > CALLS);
    correlate_free(w.correlate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stays_flat)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
