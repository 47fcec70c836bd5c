/*
 * test_findings_global.c - findings about global and meshes of nodes: locks, names, links that global cuts, and
 * missing links; for each code records that raise it, and near misses that do not.
 */
#include "findings_world.h"

static void locks(void **state)
{
    enum { STUCK, FREED, TAKEN_BETWEEN, FOUR_TIMES, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        lock_call("global:set_lock", "carol@c", "true");
        for (int n = 0; n < (i == FOUR_TIMES ? 4 : 6); n++) {
            lock_call("global:set_lock", "alice@a", "false");
            if (n == 2 && i == FREED)
                lock_call("global:del_lock", "carol@c", "true");
            if (n == 2 && i == TAKEN_BETWEEN)
                lock_call("global:set_lock", "dave@d", "true");
        }
        found(i == STUCK ? "DS303" : "");
        if (i == STUCK)
            sentence_is("alice@a repeatedly asks for the global lock till, which carol@c holds");
    }
}

static void exchange(int dir, const char *name, const char *node, uint8_t id)
{
    begin_terms();
    put_tuple(5);
    put_atom("exchange");
    put_atom("n");
    put_list(1);
    put_tuple(3);
    put_atom(name);
    put_pid(node, id);
    put_atom("resolver");
    put_nil();
    put_nil();
    put_small(1);
    struct ds_event event = message(dir, NULL, 0);
    const struct record record = {
        .event = &event, .note = {.label = "global:exchange", .group = "otp", .body = term_since(0)}};
    findings_record(w.findings, &record);
}

static void global_names(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        begin();
        up();
        exchange(0, "shop", "alice@a", 9);
        exchange(1, i == 1 ? "bank" : "shop", i == 2 ? "alice@a" : "bob@b", 9);
        found(i == 0 ? "DS304" : "");
        if (i == 0)
            sentence_is("bob@127.0.0.1 and alice@127.0.0.1 have different processes under the same "
                        "global name: shop");
    }
}

static void said_by_global_of(const char *what, const char *label, int dir, const char *one, const char *gone)
{
    begin_terms();
    put_tuple(5);
    put_atom(what);
    put_atom(one);
    put_small(1);
    put_small(1);
    put_atom(gone);
    struct ds_event event = message(dir, NULL, 0);
    event.message.payload = term_since(0);
    const struct record record = {.event = &event, .note = {.label = label, .group = ""}};
    findings_record(w.findings, &record);
}

static void said_by_global(const char *what, const char *label, int dir)
{
    said_by_global_of(what, label, dir, "alice@a", "carol@c");
}

static void cut_by_global(void **state)
{
    (void)state;
    begin();
    up();
    said_by_global("lost_connection", "global:lost_connection", 0);
    found(""); /* that alone cuts nothing */
    begin();
    up();
    said_by_global("lost_connection", "global:lost_connection", 0);
    said_by_global("remove_connection", "global:remove_connection", 0);
    found("DS210");
    assert_int_equal(w.last.severity, SEVERITY_WARNING); /* that link was not seen */
    for (int closed_by = 0; closed_by < 2; closed_by++) {
        begin();
        shake(DS_STEP_CHALLENGE_ACK, "alice@a", "carol@c");
        w.conn.end[0].addr = w.conn.end[1].addr = (struct ds_addr){4, {127, 0, 0, 1}};
        change(DS_CONN_UP, 0, false);
        half_close(closed_by, DS_CLOSE_FIN);
        next_conn();
        up();
        said_by_global("lost_connection", "global:lost_connection", 0);
        said_by_global("remove_connection", "global:remove_connection", 0);
        found(closed_by == 0 ? "DS204 DS210" : "DS204"); /* carol, the lost node, has ended */
        if (closed_by == 0)
            assert_int_equal(w.last.severity, SEVERITY_ERROR);
    }
    for (int is_own = 0; is_own < 2; is_own++) { /* killed, with data unread; or its host knows of nothing */
        begin();
        shake(DS_STEP_CHALLENGE_ACK, "alice@a", "carol@c");
        w.conn.end[0].addr = w.conn.end[1].addr = (struct ds_addr){4, {127, 0, 0, 1}};
        change(DS_CONN_UP, 0, false);
        w.link.reset_is_own = is_own != 0;
        half_close(1, DS_CLOSE_RESET);
        next_conn();
        up();
        said_by_global("lost_connection", "global:lost_connection", 0);
        said_by_global("remove_connection", "global:remove_connection", 0);
        found(is_own ? "DS204" : "DS204 DS210");
    }
}

/* Nodes that end while others are reported lost: their own loss counts, however many nodes report
 * it. It cannot be seen on the host of the reporting node. */
static void ends_among_others(void **state)
{
    enum { ENDED, OF_ONE_HOST, MANY_BEFORE, TOO_MANY_AFTER, RESET, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        shake(DS_STEP_CHALLENGE_ACK, "dora@d", "bob@b");
        w.conn.end[0].addr = w.conn.end[1].addr = (struct ds_addr){4, {127, 0, 0, 1}};
        change(DS_CONN_UP, 0, false);
        if (i != OF_ONE_HOST)
            half_close(1, i == RESET ? DS_CLOSE_RESET : DS_CLOSE_FIN);
        next_conn();
        up();
        w.conn.end[1].node = text("bob@b");
        said_by_global("lost_connection", "global:lost_connection", 0);
        const int others = i == MANY_BEFORE || i == TOO_MANY_AFTER ? 8 : 0;
        char name[] = "eve0@e";
        for (int k = 0; i == MANY_BEFORE && k < others; k++, name[3]++)
            said_by_global_of("lost_connection", "global:lost_connection", 0, "alice@a", name);
        for (int again = 0; again < 9; again++)
            said_by_global_of("lost_connection", "global:lost_connection", 0,
                              i == OF_ONE_HOST ? "dora@b" : "dora@d", "bob@b");
        for (int k = 0; i == TOO_MANY_AFTER && k < others; k++, name[3]++)
            said_by_global_of("lost_connection", "global:lost_connection", 0, "alice@a", name);
        said_by_global("remove_connection", "global:remove_connection", 0);
        found(i == OF_ONE_HOST                        ? ""
              : i == RESET || i == TOO_MANY_AFTER ? "DS204 DS210"
                                                      : "DS204");
    }
}

/* How the lost link had ended, if that was captured: nothing is reported only if its lost node
 * closed it. */
static void ends_before_the_cut(void **state)
{
    enum { RESET, FELL_SILENT, UP_AGAIN, CASES };
    static const char *const codes[CASES] = {"DS204 DS210", "DS201 DS210", "DS204 DS210"};
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        shake(DS_STEP_CHALLENGE_ACK, "alice@a", "carol@c");
        w.conn.end[0].addr = w.conn.end[1].addr = (struct ds_addr){4, {127, 0, 0, 1}};
        change(DS_CONN_UP, 0, false);
        w.link.side[0].last_data_ns = w.link.side[1].last_data_ns = w.now_ns;
        if (i == FELL_SILENT) { /* alice did */
            w.now_ns += 60 * SECOND;
            w.link.side[1].last_data_ns = w.now_ns;
        }
        half_close(1, i == RESET ? DS_CLOSE_RESET : DS_CLOSE_FIN);
        next_conn();
        if (i == UP_AGAIN) {
            shake(DS_STEP_CHALLENGE_ACK, "alice@a", "carol@c");
            w.conn.end[0].addr = w.conn.end[1].addr;
            change(DS_CONN_UP, 0, false);
            next_conn();
        }
        up();
        said_by_global("lost_connection", "global:lost_connection", 0);
        said_by_global("remove_connection", "global:remove_connection", 0);
        found(codes[i]);
        assert_int_equal(w.last.severity, i == UP_AGAIN ? SEVERITY_WARNING : SEVERITY_ERROR);
    }
}

static void is_not_acknowledged(void)
{
    struct ds_event event = event_of(DS_EVENT_STALL, 0);
    event.stall = (struct ds_stall){.why = DS_STALL_LOST, .in_flight = 4};
    put(&event);
}

/* The lost link fades, whoever waits: its data is not acknowledged any more; or is again. */
static void fades_before_the_cut(void **state)
{
    enum { ALICE_WAITS, CAROL_WAITS, IS_HEARD, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        up();
        is_not_acknowledged(); /* so does another one */
        next_conn();
        shake(DS_STEP_CHALLENGE_ACK, i == CAROL_WAITS ? "carol@c" : "alice@a",
              i == CAROL_WAITS ? "alice@a" : "carol@c");
        w.link.side[0].last_data_ns = w.link.side[1].last_data_ns = w.now_ns;
        is_not_acknowledged();
        if (i == IS_HEARD) {
            const struct ds_event tick = event_of(DS_EVENT_TICK, 1);
            put(&tick);
        }
        next_conn();
        up_as(6); /* restarted */
        said_by_global("lost_connection", "global:lost_connection", 0);
        said_by_global("remove_connection", "global:remove_connection", 0);
        found("DS210");
        assert_int_equal(w.last.severity, i == IS_HEARD ? SEVERITY_WARNING : SEVERITY_ERROR);
    }
}

static void link_up(const char *one, uint8_t host_one, const char *two, uint8_t host_two)
{
    shake(DS_STEP_CHALLENGE_ACK, one, two);
    w.conn.end[0].addr = (struct ds_addr){4, {10, 0, 0, host_one}};
    w.conn.end[1].addr = (struct ds_addr){4, {10, 0, 0, host_two}};
    change(DS_CONN_UP, 0, false);
    next_conn();
}

/* greets: the node at the initiator's end of a link connects to the nodes it hears of. */
static void greets(const char *node)
{
    struct ds_event event = message(0, "", 0);
    const struct record record = {.event = &event, .note = {.label = "global:init_connect"}};
    w.conn.end[0].node = text(node);
    findings_record(w.findings, &record);
    next_conn();
}

/* A link from before the capture may be idle: it is seen with its next tick, perhaps before any
 * other. Two nodes without a failed attempt are reported when one would have failed. */
static void meshes_joined_late(void **state)
{
    enum { BEFORE_ALL, AFTER, OTHER_HOSTS, TURNED, NONE, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        for (int when = BEFORE_ALL; when <= TURNED; when++) {
            if (when == AFTER) {
                link_up("alice@a", 1, "bob@b", 2);
                link_up("bob@b", 2, "carol@c", 3);
                w.conn.end[0].addr = (struct ds_addr){4, {10, 0, 0, 1}};
                w.conn.end[1].addr = (struct ds_addr){4, {10, 0, 0, 3}};
                change(DS_CONN_CLOSED, 0, true);
                next_conn();
            }
            if (when != i)
                continue;
            w.conn.end[0].addr = (struct ds_addr){4, {10, 0, 0, i == TURNED ? 3 : 1}};
            w.conn.end[1].addr = (struct ds_addr){4, {10, 0, 0, i == TURNED ? 1 : i == OTHER_HOSTS ? 4 : 3}};
            change(DS_CONN_JOINED_LATE, 0, false);
            next_conn();
        }
        w.now_ns += 65 * SECOND - 1;
        findings_time(w.findings, w.now_ns);
        const unsigned in_clear = i == NONE ? 2 : 3; /* one for each link */
        assert_int_equal(w.num, in_clear);
        findings_time(w.findings, w.now_ns + 1);
        findings_time(w.findings, w.now_ns + 100 * SECOND);
        found(i == OTHER_HOSTS ? "DS401 DS401 DS401 DS211"
              : i == NONE      ? "DS401 DS401 DS211"
                               : "DS401 DS401 DS401");
        if (w.num == in_clear)
            continue;
        assert_int_equal(w.last.count, 1);
        assert_int_equal(w.last.certainty, CERTAINTY_POSSIBLE);
        assert_int_equal(w.last.evidence[0].num, 2); /* the links with the third node */
        assert_int_not_equal(w.last.evidence[0].conn, 0);
    }
}

/* The cap on remembered earlier links; beyond it, nothing is reported. */
static void meshes_joined_late_at_the_cap(void **state)
{
    (void)state;
    for (int num = 255; num <= 256; num++) {
        begin();
        for (int i = 0; i < num; i++) {
            w.conn.end[0].addr = (struct ds_addr){4, {10, 0, 1, (uint8_t)i}};
            change(DS_CONN_JOINED_LATE, 0, false);
            next_conn();
        }
        link_up("alice@a", 1, "bob@b", 2);
        link_up("bob@b", 2, "carol@c", 3);
        w.conn.end[0].addr = (struct ds_addr){4, {10, 0, 0, 3}};
        w.conn.end[1].addr = (struct ds_addr){4, {10, 0, 0, 1}};
        close_by(-1, MS, DS_CLOSE_SYN_TIMEOUT);
        findings_time(w.findings, w.now_ns + 10 * SECOND);
        found(num == 255 ? "DS401 DS401 DS401 DS105 DS211" : "DS401 DS401 DS401 DS105");
    }
}

static void meshes(void **state)
{
    enum { SEEN, UNSEEN, CONNECTED, EARLY, GREETED, ALONE, LATE, CASES };
    /* Each link reports clear text. */
    static const char *const codes[CASES] = {"DS401 DS401 DS105 DS211", "DS401 DS401",
                                             "DS401 DS401 DS401", "DS401 DS401 DS105",
                                             "DS401 DS401 DS105 DS211", "DS401 DS401 DS105",
                                             "DS401 DS401 DS401 DS105"};
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        link_up("alice@a", 1, "bob@b", 2);
        link_up("bob@b", 2, "carol@c", 3);
        if (i == CONNECTED)
            link_up("carol@c", 3, "alice@a", 1);
        if (i == LATE) { /* it was up before */
            w.conn.end[0].addr = (struct ds_addr){4, {10, 0, 0, 3}};
            w.conn.end[1].addr = (struct ds_addr){4, {10, 0, 0, 1}};
            change(DS_CONN_JOINED_LATE, 0, false);
            next_conn();
        }
        if (i == GREETED || i == ALONE) { /* alice has -connect_all false, or not */
            greets("bob@b");
            greets("carol@c");
        }
        if (i == GREETED)
            greets("alice@a");
        if (i != UNSEEN && i != CONNECTED) {
            w.conn.end[0].addr = (struct ds_addr){4, {10, 0, 0, 3}};
            w.conn.end[1].addr = (struct ds_addr){4, {10, 0, 0, 1}};
            close_by(-1, MS, DS_CLOSE_SYN_TIMEOUT);
        }
        w.now_ns += i == EARLY ? 9 * SECOND : 10 * SECOND;
        findings_time(w.findings, w.now_ns);
        found(codes[i]);
    }
}

/* Unchecked nodes are reported. */
static void meshes_at_the_cap(void **state)
{
    (void)state;
    for (int num = 127; num <= 128; num++) { /* and the hub */
        begin();
        for (int i = 0; i < num; i++) {
            char name[16];
            snprintf(name, sizeof name, "n%d@h", i);
            link_up("hub@h", 1, name, (uint8_t)(i + 2));
        }
        findings_time(w.findings, w.now_ns + 10 * SECOND);
        findings_end(w.findings);
        const char *const cap = "128 nodes at most are looked at for links that are missing (DS211)\n";
        assert_int_equal(strstr(w.unchecked, cap) != NULL, num == 128);
        assert_non_null(strstr(w.unchecked, num == 127 ? "8001 pairs of nodes without a link"
                                                       : "pairs of nodes without a link"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locks), cmocka_unit_test(global_names), cmocka_unit_test(cut_by_global),
        cmocka_unit_test(ends_among_others), cmocka_unit_test(ends_before_the_cut),
        cmocka_unit_test(fades_before_the_cut), cmocka_unit_test(meshes),
        cmocka_unit_test(meshes_joined_late), cmocka_unit_test(meshes_joined_late_at_the_cap),
        cmocka_unit_test(meshes_at_the_cap),
    };
    leaves_out = "DS214"; /* test_findings_stall.c has them */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
