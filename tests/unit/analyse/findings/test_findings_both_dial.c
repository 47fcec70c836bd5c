/*
 * test_findings_both_dial.c - two nodes that connect to each other at once: which connection is
 * between these two, which one has to give way, and the finding if neither comes up.
 */
#include "findings_world.h"

static const struct ds_addr alices = {4, {10, 0, 0, 1}}, bobs = {4, {10, 0, 0, 2}};

/* dials plays alice's attempt and bob's answer. bob: his name as EPMD has it, or in full; NULL: not
 * known. */
static void dials(const char *alice, const char *bob, const char *status)
{
    if (bob != NULL)
        w.conn.end[1].node = text(bob);
    step(DS_STEP_SEND_NAME, 0, alice);
    step(DS_STEP_STATUS, 1, status);
    next_conn();
}

static void comes_up(const char *one, struct ds_addr one_addr, const char *two, struct ds_addr two_addr)
{
    w.conn.end[0].node = text(one);
    w.conn.end[0].addr = one_addr;
    w.conn.end[1].node = text(two);
    w.conn.end[1].addr = two_addr;
    change(DS_CONN_UP, 0, false);
    next_conn();
}

static unsigned num_told(void)
{
    unsigned num = 0;
    for (const char *at = w.log; (at = strstr(at, "DS114")) != NULL; at++)
        num++;
    return num;
}

/* Neither comes up: the node that is stuck. */
static void stuck(void **state)
{
    static const struct {
        const char *bob, *status, *sentence, *detail;
    } cases[] = {
        {NULL, "ok_simultaneous",
         "alice@a and a node of 10.0.0.2 connected to each other at the same time, and no attempt succeeded",
         "the attempt of alice@a should have continued: the node that accepted it is stuck"},
        {NULL, "nok",
         "alice@a and a node of 10.0.0.2 connected to each other at the same time, and no attempt succeeded",
         "the attempt of alice@a should have been abandoned: the other node is stuck"},
        {"robert@example", "ok_simultaneous",
         "alice@a and robert@example connected to each other at the same time, and no attempt succeeded",
         "the attempt of alice@a should have continued: the node that accepted it is stuck"},
        {"robert@example", "nok",
         "alice@a and robert@example connected to each other at the same time, and no attempt succeeded",
         "the attempt of robert@example should have continued: that node is stuck"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        dials("alice@a", cases[i].bob, cases[i].status);
        findings_time(w.findings, w.now_ns + 10 * SECOND);
        found("DS114");
        sentence_is(cases[i].sentence);
        detail_has(cases[i].detail);
        assert_int_equal(w.last.node[0].len, strlen("alice@a"));
        assert_int_equal(w.last.node[1].len, cases[i].bob != NULL ? strlen(cases[i].bob) : 0);
        assert_int_equal(w.last.evidence[0].conn, 1);
        assert_int_equal(w.last.evidence[0].ts_ns, w.now_ns);
    }
}

/* A connection that comes up ends the finding if it is between the same two nodes. */
static void between_them(void **state)
{
    static const struct ds_addr carols = {4, {10, 0, 0, 3}}, bobs_in_ipv6 = {6, {10, 0, 0, 2}};
    static const struct {
        const char *knows, *one;
        const struct ds_addr *one_addr;
        const char *two;
        const struct ds_addr *two_addr;
        bool is_theirs;
    } cases[] = {
        {NULL, "alice@a", &alices, "bob@b", &bobs, true},
        {NULL, "bob@b", &bobs, "alice@a", &alices, true},
        {"bob", "bob@b", &bobs, "alice@a", &alices, true},
        {"bob@b", "bob@b", &carols, "alice@a", &alices, true}, /* its name is known: from any address */
        {"bob@b", "dave@b", &bobs, "alice@a", &alices, false},
        {NULL, "carol@c", &carols, "alice@a", &alices, false},
        {NULL, "alice@a", &alices, "carol@c", &carols, false},
        {NULL, "bob@b", &bobs_in_ipv6, "alice@a", &alices, false},
        {NULL, "bob@b", &bobs, "alice", &alices, true}, /* as EPMD has it */
        {NULL, "bob@b", &bobs, "ali", &alices, false},
        {NULL, "bob@b", &bobs, "alice@ab", &alices, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        dials("alice@a", cases[i].knows, "nok");
        comes_up(cases[i].one, *cases[i].one_addr, cases[i].two, *cases[i].two_addr);
        assert_int_equal(num_told(), cases[i].is_theirs);
        findings_time(w.findings, w.now_ns + 10 * SECOND);
        assert_int_equal(num_told(), 1);
        comes_up(cases[i].one, *cases[i].one_addr, cases[i].two, *cases[i].two_addr);
        findings_end(w.findings);
        assert_int_equal(num_told(), 1);
    }
}

/* A connection that is up is no attempt any more, even if others are. */
static void others_wait(void **state)
{
    (void)state;
    for (int is_kept = 0; is_kept < 2; is_kept++) {
        begin();
        dials("alice@a", NULL, is_kept ? "ok_simultaneous" : "nok");
        dials("zoe@z", NULL, "nok");
        comes_up("alice@a", alices, "bob@b", bobs);
        assert_int_equal(num_told(), 1);
        comes_up("alice@a", alices, "bob@b", bobs);
        assert_int_equal(num_told(), 1);
        w.conn.end[0].addr = bobs;
        w.conn.end[1].addr = alices;
        w.conn.end[1].node = text("alice");
        step(DS_STEP_SEND_NAME, 0, "bob@b");
        close_by(0, MS, DS_CLOSE_FIN); /* later, and for another reason */
        assert_non_null(strstr(w.log, "DS119"));
        findings_time(w.findings, w.now_ns + 10 * SECOND);
        assert_int_equal(num_told(), 2);
        sentence_is("zoe@z and a node of 10.0.0.2 connected to each other at the same time, and no attempt succeeded");
    }
}

/* The attempt that has to give way is closed by the node that made it. */
static void gives_way(void **state)
{
    enum { GIVES_WAY, NOT_TOLD, BY_ACCEPTOR, THE_KEPT_ONE, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        dials("alice@a", NULL, i == NOT_TOLD ? "nok" : "ok_simultaneous");
        if (i == THE_KEPT_ONE) {
            w.conn.number--;
            w.conn.end[0].node = text("alice@a");
            w.conn.counters[0].bytes = 30;
        } else {
            w.conn.end[0].addr = bobs;
            w.conn.end[1].addr = alices;
            w.conn.end[1].node = text("alice");
            step(DS_STEP_SEND_NAME, 0, "bob@b");
        }
        close_by(i == BY_ACCEPTOR, MS, DS_CLOSE_FIN);
        found(i == GIVES_WAY ? "" : "DS119");
    }
}

/* More at once than are remembered: the others are. */
static void many(void **state)
{
    enum { AT_MOST = 16 }; /* MAX_DIALLED */
    (void)state;
    for (int num = AT_MOST; num <= AT_MOST + 1; num++) {
        begin();
        for (int i = 0; i < num; i++) {
            char name[16];
            snprintf(name, sizeof name, "n%d@a", i);
            dials(name, NULL, "nok");
        }
        findings_time(w.findings, w.now_ns + 10 * SECOND);
        findings_end(w.findings);
        assert_int_equal(w.num, AT_MOST);
    }
}

/* Tools may be many, and so may nodes when a cluster starts: one note for all of each. */
static void tools(void **state)
{
    char name[64];
    uint64_t first = 0;
    (void)state;
    leaves_out = "DS401";
    begin();
    for (int i = 0; i < 12; i++) {
        snprintf(name, sizeof name, "rabbitmqcli-%d-alice@a", 400 + i);
        dials(name, "bob@b", "ok_simultaneous");
        comes_up(name, alices, "bob@b", bobs);
        first = i == 0 ? w.last.number : first;
        assert_int_equal(w.last.number, first);
    }
    sentence_is("tools and nodes connected to each other at the same time, and one attempt succeeded each time");
    detail_has("first rabbitmqcli-4");
    assert_int_equal(w.last.severity, SEVERITY_NOTE);
    assert_int_equal(w.last.count, 12);
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "rabbit%d@a", i);
        dials(name, "bob@b", "ok_simultaneous");
        comes_up(name, alices, "bob@b", bobs);
        assert_true(w.last.number > first);
        assert_int_equal(w.last.count, i + 1);
    }
    sentence_is("nodes connected to each other at the same time, and one attempt succeeded each time");
    detail_has("first rabbit0@a and bob@b");
    leaves_out = "";
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stuck),
        cmocka_unit_test(between_them), cmocka_unit_test(tools),
        cmocka_unit_test(others_wait),
        cmocka_unit_test(gives_way),
        cmocka_unit_test(many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
