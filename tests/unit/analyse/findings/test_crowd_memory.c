/*
 * test_crowd_memory.c - a hundred thousand connections, a million shapes of messages, and more
 * traced ones than are kept: the memory of links, findings and reports stays under caps, counted in
 * bytes, and does not grow after half of them.
 */
#include "analyse/findings/findings.h"
#include "default_limits.h"
#include "packet_maker.h"
#include "reports/report.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { CONNECTIONS = 100000, SHAPES = 1000000, MB = 1 << 20 };

#define MS INT64_C(1000000)

/* The sanitizer's allocator keeps its own count. */
extern size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static size_t allocated(void)
{
    return __sanitizer_get_current_allocated_bytes != NULL
               ? __sanitizer_get_current_allocated_bytes()
               : mallinfo2().uordblks;
}

/* growth is the growth of memory at half and at the end. */
struct growth {
    size_t before, half, end;
};

static void assert_flat(const struct growth *growth, size_t max)
{
    print_message("%zu kB at half, %zu kB in the end\n", (growth->half - growth->before) / 1024,
                  (growth->end - growth->before) / 1024);
    assert_in_range(growth->end - growth->before, 0, max);
    assert_in_range(growth->end, 0, growth->half + MB / 2);
}

static struct ds_conn conn;
static struct ds_tcp_stats facts;
static char name[2][40];

static void be_between(uint32_t number)
{
    memset(&conn, 0, sizeof conn);
    conn.number = number + 1;
    conn.link = &facts;
    facts.closed_by = 0;
    facts.close = DS_CLOSE_RESET;
    for (int end = 0; end < 2; end++) {
        const int len = snprintf(name[end], sizeof name[end], "node_%u@host%d", number, end);
        conn.end[end] = (struct ds_endpoint){.addr = {4, {10, (uint8_t)(number >> 16),
                                                          (uint8_t)(number >> 8), (uint8_t)number}},
                                             .port = (uint16_t)(4370 + end), .creation = number + 1,
                                             .node = {name[end], (size_t)len}};
        conn.counters[end].messages = 1;
    }
}

/* for_each_connection plays num connections: each comes up, sends something and ends. */
static void for_each_connection(uint32_t number, void (*take)(void *, const struct record *),
                                void *context)
{
    be_between(number);
    const enum ds_conn_state states[] = {DS_CONN_OPEN, DS_CONN_UP, DS_CONN_CLOSED};
    for (size_t i = 0; i < 3; i++) {
        struct ds_event event = {.type = DS_EVENT_CONN, .frame = 3 * number + i + 1,
                                 .ts_ns = 1000 * MS + number * MS, .conn = &conn};
        event.change = (struct ds_conn_change){.state = states[i], .final = i == 2};
        const struct record record = {.event = &event};
        take(context, &record);
        if (i == 0) {
            event.type = DS_EVENT_HANDSHAKE;
            memset(&event.handshake, 0, sizeof event.handshake);
            event.handshake.step = DS_STEP_SEND_NAME;
            event.handshake.name = conn.end[0].node;
            take(context, &record);
        }
    }
}

static void take_report(void *context, const struct record *record)
{
    report_links.record(context, record);
}

static void links(void **state)
{
    struct report_config config = {.max_rows = 3};
    struct report_text text = {.time_digits = 6};
    struct growth growth = {.before = allocated()};
    (void)state;
    default_limits(config.limits);
    void *report = report_links.open(&text, &config);
    for (uint32_t i = 0; i < CONNECTIONS; i++) {
        for_each_connection(i, take_report, report);
        if (i == CONNECTIONS * 2 / 3) /* the cap is a little above half of them */
            growth.half = allocated();
    }
    growth.end = allocated();
    assert_flat(&growth, 48 * MB);
    report_links.end(report);
    ds_buffer_free(&text.buffer);
}

static void count_finding(void *context, const struct record *record)
{
    *(uint64_t *)context += record->finding->kind != NULL;
}

static void take_findings(void *context, const struct record *record)
{
    findings_record(context, record);
}

static void findings(void **state)
{
    uint64_t num = 0;
    struct findings_config config = {.emit = count_finding, .context = &num, .epmd_port = 4369};
    struct growth growth = {.before = allocated()};
    (void)state;
    default_limits(config.limits);
    struct findings *all = findings_new(&config);
    for (uint32_t i = 0; i < CONNECTIONS; i++) {
        for_each_connection(i, take_findings, all);
        if (i == CONNECTIONS / 2)
            growth.half = allocated();
    }
    growth.end = allocated();
    assert_true(num >= CONNECTIONS); /* each was reset */
    assert_flat(&growth, 32 * MB);
    findings_free(all);
}

static void shapes(void **state)
{
    struct report_config config = {.max_rows = 3};
    struct report_text text = {.time_digits = 6};
    struct growth growth = {.before = allocated()};
    (void)state;
    default_limits(config.limits);
    void *report = report_traffic.open(&text, &config);
    be_between(1);
    for (uint32_t i = 0; i < SHAPES; i++) {
        uint8_t payload[32] = {104, 2, 119};
        const int len = snprintf((char *)payload + 4, sizeof payload - 4, "k%u", i);
        payload[3] = (uint8_t)len;
        payload[4 + len] = 97;
        struct ds_event event = {.type = DS_EVENT_MESSAGE, .frame = i + 1, .ts_ns = i, .conn = &conn};
        event.message.size = 100;
        event.message.payload = (struct ds_term){.data = payload, .len = (size_t)len + 6};
        const struct record record = {.event = &event, .note = {.role = NOTE_SEND}};
        report_traffic.record(report, &record);
        if (i == SHAPES / 2)
            growth.half = allocated();
    }
    growth.end = allocated();
    assert_flat(&growth, 64 * MB);
    report_traffic.end(report);
    ds_buffer_free(&text.buffer);
}

/* Any peer can send a seq_trace token: its sender may be a term of any size, and all that is shown
 * of it may be that long. */
static void traces(void **state)
{
    enum { TRACED = 70000, FROM_LEN = 20000 };
    struct report_config config = {.max_rows = 3};
    struct report_text text = {.time_digits = 6};
    struct growth growth = {.before = allocated()};
    static uint8_t from[FROM_LEN] = {109, 0, 0, (FROM_LEN - 5) >> 8, (FROM_LEN - 5) & 0xff};
    (void)state;
    default_limits(config.limits);
    void *report = report_seq_trace.open(&text, &config);
    be_between(1);
    for (uint32_t i = 0; i < TRACED; i++) {
        const uint8_t label[] = {98, (uint8_t)(i >> 24), (uint8_t)(i >> 16), (uint8_t)(i >> 8), (uint8_t)i};
        struct ds_event event = {.type = DS_EVENT_MESSAGE, .frame = i + 1, .ts_ns = i, .conn = &conn};
        event.message.token.present = true;
        event.message.token.label = (struct ds_term){.data = label, .len = sizeof label};
        if (i % 100 == 0)
            event.message.token.from = (struct ds_term){.data = from, .len = sizeof from};
        event.message.payload = event.message.token.label;
        const struct record record = {.event = &event, .note = {.role = NOTE_SEND}};
        report_seq_trace.record(report, &record);
        if (i == TRACED - 100) /* the cap is reached */
            growth.half = allocated();
    }
    growth.end = allocated();
    assert_flat(&growth, 12 * MB);
    report_seq_trace.show(report);
    assert_non_null(memmem(text.buffer.data, text.buffer.len, "65536 traced messages, 4464 more", 32));
    report_seq_trace.end(report);
    ds_buffer_free(&text.buffer);
}

static void long_traces(void **state)
{
    enum { TRACED = 60000, LEN = 250 };
    struct report_config config = {.max_rows = 3};
    struct report_text text = {.time_digits = 6};
    struct growth growth = {.before = allocated()};
    uint8_t term[2 * LEN + 16] = {104, 2, 119, LEN}; /* {Atom, Atom} of what takes most when it is shown */
    (void)state;
    default_limits(config.limits);
    memset(term + 4, 1, LEN);
    term[4 + LEN] = 119;
    term[5 + LEN] = LEN;
    memset(term + 6 + LEN, 1, LEN);
    void *report = report_seq_trace.open(&text, &config);
    be_between(1);
    for (uint32_t i = 0; i < TRACED; i++) {
        struct ds_event event = {.type = DS_EVENT_MESSAGE, .frame = i + 1, .ts_ns = i, .conn = &conn};
        event.message.token = (struct ds_token){.present = true};
        event.message.payload = (struct ds_term){.data = term, .len = 6 + 2 * LEN};
        event.message.token.label = event.message.token.from = event.message.payload;
        event.message.role[DS_ROLE_TO] = event.message.payload;
        const struct record record = {.event = &event, .note = {.role = NOTE_SEND}};
        report_seq_trace.record(report, &record);
        if (i == TRACED / 2)
            growth.half = allocated();
    }
    growth.end = allocated();
    assert_flat(&growth, 32 * MB);
    report_seq_trace.show(report);
    assert_non_null(memmem(text.buffer.data, 100, "more left out: the limit is 24 MB\n", 34));
    report_seq_trace.end(report);
    ds_buffer_free(&text.buffer);
}

static void ignore(void *context, const struct ds_event *event)
{
    (void)context;
    (void)event;
}

static void send(struct ds_session *session, struct maker *m, uint32_t number, int dir,
                 uint32_t seq, uint32_t ack, uint8_t flags, const char *text)
{
    const uint8_t client[] = {10, (uint8_t)(number >> 16), (uint8_t)(number >> 8), (uint8_t)number};
    maker_start(m, text, strlen(text));
    maker_tcp(m, seq, ack, flags, 0);
    maker_ip4(m, 6);
    memcpy(maker_bytes(m) + (dir == 0 ? 12 : 16), client, sizeof client);
    struct ds_packet packet = maker_packet(m, 101);
    packet.ts_ns = 1000 * MS + number * MS / 10;
    packet.frame = number + 1;
    ds_session_packet(session, &packet);
}

/* Open connections with facts: so many that they reach the cap. */
static void sessions(void **state)
{
    struct ds_config config;
    struct maker m;
    struct growth growth = {.before = allocated()};
    const uint16_t port = 0x5678;
    (void)state;
    ds_config_init(&config);
    config.on_event = ignore;
    config.facts = true;
    config.dist_ports = &port;
    config.num_dist_ports = 1;
    struct ds_session *session = ds_session_new(&config);
    for (uint32_t i = 0; i < CONNECTIONS; i++) {
        send(session, &m, i, 0, 1, 0, 2, "");
        send(session, &m, i, 0, 2, 1, 16, "what nobody knows yet");
        if (i == CONNECTIONS / 2)
            growth.half = allocated();
    }
    growth.end = allocated();
    const struct ds_stats *stats = ds_session_stats(session);
    assert_in_range(stats->tcp_connections, CONNECTIONS - 32, CONNECTIONS); /* some wait for more */
    assert_true(stats->limits_hit[DS_LIMIT_CONNECTIONS] > CONNECTIONS / 2);
    assert_true(stats->limits_hit[DS_LIMIT_MEMORY] != 0); /* not all have facts */
    assert_flat(&growth, 64 * MB);
    ds_session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links),
        cmocka_unit_test(findings),
        cmocka_unit_test(shapes),
        cmocka_unit_test(traces),
        cmocka_unit_test(long_traces),
        cmocka_unit_test(sessions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
