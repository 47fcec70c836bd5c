/*
 * test_findings_crash_watched.c - DS312 and DS314: a crash that monitors and links report, to nodes that made a request
 * and to others; which reports are of one crash, and which processes lived on after it.
 */
#include "crash_world.h"

enum { LINK_EXIT = 3, MONITOR = 19, DOWN = 21 };

/* told_of: pid 0: the pid is not told. */
static void told_of(uint8_t op, const char *name, uint8_t pid, uint64_t call)
{
    struct ds_event event = message(1, "j", 1);
    event.message.op = ds_op_find(op);
    event.message.payload = (struct ds_term){0};
    event.message.role[DS_ROLE_REASON] = term_since(0);
    if (pid != 0) {
        const size_t at = term_bytes.len;
        put_pid("bob@b", pid);
        event.message.role[DS_ROLE_REASON].len = at;
        event.message.role[DS_ROLE_FROM] = term_since(at);
    }
    struct record record = {.event = &event, .note.call = call};
    if (name != NULL)
        record.note.from_name = text(name);
    findings_record(w.findings, &record);
}

static void told_of_end(uint8_t op, const char *name, uint64_t call)
{
    told_of(op, name, 0, call);
}

/* What watches a process is told that it crashed, though nobody had asked it anything. */
static void crashes_alone(void **state)
{
    enum { WATCHED, LINKED, UNNAMED, SEVERAL_TOLD, SLOW, WITH_CALL, ASKED_BEFORE, NO_STACK, KILLED, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin_calls();
        if (i == NO_STACK || i == KILLED)
            put_atom(i == NO_STACK ? "boom" : "killed");
        else
            put_stack("badarith", "handle_cast");
        if (i == ASKED_BEFORE) {
            struct call call = ended();
            call.callee.node = (struct ds_text){0};
            call.conn = 1;
            put_call(&call);
        }
        for (int j = 0; j < 3; j++) {
            told_of_end(i == LINKED ? LINK_EXIT : DOWN, i == UNNAMED ? NULL : "calc", i == WITH_CALL);
            if (i == SEVERAL_TOLD)
                w.now_ns += j == 1 ? SECOND + 1 : SECOND / 2;
            else
                w.now_ns += i == ASKED_BEFORE ? MS : i == SLOW ? 30 * SECOND + 1 : 2 * SECOND;
        }
        found(i <= UNNAMED || i == SLOW ? "DS314 DS314 DS314" : i == SEVERAL_TOLD ? "DS314 DS314"
              : i == ASKED_BEFORE ? "DS312" : "");
        if (i > UNNAMED)
            continue;
        assert_int_equal(w.last.severity, SEVERITY_ERROR);
        assert_int_equal(w.last.count, 3);
        sentence_is(i == UNNAMED ? "a process of 10.0.0.2:5555 crashed" : "calc of 10.0.0.2:5555 crashed");
        detail_has("its exit reason was badarith in calc:divide/2; a crash loop: 3 times within 4.00 s");
        assert_int_equal(w.last.certainty, i == UNNAMED ? CERTAINTY_LIKELY : CERTAINTY_SURE);
    }
}

/* On a link that was joined late the first request may not be known as one: its crash counts for the loop. */
static void loop_of_both(void **state)
{
    (void)state;
    for (int is_slow = 0; is_slow < 2; is_slow++) {
        begin_calls();
        put_stack("badarith", "handle_call");
        told_of(DOWN, "shop", 0, 0);
        for (int i = 0; i < 2; i++) {
            w.now_ns += 30 * SECOND + (i == 1 ? is_slow : 0);
            struct ds_event event = message(1, "j", 1);
            event.message.op = ds_op_find(28); /* payload_monitor_p_exit */
            struct call call = ended();
            call.callee = (struct party){0};
            call.conn = 1;
            call.end_ns = w.now_ns;
            const struct record record = {.event = &event, .call = &call, .note.from_name = text("shop")};
            findings_record(w.findings, &record);
        }
        assert_int_equal(w.last.severity, is_slow ? SEVERITY_WARNING : SEVERITY_ERROR);
        if (!is_slow)
            detail_has("a crash loop: 3 times within 1");
        found("DS312 DS314 DS312");
    }
}

/* A crash ends a request and is told to a watcher, too, in either order: it is one. What is told long
 * before or after, or before the request, is another. */
static void watched_and_asked(void **state)
{
    enum { TOGETHER, SOON, LATER, ASKED_AFTER, TIMES };
    static const int64_t apart_ns[TIMES] = {0, 20 * MS, SECOND + 2 * MS, 20 * MS};
    (void)state;
    for (int i = 0; i < TIMES * 4; i++) {
        const int when = i / 4;
        const bool is_call_first = (i & 1) != 0 && when != ASKED_AFTER, is_by_pid = (i & 2) != 0;
        begin_calls();
        put_stack("badarith", "handle_call");
        struct call call = ended();
        call.callee = (struct party){.name = text("calc")};
        call.conn = 1;
        if (is_by_pid)
            call.callee =
                (struct party){.node = text("bob@b"), .has_pid = true, .id = 9, .creation = 5};
        for (int j = 0; j < 2; j++) {
            if (is_call_first == (j == 0)) {
                call.start_ns = when == ASKED_AFTER ? w.now_ns : call.start_ns;
                call.end_ns = w.now_ns;
                put_call(&call);
            } else {
                told_of(DOWN, is_by_pid ? NULL : "calc", is_by_pid ? 9 : 0, 0);
            }
            w.now_ns += apart_ns[when];
        }
        found(when == TOGETHER || when == SOON ? "DS312" : "DS312 DS314");
    }
}

/* Called by its name and watched by its pid, which nothing ties to the name: where it crashed does. On
 * another link it does not, unless the call has the pid, too. */
static void named_and_watched(void **state)
{
    (void)state;
    for (int i = 0; i < 16; i++) {
        const bool is_call_first = (i & 1) != 0, is_linked = (i & 2) != 0, is_elsewhere = (i & 4) != 0;
        const bool has_pid = (i & 8) != 0;
        begin_calls();
        put_stack("badarith", "handle_call");
        struct call call = ended();
        call.callee = (struct party){.name = text("calc")};
        if (has_pid)
            call.callee = (struct party){.name = text("calc"), .node = text("bob@b"), .has_pid = true,
                                         .id = 9, .creation = 5};
        call.conn = is_elsewhere ? 77 : 3;
        w.conn.number = 3;
        for (int j = 0; j < 2; j++) {
            call.end_ns = w.now_ns;
            if (is_call_first == (j == 0))
                put_call(&call);
            else
                told_of(is_linked ? LINK_EXIT : DOWN, NULL, 9, 0);
            w.now_ns += MS;
        }
        findings_end(w.findings);
        assert_int_equal(w.num, is_elsewhere && !has_pid ? 2 : 1);
    }
}

/* Where a request may have been open unseen, it is less sure, and in one direction no loop. */
static void in_part(void **state)
{
    enum { WHOLE, LATE, ONE_WAY, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin_calls();
        if (i == LATE)
            change(DS_CONN_JOINED_LATE, 0, false);
        else
            up();
        w.link.side[0].segments = i == ONE_WAY ? 0 : 9;
        w.link.side[1].segments = 9;
        const struct ds_event tick = event_of(DS_EVENT_TICK, 1);
        put(&tick);
        put_stack("badarith", "handle_cast");
        for (int j = 0; j < 3; j++) {
            told_of_end(DOWN, "calc", 0);
            w.now_ns += 2 * SECOND;
        }
        found("DS314 DS314 DS314");
        assert_int_equal(w.last.severity, i == ONE_WAY ? SEVERITY_WARNING : SEVERITY_ERROR);
        assert_int_equal(w.last.certainty, i == WHOLE  ? CERTAINTY_SURE
                                           : i == LATE ? CERTAINTY_LIKELY
                                                       : CERTAINTY_POSSIBLE);
    }
}

/* What is pending is told after a while, though nothing more comes of that process. */
static void told_in_time(void **state)
{
    (void)state;
    begin_calls();
    put_stack("badarith", "handle_cast");
    told_of_end(DOWN, "calc", 0);
    findings_time(w.findings, w.now_ns + SECOND);
    assert_int_equal(w.num, 0);
    findings_time(w.findings, w.now_ns + SECOND + 1);
    assert_int_equal(w.num, 1);
    begin_calls(); /* more of them than are kept */
    put_stack("badarith", "handle_cast");
    for (int i = 0; i < 200; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", i);
        told_of_end(DOWN, name, 0);
    }
    assert_int_equal(w.num, 200 - 128);
    findings_end(w.findings);
    assert_int_equal(w.num, 200);
}

/* A process crashes once, however many nodes are told. */
static void several_watchers(void **state)
{
    (void)state;
    for (int is_other = 0; is_other < 2; is_other++) {
        begin_calls();
        put_stack("badarith", "handle_cast");
        for (int i = 0; i < 3; i++) {
            told_of(DOWN, NULL, (uint8_t)(is_other ? 9 + i : 9), 0);
            next_conn();
            w.now_ns += 100 * MS;
            begin_terms();
            put_stack("badarith", "handle_cast");
        }
        found(is_other ? "DS314 DS314 DS314" : "DS314");
    }
}

/* told_of_monitor is MONITOR or DOWN of calc, with a reference. */
static void told_of_monitor(uint8_t op, uint8_t ref)
{
    const uint8_t bytes[] = {90, 0, 1, 119, 1, 'a', 0, 0, 0, 5, 0, 0, 0, ref};
    struct ds_event event = message(op == MONITOR ? 0 : 1, "j", 1);
    struct ds_message *m = &event.message;
    m->op = ds_op_find(op);
    m->payload = (struct ds_term){0};
    begin_terms();
    put_stack("badarith", "handle_cast");
    m->role[DS_ROLE_REASON] = term_since(0);
    size_t at = term_bytes.len;
    put_atom("calc");
    m->role[op == MONITOR ? DS_ROLE_TO : DS_ROLE_FROM] = term_since(at);
    at = term_bytes.len;
    put_bytes(bytes, sizeof bytes);
    m->role[DS_ROLE_REF] = term_since(at);
    put(&event);
}

/* Who watches a name anew after each crash is told of another one each time, however soon; others that
 * were watching are told of the same. */
static void watched_anew(void **state)
{
    enum { CRASHES = 5 };
    (void)state;
    for (int is_anew = 0; is_anew < 2; is_anew++) {
        begin_calls();
        for (uint8_t i = 0; i < CRASHES; i++) {
            if (is_anew) {
                w.now_ns += MS; /* they learned of the one before */
                told_of_monitor(MONITOR, i);
                told_of_monitor(MONITOR, 50);
                told_of_monitor(MONITOR, 51); /* it gives up before */
            }
            w.now_ns += 180 * MS;
            told_of_monitor(DOWN, i);
            told_of_monitor(DOWN, 50);
        }
        found(is_anew ? "DS314 DS314 DS314" : "DS314");
        assert_int_equal(w.last.count, is_anew ? CRASHES : 1);
        assert_int_equal(w.last.severity, is_anew ? SEVERITY_ERROR : SEVERITY_WARNING);
    }
}

/* Ways to watch a process of bob: alice monitors it, links to it, or has spawned it so. */
enum tie { BY_MONITOR, BY_LINK, BY_SPAWN_MONITOR, BY_SPAWN_LINK, TIES };

/* tie_of is that alice watches process pid, or is told that it crashed. */
static void tie_of(enum tie tie, uint8_t pid, bool is_down)
{
    enum { LINK = 1, SPAWN_REPLY = 31, WATCHER = 200 };
    const bool is_link = tie == BY_LINK || tie == BY_SPAWN_LINK, is_spawn = tie >= BY_SPAWN_MONITOR;
    const uint8_t ref[] = {90, 0, 1, 119, 1, 'a', 0, 0, 0, 5, 0, 0, 0, pid};
    struct ds_event event = message(is_down || is_spawn, "j", 1);
    struct ds_message *m = &event.message;
    m->op = ds_op_find(is_down ? (is_link ? LINK_EXIT : DOWN) : is_spawn ? SPAWN_REPLY : is_link ? LINK : MONITOR);
    m->payload = (struct ds_term){0};
    begin_terms();
    put_stack("badarith", "handle_cast");
    if (is_down)
        m->role[DS_ROLE_REASON] = term_since(0);
    size_t at = term_bytes.len;
    put_pid("bob@b", pid);
    m->role[is_down ? DS_ROLE_FROM : is_spawn ? DS_ROLE_RESULT : DS_ROLE_TO] = term_since(at);
    at = term_bytes.len;
    put_pid("alice@a", WATCHER);
    m->role[is_down || is_spawn ? DS_ROLE_TO : DS_ROLE_FROM] = term_since(at);
    at = term_bytes.len;
    put_bytes(ref, sizeof ref);
    if (tie != BY_LINK && !(is_down && is_link))
        m->role[DS_ROLE_REF] = term_since(at);
    put(&event);
}

/* asked_and_crashed is that a request ended calc, whose pid nothing tells. */
static void asked_and_crashed(void)
{
    begin_terms();
    put_stack("badarith", "handle_call");
    struct call call = ended();
    call.callee = (struct party){.name = text("calc")};
    call.conn = w.conn.number;
    call.start_ns = w.now_ns - MS;
    call.end_ns = w.now_ns;
    put_call(&call);
}

/* A request has ended a process whose pid nothing tells, then one crashes in the same function: it is
 * another one if it was alive after the first crash, as who watches it from then on shows. */
static void alive_after(void **state)
{
    static const struct {
        int64_t watched_ns, told_ns; /* after the first crash */
        const char *found;
    } cases[] = {
        {1, 300 * MS, "DS312 DS314"},
        {300 * MS, 300 * MS, "DS312 DS314"},
        {300 * MS, SECOND, "DS312 DS314"},
        {0, 300 * MS, "DS312"}, /* within the same moment */
        {-MS, 300 * MS, "DS312"}, /* watched before: it is the same crash, */
        {-MS, SECOND, "DS312"},
        {-MS, SECOND + 1, "DS312 DS314"}, /* unless that is too long ago */
    };
    (void)state;
    for (size_t i = 0; i < TIES * (sizeof cases / sizeof cases[0]); i++) {
        const size_t k = i / TIES;
        begin_calls();
        const int64_t crash_ns = w.now_ns;
        for (int is_before = 1; is_before >= 0; is_before--) {
            w.now_ns = crash_ns;
            if (!is_before)
                asked_and_crashed();
            w.now_ns = crash_ns + cases[k].watched_ns;
            if (is_before == (cases[k].watched_ns < 0))
                tie_of(i % TIES, 9, false);
        }
        w.now_ns = crash_ns + cases[k].told_ns;
        tie_of(i % TIES, 9, true);
        found(cases[k].found);
    }
}

/* Each watcher's own monitor or link says it: that of another process says nothing of this one. */
static void alive_by_whom(void **state)
{
    (void)state;
    for (enum tie tie = BY_MONITOR; tie < TIES; tie++) {
        begin_calls();
        asked_and_crashed();
        w.now_ns += MS;
        tie_of(tie, 10, false);
        w.now_ns += MS;
        tie_of(tie, 9, true);
        found("DS312");
    }
}

/* Watchers are kept up to a cap, the latest ones, and none that began long after a crash. */
static void many_watchers(void **state)
{
    enum { KEPT = 128 };
    (void)state;
    for (int too_many = 0; too_many < 2; too_many++) {
        begin_calls();
        asked_and_crashed();
        w.now_ns += MS;
        for (int i = 0; i < KEPT + too_many; i++)
            tie_of(BY_MONITOR, (uint8_t)i, false);
        w.now_ns += MS;
        tie_of(BY_MONITOR, 0, true);
        found(too_many ? "DS312" : "DS312 DS314");
    }
    for (int is_late = 0; is_late < 2; is_late++) { /* the oldest is replaced within a second alone */
        begin_calls();
        asked_and_crashed();
        w.now_ns += MS;
        tie_of(BY_MONITOR, 0, false);
        w.now_ns += SECOND - MS + is_late;
        for (int i = 1; i <= KEPT; i++)
            tie_of(BY_MONITOR, (uint8_t)i, false);
        w.now_ns -= MS * is_late;
        tie_of(BY_MONITOR, 0, true);
        found(is_late ? "DS312 DS314" : "DS312");
    }
}

/* A request ended a name; it is monitored anew, and crashes alone. */
static void name_alive_after(void **state)
{
    (void)state;
    for (int is_anew = 0; is_anew < 2; is_anew++) {
        begin_calls();
        for (int is_after = 0; is_after < 2; is_after++) {
            if (is_after)
                asked_and_crashed();
            w.now_ns += MS;
            if (is_anew == is_after)
                told_of_monitor(MONITOR, 7);
            w.now_ns += MS;
        }
        told_of_monitor(DOWN, 7);
        found(is_anew ? "DS312 DS314" : "DS312");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loop_of_both), cmocka_unit_test(crashes_alone),
        cmocka_unit_test(watched_and_asked), cmocka_unit_test(named_and_watched),
        cmocka_unit_test(in_part), cmocka_unit_test(told_in_time),
        cmocka_unit_test(several_watchers), cmocka_unit_test(watched_anew),
        cmocka_unit_test(alive_after), cmocka_unit_test(alive_by_whom),
        cmocka_unit_test(many_watchers), cmocka_unit_test(name_alive_after),
    };
    leaves_out = "DS310 DS401"; /* test_findings_calls.c has them */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
