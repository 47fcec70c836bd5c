/*
 * test_filter.c - the field filter: every field on a record that has it, every operator, every
 * error with its column, and what a hostile expression or a lack of memory does.
 */
#include "failing_alloc.h"
#include "finding_kinds.h"
#include "filter_program.h"

#include <distsniff/dissect.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define TEXT(literal) ((struct ds_text){(literal), sizeof(literal) - 1})
#define TERM(literal) ((struct ds_term){.data = (const uint8_t *)(literal),                        \
                                        .len = sizeof(literal) - 1})

static const struct ds_conn conn = {
    .number = 7,
    .end = {{.addr = {4, {10, 0, 0, 1}}, .port = 1000, .node = {"alice@h", 7}},
            {.addr = {4, {10, 0, 0, 2}}, .port = 1001, .node = {"bob@h", 5},
             .node_inferred = true}},
    .counters = {{11, 12, 13, 14, 15, 16, 17, 18, 19}, {21, 22, 23, 24, 25, 26, 27, 28, 29}},
};

static struct ds_event make_event(enum ds_event_type type)
{
    return (struct ds_event){.type = type, .frame = 12, .conn = &conn,
                             .ts_ns = INT64_C(1700000000123456789)};
}

static bool holds(const char *expression, const struct record *record)
{
    struct filter_error error = {0};
    struct filter *filter = filter_parse(expression, &error);
    if (filter == NULL)
        fail_msg("%s: column %zu: %s", expression, error.column, error.what);
    bool value = filter_run(filter, record);
    assert_int_equal(filter_no_memory(filter), 0);
    filter_free(filter);
    return value;
}

/* Which fields were seen in an expression that held. */
enum { MAX_SEEN = 256 };
static const struct filter_field *seen[MAX_SEEN];
static size_t num_seen;

static bool was_seen(const struct filter_field *field)
{
    for (size_t i = 0; i < num_seen; i++) {
        if (seen[i] == field)
            return true;
    }
    return false;
}

static void note_fields(const char *expression)
{
    struct filter_error error;
    struct filter *filter = filter_parse(expression, &error);
    for (size_t i = 0; i < filter->num_steps; i++) {
        if (filter->steps[i].kind == STEP_TEST && !was_seen(filter->steps[i].field)) {
            assert_true(num_seen < MAX_SEEN);
            seen[num_seen++] = filter->steps[i].field;
        }
    }
    filter_free(filter);
}

static void assert_all_hold(const struct record *record, const char *const *expressions)
{
    for (; *expressions != NULL; expressions++) {
        char inverted[512];
        if (!holds(*expressions, record))
            fail_msg("does not hold: %s", *expressions);
        snprintf(inverted, sizeof inverted, "!(%s)", *expressions);
        assert_false(holds(inverted, record));
        note_fields(*expressions);
    }
}

static void assert_none_hold(const struct record *record, const char *const *expressions)
{
    for (; *expressions != NULL; expressions++) {
        if (holds(*expressions, record))
            fail_msg("holds: %s", *expressions);
    }
}

static struct ds_event make_message(void)
{
    struct ds_event event = make_event(DS_EVENT_MESSAGE);
    event.message = (struct ds_message){.code = 30, .op = ds_op_find(30), .size = 2000,
                                        .fragments = 3};
    struct ds_message *m = &event.message;
    m->control = TERM("h\1a\x16");
    m->role[DS_ROLE_FROM] = TERM("X" "w\7alice@h" "\0\0\0\x55\0\0\0\0\0\0\0\1");
    m->role[DS_ROLE_TO] = TERM("w\3rex");
    m->role[DS_ROLE_REF] = TERM("w\1r");
    m->role[DS_ROLE_FLAGS] = TERM("a\2");
    m->role[DS_ROLE_MFA] = TERM("h\3w\1mw\1fa\2");
    m->role[DS_ROLE_OPTS] = TERM("j");
    m->role[DS_ROLE_LEADER] = TERM("w\1g");
    m->role[DS_ROLE_ID] = TERM("a\5");
    m->role[DS_ROLE_RESULT] = TERM("w\2ok");
    m->role[DS_ROLE_REASON] = TERM("w\6normal");
    m->role[DS_ROLE_TOKEN] = TERM("w\1k");
    m->token = (struct ds_token){true, 3, TERM("w\1l"), -5, TERM("w\1p"), 4};
    m->payload = TERM("h\2w\3catm\0\0\0\5Tihon");
    event.fault = (struct ds_fault){DS_FAULT_GAP, 17, "packets are missing"};
    event.unknown_atoms = 2;
    event.inferred_atoms = 1;
    event.likely_atoms = 3;
    return event;
}

static const struct titles shell_titles = {1, {TEXT("pg:shells")}};
static const struct titles server_titles = {2, {TEXT("global:lab"), TEXT("pg:workers")}};

static void knows_the_fields_of_messages(void **state)
{
    const struct ds_event event = make_message();
    const struct record record = {
        .event = &event,
        .note = {.role = NOTE_REPLY, .label = "gen:call", .group = "otp", .call = 9,
                 .has_latency = true, .late = true, .latency_ns = 5500000, .outcome = CALL_TIMEOUT,
                 .mod = TERM("w\5lists"), .fun = TERM("w\3seq"), .args = TERM("l\0\0\0\1a\1j"),
                 .from_name = TEXT("shell"), .to_name = TEXT("server"),
                 .from_titles = &shell_titles, .to_titles = &server_titles},
    };
    static const char *const expressions[] = {
        "type == \"message\"", "ts == \"2023-11-14T22:13:20.123456789Z\"",
        "ts > '2023-11-14 22:13:20'", "frame == 12", "conn == 7", "node == \"alice@h\"",
        "node == \"bob@h\"", "addr == \"10.0.0.1\"", "addr == \"10.0.0.2\"", "port == 1000",
        "port == 1001", "src.node == \"alice@h\"", "src.addr == \"10.0.0.1\"", "src.port == 1000",
        "src.node_inferred == false", "!src.node_inferred", "dst.node == \"bob@h\"",
        "dst.addr == \"10.0.0.2\"", "dst.port == 1001", "dst.node_inferred",
        "op == \"spawn_request_tt\"", "from == \"<alice@h.85.0>\"", "from == \"shell\"",
        "to == \"rex\"", "to == \"server\"", "from_name == \"shell\"", "to_name == \"server\"",
        "from_titles == \"pg:shells\"", "to_titles == \"global:lab\"", "to_titles == \"pg:workers\"",
        "ref == \"r\"", "flags == 2", "flags == \"2\"", "mfa == \"{m,f,2}\"",
        "mfa == \"lists:seq(1)\"", "opts == \"[]\"", "group_leader == \"g\"", "id == 5",
        "result == \"ok\"", "reason == \"normal\"", "token == \"k\"", "token.flags == 3",
        "token.label == \"l\"", "token.serial == -5", "token.from == \"p\"",
        "token.previous == 4", "control == \"{22}\"", "term contains \"Tihon\"",
        "term == \"{cat,<<\\\"Tihon\\\">>}\"", "size == 2KB", "fragments == 3",
        "role == \"reply\"", "call == 9", "label == \"gen:call\"", "group == \"otp\"",
        "latency == 5.5ms", "latency_us == 5500", "latency_us > 5499.9 && latency_us < 6ms",
        "late", "outcome == \"timeout\"", "fault == \"gap\"", "fault.kind == \"gap\"",
        "fault.offset == 17", "fault.what contains \"missing\"", "unknown_atoms == 2",
        "inferred_atoms == 1", "likely_atoms == 3", NULL};
    static const char *const none[] = {
        "step", "state", "bytes", "messages", "caller", "callee.node", "request", "children",
        "name", "creation", "nodes", "src_sent.bytes", "cookie_ok", "cookie_ok == false",
        "parent_ambiguous", "flag_names", "type == \"call\"", "start", "to == \"'rex'x\"",
        "node == \"alice\"", "term == 5", "to > 5", NULL};
    (void)state;
    assert_all_hold(&record, expressions);
    assert_none_hold(&record, none);
}

static void knows_unknown_ops(void **state)
{
    struct ds_event event = make_event(DS_EVENT_MESSAGE);
    const struct record record = {.event = &event};
    (void)state;
    event.message.code = 200;
    assert_true(holds("op == \"op_200\"", &record));
    event.message.code = -1;
    assert_true(holds("op == \"unknown\"", &record));
    static const char *const none[] = {
        "fault", "unknown_atoms", "inferred_atoms", "likely_atoms", "fragments", "term", "to", "from_name",
        "role", "call", "label", "latency", "outcome", "outcome != \"ok\"", "to != \"rex\"",
        "token.serial", "mfa", NULL};
    assert_none_hold(&record, none);
}

static void takes_atoms_as_written_or_quoted(void **state)
{
    struct ds_event event = make_event(DS_EVENT_MESSAGE);
    const struct record record = {.event = &event};
    (void)state;
    event.message.role[DS_ROLE_TO] = TERM("w\3a b");
    assert_true(holds("to == \"a b\"", &record));
    assert_true(holds("to == \"'a b'\"", &record));
    assert_true(holds("to == '\\'a b\\''", &record));
    assert_false(holds("to != \"'a b'\"", &record));
    assert_false(holds("to == \"'a'\"", &record));
}

static void knows_the_fields_of_calls(void **state)
{
    static const uint64_t children[] = {20, 21};
    const struct ds_event event = make_message();
    const struct call call = {
        .number = 3, .conn = 8, .label = "rpc:call", .group = "",
        .caller = {TEXT("a@h"), TEXT("me"), true, 85, 0, 4, &shell_titles},
        .callee = {TEXT("b@h"), TEXT("rex"), true, 90, 1, 6, &server_titles},
        .mfa = TEXT("lists:seq(1)"), .request = TERM("w\1q"), .request_len = 99,
        .result = TERM("a\7"), .start_ns = INT64_C(1700000000000000000),
        .end_ns = INT64_C(1700000002000000000), .start_frame = 4, .end_frame = 5,
        .outcome = CALL_ERROR, .error_class = "exit", .reason = TERM("w\4boom"), .parent = 2,
        .parent_ambiguous = true, .parent_inferred = true, .children = children, .num_children = 2,
    };
    const struct record record = {.event = &event, .call = &call};
    static const char *const expressions[] = {
        "type == \"call\"", "ts == \"2023-11-14T22:13:22Z\"", "frame == 5", "conn == 8",
        "call == 3", "label == \"rpc:call\"", "group == \"\"", "node == \"a@h\"",
        "node == \"b@h\"", "caller == \"me\"", "caller == \"<a@h.85.0>\"",
        "caller.node == \"a@h\"", "caller.name == \"me\"", "caller.pid == \"<a@h.85.0>\"",
        "caller.creation == 4", "caller.titles == \"pg:shells\"",
        "callee.titles == \"pg:workers\"", "callee == \"rex\"", "callee.node == \"b@h\"",
        "callee.name == \"rex\"", "callee.pid == \"<b@h.90.1>\"", "callee.creation == 6",
        "mfa == \"lists:seq(1)\"", "request == \"q\"", "request_bytes == 99", "result == 7",
        "start == \"2023-11-14T22:13:20Z\"", "start_frame == 4", "latency == 2s",
        "outcome == \"error\"", "outcome != \"ok\"", "class == \"exit\"", "reason == \"boom\"",
        "parent == 2", "parent_ambiguous", "parent_ambiguous == true",
        "parent_inferred", "children == 21", NULL};
    static const char *const none[] = {"op", "src.node", "addr", "port", "term", "fault", "size",
                                       "unknown_atoms", "from", "role", "to_name", NULL};
    (void)state;
    assert_all_hold(&record, expressions);
    assert_none_hold(&record, none);
}

static void knows_the_fields_of_monitors(void **state)
{
    struct monitor_end monitor = {
        .watcher = {TEXT("a@h"), TEXT("me"), true, 85, 0, 4, &shell_titles},
        .target = {TEXT("b@h"), TEXT("db"), true, 90, 1, 6, &server_titles},
        .ref = {1}, .num_ref_words = 1, .conn = 8, .start_ns = INT64_C(1700000000000000000),
        .end_ns = INT64_C(1700000002000000000), .start_frame = 4, .end_frame = 5,
        .outcome = MONITOR_EXIT, .reason = TERM("w\4boom"),
    };
    const struct record record = {.monitor = &monitor};
    static const char *const expressions[] = {
        "type == \"monitor\"", "ts == \"2023-11-14T22:13:22Z\"", "frame == 5", "conn == 8",
        "node == \"a@h\"", "node == \"b@h\"", "watcher == \"me\"", "watcher == \"<a@h.85.0>\"",
        "watcher.node == \"a@h\"", "watcher.name == \"me\"", "watcher.pid == \"<a@h.85.0>\"",
        "watcher.titles == \"pg:shells\"", "watcher.creation == 4", "target == \"db\"",
        "target.node == \"b@h\"", "target.name == \"db\"", "target.pid == \"<b@h.90.1>\"",
        "target.titles == \"global:lab\"", "target.creation == 6", "duration == 2s",
        "duration_us == 2000000", "start == \"2023-11-14T22:13:20Z\"", "start_frame == 4",
        "outcome == \"exit\"", "reason == \"boom\"", "ref == \"#Ref<a@h.1>\"", NULL};
    static const char *const none[] = {"op", "src.node", "addr", "port", "term", "fault", "size",
                                       "from", "role", "to_name", "caller", "call", "label",
                                       "latency", "result", "mfa", "parent", "children", NULL};
    (void)state;
    assert_all_hold(&record, expressions);
    assert_none_hold(&record, none);
    monitor.is_link = true;
    assert_true(holds("type == \"link\"", &record));
}

static void knows_the_fields_of_handshakes(void **state)
{
    struct ds_event event = make_event(DS_EVENT_HANDSHAKE);
    const struct record record = {.event = &event};
    (void)state;
    event.dir = 1;
    event.handshake = (struct ds_handshake){
        .step = DS_STEP_CHALLENGE, .version = 6, .flags = UINT64_C(1) << 63 | 1,
        .has_flags = true, .name = TEXT("alice@h"), .creation = 77, .status = TEXT("ok"),
        .challenge = 4000000000, .has_challenge = true, .digest = {0xab, 1}, .has_digest = true,
        .cookie = DS_COOKIE_OK, .cookie_note = "fine",
    };
    static const char *const expressions[] = {
        "type == \"handshake\"", "src.node == \"bob@h\"", "dst.port == 1000",
        "src.node_inferred", "step == \"challenge\"", "version == 6", "status == \"ok\"",
        "name == \"alice@h\"", "creation == 77", "challenge == 4000000000",
        "digest == \"ab010000000000000000000000000000\"", "cookie_ok", "cookie_note == \"fine\"",
        "flag_names == \"PUBLISHED\"", "flag_names == \"bit_63\"", "flags > 0xff", NULL};
    assert_all_hold(&record, expressions);
    event.handshake.cookie = DS_COOKIE_WRONG;
    assert_true(holds("!cookie_ok && cookie_ok == false", &record));
    event.handshake.flags = 0xd07df7fbd;
    event.handshake.cookie = DS_COOKIE_UNCHECKED;
    assert_false(holds("cookie_ok == false || cookie_ok", &record));
    if (ds_flags_release(event.handshake.flags) != NULL)
        assert_all_hold(&record, (const char *const[]){"release contains \"OTP\"", NULL});
}

static void knows_the_fields_of_the_rest(void **state)
{
    const struct ds_epmd_node nodes[] = {{TEXT("x"), 1, -1, false}, {TEXT("y"), 2, -1, true}};
    struct ds_event event = make_event(DS_EVENT_EPMD);
    const struct record record = {.event = &event};
    (void)state;
    event.epmd = (struct ds_epmd){
        .op = DS_EPMD_PORT2_RESP, .name = TEXT("alice"), .extra = TEXT("e"), .port = 5555,
        .node_type = 77, .highest_version = 6, .lowest_version = 5, .creation = 3};
    assert_all_hold(&record, (const char *const[]){
        "type == \"epmd\"", "op == \"port2_resp\"", "name == \"alice\"", "port == 5555",
        "port == 1000", "node_type == 77", "protocol == 0", "highest_version == 6",
        "lowest_version == 5", "extra == \"e\"", "result == 0", "creation == 3", NULL});
    event.epmd = (struct ds_epmd){.op = DS_EPMD_NAMES_RESP, .epmd_port = 4369, .nodes = nodes,
                                  .num_nodes = 2, .raw = TEXT("OK")};
    assert_all_hold(&record, (const char *const[]){
        "epmd_port == 4369", "nodes == \"x\"", "nodes == \"y\"", "answer == \"OK\"", NULL});
    assert_none_hold(&record, (const char *const[]){"node_type", "result", "extra", NULL});

    event = make_event(DS_EVENT_CONN);
    event.change = (struct ds_conn_change){DS_CONN_CLOSED, "reset", true, false, {0}};
    assert_all_hold(&record, (const char *const[]){
        "type == \"conn\"", "state == \"closed\"", "reason == \"reset\"", "src_sent.bytes == 11",
        "src_sent.frames == 12", "src_sent.messages == 13", "src_sent.ticks == 14",
        "src_sent.gaps == 15", "src_sent.gap_bytes == 16", "src_sent.faults == 17",
        "src_sent.unknown_atoms == 18", "dst_sent.bytes == 21", "dst_sent.frames == 22",
        "dst_sent.messages == 23", "dst_sent.ticks == 24", "dst_sent.gaps == 25",
        "dst_sent.gap_bytes == 26B", "dst_sent.faults == 27", "dst_sent.unknown_atoms == 28",
        "src_sent.likely_atoms == 19", "dst_sent.likely_atoms == 29", NULL});
    event.change.final = false;
    assert_false(holds("src_sent.bytes", &record));

    event = make_event(DS_EVENT_GAP);
    event.gap = (struct ds_gap){1000, 2};
    assert_all_hold(&record, (const char *const[]){"type == \"gap\"", "bytes == 1000",
                                                   "bytes <= 1KiB", "messages == 2", NULL});
    event.gap.messages = -1;
    assert_false(holds("messages", &record));
    event = make_event(DS_EVENT_TICK);
    assert_true(holds("type == \"tick\"", &record));
}

static void knows_the_fields_of_links(void **state)
{
    const struct ds_link link = {
        .side = {{.resent = 2, .resent_unseen = 3, .last_data_ns = 5, .longest_quiet_ns = 7000000},
                 {.resent = 1}}};
    struct ds_event event = make_event(DS_EVENT_STALL);
    const struct record record = {.event = &event};
    struct ds_conn with_link = *event.conn;
    (void)state;
    event.stall.duration_ns = INT64_C(4600000000);
    assert_all_hold(&record,
                    (const char *const[]){"type == \"stall\"", "stall == 4600ms", NULL});
    event = make_message();
    event.message.wire_ns = 20000000;
    assert_all_hold(&record, (const char *const[]){"wire_time == 20ms", NULL});
    assert_false(holds("stall", &record));
    event.message.stalled_ns = 1000000;
    assert_true(holds("stall == 1ms", &record));
    event = make_event(DS_EVENT_CONN);
    event.ts_ns = 10;
    assert_false(holds("retransmitted || silent", &record));
    with_link.link = &link;
    event.conn = &with_link;
    assert_false(holds("retransmitted || silent", &record));
    event.change.final = true;
    assert_all_hold(&record, (const char *const[]){"retransmitted == 5", "retransmitted == 1",
                                                   "silent == 7ms", NULL});
    event.ts_ns = 9000005;
    assert_true(holds("silent == 9ms", &record));
}

static void knows_the_fields_of_tls(void **state)
{
    const struct ds_tls tls = {.version = 0x0303,
                               .suite_name = "TLS_RSA_WITH_AES_128_CCM",
                               .group = "x25519",
                               .sni = {"b.lan", 5},
                               .keys = DS_TLS_KEYS_SWAPPED,
                               .certificate = {{NULL, 0}, {"b", 1}},
                               .alert = {"unknown_ca", NULL}};
    struct ds_event event = make_message();
    const struct record record = {.event = &event};
    struct ds_conn with_tls = *event.conn;
    (void)state;
    assert_false(holds("tls.version || tls.keys", &record));
    with_tls.tls = &tls;
    event.conn = &with_tls;
    assert_all_hold(&record, (const char *const[]){
                                 "tls.version == \"1.2\"", "tls.group == \"x25519\"",
                                 "tls.suite == \"TLS_RSA_WITH_AES_128_CCM\"",
                                 "tls.sni == \"b.lan\"", "tls.keys == \"swapped\"",
                                 "tls.certificate == \"b\"", "tls.alert == \"unknown_ca\"", NULL});
    assert_false(holds("tls.version == \"1.3\"", &record));
}

static void knows_the_fields_of_findings(void **state)
{
    static struct finding finding;
    const struct record record = {.finding = &finding};
    (void)state;
    finding = (struct finding){.kind = finding_kind_find("DS101"), .num_evidence = 2, .last_ns = 5,
                               .severity = SEVERITY_WARNING, .certainty = CERTAINTY_LIKELY,
                               .node = {{7, "alice@h"}}};
    finding.evidence[0].conn = 4;
    finding.evidence[1].conn = 6;
    finding.evidence[1].num = 1;
    finding.evidence[1].packet[0].frame = 31;
    assert_all_hold(&record, (const char *const[]){
        "type == \"finding\"", "finding == \"DS101\"", "severity == \"warning\"",
        "certainty == \"likely\"", "conn == 4", "conn == 6", "frame == 31", "node == \"alice@h\"", NULL});
    assert_none_hold(&record, (const char *const[]){
        "finding == \"DS102\"", "op", "latency", "size", "fault", "src.node", "addr", "to_name",
        "label", "stall", "silent", "outcome", "caller", "watcher", "bytes", "state", NULL});
}

/* After the tests above: none was left out. release depends on flags that may change. */
static void has_tested_all_fields(void **state)
{
    (void)state;
    const struct filter_field *field;
    size_t num = 0;
    for (; (field = filter_field_at(num)) != NULL; num++) {
        if (!was_seen(field) && strcmp(field->name, "release") != 0)
            fail_msg("no test of %s", field->name);
        assert_ptr_equal(filter_field_find((struct ds_text){field->name, strlen(field->name)}),
                         field);
    }
    assert_true(num > 100);
}

static void knows_the_operators(void **state)
{
    const struct ds_event event = make_message();
    const struct record record = {.event = &event};
    static const char *const yes[] = {
        "frame != 13", "frame <= 12", "frame >= 12", "frame < 13", "frame > 11", "frame eq 12",
        "frame ne 13", "frame le 12", "frame ge 12", "frame lt 13", "frame gt 11",
        "op > \"spawn\"", "op < \"spawn_request_ttt\"", "op >= \"spawn_request_tt\"",
        "op <= \"t\"", "frame in {1, 12 ,3}", "op in {\"send\",\"spawn_request_tt\"}",
        "size in {1KB, 2KB}", "op contains \"\"", "term contains 'at,'", "not fault == \"cap\"",
        "!!fault", "not not fault", "((frame == 12))", "frame == 0xC", "frame > -1",
        "frame==12&&conn==7||step", "step||frame==12&&conn==7", "step && step || fault",
        "fault || step && step", "!step && fault", "!(step && fault)", "fault and not step or step",
        "\tfault\n", "op == \"spawn_\\x72equest_tt\"", "id != 6", "id > 4", "id in {4, 5}",
        "node != \"carol@h\"",
        "op matches \"^spawn_.*_tt$\"", "term matches \"T[ix]\\\\w+n\"",
        "to matches 'r.x' && node matches 'bob'", "!(op matches 'SPAWN') && op matches '(?i)SPAWN'",
        "id in {\"x\", 5}", NULL};
    static const char *const no[] = {
        "frame == 13", "frame != 12", "frame < 12", "frame > 12", "frame in {1,3}",
        "frame <= 11", "frame >= 13", "op <= \"spawn\"", "op >= \"t\"",
        "op contains \"x\"", "node != \"alice@h\"", "step || step && fault",
        "(fault || step) && step", "!fault || step", "!fault && fault", "fault && !fault",
        "!(fault || step)", "op matches \"^reg\"", "step matches \"\"",
        "op in {\"link\"}", "step != \"status\"", "id in {\"x\", 6}", NULL};
    (void)state;
    assert_all_hold(&record, yes);
    assert_none_hold(&record, no);
}

static void knows_units(void **state)
{
    const struct ds_event event = make_message();
    struct record record = {.event = &event, .note = {.has_latency = true}};
    static const struct {
        int64_t ns;
        const char *expression;
    } durations[] = {
        {5, "latency == 5ns"}, {5000, "latency == 5us"}, {1500, "latency == 1.5us"},
        {5000000, "latency == 5ms"}, {INT64_C(5000000000), "latency == 5s"},
        {INT64_C(90000000000), "latency == 1.5min"}, {INT64_C(3600000000000), "latency == 1h"},
        {-7, "latency == -7ns"}, {1500, "latency_us == 1.5"}, {7000, "latency_us == 7"},
        {7000000, "latency_us == 7ms"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof durations / sizeof durations[0]; i++) {
        record.note.latency_ns = durations[i].ns;
        if (!holds(durations[i].expression, &record))
            fail_msg("does not hold: %s", durations[i].expression);
        record.note.latency_ns++;
        assert_false(holds(durations[i].expression, &record));
    }
    struct ds_event gap = make_event(DS_EVENT_GAP);
    const struct record bytes = {.event = &gap};
    static const struct {
        uint64_t bytes;
        const char *expression;
    } sizes[] = {
        {5, "bytes == 5"}, {5, "bytes == 5B"}, {5000, "bytes == 5KB"}, {5000, "bytes == 5kB"},
        {5000000, "bytes == 5MB"}, {2000000000, "bytes == 2GB"}, {1536, "bytes == 1.5KiB"},
        {1048576, "bytes == 1MiB"}, {1073741824, "bytes == 1GiB"},
        {INT64_MAX, "bytes == 0x7fffffffffffffff"},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        gap.gap.bytes = sizes[i].bytes;
        if (!holds(sizes[i].expression, &bytes))
            fail_msg("does not hold: %s", sizes[i].expression);
        gap.gap.bytes--;
        assert_false(holds(sizes[i].expression, &bytes));
    }
}

static void says_what_is_wrong_and_where(void **state)
{
    static const struct {
        const char *expression;
        size_t column;
        const char *what;
    } errors[] = {
        {"", 1, "expected a field, not the end"},
        {"  ", 3, "expected a field, not the end"},
        {"fault &&", 9, "expected a field, not the end"},
        {"fault && && step", 10, "expected a field, not '&& step'"},
        {"fault step", 7, "expected && or ||, not 'step'"},
        {"frm == \"x\"", 1, "there is no field 'frm': did you mean from?"},
        {"fault || latancy > 5ms", 10, "there is no field 'latancy': did you mean latency?"},
        {"src.nod", 1, "there is no field 'src.nod': did you mean src.node?"},
        {"xyzzyxyzzyq", 1, "there is no field 'xyzzyxyzzyq': see --fields"},
        {"op = \"x\"", 4, "expected ==, not ="},
        {"op == reg_send", 7, "op is a text: expected one in quotes, not 'reg_send'"},
        {"op == 5", 7, "op is a text: expected one in quotes, not '5'"},
        {"op ==", 6, "expected a text in quotes, not the end"},
        {"op == \"x", 7, "this \" is never closed"},
        {"op == 'x", 7, "this ' is never closed"},
        {"op == \"a\\q\"", 9, "expected \\\\ \\\" \\' \\n \\r \\t or \\xHH"},
        {"op == \"a\\x1\"", 9, "expected \\\\ \\\" \\' \\n \\r \\t or \\xHH"},
        {"op == \"a\\", 9, "expected \\\\ \\\" \\' \\n \\r \\t or \\xHH"},
        {"size > \"x\"", 8, "size is a size: expected a number, not '\"x\"'"},
        {"frame >", 8, "expected a number, not the end"},
        {"frame > -", 10, "expected a digit, not the end"},
        {"frame > 0x", 11, "expected a digit, not the end"},
        {"frame > 5KB", 10, "expected a number without unit, not 'KB'"},
        {"frame > 1.5", 9, "expected a whole number"},
        {"size > 1.", 10, "expected a digit after the point, not the end"},
        {"size > 5ms", 9, "expected a unit of size, B KB MB GB KiB MiB GiB, not 'ms'"},
        {"latency > 5", 11, "expected a duration with its unit, ns us ms s min h: 5ms"},
        {"latency > 5KB", 12, "expected a unit of time, ns us ms s min h, not 'KB'"},
        {"frame > 9223372036854775808", 9, "this number is too large"},
        {"size > 9223372036854775807KB", 8, "this number is too large"},
        {"frame contains 5", 7, "frame is a number: contains needs a text"},
        {"term contains 5", 15, "term is a text: expected one in quotes, not '5'"},
        {"cookie_ok < true", 11, "cookie_ok is true or false: expected == or !="},
        {"cookie_ok == maybe", 14, "expected true or false, not 'maybe'"},
        {"ts > 5", 6, "expected a time in UTC, \"2026-01-31T23:59:59.5Z\", not '5'"},
        {"ts > \"now\"", 6, "expected a time in UTC, \"2026-01-31T23:59:59.5Z\""},
        {"ts > \"2026-13-01T00:00:00Z\"", 6,
         "expected a time in UTC, \"2026-01-31T23:59:59.5Z\""},
        {"ts > \"2026-12-01T00:00:00+01\"", 6,
         "expected a time in UTC, \"2026-01-31T23:59:59.5Z\""},
        {"op in \"x\"", 7, "expected { and the values, with a comma between them, not '\"x\"'"},
        {"name in {\"x\" \"y\"}", 14, "expected , or }, not '\"y\"}'"},
        {"op in {}", 8, "op is a text: expected one in quotes, not '}'"},
        {"name in {\"x\",", 14, "expected a text in quotes, not the end"},
        {"op == \"x\"", 7, "there is no op 'x': they are those that json shows"},
        {"op == \"link\" || op != \"reg_sned\"", 23,
         "there is no op 'reg_sned': did you mean reg_send?"},
        {"op in {\"link\", \"op_\"}", 16, "there is no op 'op_': they are those that json shows"},
        {"outcome == \"time\"", 12, "there is no outcome 'time': did you mean timeout?"},
        {"frame matches \"x\"", 7, "frame is a number: matches needs a text"},
        {"term matches 5", 14, "term is a text: expected one in quotes, not '5'"},
        {"op matches \"a(\"", 12,
         "character 3 of the regular expression: missing closing parenthesis"},
        {"op matches \"a\\x00\"", 12, "a regular expression can't have a NUL in it"},
        {"(fault", 1, "this ( is never closed"},
        {"fault && (step || (op)", 10, "this ( is never closed"},
        {"fault)", 6, "this ) closes nothing"},
        {"()", 2, "expected a field, not ')'"},
        {"!", 2, "expected a field, not the end"},
        {"fault & step", 7, "expected && or ||, not '& step'"},
        {"5 == frame", 1, "expected a field, not '5 == frame'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        struct filter_error error = {0};
        if (filter_parse(errors[i].expression, &error) != NULL)
            fail_msg("accepted: %s", errors[i].expression);
        if (strcmp(error.what, errors[i].what) != 0 || error.column != errors[i].column)
            fail_msg("%s: column %zu: %s, expected column %zu: %s", errors[i].expression,
                     error.column, error.what, errors[i].column, errors[i].what);
    }
}

/* repeat returns a piece, again and again, around a middle; to be freed. */
static char *repeat(const char *piece, size_t times, const char *middle, const char *end)
{
    char *text = calloc(1, (strlen(piece) + strlen(end)) * times + strlen(middle) + 1);
    char *at = text;
    assert_non_null(text);
    for (size_t i = 0; i < times; i++)
        at = stpcpy(at, piece);
    at = stpcpy(at, middle);
    for (size_t i = 0; i < times; i++)
        at = stpcpy(at, end);
    return text;
}

static void assert_error(char *text, size_t column, const char *what)
{
    struct filter_error error = {0};
    assert_null(filter_parse(text, &error));
    assert_string_equal(error.what, what);
    assert_int_equal(error.column, column);
    free(text);
}

static void bounds_what_it_takes(void **state)
{
    const struct ds_event event = make_message();
    const struct record record = {.event = &event};
    char *text;
    (void)state;
    text = repeat("(", FILTER_MAX_NESTING, "fault", ")");
    assert_true(holds(text, &record));
    free(text);
    text = repeat("!", FILTER_MAX_NESTING, "fault", "");
    assert_true(holds(text, &record));
    free(text);
    assert_error(repeat("(", FILTER_MAX_NESTING + 1, "fault", ")"), FILTER_MAX_NESTING + 1,
                 "nested deeper than 64");
    assert_error(repeat("!", 4000, "fault", ""), FILTER_MAX_NESTING + 1, "nested deeper than 64");
    assert_error(repeat(" ", FILTER_MAX_LEN + 1, "", ""), FILTER_MAX_LEN + 1,
                 "longer than 4096 bytes");
    text = repeat("!op&&", (FILTER_MAX_LEN - 5) / 5, "fault", ""); /* as many steps as can be */
    assert_false(holds(text, &record));
    free(text);
    text = repeat("step||", (FILTER_MAX_LEN - 5) / 6, "fault", "");
    assert_true(holds(text, &record));
    free(text);
    text = repeat("0,", 2000, "12}", "");
    memcpy(text, "id in { ", 8);
    assert_false(holds(text, &record)); /* as many literals as can be */
    free(text);
}

static void gives_up_on_endless_matches(void **state)
{
    static char letters[5000];
    struct ds_event event = make_event(DS_EVENT_HANDSHAKE);
    const struct record record = {.event = &event};
    struct filter_error error;
    (void)state;
    memset(letters, 'a', sizeof letters);
    event.handshake.name = (struct ds_text){letters, sizeof letters};
    struct filter *filter = filter_parse("name matches '^(a+)+$|(a|aa)+b'", &error);
    assert_non_null(filter);
    assert_true(filter_run(filter, &record));
    assert_int_equal(filter_num_given_up(filter), 0);
    filter_free(filter);
    filter = filter_parse("name matches '^(a|aa)+(b|c)'", &error);
    assert_false(filter_run(filter, &record));
    assert_int_equal(filter_num_given_up(filter), 1);
    filter_free(filter);
    assert_int_equal(filter_num_given_up(NULL), 0);
}

static void combines_expressions(void **state)
{
    const struct ds_event event = make_message();
    const struct record record = {.event = &event};
    struct filter_error error;
    (void)state;
    struct filter *both = filter_and(NULL, filter_parse("fault", &error));
    both = filter_and(both, filter_parse("conn == 7 || step", &error));
    filter_set_depth(both, 5);
    assert_true(filter_run(both, &record));
    both = filter_and(both, filter_parse("step", &error));
    assert_false(filter_run(both, &record));
    filter_free(both);
    filter_free(NULL);
    assert_true(filter_run(NULL, &record));
    assert_int_equal(filter_no_memory(NULL), 0);
}

static void parse_and_run(void *context)
{
    const struct ds_event event = make_message();
    const struct record record = {
        .event = &event, .note = {.mod = TERM("w\5lists"), .fun = TERM("w\3seq")}};
    struct filter_error error = {0};
    unsigned *refused = context;
    struct filter *filter =
        filter_parse("term contains \"dog\" || mfa contains \"no:\" || from == \"nobody\" || "
                     "op matches \"^x\"", &error);
    if (filter == NULL) {
        assert_int_equal(error.column, 0);
        assert_string_equal(error.what, "out of memory");
        ++*refused;
        return;
    }
    bool wanted = filter_run(filter, &record);
    assert_int_equal(wanted, filter_no_memory(filter) != 0); /* shown when it cannot be told */
    *refused += wanted;
    filter_free(filter);
}

static void lives_without_memory(void **state)
{
    unsigned refused = 0;
    (void)state;
    unsigned long num = failing_alloc_each(parse_and_run, &refused);
    assert_true(num >= 6);
    assert_true(refused >= num);
}

/* Whether detectors are wanted, whichever of their fields is asked for. */
static void knows_what_asks_for_findings(void **test)
{
    static const struct {
        const char *expression;
        bool asks;
    } cases[] = {
        {"severity == \"warning\"", true},     {"certainty == \"likely\"", true},
        {"finding matches 'x'", true},             {"type == \"finding\"", true},
        {"type == \"call\"", false},           {"op == \"link\"", false},
        {"frame > 5 && type in {\"call\", \"finding\"}", true}, {"frame > 5", false},
    };
    (void)test;
    assert_false(filter_asks_findings(NULL));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct filter_error error;
        struct filter *filter = filter_parse(cases[i].expression, &error);
        if (filter == NULL)
            fail_msg("%s", cases[i].expression);
        assert_int_equal(filter_asks_findings(filter), cases[i].asks);
        filter_free(filter);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_the_fields_of_messages),
        cmocka_unit_test(knows_unknown_ops),
        cmocka_unit_test(takes_atoms_as_written_or_quoted),
        cmocka_unit_test(knows_the_fields_of_calls),
        cmocka_unit_test(knows_the_fields_of_monitors),
        cmocka_unit_test(knows_the_fields_of_handshakes),
        cmocka_unit_test(knows_the_fields_of_the_rest),
        cmocka_unit_test(knows_the_fields_of_links),
        cmocka_unit_test(knows_the_fields_of_tls),
        cmocka_unit_test(knows_the_fields_of_findings),
        cmocka_unit_test(has_tested_all_fields),
        cmocka_unit_test(knows_the_operators),
        cmocka_unit_test(knows_units),
        cmocka_unit_test(says_what_is_wrong_and_where),
        cmocka_unit_test(bounds_what_it_takes),
        cmocka_unit_test(gives_up_on_endless_matches),
        cmocka_unit_test(knows_what_asks_for_findings),
        cmocka_unit_test(combines_expressions),
        cmocka_unit_test(lives_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
