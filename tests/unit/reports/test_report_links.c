/* test_report_links.c - --report links and open: what is under way, long names of nodes, and the worst
 * links. */
#include "report_world.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_under_way), cmocka_unit_test(long_names),
        cmocka_unit_test(worst_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
