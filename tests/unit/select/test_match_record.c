/*
 * test_match_record.c - -m on records: wrappers of calls are removed without the correlation, "->
 * return" adds results, and memory fails.
 */
#include "etf_maker.h"
#include "failing_alloc.h"
#include "select/match_record.h"
#include "select/selector.h"
#include "default_limits.h"

#include <distsniff/dissect.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct ds_conn conn = {.number = 1};

static struct ds_event make_event(int64_t code, struct ds_term payload)
{
    struct ds_event event = {.type = DS_EVENT_MESSAGE, .conn = &conn};
    event.message.code = code;
    event.message.op = ds_op_find(code);
    event.message.payload = payload;
    return event;
}

static enum match_record_result run(const char *text, const struct record *record)
{
    struct ds_match *pattern = match_record_compile(text);
    assert_non_null(pattern);
    struct match_record *m = match_record_new(&pattern, 1, NULL);
    assert_non_null(m);
    const enum match_record_result result = match_record_run(m, record);
    assert_int_equal(match_record_num_given_up(m), 0);
    assert_int_equal(match_record_no_memory(m), 0);
    match_record_free(m);
    ds_match_free(pattern);
    return result;
}

static struct ds_term gen_call(struct ds_term request)
{
    const struct ds_term from = etf_tuple(2, etf_pid("a@h", 1), etf_ref("a@h", 1));
    return etf_tuple(3, etf_cached("$gen_call"), from, request);
}

static void unwraps(void **state)
{
    (void)state;
    etf_reset();
    enum { SEND_SENDER = 22, REG_SEND = 6, PAYLOAD_EXIT = 24, SPAWN_REQUEST = 29 };
    struct ds_event event = make_event(SEND_SENDER, gen_call(etf_atom("stop")));
    struct record record = {.event = &event};
    assert_int_equal(run("stop", &record), MATCH_RECORD_YES);
    assert_int_equal(run("{'$gen_call', _, stop} -> return", &record), MATCH_RECORD_WITH_REPLY);
    assert_int_equal(run("go", &record), MATCH_RECORD_NO);

    /* Nothing is wrapped in why a process ended. */
    event = make_event(PAYLOAD_EXIT, gen_call(etf_atom("stop")));
    assert_int_equal(run("stop", &record), MATCH_RECORD_NO);
    assert_int_equal(run("{_, _, stop}", &record), MATCH_RECORD_YES);

    /* What the note says is not searched for again. */
    event = make_event(SEND_SENDER, gen_call(etf_atom("stop")));
    record.note.role = NOTE_SEND;
    assert_int_equal(run("stop", &record), MATCH_RECORD_NO);
    record.note.body = etf_atom("noted");
    assert_int_equal(run("noted", &record), MATCH_RECORD_YES);
    record.note = (struct note){0};

    /* The older rpc, and a spawn. */
    const struct ds_term args = etf_list(1, etf_int(7), etf_nil());
    event = make_event(REG_SEND,
                       etf_tuple(2, etf_pid("a@h", 1),
                                 etf_tuple(5, etf_atom("call"), etf_atom("m"), etf_atom("f"), args,
                                           etf_pid("a@h", 2))));
    event.message.role[DS_ROLE_TO] = etf_atom("rex");
    assert_int_equal(run("m:f(N) when N == 7", &record), MATCH_RECORD_YES);
    assert_int_equal(run("m:f/2", &record), MATCH_RECORD_NO);
    assert_int_equal(run("{_, {call, _, _, _, _}}", &record), MATCH_RECORD_YES);
    event = make_event(SPAWN_REQUEST, args);
    event.message.role[DS_ROLE_MFA] = etf_tuple(3, etf_atom("m"), etf_atom("f"), etf_int(1));
    assert_int_equal(run("m:f(7)", &record), MATCH_RECORD_YES);
    assert_int_equal(run("m", &record), MATCH_RECORD_YES);
    assert_int_equal(run("n", &record), MATCH_RECORD_NO);

    event = (struct ds_event){.type = DS_EVENT_TICK, .conn = &conn};
    assert_int_equal(run("_", &record), MATCH_RECORD_NO);
}

static bool wants(struct selector *select, struct ds_term payload, enum note_role role,
                  uint64_t call, enum call_outcome outcome)
{
    const struct ds_event event = make_event(22, payload);
    const struct record record = {
        .event = &event, .note = {.role = role, .call = call, .outcome = outcome}};
    return selector_wants(select, &record);
}

/* select_with returns a selection by one pattern. */
static struct selector *select_with(struct selector_config *options, const char *text, bool no_pairs)
{
    *options = (struct selector_config){.no_pairs = no_pairs, .num_matches = 1};
    default_limits(options->limits);
    options->matches[0] = match_record_compile(text);
    assert_non_null(options->matches[0]);
    struct selector *select = selector_new(options);
    assert_non_null(select);
    return select;
}

static void brings_replies(void **state)
{
    static struct selector_config options;
    (void)state;
    etf_reset();
    const struct ds_term ask = etf_atom("ask"), other = etf_atom("other");
    static const struct {
        const char *pattern;
        bool no_pairs, spawned, reply;
    } cases[] = {
        {"ask", false, true, true},
        {"ask", true, false, false},
        {"ask -> return", false, false, true},
        {"ask -> return", true, false, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct selector *select = select_with(&options, cases[i].pattern, cases[i].no_pairs);
        assert_true(wants(select, ask, NOTE_REQUEST, 5, CALL_OPEN));
        assert_false(wants(select, other, NOTE_REQUEST, 6, CALL_OPEN));
        assert_false(wants(select, other, NOTE_REPLY, 6, CALL_OK));
        assert_false(wants(select, other, NOTE_SEND, 0, CALL_OPEN));
        assert_int_equal(wants(select, other, NOTE_SPAWNED, 5, CALL_OPEN), cases[i].spawned);
        assert_int_equal(wants(select, other, NOTE_REPLY, 5, CALL_OK), cases[i].reply);
        selector_free(select);
        ds_match_free(options.matches[0]);
    }
}

static void select_once(void *context)
{
    struct selector_config *options = context;
    struct ds_stats stats = {0};
    struct selector *select = selector_new(options);
    etf_reset();
    if (select == NULL) {
        assert_true(failing_alloc_failed());
        return;
    }
    const bool wanted = wants(select, gen_call(etf_atom("ask")), NOTE_NONE, 5, CALL_OPEN);
    wants(select, etf_atom("answer"), NOTE_REPLY, 5, CALL_OK);
    selector_add_stats(select, &stats);
    /* Without memory a match may be missed, but this is counted. */
    assert_true((wanted && stats.no_memory == 0) || failing_alloc_failed());
    assert_true(wanted || stats.no_memory != 0);
    selector_free(select);
}

static void memory_runs_out(void **state)
{
    static struct selector_config options;
    (void)state;
    etf_reset();
    selector_free(select_with(&options, "ask when 1 bsl 80 > 1.0 -> return", false));
    assert_true(failing_alloc_each(select_once, &options) > 5);
    ds_match_free(options.matches[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unwraps),
        cmocka_unit_test(brings_replies),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
