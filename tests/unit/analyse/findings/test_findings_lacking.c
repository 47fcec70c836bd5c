/*
 * test_findings_lacking.c - findings across a loss are never certain: each finding with the same
 * evidence and something missing within it, packets of the connection or records of any connection.
 * It must be less certain, or not found.
 */
#include "findings_world.h"

enum lack { NOTHING, GAP, LOST, LOST_BEFORE, LATE_GAP };
static enum lack lack;

/* within is called after one part of the evidence and before another part. */
static void within(void)
{
    const struct loss loss = {.cause = LOSS_QUEUE, .count = 1, .first_ns = w.now_ns, .last_ns = w.now_ns};
    if (lack == GAP)
        put_gap();
    if (lack == LOST)
        findings_lost(w.findings, &loss);
    w.now_ns += MS;
}

static void refuses_cookie(void)
{
    shake(DS_STEP_CHALLENGE_REPLY, "alice@a", "bob@b");
    within();
    close_by(1, MS, DS_CLOSE_FIN);
}

static void is_unreachable(void)
{
    asked("bob");
    w.link.side[0].first_ns = w.now_ns;
    w.link.side[0].syns = 3;
    within();
    close_by(-1, 7 * SECOND, DS_CLOSE_SYN_TIMEOUT);
}

static void has_no_epmd(void)
{
    w.conn.end[1].port = EPMD;
    w.link.side[0].first_ns = w.now_ns;
    within();
    close_by(1, MS, DS_CLOSE_RESET);
    findings_time(w.findings, w.now_ns + 20 * SECOND);
}

static void does_not_answer(void)
{
    w.link.side[1].syns = 1;
    step(DS_STEP_SEND_NAME, 0, "alice@a");
    within();
    close_by(0, 7 * SECOND, DS_CLOSE_FIN);
}

static void falls_silent(void)
{
    up();
    w.now_ns += 30 * SECOND;
    within();
    w.now_ns += 30 * SECOND;
    w.link.side[0].last_data_ns = w.link.side[1].last_ns = w.now_ns;
    w.link.side[0].tick_intervals = 4;
    w.link.side[0].tick_last_ns = 15 * SECOND;
    half_close(0, DS_CLOSE_FIN);
}

static void is_not_acknowledged(void)
{
    up();
    w.now_ns += 2 * SECOND;
    within();
    struct ds_event event = event_of(DS_EVENT_STALL, 0);
    event.stall = (struct ds_stall){.why = DS_STALL_LOST, .in_flight = 4, .start_ns = w.now_ns};
    put(&event);
    findings_time(w.findings, w.now_ns + 80 * SECOND);
}

static void misses_ticks(void)
{
    up();
    within();
    w.link.side[1].tick_intervals = 3;
    w.link.side[1].tick_min_ns = w.link.side[1].tick_max_ns = 15 * SECOND;
    for (int i = 1; i <= 5; i++) { /* the other one does tick in between */
        w.now_ns += 10 * SECOND;
        w.link.side[1].max_idle_ns = i == 5 ? 50 * SECOND + MS : 0;
        const struct ds_event tick = event_of(DS_EVENT_TICK, 0);
        put(&tick);
    }
}

static void ticks_less_often(void)
{
    up();
    within();
    for (int end = 0; end < 2; end++) {
        struct ds_tcp_side *side = &w.link.side[end];
        side->tick_intervals = 3;
        side->tick_min_ns = side->tick_max_ns = side->tick_last_ns = (2 + end) * SECOND;
    }
    struct ds_event tick = event_of(DS_EVENT_TICK, 0);
    put(&tick);
}

static void stall(enum ds_stall_why why, uint64_t in_flight)
{
    up();
    const int64_t start_ns = w.now_ns;
    w.now_ns += SECOND;
    within();
    w.now_ns += 5 * SECOND;
    w.link.side[1].data_segments = 5;
    w.link.side[1].last_ns = w.now_ns;
    struct ds_event event = event_of(DS_EVENT_STALL, 0);
    event.stall = (struct ds_stall){.why = why, .is_over = why != DS_STALL_LOST, .in_flight = in_flight,
                                    .tries = 3, .start_ns = start_ns, .duration_ns = w.now_ns - start_ns};
    put(&event);
}

static void does_not_read(void)
{
    stall(DS_STALL_ZERO_WINDOW, 100);
}

/* wakes_up: bob was suspended, and his next data is answered with a RST. */
static void wakes_up(void)
{
    up();
    const int64_t heard_ns = w.link.side[1].last_data_ns = w.now_ns;
    struct ds_event event = event_of(DS_EVENT_STALL, 0);
    event.stall = (struct ds_stall){.why = DS_STALL_ZERO_WINDOW, .in_flight = 100, .tries = 3,
                                    .start_ns = heard_ns, .duration_ns = SECOND};
    w.now_ns += SECOND;
    put(&event);
    within();
    w.now_ns += 60 * SECOND;
    w.link.side[1].last_data_ns = w.now_ns;
    w.link.side[1].max_idle_ns = w.now_ns - heard_ns;
    half_close(0, DS_CLOSE_RESET);
}

static void loses_large_ones(void)
{
    stall(DS_STALL_LOST, 1448);
}

static void holds_the_link(void)
{
    up();
    within();
    w.now_ns += 2 * SECOND;
    struct ds_event event = message(0, "", 0);
    event.message.wire_ns = 2 * SECOND + MS;
    put(&event);
}

static void flaps(void)
{
    for (int i = 0; i < 3; i++) {
        if (i != 0)
            next_conn();
        if (i == 2)
            within();
        up();
    }
}

static void loses_packets(void)
{
    up();
    within();
    w.link.side[0].data_segments = 200;
    w.link.side[0].retransmitted = 100;
    struct ds_event tick = event_of(DS_EVENT_TICK, 0);
    put(&tick);
}

static struct call asked_call(enum call_outcome outcome)
{
    return (struct call){.number = 7, .conn = w.conn.number, .label = "gen:call", .group = "",
                         .caller = {.node = text("alice@127.0.0.1"), .has_pid = true, .id = 5},
                         .callee = {.node = text("bob@127.0.0.1"), .name = text("calc")},
                         .start_ns = w.now_ns, .start_frame = 3, .end_frame = 4, .outcome = outcome};
}

static void ends(struct call *call, int64_t after_ns)
{
    w.now_ns += after_ns;
    call->end_ns = w.now_ns;
    findings_record(w.findings, &(struct record){.call = call});
}

static void is_not_answered(void)
{
    up();
    struct call call = asked_call(CALL_UNANSWERED);
    within();
    ends(&call, 6 * SECOND);
}

static void lacks_a_fun(void)
{
    up();
    struct call call = asked_call(CALL_ERROR);
    within();
    begin_terms();
    put_tuple(2);
    put_atom("badfun");
    put_atom("f");
    call.reason = term_since(0);
    ends(&call, MS);
}

static void is_answered_late(void)
{
    up();
    within();
    w.now_ns += 6 * SECOND;
    struct ds_event event = event_of(DS_EVENT_MESSAGE, 1);
    findings_record(w.findings, &(struct record){.event = &event,
                                                 .note = {.late = true, .has_latency = true,
                                                          .latency_ns = 6 * SECOND + MS, .call = 7}});
}

static void runs_out_of_time(void)
{
    up();
    struct call call = asked_call(CALL_TIMEOUT);
    within();
    ends(&call, 5 * SECOND);
}

static void are_parted(void)
{
    up();
    for (int end = 0; end < 2; end++) {
        w.link.side[end].tick_intervals = 3;
        w.link.side[end].tick_min_ns = w.link.side[end].tick_max_ns = 4 * SECOND;
        w.link.side[end].tick_last_ns = 4 * SECOND;
    }
    const struct ds_conn conn = w.conn;
    const struct ds_tcp_stats link = w.link;
    for (int k = 0; k < 12; k++) { /* others go on */
        w.now_ns += SECOND;
        next_conn();
        w.conn.number += 50;
        struct ds_event tick = event_of(DS_EVENT_TICK, 0);
        put(&tick);
    }
    w.conn = conn;
    w.conn.link = &w.link;
    w.link = link;
    within();
    w.link.silence_ns = 12 * SECOND;
    half_close(1, DS_CLOSE_RESET);
}

static void fails_always(void)
{
    up();
    for (int i = 0; i < 5; i++) {
        struct call call = asked_call(CALL_NOPROC);
        if (i == 4)
            within();
        ends(&call, MS);
    }
}

static void starts_again(void)
{
    for (uint32_t i = 1; i <= 3; i++) {
        next_conn();
        if (i == 3)
            within();
        up_as(i);
        w.now_ns += SECOND;
    }
}

static void ignores_resets(void)
{
    up();
    within();
    w.link.side[1].segments = 20;
    w.link.side[1].usual_ttl[0] = 64;
    w.link.side[1].ignored = (struct ds_ignored){.resets = 9, .first_frame = 7, .last_frame = 8,
                                                 .first_ns = w.now_ns, .min_ttl = 50, .max_ttl = 50};
    struct ds_event tick = event_of(DS_EVENT_TICK, 0);
    put(&tick);
}

/* is_held_down: an end asks whether the other's mnesia considers its own as down, and it does. */
static void is_held_down(int asker)
{
    static const char *const name[] = {"alice@127.0.0.1", "bob@127.0.0.1"};
    struct call call = asked_call(CALL_OK);
    begin_terms();
    put_atom("mnesia_monitor");
    call.mod = term_since(0);
    size_t at = term_bytes.len;
    put_atom("has_remote_mnesia_down");
    call.fun = term_since(at);
    at = term_bytes.len;
    put_tuple(2);
    put_atom("true");
    put_atom(name[!asker]);
    call.result = term_since(at);
    call.label = "erpc:call";
    call.caller.node = text(name[asker]);
    call.callee.node = text(name[!asker]);
    ends(&call, MS);
}

static void is_split(void)
{
    up();
    is_held_down(0);
    within();
    is_held_down(1);
}

static void answers_at_once(void)
{
    static const uint8_t payload[] = {106};
    up();
    const int64_t zero_ns = w.now_ns;
    struct ds_tcp_side *side = &w.link.side[1];
    side->pause_from_ns = zero_ns;
    w.now_ns += SECOND;
    within();
    side->pause_heard_ns = zero_ns + 900 * MS;
    side->pause_to_ns = w.now_ns = zero_ns + 9 * SECOND;
    const struct ds_event event = message(1, payload, sizeof payload);
    put(&event);
    for (uint32_t i = 1; i <= 2; i++) {
        struct call call = asked_call(CALL_OK);
        call.callee = (struct party){.node = text("bob@127.0.0.1"), .has_pid = true, .id = i};
        call.start_ns = zero_ns + i * 300 * MS;
        call.end_ns = w.now_ns;
        put_call(&call);
    }
}

static void is_called_otherwise(const char *asked_for, const char *name)
{
    if (asked_for != NULL)
        asked(asked_for);
    shake(DS_STEP_CHALLENGE, "alice@a", name);
    within();
    close_by(0, MS, DS_CLOSE_FIN);
}

static void is_another(void)
{
    is_called_otherwise("bob", "carol@b");
}

static void has_a_long_name(void)
{
    is_called_otherwise(NULL, "bob@b.example.org");
}

static void is_too_old(void)
{
    struct ds_event event = event_of(DS_EVENT_HANDSHAKE, 0);
    event.handshake = (struct ds_handshake){.step = DS_STEP_SEND_NAME, .version = 6, .name = text("alice@a"),
                                            .has_flags = true, .flags = 0x37ffd};
    w.conn.end[0].node = text("alice@a");
    w.conn.counters[0].bytes = 30;
    put(&event);
    within();
    close_by(1, MS, DS_CLOSE_FIN);
}

static void listens_on_the_other_version(void)
{
    asked("bob");
    w.conn.end[0].addr = w.conn.end[1].addr = (struct ds_addr){6, {[15] = 9}};
    w.link.side[0].first_ns = w.now_ns;
    within();
    close_by(1, MS, DS_CLOSE_RESET);
}

static void speaks_tls(void)
{
    step(DS_STEP_SEND_NAME, 0, "alice@a");
    const struct ds_event event = event_of_alert();
    put(&event);
    within();
    close_by(1, MS, DS_CLOSE_FIN);
}

static void closes_in_the_handshake(void)
{
    shake(DS_STEP_CHALLENGE_REPLY, "alice@a", "bob@b");
    within();
    close_by(0, 900 * MS, DS_CLOSE_FIN);
}

/* shaking is a TLS handshake under way. */
static struct ds_tls shaking(void)
{
    change(DS_CONN_OPEN, 0, false);
    w.conn.counters[0].bytes = w.conn.counters[1].bytes = 300;
    w.link.side[0].data_bytes = w.link.side[1].data_bytes = 300;
    w.link.side[0].last_data_ns = w.now_ns;
    w.link.side[1].last_data_ns = w.now_ns + MS;
    return (struct ds_tls){
        .version = 0x0303, .offered = 0x0303, .has_hello = {true, true}, .has_ended = {true, true}};
}

static void alerts(uint8_t code)
{
    struct ds_tls tls = shaking();
    w.conn.tls = &tls;
    tls.has_alert[1] = true;
    tls.alert_code[1] = code;
    within();
    close_by(1, MS, DS_CLOSE_FIN);
}

static void refuses_a_certificate(void)
{
    alerts(48);
}

static void has_nothing_in_common(void)
{
    alerts(70);
}

static void stops_in_tls(void)
{
    struct ds_tls tls = shaking();
    w.conn.tls = &tls;
    w.link.side[0].last_data_ns = w.now_ns + 2 * MS;
    within();
    close_by(0, 7 * SECOND, DS_CLOSE_FIN);
}

static void is_cut_one_way(void)
{
    up();
    const int64_t start_ns = w.now_ns + 100 * MS;
    w.now_ns = start_ns + 1400 * MS;
    w.link.side[1].last_ns = w.now_ns;
    struct ds_event event = event_of(DS_EVENT_STALL, 0);
    event.stall = (struct ds_stall){.why = DS_STALL_LOST, .start_ns = start_ns, .in_flight = 40,
                                    .duration_ns = w.now_ns - start_ns};
    put(&event);
    within();
    findings_time(w.findings, start_ns + 4 * SECOND);
}

static void sends_nonsense(void)
{
    up();
    within();
    struct ds_event event = event_of(DS_EVENT_MESSAGE, 0);
    event.fault = (struct ds_fault){DS_FAULT_MALFORMED, 9, "no term begins like this"};
    event.message.control = (struct ds_term){.data = (const uint8_t *)"j", .len = 1};
    put(&event);
}

static void sends_to_many(void)
{
    static uint8_t payload[30000];
    up();
    for (uint8_t n = 0; n < 5; n++) {
        const uint8_t name[] = {119, 1, (uint8_t)('a' + n)};
        if (n == 3)
            within();
        struct ds_event event = message(0, payload, sizeof payload);
        event.message.role[DS_ROLE_TO] = (struct ds_term){.data = name, .len = sizeof name};
        w.now_ns += MS;
        event.ts_ns = w.now_ns;
        put(&event);
    }
}

static void makes_atoms(void)
{
    up();
    for (int n = 0; n < 300; n++) {
        char name[40];
        snprintf(name, sizeof name, "user_%x", n);
        const struct ds_atom atom = {
            .text = (const uint8_t *)name, .len = (uint16_t)strlen(name), .state = DS_ATOM_KNOWN, .is_new = true};
        if (n == 100)
            within();
        struct ds_event event = message(0, NULL, 0);
        event.message.control = (struct ds_term){.atoms = &atom, .num_atoms = 1};
        put(&event);
    }
}

static void renews_keys(void)
{
    struct ds_tls tls = shaking();
    w.conn.tls = &tls;
    tls.data_records[0] = tls.data_records[1] = 100;
    change(DS_CONN_UP, 0, false);
    tls.key_updates[0] = tls.key_updates[1] = 2;
    w.now_ns += 100 * SECOND;
    within();
    w.now_ns += 100 * SECOND;
    change(DS_CONN_CLOSED, 0, true);
}

static void does_not_get_a_lock(void)
{
    up();
    lock_call("global:set_lock", "carol@c", "true");
    for (int n = 0; n < 6; n++) {
        if (n == 3)
            within();
        lock_call("global:set_lock", "alice@a", "false");
    }
}

static void crashes_by_itself(void)
{
    up();
    within();
    begin_terms();
    put_reason("badarith", "handle_cast");
    struct ds_event event = message(1, "j", 1);
    event.message.op = ds_op_find(21); /* monitor_p_exit */
    event.message.payload = (struct ds_term){0};
    event.message.role[DS_ROLE_REASON] = term_since(0);
    findings_record(w.findings, &(struct record){.event = &event, .note.from_name = text("calc")});
}

/* asks asks a name server, or gets its answer: there is no such name. */
static void asks(const char *host, bool is_answer)
{
    struct ds_conn conn = {.end = {{.addr = {4, {10, 0, 0, 1}}}, {.addr = {4, {10, 0, 0, 53}}}}};
    struct ds_event event = event_of(DS_EVENT_LOOKUP, is_answer);
    event.conn = &conn;
    event.lookup = (struct ds_lookup){
        .name = text(host), .type = DS_LOOKUP_A, .is_answer = is_answer, .code = is_answer ? 3 : 0};
    put(&event);
}

static void does_not_resolve(void)
{
    asked("alice"); /* nodes are known on her host, and bob's host is in the name of one */
    step(DS_STEP_SEND_NAME, 1, "bob@bob");
    asks("bob", false);
    within();
    asks("bob", true);
    findings_time(w.findings, w.now_ns + 2 * SECOND);
}

static void are_stuck(void)
{
    step(DS_STEP_SEND_NAME, 0, "alice@a");
    step(DS_STEP_STATUS, 1, "ok_simultaneous");
    within();
    findings_time(w.findings, w.now_ns + 10 * SECOND);
}

static void is_cut_while_idle(void)
{
    up();
    w.now_ns += 5 * SECOND;
    within();
    w.now_ns += 5 * SECOND;
    w.link.silence_ns = 10 * SECOND;
    w.link.side[0].last_data_ns = w.now_ns;
    half_close(1, DS_CLOSE_RESET);
    next_conn();
    up();
}

static void is_parted_by_global(void)
{
    shake(DS_STEP_CHALLENGE_ACK, "alice@a", "carol@c");
    change(DS_CONN_UP, 0, false);
    half_close(0, DS_CLOSE_FIN);
    next_conn();
    up();
    begin_terms();
    for (int i = 0; i < 2; i++) {
        const size_t at = term_bytes.len;
        put_tuple(5);
        put_atom(i == 0 ? "lost_connection" : "remove_connection");
        put_atom("alice@a");
        put_small(1);
        put_small(1);
        put_atom("carol@c");
        struct ds_event event = message(0, NULL, 0);
        event.message.payload = term_since(at);
        findings_record(w.findings, &(struct record){.event = &event,
                                                     .note.label = i == 0 ? "global:lost_connection"
                                                                          : "global:remove_connection"});
        within();
    }
}

/* joins makes a link of two nodes on hosts of their own. */
static void joins(const char *one, uint8_t host_one, const char *two, uint8_t host_two)
{
    shake(DS_STEP_CHALLENGE_ACK, one, two);
    w.conn.end[0].addr = (struct ds_addr){4, {10, 0, 0, host_one}};
    w.conn.end[1].addr = (struct ds_addr){4, {10, 0, 0, host_two}};
    change(DS_CONN_UP, 0, false);
    next_conn();
}

static void lacks_a_link(void)
{
    joins("alice@a", 1, "bob@b", 2);
    joins("bob@b", 2, "carol@c", 3);
    w.conn.end[0].addr = (struct ds_addr){4, {10, 0, 0, 3}};
    w.conn.end[1].addr = (struct ds_addr){4, {10, 0, 0, 1}};
    within();
    close_by(-1, MS, DS_CLOSE_SYN_TIMEOUT);
    findings_time(w.findings, w.now_ns + 10 * SECOND);
}

static const struct play {
    const char *code;
    void (*go)(void);
    bool has_no_conn; /* no packet of a connection is missing, as it has no connection */
} plays[] = {
    {"DS101", refuses_cookie, false},      {"DS105", is_unreachable, true},
    {"DS106", has_no_epmd, true},          {"DS115", does_not_answer, false},
    {"DS201", falls_silent, false},        {"DS201", is_not_acknowledged, false},
    {"DS201", wakes_up, false},            {"DS201", are_parted, false},
    {"DS301", is_answered_late, false},    {"DS313", runs_out_of_time, false},
    {"DS202", misses_ticks, false},        {"DS203", ticks_less_often, false},
    {"DS205", does_not_read, false},       {"DS206", holds_the_link, false},
    {"DS207", loses_large_ones, false},    {"DS209", flaps, true},
    {"DS212", loses_packets, false},       {"DS302", lacks_a_fun, false},
    {"DS305", is_not_answered, false},     {"DS310", fails_always, false},
    {"DS505", ignores_resets, false},      {"DS215", starts_again, true},
    {"DS216", answers_at_once, false},
    {"DS601", is_split, false},            {"DS102", is_another, false},
    {"DS103", has_a_long_name, false},     {"DS104", is_too_old, false},
    {"DS110", listens_on_the_other_version, true},
    {"DS111", speaks_tls, false},          {"DS119", closes_in_the_handshake, false},
    {"DS112", refuses_a_certificate, false},
    {"DS120", has_nothing_in_common, false},
    {"DS122", stops_in_tls, false},        {"DS214", is_cut_one_way, false},
    {"DS306", sends_nonsense, false},      {"DS307", sends_to_many, false},
    {"DS309", makes_atoms, false},         {"DS213", renews_keys, false},
    {"DS303", does_not_get_a_lock, false}, {"DS314", crashes_by_itself, false},
    {"DS109", does_not_resolve, true},     {"DS114", are_stuck, false},
    {"DS208", is_cut_while_idle, false},   {"DS210", is_parted_by_global, false},
    {"DS211", lacks_a_link, false},
};

/* certainty_of plays, and returns the certainty of a code; CERTAINTY_POSSIBLE + 1: it is not found. */
static int certainty_of(const struct play *play, enum lack what)
{
    lack = what;
    begin();
    w.now_ns += SECOND;
    if (what == LOST_BEFORE) {
        const struct loss loss = {.count = 1, .first_ns = w.now_ns - 1, .last_ns = w.now_ns - 1};
        findings_lost(w.findings, &loss);
    }
    play->go();
    if (what == LATE_GAP)
        put_gap();
    findings_end(w.findings);
    assert_true(w.num < 2 || strstr(w.log, play->code) == NULL || strcmp(w.last.kind->code, play->code) == 0);
    return strstr(w.log, play->code) == NULL ? CERTAINTY_POSSIBLE + 1 : (int)w.last.certainty;
}

static void less_certain(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof plays / sizeof plays[0]; i++) {
        const struct play *play = &plays[i];
        const int whole = certainty_of(play, NOTHING), before = certainty_of(play, LOST_BEFORE);
        const int gap = certainty_of(play, GAP), lost = certainty_of(play, LOST);
        if (whole > CERTAINTY_POSSIBLE)
            fail_msg("%s is not found: '%s'", play->code, w.log);
        if (before != whole)
            fail_msg("%s: what is lost before counts", play->code);
        if (!play->has_no_conn && gap <= whole)
            fail_msg("%s: %d with a gap, %d without", play->code, gap, whole);
        if (lost <= whole || lost > CERTAINTY_POSSIBLE)
            fail_msg("%s: %d where records are lost, %d without", play->code, lost, whole);
    }
}

/* A gap is known a while after later packets: findings in between are partly withdrawn. */
static void known_later(void **state)
{
    static const struct play sure = {"DS205", does_not_read, false};
    (void)state;
    assert_int_equal(certainty_of(&sure, NOTHING), CERTAINTY_SURE);
    assert_int_equal(certainty_of(&sure, LATE_GAP), CERTAINTY_LIKELY);
    detail_has("; packets are missing in that time");
    lack = NOTHING;
    for (int late = 0; late < 2; late++) { /* but not one from long before */
        begin();
        does_not_read();
        w.now_ns += 5 * SECOND + late;
        put_gap();
        put_gap(); /* once */
        assert_int_equal(w.last.certainty, late ? CERTAINTY_SURE : CERTAINTY_LIKELY);
    }
    begin(); /* of another connection */
    does_not_read();
    next_conn();
    put_gap();
    assert_int_equal(w.last.certainty, CERTAINTY_SURE);
}

/* If one packet proves a finding, missing packets do not matter. */
static void one_packet(void **state)
{
    (void)state;
    for (int is_lost = 0; is_lost < 2; is_lost++) {
        begin();
        lack = is_lost ? LOST : NOTHING;
        up();
        within();
        half_close(0, DS_CLOSE_FIN);
        found("DS204");
        assert_int_equal(w.last.certainty, CERTAINTY_SURE);
    }
}

/* The cap on remembered losses: the latest ones. */
static void many_losses(void **state)
{
    enum { AT_MOST = 16 }; /* MAX_HOLES */
    (void)state;
    for (int num = AT_MOST - 1; num <= AT_MOST; num++) {
        lack = LOST;
        begin();
        shake(DS_STEP_CHALLENGE_REPLY, "alice@a", "bob@b");
        within();
        for (int i = 0; i < num; i++) {
            const struct loss old = {.count = 1, .first_ns = 1, .last_ns = 2};
            findings_lost(w.findings, &old);
        }
        close_by(1, MS, DS_CLOSE_FIN);
        found("DS101");
        assert_int_equal(w.last.certainty, num < AT_MOST ? CERTAINTY_POSSIBLE : CERTAINTY_LIKELY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(less_certain),
        cmocka_unit_test(known_later),
        cmocka_unit_test(one_packet),
        cmocka_unit_test(many_losses),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    findings_free(w.findings);
    ds_buffer_free(&term_bytes);
    return failed;
}
