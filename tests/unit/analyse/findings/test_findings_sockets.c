/*
 * test_findings_sockets.c - connections beside the distribution: a stream replica that its leader
 * does not reach (DS609), and gen_rpc's cookie in clear (DS406).
 */
#include "findings_world.h"

static void begin_socket(const char *proto)
{
    begin();
    begin_terms();
    w.conn.proto = proto;
    w.conn.end[0].node = text("rabbit@a");
    w.conn.end[1].node = text("rabbit@b");
}

static void conn_says(enum ds_conn_state state, const char *reason)
{
    struct ds_event event = event_of(DS_EVENT_CONN, 0);
    event.change = (struct ds_conn_change){.state = state, .reason = reason};
    put(&event);
}

static void answers(const char *name, const char *why, bool is_nested)
{
    begin_terms();
    put_tuple(2);
    put_atom("error");
    if (is_nested)
        put_tuple(2);
    put_atom(why);
    if (is_nested)
        put_nil();
    struct call call = {.number = 1,
                        .conn = w.conn.number,
                        .label = "gen:call",
                        .outcome = CALL_OK,
                        .start_ns = w.now_ns,
                        .end_ns = w.now_ns + MS,
                        .start_frame = 1,
                        .end_frame = 2,
                        .caller = {.node = text("rabbit@b")},
                        .callee = {.node = text("rabbit@a"), .name = text(name)},
                        .result = term_since(0)};
    const struct ds_event event = event_of(DS_EVENT_MESSAGE, 0);
    findings_record(w.findings, &(struct record){.event = &event, .call = &call});
}

static void replica_unreached(void **state)
{
    (void)state;
    begin_socket("osiris");
    conn_says(DS_CONN_FAILED, "no answer to 3 SYNs in 2.0 s");
    sentence_is("rabbit@a does not reach a stream's replica on rabbit@b");
    detail_has("no answer to 3 SYNs in 2.0 s");
    assert_int_equal(w.last.severity, SEVERITY_ERROR);
    assert_int_equal(w.last.certainty, CERTAINTY_SURE);
    assert_false(w.last.is_over);
    conn_says(DS_CONN_OPEN, NULL);
    findings_sum_up(w.findings);
    assert_int_equal(w.errors, 1);
    found("DS609");
    begin_socket(NULL);
    answers("osiris_replica_reader_sup", "connection_refused", true);
    detail_has("{error, connection_refused}");
    found("DS609");
    begin_socket(NULL);
    answers("osiris_replica_reader_sup", "connection_refused", false);
    found("DS609");
}

static void waits_for(const char *name, const char *caller)
{
    const struct call call = {.number = 1, .conn = 1, .label = "gen:call", .group = "", .start_frame = 1,
                              .end_frame = 2, .start_ns = w.now_ns, .end_ns = w.now_ns + 5000 * MS,
                              .caller = {.node = text(caller)},
                              .callee = {.node = text("rabbit@a"), .name = text(name)},
                              .outcome = CALL_TIMEOUT};
    findings_record(w.findings, &(struct record){.call = &call});
}

/* A caller that waits for a replica has only that finding: one cause, one finding. Other callers
 * wait for something else. */
static void replica_is_waited_for(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        begin_socket("osiris");
        conn_says(DS_CONN_FAILED, "no answer to 3 SYNs in 2.0 s");
        if (i == 3)
            conn_says(DS_CONN_OPEN, NULL);
        waits_for(i == 1 ? "another_sup" : "osiris_replica_reader_sup", i == 2 ? "rabbit@c" : "rabbit@b");
        found(i == 0 ? "DS609" : "DS609 DS313");
    }
}

/* A replica that is reached, other protocols, and other answers. */
static void replica_reached(void **state)
{
    (void)state;
    begin_socket("osiris");
    conn_says(DS_CONN_OPEN, NULL);
    conn_says(DS_CONN_CLOSED, "closed by rabbit@b");
    found("");
    begin_socket("gen_rpc");
    conn_says(DS_CONN_FAILED, "connection refused");
    found("");
    begin_socket(NULL);
    answers("osiris_replica_reader_sup", "already_started", true);
    answers("another_sup", "connection_refused", true);
    found("");
}

static void gap_replica(void **state)
{
    (void)state;
    begin_socket("osiris");
    w.now_ns += MS;
    findings_lost(w.findings,
                  &(struct loss){
                      .cause = LOSS_KERNEL, .count = 1, .first_ns = w.now_ns, .last_ns = w.now_ns});
    w.now_ns += MS;
    conn_says(DS_CONN_FAILED, "no answer to 3 SYNs in 2.0 s");
    assert_int_not_equal(w.last.certainty, CERTAINTY_SURE);
    found("DS609");
}

/* More replicas than are remembered: the latest are recognised. */
static void many_replicas(void **state)
{
    (void)state;
    static char name[100][24];
    begin_socket("osiris");
    for (int i = 0; i < 100; i++) {
        snprintf(name[i], sizeof name[i], "rabbit@h%d", i);
        w.conn.end[1].node = text(name[i]);
        conn_says(DS_CONN_FAILED, "no answer");
    }
    conn_says(DS_CONN_OPEN, NULL);
    w.conn.end[1].node = text(name[0]);
    conn_says(DS_CONN_OPEN, NULL);
    assert_int_equal(w.errors, 100);
}

static void authenticates(const char *word, uint8_t arity)
{
    struct ds_event event = event_of(DS_EVENT_MESSAGE, 0);
    begin_terms();
    put_tuple(arity);
    put_atom(word);
    for (int i = 1; i < arity; i++)
        put_atom("monster");
    event.message.payload = term_since(0);
    put(&event);
}

static void cookie_in_clear(void **state)
{
    (void)state;
    begin_socket("gen_rpc");
    authenticates("gen_rpc_authenticate_connection", 2);
    sentence_is("rabbit@a sends its cookie in clear text to rabbit@b");
    assert_int_equal(w.last.severity, SEVERITY_WARNING);
    found("DS406");
    begin_socket("gen_rpc");
    authenticates("gen_rpc_authenticate_connection", 3);
    found("DS406");
}

/* A challenge, TLS, and the same words on a distribution link. */
static void cookie_not_in_clear(void **state)
{
    (void)state;
    static const struct ds_tls tls = {.version = 0x0304};
    begin_socket("gen_rpc");
    authenticates("gen_rpc_authenticate_c", 2);
    authenticates("gen_rpc_authenticate_connection", 1);
    w.conn.tls = &tls;
    authenticates("gen_rpc_authenticate_connection", 3);
    found("");
    begin_socket(NULL);
    authenticates("gen_rpc_authenticate_connection", 2);
    found("");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replica_unreached), cmocka_unit_test(replica_reached),
        cmocka_unit_test(replica_is_waited_for),
        cmocka_unit_test(gap_replica),       cmocka_unit_test(many_replicas),
        cmocka_unit_test(cookie_in_clear),   cmocka_unit_test(cookie_not_in_clear)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    findings_free(w.findings);
    ds_buffer_free(&term_bytes);
    return failed;
}
