/*
 * test_findings_starts.c - DS215: a node starts again and again: by its creations in handshakes and
 * at EPMD, how often, how fast; and near misses.
 */
#include "findings_world.h"

/* comes: bob, or alice, is up with that creation. */
static void one_comes(int end, uint32_t creation, int64_t after_ns)
{
    w.now_ns += after_ns;
    next_conn();
    shake(DS_STEP_CHALLENGE_ACK, "alice@a", "bob@b");
    w.conn.end[end].creation = creation;
    w.link.side[0].last_ns = w.link.side[1].last_ns = w.now_ns;
    change(DS_CONN_UP, 0, false);
}

static void comes(uint32_t creation, int64_t after_ns)
{
    one_comes(1, creation, after_ns);
}

static void by_handshake(void **state)
{
    (void)state;
    begin();
    for (uint32_t i = 1; i <= 4; i++) {
        comes(i, 2 * SECOND);
        assert_int_equal(strstr(w.log, "DS215") != NULL, i >= 3);
        if (i == 3)
            assert_int_equal(w.last.severity, SEVERITY_WARNING);
    }
    assert_int_equal(w.last.severity, SEVERITY_ERROR); /* three changes */
    sentence_is("bob@b restarts repeatedly");
    detail_has("3 starts within 4.00 s");
    comes(5, 2 * SECOND); /* the same finding goes on */
    detail_has("4 starts within 6.00 s, each with another creation, the latest 5");
    assert_int_equal(w.last.count, 3);
    begin(); /* the same one, again and again */
    for (int i = 0; i < 6; i++)
        comes(7, SECOND);
    assert_null(strstr(w.log, "DS215"));
    begin(); /* once in a while */
    for (uint32_t i = 1; i <= 6; i++)
        comes(i, 61 * SECOND);
    assert_null(strstr(w.log, "DS215"));
    begin(); /* within a minute, just */
    comes(1, SECOND);
    comes(2, SECOND);
    comes(3, 60 * SECOND);
    assert_non_null(strstr(w.log, "DS215"));
    begin();
    comes(1, SECOND);
    comes(2, SECOND);
    comes(3, 60 * SECOND + 1);
    assert_null(strstr(w.log, "DS215"));
    begin(); /* creations that are not known: a gap, or joined late */
    for (int i = 0; i < 6; i++)
        comes(0, SECOND);
    assert_null(strstr(w.log, "DS215"));
    begin(); /* among those that are */
    comes(1, SECOND);
    comes(0, SECOND);
    comes(2, SECOND);
    assert_null(strstr(w.log, "DS215"));
    for (int is_hidden = 0; is_hidden < 2; is_hidden++) { /* alice, who may be a tool */
        begin();
        w.hidden = is_hidden;
        for (uint32_t i = 1; i <= 5; i++)
            one_comes(0, i, SECOND);
        assert_int_equal(strstr(w.log, "DS215") != NULL, !is_hidden);
    }
}

static void registers(uint32_t creation, uint8_t type, int closed_by)
{
    w.now_ns += SECOND;
    next_conn();
    w.conn.end[1].port = EPMD;
    struct ds_event event = event_of(DS_EVENT_EPMD, 0);
    event.epmd = (struct ds_epmd){.op = DS_EPMD_ALIVE2_REQ, .name = text("bob"), .node_type = type};
    put(&event);
    event = event_of(DS_EVENT_EPMD, 1);
    event.epmd = (struct ds_epmd){.op = DS_EPMD_ALIVE2_X_RESP, .creation = creation};
    put(&event);
    w.link.closed_by = (int8_t)closed_by;
    w.link.close = DS_CLOSE_FIN;
    change(DS_CONN_CLOSED, closed_by < 0 ? 0 : closed_by, true);
}

static void at_epmd(void **state)
{
    static const struct {
        uint8_t type;
        int closed_by; /* end of the registration: 0 the node, 1 EPMD, -1 none: it goes on elsewhere */
        const char *codes;
    } cases[] = {{77, 0, "DS215"}, {72, 0, ""}, {77, 1, ""}, {77, -1, ""}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        for (uint32_t n = 1; n <= 3; n++)
            registers(n, cases[i].type, cases[i].closed_by);
        found(cases[i].codes);
        if (cases[i].codes[0] == '\0')
            continue;
        assert_int_equal(w.last.severity, SEVERITY_ERROR); /* all three starts were seen */
        sentence_is("bob (as registered at EPMD of 10.0.0.2) restarts repeatedly");
    }
}

/* Both traces of the same restarts are one finding; those of another node with that name elsewhere
 * are not. */
static void once(void **state)
{
    (void)state;
    for (int is_same = 0; is_same < 2; is_same++) {
        begin();
        for (uint32_t n = 1; n <= 5; n++) {
            registers(n, 77, 0);
            comes(is_same ? n : 100 + n, SECOND);
        }
        sentence_is(is_same ? "bob (as registered at EPMD of 10.0.0.2) restarts repeatedly"
                            : "bob@b restarts repeatedly");
        assert_int_equal(w.last.severity, SEVERITY_ERROR);
    }
    begin(); /* another name */
    for (uint32_t n = 1; n <= 5; n++) {
        registers(n, 77, 0);
        one_comes(0, n, SECOND);
    }
    sentence_is("alice@a restarts repeatedly");
    begin(); /* EPMD was not heard at first: it is no less severe */
    for (uint32_t n = 1; n <= 5; n++) {
        comes(n, SECOND);
        if (n > 3)
            registers(n, 77, 0);
    }
    sentence_is("bob@b restarts repeatedly");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_handshake),
        cmocka_unit_test(at_epmd),
        cmocka_unit_test(once),
    };
    leaves_out = "DS401 DS204 DS209"; /* other tests cover these */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
