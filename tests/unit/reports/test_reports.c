/* test_reports.c - the tables of --report: at their caps, with a million kinds of messages, and
 * when memory runs out. golden/ has what they show. */
#include "failing_alloc.h"
#include "report_world.h"
#include "reports/redraw.h"

/* A million shapes with one message each, and one that each thousandth message has: it is found,
 * and memory stays within the cap. */
static void a_million_shapes(void **state)
{
    enum { SHAPES = 1000000, HEAVY = 1000 };
    struct report_config config;
    struct report_text text = {.time_digits = 6};
    struct made made;
    (void)state;
    init_config(&config);
    config.limits[DS_LIMIT_TALLIES] = 256;
    void *report = report_traffic.open(&text, &config);
    assert_non_null(report);
    for (uint64_t i = 0; i < SHAPES; i++) {
        make(&made, i, 100);
        report_traffic.record(report, &made.record);
        if (i % (SHAPES / HEAVY) != 0)
            continue;
        make(&made, 5555555, 100000);
        report_traffic.record(report, &made.record);
    }
    report_traffic.show(report);
    assert_has(&text, "traffic by shape: 1001000 messages, 200000000 bytes");
    assert_has(&text, "   100000000   50.0      1000 ");
    assert_has(&text, "send {k5555555,1}; a@h > b@h\n");
    assert_has(&text, "more than 256 kinds");
    report_traffic.end(report);
    assert_true(text.buffer.len < 10000);
    ds_buffer_free(&text.buffer);
}

static void at_the_cap(void **state)
{
    struct report_config config;
    struct report_text text = {.time_digits = 6};
    struct made made;
    (void)state;
    init_config(&config);
    config.limits[DS_LIMIT_TALLIES] = 4;
    void *report = report_traffic.open(&text, &config);
    for (uint64_t i = 0; i < 4; i++) {
        make(&made, i, 100 + i);
        report_traffic.record(report, &made.record);
    }
    report_traffic.show(report);
    assert_has(&text, "         103   25.4         1 ");
    assert_has(&text, "         100   24.6 in other rows: --rows shows more\n");
    assert_null(memmem(text.buffer.data, text.buffer.len, "more than", 9));
    text.buffer.len = 0;
    make(&made, 4, 50);
    report_traffic.record(report, &made.record);
    report_traffic.show(report);
    assert_has(&text, "more than 4 kinds: the smallest were forgotten. Kinds that are not listed have at most "
                      "101 bytes");
    report_traffic.end(report);
    ds_buffer_free(&text.buffer);
}

static void assert_drawn(unsigned rows, unsigned columns, const char *text, const char *wanted)
{
    const struct screen screen = {rows, columns};
    struct ds_buffer drawn = {0};
    redraw_text(&screen, (struct ds_text){text, strlen(text)}, &drawn);
    ds_buffer_add(&drawn, "", 1);
    assert_string_equal(drawn.data, wanted);
    ds_buffer_free(&drawn);
}

static void what_a_screen_holds(void **state)
{
    (void)state;
    assert_drawn(4, 4, "one\nthree\nsix\n", "\033[H\033[Jone\nt...\nsix\n");
    assert_drawn(3, 4, "one\nthree\nsix\n", "\033[H\033[Jone\nt...\n");
    assert_drawn(1, 4, "one\n", "\033[H\033[J");
    assert_drawn(9, 3, "\xc3\xa9\xe2\x82\xac\xc3\xa9", "\033[H\033[J\xc3\xa9\xe2\x82\xac\xc3\xa9\n");
    assert_drawn(9, 4, "\xc3\xa9\xe2\x82\xac\xc3\xa9" "ab", "\033[H\033[J\xc3\xa9...\n");
}

static void run_traffic(void *by)
{
    struct report_config config;
    struct report_text text = {.time_digits = 6};
    struct made made;
    init_config(&config);
    config.traffic_by = *(enum traffic_by *)by;
    config.limits[DS_LIMIT_TALLIES] = 4;
    void *report = report_traffic.open(&text, &config);
    if (report == NULL)
        return;
    for (uint64_t i = 0; i < 6; i++) {
        make(&made, i, 100 + i);
        report_traffic.record(report, &made.record);
        report_traffic.record(report, &made.record);
    }
    report_traffic.show(report);
    report_traffic.end(report);
    ds_buffer_free(&text.buffer);
}

static struct ds_text words(const char *text)
{
    return (struct ds_text){text, strlen(text)};
}

static void put_monitor_of(void *report, const struct report_kind *kind, uint64_t number)
{
    struct monitor_end m = {.conn = 7, .end_ns = (int64_t)number, .outcome = MONITOR_OPEN};
    m.watcher.node = words("a@h");
    m.target.node = words("b@h");
    kind->record(report, &(struct record){.monitor = &m});
}

static void put_monitor(void *report, uint64_t number)
{
    put_monitor_of(report, &report_monitors, number);
}

static void put_timed_call(void *report, uint64_t number)
{
    const struct call call = {.number = number, .label = "gen:x", .group = "", .outcome = CALL_OK};
    report_calls.record(report, &(struct record){.call = &call});
}

/* Tables with a line for each ended thing: the total comes first, unless lines do not wait: live,
 * or if there are too many. */
static void count_before_lines(void **state)
{
    static const struct {
        const struct report_kind *kind;
        void (*put)(void *report, uint64_t number);
        const char *first, *heading, *many;
    } tables[] = {
        {&report_monitors, put_monitor,
         "2 monitors and process links, 2 open, and 0 monitors of calls\nkind ", "kind ",
         "\n30000 monitors and process links, 30000 open"},
        {&report_calls, put_timed_call, "2 calls, 2 ok\ncall ", "call ", "\n30000 calls, 30000 ok"},
    };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct report_config config;
        struct report_text text = {.time_digits = 6};
        const struct report_kind *kind = tables[i].kind;
        init_config(&config);
        config.call_order = CALLS_BY_TIME;
        void *report = kind->open(&text, &config);
        for (uint64_t j = 0; j < 2; j++)
            tables[i].put(report, j);
        assert_int_equal(text.buffer.len, 0);
        kind->show(report);
        assert_memory_equal(text.buffer.data, tables[i].first, strlen(tables[i].first));
        assert_int_equal(num_lines(&text), 4);
        text.buffer.len = 0;
        kind->begin_anew(report, 1); /* written lines are not written again */
        kind->show(report);
        assert_memory_equal(text.buffer.data, tables[i].first, strlen(tables[i].first));
        assert_int_equal(num_lines(&text), 2);
        kind->begin_anew(report, 1);
        text.buffer.len = 0;
        for (uint64_t j = 0; j < 29998; j++)
            tables[i].put(report, j);
        assert_memory_equal(text.buffer.data, "many rows: s", 12);
        kind->show(report);
        assert_int_equal(num_lines(&text), 29998 + 3);
        const char *last = memrchr(text.buffer.data, '\n', text.buffer.len - 1);
        assert_memory_equal(last, tables[i].many, strlen(tables[i].many));
        kind->end(report);
        text.buffer.len = 0;

        config.is_live = true;
        report = kind->open(&text, &config);
        for (uint64_t j = 0; j < 2; j++)
            tables[i].put(report, j);
        assert_memory_equal(text.buffer.data, tables[i].heading, strlen(tables[i].heading));
        assert_int_equal(num_lines(&text), 3);
        kind->show(report);
        kind->begin_anew(report, 1);
        tables[i].put(report, 3);
        assert_int_equal(num_lines(&text), 5);
        kind->end(report);
        ds_buffer_free(&text.buffer);
    }
}

/* All other tables, each with calls, deaths and messages. */
static void run_others(void *kind_of)
{
    const struct report_kind *kind = kind_of;
    struct report_config config;
    struct report_text text = {.time_digits = 6, .width = 60};
    struct made made;
    init_config(&config);
    config.limits[DS_LIMIT_TALLIES] = 3;
    config.max_rows = 2;
    config.call_order = CALLS_BY_TIME;
    void *report = kind->open(&text, &config);
    if (report == NULL)
        return;
    for (uint64_t i = 0; i < 5; i++) {
        const char *const labels[] = {"one", "two", "three", "four", "five"};
        struct call call = {.number = i + 1,
                            .label = labels[i],
                            .group = "",
                            .end_ns = (int64_t)(i + 1) * 1000,
                            .outcome = i % 2 ? CALL_UNANSWERED : CALL_ERROR,
                            .mfa = words("lists:seq(1,2)")};
        call.caller.node = words("a@h");
        call.callee.name = words(labels[4 - i]);
        make(&made, i, 100 + i);
        kind->record(report, &made.record);
        kind->record(report, &(struct record){.event = &made.event, .call = &call});
        make_exit(&made, (uint8_t)i, 9);
        kind->record(report, &made.record);
        if (kind->takes_monitors)
            put_monitor_of(report, kind, i);
        if (kind->visit != NULL && i == 3)
            kind->visit(report, &(struct record){.call = &call});
    }
    kind->show(report);
    kind->show(report);
    if (kind->begin_anew != NULL)
        kind->begin_anew(report, 5);
    kind->show(report);
    kind->end(report);
    ds_buffer_free(&text.buffer);
}

/* What a process sent before its name was known is in the line of its name, once. */
static void name_known_later(void **state)
{
    struct report_config config;
    struct report_text text = {.time_digits = 6, .now_ns = 1000005000}; /* a second after */
    struct made made;
    (void)state;
    init_config(&config);
    void *report = report_top.open(&text, &config);
    struct call call = {.number = 1, .outcome = CALL_OK, .callee.node = words("b@h")};
    for (unsigned i = 0; i < 3; i++) {
        make_exit(&made, 5, 7); /* from and to are a pid of a@h */
        made.event.message.role[DS_ROLE_TO] = (struct ds_term){0};
        made.event.frame = 20 - i; /* the earliest packet is shown, however it is counted */
        if (i == 2) {
            made.record.note.from_name = words("db");
            made.event.frame = 11;
        }
        report_top.record(report, &made.record);
    }
    make_exit(&made, 6, 7);
    made.event.message.role[DS_ROLE_TO] = (struct ds_term){0};
    report_top.record(report, &made.record);
    call.caller = (struct party){.node = words("a@h"), .has_pid = true, .id = 6, .creation = 1};
    call.start_frame = 9;
    call.conn = 7;
    report_top.record(report, &(struct record){.event = &made.event, .call = &call});
    call.caller.name = words("web");
    report_top.record(report, &(struct record){.event = &made.event, .call = &call});
    report_top.show(report);
    assert_has(&text, "       300      0.0       3.0      0      0      0         11     7  db@a@h\n");
    assert_has(&text, "       100      0.0       1.0      2      0      0          7     7  web@a@h\n");
    assert_null(memmem(text.buffer.data, text.buffer.len, "<a@h", 4));
    report_top.end(report);
    ds_buffer_free(&text.buffer);
}

static void put_call(void *state, const struct report_kind *kind, const char *label,
                     enum call_outcome outcome, int64_t span_ns)
{
    static uint64_t number = 20;
    number++;
    const struct call call = {.number = number, .conn = 7, .label = label, .group = "", .outcome = outcome,
                              .caller = {.node = {"a@h", 3}}, .callee = {.node = {"b@h", 3}},
                              .start_ns = 1000, .end_ns = 1000 + span_ns, .start_frame = number + 100};
    const struct record record = {.call = &call};
    kind->record(state, &record);
}

/* Calls without a known outcome have neither failed nor a duration; for few calls, the percentile
 * is the greatest. */
static void calls_without_end(void **state)
{
    static const struct report_kind *const both[] = {&report_latency, &report_top};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct report_config config;
        struct report_text text = {.time_digits = 6};
        init_config(&config);
        config.max_rows = 9;
        void *report = both[i]->open(&text, &config);
        put_call(report, both[i], "gen:x", CALL_UNKNOWN, 400);
        put_call(report, both[i], "gen:x", CALL_UNANSWERED, 900);
        put_call(report, both[i], "gen:y", CALL_OK, 5749000);
        put_call(report, both[i], "gen:z", CALL_UNANSWERED, 900);
        put_call(report, both[i], "gen:z", CALL_OK, 300000);
        put_call(report, both[i], "gen:z", CALL_OK, 200000);
        for (int far = 0; far < 3; far++) /* more than there is room for, together */
            put_call(report, both[i], "gen:far", CALL_OK, INT64_MAX / 2);
        both[i]->show(report);
        if (i == 0) {
            /* Columns are as wide as those 146 years need. */
            assert_has(&text, " 2       0      2              -              -              -              -"
                              "               - |               |      21       121     7  gen:x");
            assert_has(&text, " 1       0      0        5.75 ms        5.75 ms        5.75 ms        5.75 ms"
                              "         5.75 ms |");
            assert_has(&text, "|      25       125     7  gen:z");
        } else {
            assert_has(&text, "    0      9      0        130     7  b@h\n");
        }
        both[i]->end(report);
        ds_buffer_free(&text.buffer);
    }
}

static void judge(struct reports *reports, uint64_t number, enum severity severity, const char *sentence)
{
    static const struct finding_kind kind = {.code = "DS305", .title = "a request is not answered",
                                             .advice = "wait", .rank = RANK_AVAILABILITY};
    struct finding finding = {.number = number, .severity = severity, .first_ns = 1000, .count = 1,
                              .kind = severity <= SEVERITY_NOTE ? &kind : NULL};
    const struct record record = {.finding = &finding};
    wording_add(&finding.sentence, sentence);
    reports_judge(reports, &record);
}

/* The verdict is one line, empty if it is not wanted or memory ran out. */
static void take_verdict(void *context)
{
    struct report_config config;
    (void)context;
    init_config(&config);
    config.verdict = true;
    struct reports *reports = reports_new(&config, 6, false);
    if (reports == NULL)
        return;
    judge(reports, 1, SEVERITY_ERROR, "b@h does not answer");
    judge(reports, 2, SEVERITY_NOTE, "nothing much");
    judge(reports, 3, SEVERITY_WARNING, "c@h is slow");
    judge(reports, UINT64_MAX, SEVERITY_DOWN, "d@h left");
    reports_end(reports);
    const struct ds_text verdict = reports_verdict(reports);
    assert_null(memchr(verdict.data, '\n', verdict.len));
    if (!failing_alloc_failed()) {
        static const char all[] =
            "d@h left; 1 error, 1 warning; first: DS305 a request is not answered";
        assert_int_equal(verdict.len, strlen(all));
        assert_memory_equal(verdict.data, all, verdict.len);
    }
    reports_free(reports);
}

static void verdict_in_a_line(void **state)
{
    struct report_config config;
    (void)state;
    take_verdict(NULL);
    assert_true(failing_alloc_each(take_verdict, NULL) >= 5);
    init_config(&config);
    struct reports *reports = reports_new(&config, 6, false);
    judge(reports, 1, SEVERITY_ERROR, "b@h does not answer");
    reports_end(reports);
    assert_int_equal(reports_verdict(reports).len, 0);
    reports_free(reports);
}

static void without_memory(void **state)
{
    static const struct report_kind *const others[] = {&report_latency, &report_open,
                                                       &report_deaths, &report_top, &report_audit,
                                                       &report_monitors, &report_calls};
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        struct report_kind kind = *others[i];
        assert_true(failing_alloc_each(run_others, &kind) >= 5);
    }
    for (enum traffic_by by = 0; by < TRAFFIC_BY_COUNT; by++)
        assert_true(failing_alloc_each(run_traffic, &by) >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_million_shapes), cmocka_unit_test(at_the_cap),
        cmocka_unit_test(what_a_screen_holds), cmocka_unit_test(count_before_lines),
        cmocka_unit_test(name_known_later), cmocka_unit_test(calls_without_end),
        cmocka_unit_test(verdict_in_a_line), cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
