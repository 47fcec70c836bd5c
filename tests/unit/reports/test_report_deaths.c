/* test_report_deaths.c - --report deaths: which ends are deaths, each of them once, and its caps. */
#include "report_world.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deaths_at_the_cap), cmocka_unit_test(results_are_no_deaths),
        cmocka_unit_test(deaths_of_each_table), cmocka_unit_test(very_many_deaths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
