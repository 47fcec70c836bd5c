/*
 * test_findings_copies.c - the same payload sent to many: its size, the number of processes or
 * nodes, the time between them; and messages to processes that are gone.
 */
#include "findings_world.h"

enum { LEN = 1000 }; /* MIN_PAYLOAD: smaller ones are ignored */

static uint8_t payload[LEN];

/* send_to sends the payload to a process of the connection's other end. */
static void send_to(char process, size_t len, uint64_t size, enum ds_fault_kind fault)
{
    const uint8_t name[] = {119, 1, (uint8_t)process};
    struct ds_event event = message(0, payload, len);
    event.message.role[DS_ROLE_TO] = (struct ds_term){.data = name, .len = sizeof name};
    event.message.size = size;
    event.fault.kind = fault;
    put(&event);
}

/* to_another_node continues with a connection to another node. */
static void to_another_node(void)
{
    const struct ds_endpoint alice = w.conn.end[0];
    next_conn();
    w.conn.end[0] = alice;
}

static void processes(void **state)
{
    static const struct {
        int num;
        size_t len;
        uint64_t size;
        int64_t apart_ns;
        enum ds_fault_kind fault;
        const char *detail; /* NULL: nothing is found */
    } cases[] = {
        {4, LEN, 33334, MS, DS_FAULT_NONE, "4 copies of 33 kB so far, within 3.00 ms"},
        {4, LEN, 33333, MS, DS_FAULT_NONE, NULL}, /* 99 999 bytes again */
        {5, LEN, 25000, MS, DS_FAULT_NONE, "5 copies of 25 kB so far, within 4.00 ms"},
        {3, LEN, 90000, MS, DS_FAULT_NONE, NULL},
        {4, LEN - 1, 33334, MS, DS_FAULT_NONE, NULL},
        {4, LEN, 33334, SECOND, DS_FAULT_NONE, "4 copies of "},
        {4, LEN, 33334, SECOND + 1, DS_FAULT_NONE, NULL},
        {4, LEN, 33334, MS, DS_FAULT_GAP, NULL},
        {9, LEN, 33334, MS, DS_FAULT_NONE, "4 copies of "}, /* reported once */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        up();
        for (int n = 0; n < cases[i].num; n++) {
            send_to((char)('a' + n), cases[i].len, cases[i].size, cases[i].fault);
            w.now_ns += cases[i].apart_ns;
        }
        found(cases[i].detail != NULL ? "DS307" : "");
        if (cases[i].detail == NULL)
            continue;
        detail_has(cases[i].detail);
        assert_int_equal(w.last.count, 1);
        assert_int_equal(w.last.severity, SEVERITY_WARNING);
    }
}

static void nodes(void **state)
{
    static const struct {
        int num;
        uint64_t size;
        const char *codes;
    } cases[] = {{4, 33334, "DS307"}, {4, 33333, ""},       {5, 25000, "DS307"},
                 {3, 90000, ""},      {8, 33334, "DS307"}, {40, 2564, ""}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        up();
        for (int n = 0; n < cases[i].num; n++) {
            send_to('a', LEN, cases[i].size, DS_FAULT_NONE);
            to_another_node();
        }
        found(cases[i].codes);
        if (w.num != 0) {
            assert_int_equal(w.last.count, 1);
            assert_int_equal(w.last.severity, SEVERITY_NOTE);
        }
    }
}

/* A payload from another sender, or of another length, is a different one. */
static void not_the_same(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        begin();
        up();
        for (int n = 0; n < 6; n++) {
            w.conn.end[0].node = text(i == 1 && n % 2 != 0 ? "carol@127.0.0.1" : "alice@127.0.0.1");
            send_to((char)('a' + n), LEN, 33334, DS_FAULT_NONE);
        }
        found(i == 0 ? "DS307" : "");
    }
}

/* More large messages than are remembered. */
static void many(void **state)
{
    enum { MAX_COPIED = 1024 };
    (void)state;
    for (int others = MAX_COPIED - 1; others <= MAX_COPIED; others++) {
        begin();
        up();
        memset(payload, 0, sizeof payload);
        for (int n = 0; n < 3; n++)
            send_to((char)('a' + n), LEN, 33334, DS_FAULT_NONE);
        for (int n = 1; n <= others; n++) {
            memcpy(payload, &n, sizeof n);
            send_to('a', LEN, 33334, DS_FAULT_NONE);
        }
        memset(payload, 0, sizeof payload);
        send_to('d', LEN, 33334, DS_FAULT_NONE);
        found(others < MAX_COPIED ? "DS307" : "");
    }
}

/* Processes of an earlier incarnation of a node: large creations of that very node. */
static void earlier_life(void **state)
{
    static const struct {
        uint8_t of_node, of_pid;
        int op;
        const char *node, *codes;
    } cases[] = {
        {4, 7, 22, "bob@127.0.0.1", "DS308"}, {3, 7, 22, "bob@127.0.0.1", ""},
        {7, 4, 22, "bob@127.0.0.1", "DS308"}, {7, 3, 22, "bob@127.0.0.1", ""},
        {7, 5, 1, "bob@127.0.0.1", "DS308"},  {7, 5, 22, "bob@127.0.0.2", ""},
        {7, 5, 22, "bob@127.0.0.12", ""},     {7, 5, 22, "bob@127.0.0.", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint8_t pid[] = {88, 82, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, cases[i].of_pid};
        const struct ds_atom node = {.text = (const uint8_t *)cases[i].node,
                                     .len = (uint16_t)strlen(cases[i].node),
                                     .slot = 1, .state = DS_ATOM_KNOWN};
        begin();
        up();
        w.conn.end[1].creation = cases[i].of_node;
        struct ds_event event = message(0, NULL, 0);
        event.message.op = ds_op_find(cases[i].op);
        event.message.code = cases[i].op;
        event.message.role[DS_ROLE_TO] =
            (struct ds_term){.data = pid, .len = sizeof pid, .atoms = &node, .num_atoms = 1};
        put(&event);
        found(cases[i].codes);
    }
}

/* exit/2 with kill: the place of the reason, and reasons with the same beginning. */
static void kills(void **state)
{
    static const uint8_t kill[] = {119, 4, 'k', 'i', 'l', 'l'};
    static const uint8_t killer[] = {119, 6, 'k', 'i', 'l', 'l', 'e', 'r'};
    (void)state;
    for (int i = 0; i < 3; i++) {
        begin();
        up();
        struct ds_event event = event_of(DS_EVENT_MESSAGE, 0);
        event.message.op = ds_op_find(8);
        const struct ds_term reason = {.data = i == 2 ? killer : kill,
                                       .len = i == 2 ? sizeof killer : sizeof kill};
        if (i == 0)
            event.message.role[DS_ROLE_REASON] = reason;
        else
            event.message.payload = reason;
        findings_record(w.findings, &(struct record){.event = &event, .note = {.role = NOTE_EXIT}});
        found(i < 2 ? "DS311" : "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes),
        cmocka_unit_test(nodes),
        cmocka_unit_test(not_the_same),
        cmocka_unit_test(many),
        cmocka_unit_test(earlier_life),
        cmocka_unit_test(kills),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
