/*
 * test_findings_lacking.c - findings across a loss are never certain: each finding with the same
 * evidence and something missing within it, packets of the connection or records of any connection.
 * It must be less certain, or not found.
 */
#include "lacking_messages.h"

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
