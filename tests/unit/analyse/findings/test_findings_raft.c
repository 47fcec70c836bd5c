/*
 * test_findings_raft.c - raft clusters of ra: what their messages reveal about them, and DS603, no
 * leader; DS604, leaders that change; DS605, a follower that lags.
 */
#include "analyse/calls/raft.h"
#include "findings_world.h"

static const char *const node[] = {"rabbit@a", "rabbit@b", "rabbit@c", "rabbit@d", "rabbit@e",
                                   "rabbit@f", "rabbit@g", "rabbit@h", "rabbit@i"};
static const char *queue = "orders";
static struct raft raft; /* gets the same messages */
static uint16_t likely;

static void begin_raft(void)
{
    leaves_out = "DS401";
    begin();
    begin_terms();
    raft_free(&raft);
    raft_init(&raft);
    likely = 0;
}

static void put_integer(uint32_t value)
{
    const uint8_t bytes[] = {98, (uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8),
                             (uint8_t)value};
    put_bytes(bytes, sizeof bytes);
}

static void put_server(int of)
{
    put_tuple(2);
    put_atom(queue);
    put_atom(node[of]);
}

/* say_it sends the term since then, over the connection of the two nodes. */
static struct raft_news say_it(int from, int to, const char *label)
{
    const int low = from < to ? from : to, high = from < to ? to : from;
    w.conn.number = (uint64_t)(1 + low * 4 + high);
    w.conn.end[0].node = text(node[low]);
    w.conn.end[1].node = text(node[high]);
    struct ds_event event = event_of(DS_EVENT_MESSAGE, from != low);
    event.message.payload = term_since(0);
    event.likely_atoms = likely;
    const struct record record = {.event = &event,
                                  .note = {.group = "rabbit", .label = label, .role = NOTE_CAST}};
    findings_record(w.findings, &record);
    return raft_message(&raft, &record);
}

static struct raft_news append(int leader, int to, uint32_t term, uint32_t commit, uint32_t prev,
                               uint8_t num)
{
    begin_terms();
    put_tuple(7);
    put_atom("append_entries_rpc");
    put_integer(term);
    put_server(leader);
    put_integer(commit);
    put_integer(prev);
    put_integer(1);
    if (num != 0)
        put_list(num);
    for (uint8_t i = 0; i < num; i++)
        put_small(i);
    put_nil();
    return say_it(leader, to, "ra:append");
}

static struct raft_news reply(int from, int leader, uint32_t term, uint32_t idx)
{
    begin_terms();
    put_tuple(2);
    put_server(from);
    put_tuple(6);
    put_atom("append_entries_reply");
    put_integer(term);
    put_atom("true");
    put_integer(idx + 1);
    put_integer(idx);
    put_integer(term);
    return say_it(from, leader, "ra:append");
}

static struct raft_news vote(int by, int to, uint32_t term, bool is_pre)
{
    begin_terms();
    put_tuple(is_pre ? 8 : 5);
    put_atom(is_pre ? "pre_vote_rpc" : "request_vote_rpc");
    if (is_pre) {
        put_small(1);
        put_small(2);
    }
    put_integer(term);
    if (is_pre)
        put_small(7);
    put_server(by);
    put_integer(9);
    put_integer(1);
    return say_it(by, to, "ra:vote");
}

static struct raft_news snapshot(int leader, int to, uint32_t term, uint8_t chunk)
{
    begin_terms();
    put_tuple(6);
    put_atom("install_snapshot_rpc");
    put_integer(term);
    put_server(leader);
    put_small(0);
    put_tuple(2);
    put_small(chunk);
    put_atom("next");
    put_binary("data");
    return say_it(leader, to, "ra:snapshot");
}

static const struct raft_cluster *first(void)
{
    return table_oldest(&raft.clusters);
}

static void told(void **state)
{
    (void)state;
    begin_raft();
    append(0, 1, 3, 10, 10, 2);
    append(0, 2, 3, 10, 10, 2);
    const struct raft_cluster *c = first();
    assert_int_equal(raft.clusters.num, 1);
    assert_int_equal(c->num_members, 3);
    assert_int_equal(c->term, 3);
    assert_int_equal(c->commit, 10);
    assert_int_equal(c->idx, 12);
    assert_int_equal(c->elections, 0);
    assert_string_equal(raft_node(c, c->leader).data, node[0]);
    assert_int_equal(raft_lag(c, 2), -1);
    reply(1, 0, 3, 12);
    reply(2, 0, 3, 11);
    assert_int_equal(raft_lag(c, 2), 1);
    assert_int_equal(c->member[0].asked_ns, 0);
    assert_int_equal(raft_lag(c, 0), 0);
    w.now_ns += 5 * MS;
    append(0, 1, 3, 12, 12, 0);
    assert_int_equal(c->slowest_ns, 5 * MS);
    assert_int_equal(c->commit, 12);
    /* Another cluster with a queue of that name; one that is seen from two sides counts once. */
    append(3, 3, 9, 1, 1, 0);
    assert_int_equal(raft.clusters.num, 2);
    append(0, 3, 9, 1, 1, 0);
    assert_int_equal(raft.clusters.num, 1);
    /* A leader that is one no more; a queue that was deleted and created again. */
    begin_raft();
    append(0, 1, 5, 10, 10, 0);
    append(2, 1, 4, 20, 20, 0);
    c = first();
    assert_int_equal(c->term, 5);
    assert_int_equal(c->commit, 10);
    append(2, 1, 1, 0, 0, 0);
    assert_int_equal(c->term, 1);
    assert_int_equal(c->commit, 0);
    assert_string_equal(raft_node(c, c->leader).data, node[2]);
}

/* Unreadable messages prove nothing. */
static void unreadable(void **state)
{
    (void)state;
    begin_raft();
    begin_terms();
    put_small(7);
    assert_int_equal(say_it(0, 1, "ra:append").what, RAFT_NOTHING);
    begin_terms();
    put_tuple(2);
    put_atom("append_entries_rpc");
    put_integer(1);
    assert_null(say_it(0, 1, "ra:append").cluster);
    begin_terms();
    put_tuple(2);
    put_small(1);
    put_small(2);
    assert_null(say_it(0, 1, "ra:append").cluster);
    found("");
    static char longest[RAFT_NAME_LEN + 2];
    memset(longest, 'q', RAFT_NAME_LEN + 1);
    queue = longest;
    assert_null(append(0, 1, 1, 1, 1, 0).cluster);
    queue = longest + 1;
    assert_non_null(append(0, 1, 1, 1, 1, 0).cluster);
    queue = "orders";
}

static void votes_for(int64_t span_ns, int64_t every_ns)
{
    for (int64_t at = 0; at <= span_ns; at += every_ns) {
        vote(1, 2, 4, true);
        w.now_ns += every_ns;
    }
}

static void leaderless(void **state)
{
    (void)state;
    begin_raft();
    append(0, 1, 3, 10, 10, 2);
    votes_for(9 * SECOND, 3 * SECOND);
    assert_int_equal(w.num, 0);
    vote(1, 2, 4, true);
    assert_int_equal(w.num, 1);
    assert_int_equal(w.last.severity, SEVERITY_ERROR);
    assert_int_equal(w.last.certainty, CERTAINTY_LIKELY);
    sentence_is("the raft cluster orders has no leader");
    detail_has("rabbit@b asks for votes without success for 12.00 s; its members, as far as they were seen: ");
    votes_for(9 * SECOND, 3 * SECOND); /* once */
    assert_int_equal(w.num, 1);
    append(2, 1, 5, 12, 12, 0);
    assert_true(w.last.is_over);
    found("DS603");
    begin_raft(); /* they vote, and one wins each time */
    for (uint32_t term = 1; term < 5; term++) {
        votes_for(6 * SECOND, 2 * SECOND);
        append(1, 2, 4 + term, 1, 1, 0);
        w.now_ns += 30 * SECOND;
    }
    found("");
    begin_raft(); /* votes at one time, and nothing after */
    votes_for(SECOND, SECOND / 10);
    findings_time(w.findings, w.now_ns + 60 * SECOND);
    found("");
    begin_raft(); /* names that are likely */
    likely = 1;
    votes_for(15 * SECOND, 3 * SECOND);
    assert_int_equal(w.last.certainty, CERTAINTY_POSSIBLE);
    found("DS603");
}

/* Whoever did not answer is named. */
static void refusals(void **state)
{
    (void)state;
    begin_raft();
    vote(1, 2, 4, true);
    struct call call = {.number = 1, .conn = 1, .label = "ra:vote", .group = "rabbit",
                        .outcome = CALL_NOPROC, .caller = {.node = text(node[1])},
                        .callee = {.node = text(node[2]), .name = text("orders")},
                        .start_ns = w.now_ns, .end_ns = w.now_ns + MS};
    w.now_ns += MS;
    leaves_out = "DS401 DS310";
    findings_record(w.findings, &(struct record){.call = &call});
    votes_for(15 * SECOND, 3 * SECOND);
    detail_has("rabbit@c (noproc)");
    found("DS603");
}

static void elections(void **state)
{
    (void)state;
    for (uint32_t num = 4; num <= 5; num++) {
        begin_raft();
        append(0, 1, 1, 10, 10, 0);
        for (uint32_t i = 0; i < num; i++) {
            w.now_ns += 2 * SECOND;
            vote(1, 2, 2 + i, false);
            append(1, 2, 2 + i, 10, 10, 0); /* of the same term */
        }
        assert_int_equal(first()->elections, num);
        found(num == 5 ? "DS604" : "");
    }
    assert_int_equal(w.last.severity, SEVERITY_WARNING);
    assert_int_equal(w.last.certainty, CERTAINTY_SURE);
    sentence_is("the leader of the raft cluster orders changes repeatedly");
    detail_has("5 elections within 8.00 s, to term 6");
    begin_raft(); /* as many in hours, as nodes are restarted */
    for (uint32_t i = 1; i < 10; i++) {
        append(1, 2, i, 10, 10, 0);
        w.now_ns += 20 * SECOND;
    }
    found("");
}

static void lags(void **state)
{
    (void)state;
    for (int is_answering = 0; is_answering < 2; is_answering++) {
        begin_raft();
        append(0, 1, 3, 10, 10, 1);
        reply(1, 0, 3, 11);
        for (uint32_t i = 0; i < 7; i++) {
            append(0, 1, 3, 11 + i, 11 + i, 1);
            if (is_answering)
                reply(1, 0, 3, 11 + i);
            w.now_ns += SECOND;
        }
        assert_int_equal(w.num, !is_answering);
        if (is_answering)
            continue;
        sentence_is("rabbit@b does not keep up with the raft cluster orders");
        detail_has("it has not answered its leader for 5.00 s, and lacks 6 entries of 17");
        reply(1, 0, 3, 18);
        assert_true(w.last.is_over);
        found("DS605");
    }
    begin_raft(); /* a member that was never heard: its answers may be unreadable */
    for (uint32_t i = 0; i < 9; i++) {
        append(0, 1, 3, 10 + i, 10 + i, 1);
        w.now_ns += SECOND;
    }
    found("");
    begin_raft(); /* an unreadable message of it came */
    append(0, 1, 3, 10, 10, 1);
    reply(1, 0, 3, 11);
    for (uint32_t i = 0; i < 9; i++) {
        append(0, 1, 3, 11 + i, 11 + i, 1);
        struct ds_event event = event_of(DS_EVENT_MESSAGE, 1);
        event.unknown_atoms = 1;
        put(&event);
        w.now_ns += SECOND;
    }
    found("");
    begin_raft(); /* its node runs; a new link; a leader that pauses */
    for (int why = 0; why < 3; why++) {
        append(0, 1, 3, 10, 10, 1);
        reply(1, 0, 3, 11);
        for (uint32_t i = 0; i < 9; i++) {
            append(0, why == 1 && i >= 4 ? 2 : 1, 3, 11 + i, 11 + i, 1);
            w.now_ns += why == 2 ? 4 * SECOND : SECOND;
            w.link.side[1].last_data_ns = why == 0 ? w.now_ns : 0;
        }
    }
    found("");
    for (int runs = 0; runs < 3; runs++) { /* in a file, messages have no facts of their link */
        begin_raft();
        w.conn.link = NULL;
        append(0, 1, 3, 10, 10, 1);
        reply(1, 0, 3, 11);
        for (uint32_t i = 0; i < 7; i++) {
            append(0, 1, 3, 11 + i, 11 + i, 1);
            struct ds_event event = event_of(runs == 1 ? DS_EVENT_MESSAGE : DS_EVENT_TICK, 1);
            if (runs != 0)
                findings_record(w.findings, &(struct record){.event = &event,
                                                             .note = {.group = "rabbit", .label = "aten:heartbeat"}});
            w.now_ns += SECOND;
        }
        found(runs == 0 ? "DS605" : "");
    }
    begin_raft(); /* it answers, and is far behind */
    for (uint32_t i = 0; i < 12; i++) {
        append(0, 1, 3, 5000 + i, 5000 + i, 1);
        reply(1, 0, 3, 4000 + (i == 5));
        w.now_ns += 2 * SECOND;
    }
    assert_int_equal(w.num, 1);
    detail_has("it lacks 1005 entries of 5006, and 1000 or more for 10.00 s");
    reply(1, 0, 3, 5010);
    assert_true(w.last.is_over);
    found("DS605");
    begin_raft(); /* a snapshot again and again */
    for (int i = 0; i < 3; i++) {
        snapshot(0, 1, 3, 1);
        snapshot(0, 1, 3, 2);
        w.now_ns += SECOND;
        assert_int_equal(w.num, i == 2);
    }
    detail_has("its leader began to send it 3 snapshots within 2.00 s");
    found("DS605");
    begin_raft(); /* now and then */
    for (int i = 0; i < 5; i++) {
        snapshot(0, 1, 3, 1);
        w.now_ns += 61 * SECOND;
    }
    found("");
}

/* Three rounds of votes in ten seconds; and a member that refused from the first one on. */
static void leaderless_at_least(void **state)
{
    enum { JUST, SOON, TWO_ROUNDS, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin_raft();
        append(0, 1, 3, 10, 10, 2);
        w.now_ns += SECOND;
        const int64_t first_ns = w.now_ns;
        vote(1, 2, 4, true);
        struct call call = {.number = 1, .conn = 1, .label = "ra:vote", .group = "rabbit",
                            .outcome = CALL_NOPROC, .caller = {.node = text(node[1])},
                            .callee = {.node = text(node[2]), .name = text("orders")},
                            .start_ns = w.now_ns, .end_ns = w.now_ns};
        leaves_out = "DS401 DS310";
        findings_record(w.findings, &(struct record){.call = &call});
        if (i != TWO_ROUNDS) {
            w.now_ns = first_ns + 5 * SECOND;
            vote(1, 2, 4, true);
        }
        w.now_ns = first_ns + 10 * SECOND - (i == SOON);
        vote(1, 2, 4, true);
        if (i == JUST)
            detail_has("for 10.00 s; its members, as far as they were seen: rabbit@b, rabbit@a, rabbit@c (noproc)");
        found(i == JUST ? "DS603" : "");
    }
}

static void elections_within(void **state)
{
    (void)state;
    for (int is_slow = 0; is_slow < 2; is_slow++) { /* the fifth a minute after the first */
        begin_raft();
        append(0, 1, 1, 10, 10, 0);
        for (uint32_t i = 0; i < 5; i++) {
            w.now_ns += 15 * SECOND + (i == 4 ? is_slow : 0);
            append(1, 2, 2 + i, 10, 10, 0);
        }
        found(is_slow ? "" : "DS604");
    }
}

/* Signs that a follower may have answered, and others; how often it is asked, and for how long. */
static void lags_at_least(void **state)
{
    enum { THRICE, TWICE, SOON, HEARD_BEFORE, HEARD, UNREAD, UNREAD_BEFORE, UNACKED, NOTHING_LACKS, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin_raft();
        leaves_out = "DS401 DS214 DS201";
        append(0, 1, 3, 10, 10, 1);
        reply(1, 0, 3, 11);
        const int64_t asked_ns = w.now_ns + SECOND;
        struct ds_event event = event_of(DS_EVENT_MESSAGE, 1);
        w.now_ns = event.ts_ns = asked_ns - (i == UNREAD_BEFORE);
        event.unknown_atoms = 1;
        if (i == UNREAD || i == UNREAD_BEFORE)
            put(&event);
        w.now_ns = asked_ns;
        append(0, 1, 3, 11, 11, i != NOTHING_LACKS);
        w.link.side[1].last_data_ns = i == HEARD_BEFORE ? asked_ns : i == HEARD ? asked_ns + 1 : 0;
        if (i == UNACKED)
            put_stall(DS_STALL_LOST, SECOND, false, 40);
        w.now_ns += 2 * SECOND;
        if (i != TWICE)
            append(0, 1, 3, 11, 11, i != NOTHING_LACKS);
        w.now_ns = asked_ns + 5 * SECOND - (i == SOON);
        append(0, 1, 3, 11, 11, i != NOTHING_LACKS);
        const bool lags = i == THRICE || i == HEARD_BEFORE || i == UNREAD_BEFORE || i == NOTHING_LACKS;
        if (lags)
            detail_has(i == NOTHING_LACKS ? "its leader for 5.00 s, and lacks 0 entries of 11"
                                          : "its leader for 5.00 s, and lacks 1 entries of 12");
        found(lags ? "DS605" : "");
    }
    for (int is_behind = 0; is_behind < 2; is_behind++) { /* it has caught up when it lacks a hundred */
        begin_raft();
        for (uint32_t i = 0; i < 7; i++) {
            append(0, 1, 3, 5000, 5000, 0);
            reply(1, 0, 3, 4000);
            w.now_ns += 2 * SECOND;
        }
        assert_int_equal(w.num, 1);
        reply(1, 0, 3, 4900 - (uint32_t)is_behind);
        assert_int_equal(w.last.is_over, !is_behind);
        found("DS605");
    }
    begin_raft(); /* members without room */
    for (int to = 1; to < 9; to++)
        append(0, to, 3, 10, 10, 1);
    reply(8, 0, 3, 10);
    assert_int_equal(first()->num_members, RAFT_MEMBERS);
    assert_true(first()->has_more);
    found("");
}

/* Missing packets make each finding less certain. */
static void gaps(void **state)
{
    (void)state;
    for (int code = 0; code < 3; code++) {
        begin_raft();
        append(0, 1, 3, 10, 10, 2);
        reply(1, 0, 3, 12);
        const struct loss loss = {.cause = LOSS_QUEUE, .count = 1, .first_ns = w.now_ns + SECOND,
                                  .last_ns = w.now_ns + SECOND};
        findings_lost(w.findings, &loss);
        w.now_ns += 2 * MS;
        if (code == 0)
            votes_for(15 * SECOND, 3 * SECOND);
        for (uint32_t i = 0; code == 1 && i < 5; i++) {
            append(0, 1, 4 + i, 12, 12, 0);
            reply(1, 0, 4 + i, 12);
            w.now_ns += SECOND;
        }
        for (uint32_t i = 0; code == 2 && i < 7; i++) {
            append(0, 1, 3, 12, 12 + i, 1);
            w.now_ns += SECOND;
        }
        assert_int_equal(w.last.certainty, code == 1 ? CERTAINTY_LIKELY : CERTAINTY_POSSIBLE);
        found(code == 0 ? "DS603" : code == 1 ? "DS604" : "DS605");
    }
}

/* More clusters and members than there is room for. */
static void caps(void **state)
{
    static char names[1100][16];
    (void)state;
    begin_raft();
    for (int i = 0; i < 1100; i++) {
        snprintf(names[i], sizeof names[i], "q%d", i);
        queue = names[i];
        append(0, 1, 1, 1, 1, 0);
    }
    queue = "orders";
    assert_int_equal(raft.clusters.num, 1024);
    assert_int_equal(raft.clusters.num_forgotten, 76);
    begin_raft();
    failing_alloc_at(1);
    append(0, 1, 1, 1, 1, 0);
    failing_alloc_at(0);
    assert_true(raft.clusters.num <= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(told),     cmocka_unit_test(unreadable), cmocka_unit_test(leaderless),
        cmocka_unit_test(refusals), cmocka_unit_test(elections),  cmocka_unit_test(lags),
        cmocka_unit_test(leaderless_at_least), cmocka_unit_test(elections_within), cmocka_unit_test(lags_at_least),
        cmocka_unit_test(gaps),     cmocka_unit_test(caps),
    };
    raft_init(&raft);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    raft_free(&raft);
    findings_free(w.findings);
    ds_buffer_free(&term_bytes);
    return failed;
}
