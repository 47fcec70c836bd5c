/*
 * test_report_apps.c - --report apps: the applications of labels, the subjects of messages,
 * failures, caps.
 */
#include "reports/report.h"

#include "default_limits.h"
#include "failing_alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct report_text report_text;
static struct ds_buffer bytes;

static struct ds_text text(const char *string)
{
    return (struct ds_text){string, strlen(string)};
}

static void put_atom(const char *name)
{
    const uint8_t head[] = {119, (uint8_t)strlen(name)};
    ds_buffer_add(&bytes, head, sizeof head);
    ds_buffer_add(&bytes, name, strlen(name));
}

static void put_tuple(uint8_t arity)
{
    const uint8_t head[] = {104, arity};
    ds_buffer_add(&bytes, head, sizeof head);
}

static void put_binary(const char *string)
{
    const uint8_t head[] = {109, 0, 0, 0, (uint8_t)strlen(string)};
    ds_buffer_add(&bytes, head, sizeof head);
    ds_buffer_add(&bytes, string, strlen(string));
}

static void put_queue(const char *name)
{
    put_tuple(4);
    put_atom("resource");
    put_binary("/");
    put_atom("queue");
    put_binary(name);
}

/* say passes a message with the term in bytes to the report; from is a node. */
static void say(void *report, const char *group, const char *label, enum note_role role, const char *from)
{
    struct ds_conn conn = {.number = 1, .end = {{.node = text(from)}, {.node = text("bob@b")}}};
    struct ds_event event = {.type = DS_EVENT_MESSAGE, .frame = 1, .ts_ns = 1, .conn = &conn};
    event.message.size = 100;
    event.message.payload = (struct ds_term){.data = (const uint8_t *)bytes.data, .len = bytes.len};
    const struct record record = {.event = &event, .note = {.group = group, .label = label, .role = role}};
    report_apps.record(report, &record);
    bytes.len = 0;
}

static void end_call(void *report, const char *group, const char *label, enum call_outcome outcome)
{
    const struct call call = {.number = 1, .group = group, .label = label, .outcome = outcome};
    report_apps.record(report, &(struct record){.call = &call});
}

static void *open_report(void)
{
    struct report_config config = {.max_rows = 20};
    default_limits(config.limits);
    report_text.buffer.len = 0;
    return report_apps.open(&report_text, &config);
}

static void shows(void *report, const char *wanted)
{
    report_text.buffer.len = 0;
    report_apps.show(report);
    ds_buffer_add(&report_text.buffer, "", 1);
    assert_string_equal(report_text.buffer.data, wanted);
}

static void names(void **state)
{
    (void)state;
    void *report = open_report();
    shows(report, "applications: 0 applications on 0 nodes\n");
    put_tuple(2);
    put_atom("queue_event");
    put_queue("orders");
    say(report, "rabbit", "rabbit:queue_event", NOTE_INFO, "alice@a");
    put_tuple(3); /* deeper: {a, {b, Queue}, c} */
    put_atom("a");
    put_tuple(2);
    put_atom("b");
    put_queue("audit");
    put_atom("c");
    say(report, "rabbit", "rabbit:deliver", NOTE_INFO, "alice@a");
    put_tuple(2); /* an exchange is no queue */
    put_atom("a");
    put_tuple(4);
    put_atom("resource");
    put_binary("/");
    put_atom("exchange");
    put_binary("x");
    say(report, "rabbit", "gm", NOTE_INFO, "carol@c");
    put_tuple(3);
    put_atom("write");
    put_atom("tid");
    put_tuple(2);
    put_atom("stock");
    put_atom("key");
    say(report, "mnesia", "mnesia_locker", NOTE_REQUEST, "alice@a");
    put_atom("granted");
    say(report, "mnesia", "mnesia_locker", NOTE_REPLY, "alice@a");
    put_atom("x");
    say(report, "otp", "global:register", NOTE_INFO, "alice@a"); /* none of these */
    put_atom("x");
    say(report, "", "gen:call", NOTE_INFO, "alice@a");
    end_call(report, "mnesia", "mnesia_locker", CALL_OK);
    end_call(report, "rabbit", "rabbit:basic_consume", CALL_ERROR);
    end_call(report, "rabbit", "rabbit:basic_consume", CALL_UNANSWERED);
    shows(report, "applications: 2 applications on 3 nodes\n"
                  "status  nodes messages bytes calls failed  application\n"
                  "failing     3        3   300     2      1  RabbitMQ\n"
                  "ok          2        2   200     1      0  mnesia\n"
                  "\n"
                  "RabbitMQ nodes         alice@a, bob@b, carol@c\n"
                  "RabbitMQ queues        audit 1, orders 1\n"
                  "RabbitMQ messages      gm 1, rabbit:deliver 1, rabbit:queue_event 1\n"
                  "mnesia   nodes         alice@a, bob@b\n"
                  "mnesia   tables locked stock 1\n"
                  "mnesia   messages      mnesia_locker 2\n");
    report_apps.end(report);
}

static void caps(void **state)
{
    static char name[700][16];
    (void)state;
    void *report = open_report();
    for (int i = 0; i < 700; i++) { /* more nodes, and more queues, than there is room for */
        snprintf(name[i], sizeof name[i], "n%d@h", i % 700);
        put_tuple(2);
        put_atom("a");
        put_queue(name[i]);
        say(report, "rabbit", "rabbit:deliver", NOTE_INFO, name[i]);
    }
    report_apps.show(report);
    ds_buffer_add(&report_text.buffer, "", 1);
    assert_non_null(strstr(report_text.buffer.data, "ok       128      700 70000"));
    assert_non_null(strstr(report_text.buffer.data, "+, "));
    assert_non_null(strstr(report_text.buffer.data, "more nodes than 128: others are not counted\n"));
    report_apps.end(report);
}

static void run(void *context)
{
    struct json_writer json = {0};
    struct ds_buffer out = {0};
    (void)context;
    json.out = &out;
    json_begin_object(&json);
    void *report = open_report();
    if (report != NULL) {
        put_tuple(2);
        put_atom("a");
        put_queue("orders");
        say(report, "rabbit", "rabbit:deliver", NOTE_INFO, "alice@a");
        end_call(report, "rabbit", "ra:vote", CALL_NOPROC);
        report_apps.show(report);
        report_apps.write_json(report, &json);
        report_apps.end(report);
    }
    json_end_object(&json);
    json_writer_free(&json);
    ds_buffer_free(&out);
    ds_buffer_free(&report_text.buffer);
    ds_buffer_free(&bytes);
}

static void no_memory(void **state)
{
    (void)state;
    failing_alloc_each(run, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(caps),
                                       cmocka_unit_test(no_memory)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ds_buffer_free(&report_text.buffer);
    ds_buffer_free(&bytes);
    return failed;
}
