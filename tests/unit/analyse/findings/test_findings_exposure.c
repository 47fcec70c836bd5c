/*
 * test_findings_exposure.c - findings about dangerous calls, secrets and cookies in messages; for each code records
 * that raise it, and near misses that do not.
 */
#include "findings_world.h"

static void exposure(void **state)
{
    static const struct {
        struct ds_addr addr;
        const char *codes;
        enum severity severity;
    } cases[] = {
        {{4, {127, 0, 0, 2}}, "", SEVERITY_NOTE},
        {{4, {10, 1, 2, 3}}, "DS401", SEVERITY_NOTE},
        {{4, {172, 31, 2, 3}}, "DS401", SEVERITY_NOTE},
        {{4, {172, 32, 2, 3}}, "DS401", SEVERITY_WARNING},
        {{4, {8, 8, 4, 4}}, "DS401", SEVERITY_WARNING},
        {{6, {[15] = 1}}, "", SEVERITY_NOTE},
        {{6, {0xfe, 0x80}}, "DS401", SEVERITY_NOTE},
        {{6, {0x2a, 1}}, "DS401", SEVERITY_WARNING},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        w.conn.end[1].addr = cases[i].addr;
        change(DS_CONN_UP, 0, false);
        found(cases[i].codes);
        if (w.num != 0)
            assert_int_equal(w.last.severity, cases[i].severity);
    }
    for (int i = 0; i < 2; i++) {
        begin();
        if (i == 0)
            w.conn.end[0].addr = (struct ds_addr){4, {8, 8, 8, 8}};
        struct ds_event event = event_of(DS_EVENT_EPMD, 1);
        event.epmd.op = DS_EPMD_NAMES_RESP;
        event.epmd.num_nodes = 1;
        put(&event);
        found(i == 0 ? "DS402" : "DS116");
    }
    for (uint8_t version = 5; version <= 6; version++) {
        begin();
        struct ds_event event = event_of(DS_EVENT_HANDSHAKE, 0);
        event.handshake.step = DS_STEP_SEND_NAME;
        event.handshake.version = version;
        put(&event);
        found(version == 5 ? "DS405" : "");
    }
}

/* Exposure. */

static void dangerous_code(void **state)
{
    static const struct {
        const char *mod, *fun;
        enum note_role role;
        const char *codes;
    } cases[] = {{"os", "cmd", NOTE_REQUEST, "DS403"},
                 {"lists", "seq", NOTE_REQUEST, ""},
                 {"os", "timestamp", NOTE_REQUEST, ""},
                 {"init", "stop", NOTE_REQUEST, ""}, /* --report audit reports these */
                 {"os", "cmd", NOTE_REPLY, ""}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        up();
        begin_terms();
        put_atom(cases[i].mod);
        const struct ds_term mod = term_since(0);
        const size_t at = term_bytes.len;
        put_atom(cases[i].fun);
        struct ds_event event = message(0, NULL, 0);
        const struct record record = {
            .event = &event,
            .note = {.role = cases[i].role, .label = "rpc:call", .mod = mod, .fun = term_since(at)}};
        findings_record(w.findings, &record);
        found(cases[i].codes);
    }
}

static void secrets(void **state)
{
    enum { ATOM_KEY, BINARY_KEY, OTHER_KEY, NO_TEXT, ONE_HOST, IN_TLS, CASES };
    static const struct ds_tls tls;
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        begin_terms();
        put_tuple(2);
        put_atom("user");
        put_tuple(2);
        if (i == BINARY_KEY)
            put_binary("password");
        else
            put_bytes("R\0", 2); /* a cached atom */
        if (i == NO_TEXT)
            put_atom("none");
        else
            put_binary("hunter2");
        const struct ds_atom atom = {.text = (const uint8_t *)(i == OTHER_KEY ? "pass_port" : "password"),
                                     .len = i == OTHER_KEY ? 9 : 8, .state = DS_ATOM_KNOWN};
        struct ds_event event = message(0, NULL, 0);
        event.message.payload = term_since(0);
        event.message.payload.atoms = &atom;
        event.message.payload.num_atoms = 1;
        if (i == ONE_HOST)
            w.conn.end[1].addr = w.conn.end[0].addr;
        if (i == IN_TLS)
            w.conn.tls = &tls;
        put(&event);
        found(i <= BINARY_KEY ? "DS404" : "");
    }
}

/* Nodes before OTP 21 put the cookie into their messages: {2, Cookie, To}, {6, From, Cookie, To},
 * and with a token behind it 12 and 16. */
static void cookies(void **state)
{
    static const struct {
        uint8_t op;
        unsigned at; /* the place of an atom; all others are pids */
        const char *atom;
        bool in_tls, found;
    } cases[] = {
        {2, 1, "monster", false, true},  {2, 1, "", false, false},        {2, 1, "monster", true, false},
        {2, 2, "monster", false, false}, {6, 2, "monster", false, true},  {6, 1, "monster", false, false},
        {12, 1, "monster", false, true}, {16, 2, "monster", false, true}, {22, 1, "monster", false, false},
        {99, 1, "monster", false, false}, /* which does not exist */
    };
    static const struct ds_tls tls;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct ds_op *op = ds_op_find(cases[i].op);
        const unsigned num = 1 + (op != NULL ? (unsigned)strlen(op->roles) : 2);
        begin();
        w.conn.tls = cases[i].in_tls ? &tls : NULL;
        begin_terms();
        put_tuple(num);
        put_small(cases[i].op);
        for (unsigned at = 1; at < num; at++) {
            if (at == cases[i].at)
                put_atom(cases[i].atom);
            else
                put_pid("bob@b", 9);
        }
        struct ds_event event = message(0, NULL, 0);
        event.message.code = cases[i].op;
        event.message.op = op;
        event.message.control = term_since(0);
        put(&event);
        found(cases[i].found ? "DS404" : "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exposure), cmocka_unit_test(dangerous_code), cmocka_unit_test(secrets),
        cmocka_unit_test(cookies),
    };
    leaves_out = "DS214"; /* test_findings_stall.c has them */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
