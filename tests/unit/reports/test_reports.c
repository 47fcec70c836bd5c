/* test_reports.c - the tables of --report: at their caps, with a million kinds of messages, and
 * when memory runs out. golden/ has what they show. */
#include "default_limits.h"
#include "failing_alloc.h"
#include "reports/redraw.h"
#include "reports/report.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct ds_conn conn = {
    .number = 7,
    .end = {{.addr = {4, {10, 0, 0, 1}}, .port = 1, .node = {"a@h", 3}},
            {.addr = {4, {10, 0, 0, 2}}, .port = 2, .node = {"b@h", 3}}},
};

/* A message with the payload {kN,1}. */
struct made {
    struct ds_event event;
    struct record record;
    uint8_t payload[32];
};

static void make(struct made *made, uint64_t number, uint64_t size)
{
    memset(made, 0, sizeof *made);
    uint8_t *p = made->payload;
    const int len = sprintf((char *)p + 4, "k%llu", (unsigned long long)number);
    p[0] = 104;
    p[1] = 2;
    p[2] = 119;
    p[3] = (uint8_t)len;
    p[4 + len] = 97;
    p[5 + len] = 1;
    made->event.type = DS_EVENT_MESSAGE;
    made->event.conn = &conn;
    made->event.frame = number + 1;
    made->event.ts_ns = (int64_t)number * 1000;
    made->event.message.size = size;
    made->event.message.payload = (struct ds_term){.data = p, .len = (size_t)len + 6};
    made->record.event = &made->event;
    made->record.note.role = NOTE_SEND;
}

static void init_config(struct report_config *config)
{
    memset(config, 0, sizeof *config);
    default_limits(config->limits);
    config->max_rows = 3;
}

static void assert_has(const struct report_text *text, const char *wanted)
{
    if (memmem(text->buffer.data, text->buffer.len, wanted, strlen(wanted)) == NULL) {
        print_error("no %s in\n%.*s", wanted, (int)text->buffer.len, text->buffer.data);
        fail();
    }
}

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

/* A message that reports the exit of process N. */
static void make_exit(struct made *made, uint8_t number, uint8_t reason)
{
    const uint8_t pid[] = {88, 119, 3, 'a', '@', 'h', 0, 0, 0, number, 0, 0, 0, 0, 0, 0, 0, 1};
    make(made, number, 100);
    memcpy(made->payload, pid, sizeof pid);
    made->payload[20] = 97;
    made->payload[21] = reason;
    made->event.message.op = ds_op_find(24);
    made->event.message.code = 24;
    made->event.message.role[DS_ROLE_FROM] = (struct ds_term){.data = made->payload, .len = 18};
    made->event.message.role[DS_ROLE_TO] = made->event.message.role[DS_ROLE_FROM];
    made->event.message.payload = (struct ds_term){.data = made->payload + 20, .len = 2};
    made->record.note.role = NOTE_EXIT;
}

static size_t num_lines(const struct report_text *text)
{
    size_t num = 0;
    for (size_t i = 0; i < text->buffer.len; i++)
        num += text->buffer.data[i] == '\n';
    return num;
}

/* More deaths at once than wait for their consequences: the oldest are written, none is lost. */
static void deaths_at_the_cap(void **state)
{
    struct report_config config;
    struct report_text text = {.time_digits = 6};
    struct made made;
    (void)state;
    init_config(&config);
    void *report = report_deaths.open(&text, &config);
    for (unsigned i = 0; i < 300; i++) {
        make_exit(&made, (uint8_t)i, 7);
        made.event.message.role[DS_ROLE_FROM].len = 18;
        made.payload[13] = (uint8_t)(i >> 8); /* of the serial */
        report_deaths.record(report, &made.record);
    }
    report_deaths.show(report);
    assert_has(&text, "<a@h.0.0> exited: 7");
    assert_has(&text, "<a@h.43.1> exited: 7");
    assert_has(&text, "300 processes exited, 0 connections lost");
    assert_int_equal(num_lines(&text), 301);
    assert_memory_equal(text.buffer.data, "300 processes", 13);
    report_deaths.end(report);
    ds_buffer_free(&text.buffer);
}

/* A process that ends with the answer of erpc, {Reference, return, Result}, has finished its job,
 * even if its request was not captured; one that ends with another reason died. */
static void results_are_no_deaths(void **state)
{
    const uint8_t answer[] = {104, 3, 90, 0, 1, 119, 3, 'a', '@', 'h', 0, 0, 0, 1, 0, 0, 0, 2,
                              119, 6, 'r', 'e', 't', 'u', 'r', 'n', 97, 1};
    static const struct {
        int code; /* MONITOR_P_EXIT with a payload, EXIT with one */
        uint8_t arity;
        size_t len;
        uint64_t call;
        unsigned deaths;
    } cases[] = {
        {28, 3, sizeof answer, 0, 0}, {28, 2, sizeof answer - 2, 0, 1}, {28, 2, sizeof answer - 2, 1, 0},
        {24, 3, sizeof answer, 0, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct report_config config;
        struct report_text text = {.time_digits = 6};
        struct made made;
        uint8_t reason[sizeof answer];
        init_config(&config);
        memcpy(reason, answer, sizeof answer);
        reason[1] = cases[i].arity;
        make_exit(&made, 1, 7);
        made.event.message.op = ds_op_find(cases[i].code);
        made.event.message.code = cases[i].code;
        made.event.message.payload = (struct ds_term){.data = reason, .len = cases[i].len};
        made.record.note.call = cases[i].call;
        void *report = report_deaths.open(&text, &config);
        report_deaths.record(report, &made.record);
        report_deaths.show(report);
        assert_has(&text, cases[i].deaths != 0 ? "1 process exited" : "0 processes exited");
        report_deaths.end(report);
        ds_buffer_free(&text.buffer);
    }
}

/* With --every, each death has one line, in the table after it was complete; the sentence before
 * them counts all since the beginning. */
static void deaths_of_each_table(void **state)
{
    struct report_config config;
    struct report_text text = {.time_digits = 6, .now_ns = 1};
    struct made made;
    (void)state;
    init_config(&config);
    void *report = report_deaths.open(&text, &config);
    for (uint8_t i = 0; i < 3; i++) {
        make_exit(&made, i, 7);
        made.event.ts_ns = i * 2000000000LL;
        report_deaths.record(report, &made.record);
    }
    report_deaths.show(report);
    assert_memory_equal(text.buffer.data, "3 processes exited", 18);
    assert_int_equal(num_lines(&text), 3); /* the third may become more */
    text.buffer.len = 0;
    report_deaths.begin_anew(report, 1);
    text.now_ns = 0;
    report_deaths.show(report);
    assert_memory_equal(text.buffer.data, "3 processes exited", 18);
    assert_has(&text, "<a@h.2.0> exited: 7");
    assert_int_equal(num_lines(&text), 2);
    report_deaths.end(report);
    ds_buffer_free(&text.buffer);
}

/* More than are held: they are written as they come, and the sentence is the last line. */
static void very_many_deaths(void **state)
{
    enum { NUM = 30000 };
    struct report_config config;
    struct report_text text = {.time_digits = 6};
    struct made made;
    (void)state;
    init_config(&config);
    void *report = report_deaths.open(&text, &config);
    size_t most = 0, num = 0;
    for (unsigned i = 0; i < NUM; i++) {
        make_exit(&made, (uint8_t)i, 7);
        made.payload[13] = (uint8_t)(i >> 8);
        report_deaths.record(report, &made.record);
        most = text.buffer.len > most ? text.buffer.len : most;
        num += num_lines(&text);
        if (text.buffer.len != 0 && num == num_lines(&text))
            assert_memory_equal(text.buffer.data, "many rows: s", 12);
        text.buffer.len = 0; /* as it is written */
    }
    assert_true(most < 1100000);
    report_deaths.show(report);
    num += num_lines(&text);
    assert_int_equal(num, NUM + 2);
    assert_memory_equal(memrchr(text.buffer.data, '\n', text.buffer.len - 1), "\n30000 processes", 16);
    report_deaths.end(report);
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

/* part and stall report progress and stalls on connection 7. */
static void part(void *report, uint64_t sequence, uint64_t left)
{
    struct ds_event event = {.type = DS_EVENT_PART, .frame = 30, .ts_ns = 5000000000, .conn = &conn};
    event.part = (struct ds_part){.sequence = sequence, .left = left, .size = 70000, .num = 2,
                                  .began_ns = 3000000000};
    report_open.record(report, &(struct record){.event = &event});
}

static void stall(void *report, bool is_over)
{
    struct ds_event event = {
        .type = DS_EVENT_STALL, .dir = 1, .frame = 40, .ts_ns = 6000000000, .conn = &conn};
    event.stall = (struct ds_stall){.why = DS_STALL_ZERO_WINDOW, .is_over = is_over,
                                    .start_ns = 4000000000, .message_size = 9000,
                                    .message_passed = 4000};
    report_open.record(report, &(struct record){.event = &event});
}

static void end_conn(void *report, enum ds_conn_state how)
{
    struct ds_event event = {.type = DS_EVENT_CONN, .ts_ns = 7000000000, .conn = &conn};
    event.change = (struct ds_conn_change){.state = how, .final = true};
    report_open.record(report, &(struct record){.event = &event});
}

static void what_is_under_way(void **state)
{
    struct report_config config;
    struct report_text text = {.time_digits = 6};
    (void)state;
    init_config(&config);
    for (int how = 0; how < 4; how++) {
        void *report = report_open.open(&text, &config);
        part(report, 1, 1); /* the other message is complete */
        part(report, 2, 1);
        part(report, 2, 0);
        stall(report, false);
        if (how == 1) { /* both end */
            part(report, 1, 0);
            stall(report, true);
        } else if (how > 1) {
            end_conn(report, how == 2 ? DS_CONN_OPEN_AT_END : DS_CONN_CLOSED);
        }
        report_open.show(report);
        const bool are_open = how == 0 || how == 2;
        if (are_open) {
            assert_has(&text, "        30     7  a@h > b@h  2 fragments of a message, 70000 bytes so "
                              "far, 1 still to come\n");
            assert_has(&text, "        40     7  b@h > a@h  which has a closed window; a message is sent in "
                              "part: 4000 of 9000 bytes have arrived\n");
            assert_has(&text, "1 message with fragments still to come; 1 stall;");
        } else {
            assert_has(&text, "0 calls, 0 monitors and 0 process links open;");
            assert_null(memmem(text.buffer.data, text.buffer.len, "fragments", 9));
            assert_null(memmem(text.buffer.data, text.buffer.len, "stall", 5));
        }
        report_open.end(report);
        text.buffer.len = 0;
    }
    void *report = report_open.open(&text, &config);
    for (uint64_t i = 0; i < 5000; i++)
        part(report, i, 1);
    report_open.show(report);
    assert_has(&text, "4096 messages with fragments still to come; 904 of these were forgotten;");
    report_open.end(report);
    ds_buffer_free(&text.buffer);
}

/* A node's name that is cut ends between characters; one that fits is whole. */
static void long_names(void **state)
{
    static char name[70];
    struct report_config config;
    struct report_text text = {.time_digits = 6};
    const struct ds_text node = conn.end[0].node;
    (void)state;
    init_config(&config);
    for (unsigned more = 0; more < 2; more++) {
        struct ds_event event = {.type = DS_EVENT_CONN, .conn = &conn};
        event.change.state = DS_CONN_UP;
        memset(name, 'n', sizeof name);
        memcpy(name + 61 + more, "\xe5\xad\x97", 3);
        conn.end[0].node = (struct ds_text){name, 64 + more};
        void *links = report_links.open(&text, &config);
        report_links.record(links, &(struct record){.event = &event});
        report_links.show(links);
        report_links.end(links);
        assert_has(&text, more == 0 ? "nnn\xe5\xad\x97 > b@h" : "nnn... > b@h");
        text.buffer.len = 0;
        void *open = report_open.open(&text, &config);
        part(open, 1, 1);
        report_open.show(open);
        report_open.end(open);
        assert_has(&text, more == 0 ? "nnn\xe5\xad\x97 > b@h" : "nnn... > b@h");
        text.buffer.len = 0;
    }
    conn.end[0].node = node;
    ds_buffer_free(&text.buffer);
}

/* links_of records num links from nodes whose names are longer than what is kept, and end in a digit. */
static void *links_of(struct report_text *text, const struct report_config *config, unsigned num)
{
    static char name[100];
    const struct ds_conn before = conn;
    struct ds_event event = {.type = DS_EVENT_CONN, .conn = &conn};
    event.change.state = DS_CONN_UP;
    void *links = report_links.open(text, config);
    memset(name, 'n', sizeof name);
    conn.end[0].node = (struct ds_text){name, sizeof name};
    for (unsigned i = 0; i < num; i++) {
        name[sizeof name - 1] = (char)('0' + i);
        conn.number = 10 + i;
        conn.counters[0].bytes = 100 * i; /* the later the worse */
        report_links.record(links, &(struct record){.event = &event});
    }
    conn = before;
    return links;
}

/* The worst links are shown, as many as --rows says; nodes are distinguished by their whole names. */
static void worst_links(void **state)
{
    struct report_config config;
    struct report_text text = {.time_digits = 6};
    (void)state;
    init_config(&config);
    for (config.max_links = 0; config.max_links <= 6; config.max_links++) {
        void *links = links_of(&text, &config, 5);
        const bool has_all = config.max_links == 0 || config.max_links >= 5;
        report_links.show(links);
        report_links.end(links);
        assert_has(&text, "5 links between 6 nodes (5 pairs), all open");
        assert_has(&text, "\nopen    14 ");
        assert_int_equal(memmem(text.buffer.data, text.buffer.len, "\nopen    10 ", 12) != NULL, has_all);
        assert_int_equal(memmem(text.buffer.data, text.buffer.len, "--rows", 6) != NULL, !has_all);
        if (config.max_links == 3)
            assert_has(&text, "\n2 more: --rows shows them\n");
        text.buffer.len = 0;
    }
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
        cmocka_unit_test(a_million_shapes),    cmocka_unit_test(at_the_cap),
        cmocka_unit_test(what_a_screen_holds), cmocka_unit_test(deaths_at_the_cap),
        cmocka_unit_test(results_are_no_deaths),
        cmocka_unit_test(deaths_of_each_table), cmocka_unit_test(very_many_deaths), cmocka_unit_test(count_before_lines),
        cmocka_unit_test(name_known_later),
        cmocka_unit_test(what_is_under_way), cmocka_unit_test(long_names),
        cmocka_unit_test(worst_links),
        cmocka_unit_test(calls_without_end),
        cmocka_unit_test(verdict_in_a_line),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
