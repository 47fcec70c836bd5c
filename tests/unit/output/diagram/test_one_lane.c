/* One node has one lane, whatever the first names of its ends are: an address, or a name without
 * host. */
#include "failing_alloc.h"
#include "output/diagram/diagram_wait.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/resource.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "sink_player.h"

static const struct ds_addr at_2 = {4, {10, 0, 0, 2}}, at_3 = {4, {10, 0, 0, 3}};

/* to selects the connection that follows, and the name of its far end: NULL is none. */
static void to(uint64_t number, const struct ds_addr *addr, uint16_t port, const char *name)
{
    conn.number = number;
    conn.end[1] = (struct ds_endpoint){.addr = *addr, .port = port};
    if (name != NULL)
        conn.end[1].node = text_of(name);
}

static void say(const char *what)
{
    message(6, 0, pid("alice@h", 85), atom("echo"), atom(what));
    show();
}

static void end_conn(void)
{
    begin(DS_EVENT_CONN, 0);
    event.change.state = DS_CONN_CLOSED;
    event.change.final = true;
    show();
}

static void lose(uint64_t num)
{
    const struct loss loss = {.count = num};
    sink.kind->lost(&sink, &loss);
}

static bool has_written(const char *what)
{
    char *all = written();
    const bool has = strstr(all, what) != NULL;
    free(all);
    return has;
}

/* Records from before a name is known are written in order, in the lane of that name. */
static void a_name_is_waited_for(void **test)
{
    (void)test;
    start("mermaid", LANES_NODE);
    to(1, &at_2, 4370, "bob@h");
    say("one");
    to(2, &at_2, 40001, NULL);
    say("two");
    to(3, &at_2, 40002, "bob");
    say("three");
    lose(7);
    to(1, &at_2, 4370, "bob@h");
    say("four");
    assert_false(has_written("two"));
    to(2, &at_2, 40001, "bob@h");
    say("five");
    assert_true(has_written("two"));
    assert_false(has_written("three"));
    to(3, &at_2, 40002, "bob@h");
    begin(DS_EVENT_TICK, 1); /* that is nothing to draw, but names it */
    show();
    assert_true(has_written("five"));
    expect("sequenceDiagram\n"
           "    autonumber\n"
           "    participant L1 as alice@h\n"
           "    participant L2 as bob@h\n"
           "    L1->>L2: SEND #60;85.0#62; to echo: one\n"
           "    L1->>L2: SEND #60;85.0#62; to echo: two\n"
           "    L1->>L2: SEND #60;85.0#62; to echo: three\n"
           "    Note over L1: lost 7 records because the output was not read fast enough\n"
           "    L1->>L2: SEND #60;85.0#62; to echo: four\n"
           "    L1->>L2: SEND #60;85.0#62; to echo: five\n");
}

/* The processes of a node that is named late are on its lane. */
static void processes_are_on_the_node(void **test)
{
    (void)test;
    start("plantuml", LANES_PROCESS);
    to(1, &at_2, 4370, NULL);
    say("one");
    message(22, 1, pid("bob@h", 90), pid("alice@h", 85), atom("two"));
    show();
    to(1, &at_2, 4370, "bob@h");
    say("three");
    expect("@startuml\n"
           "autonumber\n"
           "participant \"<U+003C>85.0<U+003E>\\nalice@h\" as L1\n"
           "participant \"echo\\nbob@h\" as L2\n"
           "    L1 -> L2: SEND: one\n"
           "participant \"<U+003C>90.0<U+003E>\\nbob@h\" as L3\n"
           "    L3 -> L1: SEND: two\n"
           "    L1 -> L2: SEND: three\n"
           "@enduml\n");
}

/* The callee is the node that got the request, by any name. */
static void an_end_of_a_call_is_of_its_node(void **test)
{
    (void)test;
    start("mermaid", LANES_NODE);
    conn.end[0].node = (struct ds_text){NULL, 0};
    to(1, &at_2, 4370, "bob");
    message(6, 0, none, atom("echo"), atom("ping"));
    record.note = (struct note){.role = NOTE_REQUEST, .label = "gen:call", .call = 8};
    show();
    struct call call = {.number = 8, .outcome = CALL_TIMEOUT, .end_ns = 2000};
    call.callee.node = text_of("bob");
    begin(DS_EVENT_TICK, 0);
    record.call = &call;
    show();
    conn.end[0].node = text_of("alice@h");
    to(1, &at_2, 4370, "bob@h");
    begin(DS_EVENT_TICK, 0);
    show();
    expect("sequenceDiagram\n"
           "    autonumber\n"
           "    participant L1 as alice@h\n"
           "    participant L2 as bob@h\n"
           "    L1->>L2: CALL #35;8 to echo: ping\n"
           "    Note over L1,L2: #35;8 timeout after 2 us\n");
}

/* A call that was forwarded went to the last node that it was forwarded to. */
static void a_call_passed_on_is_of_the_last_node(void **test)
{
    (void)test;
    start("mermaid", LANES_NODE);
    to(1, &at_2, 4370, NULL);
    message(6, 0, pid("alice@h", 85), atom("echo"), atom("ping"));
    record.note = (struct note){.role = NOTE_REQUEST, .label = "gen:call", .call = 8};
    show();
    to(1, &at_2, 4370, "bob@h");
    begin(DS_EVENT_TICK, 0);
    show();
    conn.end[0].node = text_of("bob@h");
    to(2, &at_3, 4371, NULL);
    message(6, 0, pid("bob@h", 90), atom("echo"), atom("ping"));
    record.note = (struct note){.role = NOTE_FORWARD, .label = "gen:call", .call = 8};
    show();
    to(2, &at_3, 4371, "carol@h");
    struct call call = {.number = 8, .outcome = CALL_TIMEOUT, .end_ns = 2000};
    call.caller.node = text_of("alice@h");
    begin(DS_EVENT_TICK, 0);
    record.call = &call;
    show();
    char *all = stop();
    assert_non_null(strstr(all, "participant L3 as carol@h\n"));
    assert_non_null(strstr(all, "Note over L1,L3: #35;8 timeout after 2 us\n"));
    free(all);
}

/* Without names, ends are shown by address; equal names without host are one node only at the same
 * address. */
static void without_names_there_are_addresses(void **test)
{
    (void)test;
    start("mermaid", LANES_NODE);
    to(1, &at_2, 4370, NULL);
    say("one");
    to(2, &at_2, 4370, NULL);
    say("two");
    to(3, &at_2, 4371, "bob");
    say("three");
    to(4, &at_2, 4372, "bob");
    say("four");
    to(5, &at_3, 4371, "bob");
    say("five");
    to(1, &at_2, 4370, NULL);
    say("six");
    end_conn();
    assert_true(has_written("one"));
    assert_false(has_written("two"));
    expect("sequenceDiagram\n"
           "    autonumber\n"
           "    participant L1 as alice@h\n"
           "    participant L2 as 10.0.0.2#58;4370\n"
           "    L1->>L2: SEND #60;85.0#62; to echo: one\n"
           "    L1->>L2: SEND #60;85.0#62; to echo: two\n"
           "    participant L3 as bob\n"
           "    L1->>L3: SEND #60;85.0#62; to echo: three\n"
           "    L1->>L3: SEND #60;85.0#62; to echo: four\n"
           "    participant L4 as bob\n"
           "    L1->>L4: SEND #60;85.0#62; to echo: five\n"
           "    L1->>L2: SEND #60;85.0#62; to echo: six\n"
           "    Note over L1,L2: connection 1 closed\n");
}

/* A connection ended without the whole name of its node, and another connection has it, earlier or
 * later: names without host are unique on a host, and so are ports. */
static void another_connection_may_know(void **test)
{
    static const struct {
        uint16_t port;
        const char *name, *is;
    } ways[] = {
        {4370, NULL, "10.0.0.2#58;4370"},
        {4370, "bob", "bob"},
        {40000, "bob", "bob"},
    };
    (void)test;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        start("mermaid", LANES_NODE);
        to(1, &at_2, 4370, "bob@h");
        say("one");
        to(2, &at_2, ways[i].port, ways[i].name);
        say("two");
        end_conn();
        to(3, &at_3, 4370, "bob"); /* is elsewhere */
        say("three");
        end_conn();
        char *all = stop();
        assert_non_null(strstr(all, "L1->>L2: SEND #60;85.0#62; to echo: two\n"));
        assert_non_null(strstr(all, "L1->>L3: SEND #60;85.0#62; to echo: three\n"));
        free(all);

        start("mermaid", LANES_NODE);
        to(2, &at_2, ways[i].port, ways[i].name);
        say("two");
        end_conn();
        to(1, &at_2, 4370, "bob@h");
        say("one");
        to(4, &at_2, 4370, "carol@h"); /* came after bob */
        say("three");
        all = stop();
        char expected[300];
        snprintf(expected, sizeof expected,
                 "participant L2 as %s\n"
                 "    L1->>L2: SEND #60;85.0#62; to echo: two\n"
                 "    Note over L1,L2: connection 2 closed\n"
                 "    Note over L2: this is bob@h\n"
                 "    L1->>L2: SEND #60;85.0#62; to echo: one\n"
                 "    participant L3 as carol@h\n"
                 "    L1->>L3: SEND #60;85.0#62; to echo: three\n",
                 ways[i].is);
        assert_non_null(strstr(all, "participant L2"));
        assert_string_equal(strstr(all, "participant L2"), expected);
        free(all);
    }
}

static size_t count(const char *all, const char *what)
{
    size_t num = 0;
    for (; (all = strstr(all, what)) != NULL; all += strlen(what))
        num++;
    return num;
}

/* However many records wait, most of them in a file, they are written in order and in the right lane. */
static void much_waits(void **test)
{
    static const char *const kinds[] = {"mermaid", "perfetto"};
    (void)test;
    for (int i = 0; i < 2; i++) {
        const size_t num = 3 * DIAGRAM_WAIT_BYTES / 256;
        char text[32];
        start(kinds[i], LANES_PROCESS);
        for (size_t m = 0; m < num; m++) {
            to(1, &at_2, 4370, m == num / 2 ? "bob@h" : NULL);
            if (m % 1000 == 7)
                lose(3);
            snprintf(text, sizeof text, "m%zu.", m);
            num_bytes = 0;
            say(text);
            if (m % (num / 8) == 0)
                assert_int_equal(has_written("m0."), m >= num / 2);
        }
        char *all = stop();
        size_t next = 0;
        snprintf(text, sizeof text, "m0.");
        for (const char *at = all; *at != '\0'; at++) {
            if (strncmp(at, text, strlen(text)) == 0)
                snprintf(text, sizeof text, "m%zu.", ++next);
        }
        assert_int_equal(next, num);
        assert_int_equal(count(all, "lost 3 records"), num / 1000 + (num % 1000 > 7));
        assert_int_equal(count(all, "participant"), i == 0 ? 2 : 0);
        assert_int_equal(count(all, "process_name"), i == 0 ? 0 : 1); /* the sender */
        assert_null(strstr(all, "10.0.0.2"));
        free(all);
    }
}

/* no_file makes temporary files fail until it is called again. */
static void no_file(bool is_so)
{
    static struct rlimit before;
    if (is_so)
        assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit none_at_all = {0, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, is_so ? &none_at_all : &before), 0);
}

/* wait_until adds records until the first waiting one cannot wait any longer. */
static void wait_until(const char *is_written)
{
    for (size_t i = 0; i % 64 != 0 || !has_written(is_written); i++) {
        assert_true(i < DIAGRAM_WAIT_BYTES / 64);
        num_bytes = 0;
        say("more");
    }
}

/* If there is no room in a file either, the oldest record gets a lane of its own, and a note has
 * the name. */
static void too_much_does_not_wait(void **test)
{
    (void)test;
    start("mermaid", LANES_NODE);
    no_file(true);
    to(1, &at_2, 4370, NULL);
    say("one");
    to(2, &at_3, 4371, "carol@h");
    wait_until("one");
    no_file(false);
    assert_true(has_written("carol"));
    to(1, &at_2, 4370, "bob@h");
    say("three");
    to(1, &at_2, 4370, "bob@h");
    say("four");
    to(5, &at_2, 4370, "bob@h");
    say("five");
    char *all = stop();
    assert_non_null(strstr(all, "participant L2 as 10.0.0.2#58;4370\n"
                                "    L1->>L2: SEND #60;85.0#62; to echo: one\n"
                                "    participant L3 as carol@h\n"));
    assert_non_null(strstr(all, "    Note over L2: 10.0.0.2#58;4370 is bob@h\n"
                                "    L1->>L2: SEND #60;85.0#62; to echo: three\n"
                                "    L1->>L2: SEND #60;85.0#62; to echo: four\n"
                                "    L1->>L2: SEND #60;85.0#62; to echo: five\n"));
    assert_null(strstr(all, "as bob@h"));
    free(all);
}

/* An address that once had one node's lane does not become another node's. */
static void an_address_may_go_to_another_node(void **test)
{
    static const char *const names[] = {"bob@h", "carol@h"}, *const said[] = {"one", "first"};
    (void)test;
    start("mermaid", LANES_NODE);
    no_file(true);
    for (uint64_t i = 0; i < 2; i++) {
        to(i + 1, &at_2, 4370, NULL);
        num_bytes = 0;
        say(said[i]);
        wait_until(said[i]);
        to(i + 1, &at_2, 4370, names[i]);
        say("two");
    }
    no_file(false);
    char *all = stop();
    assert_non_null(strstr(all, "Note over L2: 10.0.0.2#58;4370 is bob@h\n"));
    assert_non_null(strstr(all, "participant L3 as carol@h\n"
                                "    Note over L3: 10.0.0.2#58;4370 is carol@h\n"));
    free(all);
}

/* A trace has a process a node. */
static void a_trace_names_each_node_once(void **test)
{
    (void)test;
    start("perfetto", LANES_NODE);
    to(1, &at_2, 4370, "bob@h");
    say("one");
    to(2, &at_2, 40001, NULL);
    say("two");
    lose(7);
    message(6, 0, pid("alice@h", 85), atom("echo"), atom("ping"));
    record.note = (struct note){.role = NOTE_REQUEST, .label = "gen:call", .call = 8};
    show();
    struct call call = {.number = 8, .outcome = CALL_TIMEOUT, .end_ns = 2000};
    call.caller.node = text_of("alice@h");
    begin(DS_EVENT_TICK, 0);
    record.call = &call;
    show();
    to(1, &at_2, 4370, "bob@h");
    message(6, 0, pid("alice@h", 85), atom("echo"), atom("ping"));
    record.note = (struct note){.role = NOTE_REQUEST, .label = "gen:call", .call = 9};
    show();
    call.number = 9; /* the callee is unknown */
    begin(DS_EVENT_TICK, 0);
    record.call = &call;
    show();
    to(2, &at_2, 40001, "bob@h");
    say("three");
    char *all = stop();
    cJSON *trace = cJSON_Parse(all);
    assert_non_null(trace);
    size_t num_nodes = 0, num_instants = 0;
    const cJSON *one;
    cJSON_ArrayForEach(one, trace)
    {
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(one, "name"));
        num_nodes += strcmp(name, "process_name") == 0;
        const cJSON *dur = cJSON_GetObjectItem(one, "dur");
        assert_true(dur == NULL || dur->valuedouble == 2);
        num_instants += cJSON_GetStringValue(cJSON_GetObjectItem(one, "ph"))[0] == 'i';
    }
    assert_int_equal(num_nodes, 2);
    assert_int_equal(num_instants, 4);
    cJSON_Delete(trace);
    free(all);
}

static void play_once(void *context)
{
    const char *kind = context;
    memset(&sink, 0, sizeof sink);
    memset(&options, 0, sizeof options);
    sink.kind = sink_find(kind, strlen(kind));
    sink.config = &options;
    sink.output.fd = -1;
    num_bytes = 0;
    conn.end[0].node = text_of("alice@h");
    if (!sink.kind->open(&sink)) {
        assert_true(failing_alloc_failed());
        return;
    }
    to(1, &at_2, 4370, NULL);
    say("one");
    lose(1);
    say("two");
    to(1, &at_2, 4370, "bob@h");
    say("three");
    to(2, &at_2, 4371, NULL); /* is never learnt */
    say("four");
    if (!failing_alloc_failed())
        sink.kind->end(&sink);
    sink.kind->close(&sink);
    ds_buffer_free(&sink.output.buffer);
    ds_buffer_free(&sink.output.ends);
}

static void stands_failing_allocations(void **test)
{
    static const char *const kinds[] = {"mermaid", "perfetto"};
    (void)test;
    memset(&conn, 0, sizeof conn);
    for (int i = 0; i < 2; i++) {
        char kind[16];
        strcpy(kind, kinds[i]);
        assert_true(failing_alloc_each(play_once, kind) >= 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_waited_for),
        cmocka_unit_test(processes_are_on_the_node),
        cmocka_unit_test(an_end_of_a_call_is_of_its_node),
        cmocka_unit_test(a_call_passed_on_is_of_the_last_node),
        cmocka_unit_test(without_names_there_are_addresses),
        cmocka_unit_test(another_connection_may_know),
        cmocka_unit_test(much_waits),
        cmocka_unit_test(too_much_does_not_wait),
        cmocka_unit_test(an_address_may_go_to_another_node),
        cmocka_unit_test(a_trace_names_each_node_once),
        cmocka_unit_test(stands_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
