/* test_filter_fields.c - the field filter: every field, on records with and without it. */
#include "analyse/findings/finding_kinds.h"
#include "filter_records.h"

static const struct titles shell_titles = {.num = 1, .text = {TEXT("pg:shells")}};
static const struct titles server_titles = {.num = 2,
                                            .text = {TEXT("global:lab"), TEXT("pg:workers")},
                                            .elixir = {TEXT("global::lab"), TEXT("pg::workers")}};

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
        "ts > '2023-11-14 22:13:20'", "frame == 12", "packet == 12", "conn == 7", "node == \"alice@h\"",
        "node == \"bob@h\"", "addr == \"10.0.0.1\"", "addr == \"10.0.0.2\"", "port == 1000",
        "port == 1001", "src.node == \"alice@h\"", "src.addr == \"10.0.0.1\"", "src.port == 1000",
        "src.node_inferred == false", "!src.node_inferred", "dst.node == \"bob@h\"",
        "dst.addr == \"10.0.0.2\"", "dst.port == 1001", "dst.node_inferred",
        "op == \"spawn_request_tt\"", "from == \"<alice@h.85.0>\"", "from == \"shell\"",
        "to == \"rex\"", "to == \"server\"", "from_name == \"shell\"", "to_name == \"server\"",
        "from_titles == \"pg:shells\"", "to_titles == \"global:lab\"", "to_titles == \"pg:workers\"",
        "to_titles == \"global::lab\"",
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
        "inferred_atoms == 1", "likely_atoms == 3", "address_atoms == 4", NULL};
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
        "fault", "unknown_atoms", "inferred_atoms", "likely_atoms", "address_atoms", "fragments", "term",
        "to", "from_name", "role", "call", "label", "latency", "outcome", "outcome != \"ok\"", "to != \"rex\"",
        "token.serial", "mfa", NULL};
    assert_none_hold(&record, none);
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
        .certainty = CERTAINTY_LIKELY, .likely_atoms = 2,
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
        "parent_inferred", "children == 21", "certainty == \"likely\"", "likely_atoms == 2", NULL};
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
        "src_sent.likely_atoms == 19", "dst_sent.likely_atoms == 29", "src_sent.ignored == 20",
        "dst_sent.ignored == 30", NULL});
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

/* The kernel's answer about the owner of a socket, for either end or one end. */
static void knows_whose_sockets_are(void **state)
{
    static const struct {
        const char *expression;
        bool holds[2]; /* if end 0 sends, and if end 1 does */
    } cases[] = {
        {"pod == \"shop/rabbit-0\"", {true, true}},   {"pod == \"rabbit-0\"", {true, true}},
        {"src.pod == \"rabbit-0\"", {true, false}},   {"dst.pod == \"rabbit-0\"", {false, true}},
        {"pod == \"shop\"", {false, false}},          {"container == \"0123456789ab\"", {true, true}},
        {"src.container", {false, true}},             {"dst.container", {true, false}},
        {"src.process == \"beam.smp\"", {true, true}}, {"src.pid == 17", {true, false}},
        {"dst.pid == 17", {false, true}},             {"src.pid == 18 || dst.pid == 18", {true, true}},
        {"src.pid == 0", {false, false}},
    };
    const struct ds_tcp_stats link = {
        .side = {{.socket = {.asked_ns = 1, .pid = 17, .process = "beam.smp", .pod = "shop/rabbit-0"}},
                 {.socket = {.asked_ns = 1, .pid = 18, .process = "beam.smp", .container = "0123456789ab"}}}};
    const struct ds_conn known = {.link = &link}, other = {.link = NULL};
    struct ds_event event = {.type = DS_EVENT_MESSAGE, .conn = &known};
    const struct record record = {.event = &event};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int dir = 0; dir < 2; dir++) {
            event.dir = (uint8_t)dir;
            event.conn = &known;
            assert_int_equal(holds(cases[i].expression, &record), cases[i].holds[dir]);
            event.conn = &other;
            assert_false(holds(cases[i].expression, &record));
        }
    }
    event.conn = &known;
    event.dir = 0;
    assert_all_hold(&record, (const char *const[]){"pod", "container", "src.pod", "src.process", "src.pid",
                                                   "dst.container", "dst.process", "dst.pid", NULL});
    event.dir = 1;
    assert_all_hold(&record, (const char *const[]){"src.container", "dst.pod", NULL});
}

static void knows_the_fields_of_links(void **state)
{
    const struct ds_tcp_stats link = {
        .side = {{.retransmitted = 2, .lost_upstream = 3, .last_data_ns = 5,
                  .max_idle_ns = 7000000},
                 {.retransmitted = 1}}};
    struct ds_event event = make_event(DS_EVENT_STALL);
    const struct record record = {.event = &event};
    struct ds_conn with_link = *event.conn;
    (void)state;
    event.stall.duration_ns = INT64_C(4600000000);
    assert_all_hold(&record,
                    (const char *const[]){"type == \"stall\"", "stall == 4600ms", NULL});
    assert_false(holds("over || message_size || message_passed", &record));
    event.stall.why = DS_STALL_LOST;
    event.stall.is_over = true;
    event.stall.in_flight = 4096;
    event.stall.message_size = 2000;
    event.stall.message_passed = 500;
    assert_all_hold(&record, (const char *const[]){"why == \"lost\"", "over", "in_flight == 4KiB",
                                                   "message_size == 2000", "message_passed == 500",
                                                   NULL});
    event = make_message();
    event.message.wire_ns = 20000000;
    assert_all_hold(&record, (const char *const[]){"wire_time == 20ms", NULL});
    assert_false(holds("stall", &record));
    event.message.stalled_ns = 1000000;
    assert_true(holds("stall == 1ms", &record));
    event = make_event(DS_EVENT_CONN);
    event.ts_ns = 10;
    assert_false(holds("retransmitted || silent || icmp_from || why || in_flight", &record));
    event.change.from = (struct ds_addr){.family = 4, .bytes = {10, 0, 0, 9}};
    assert_all_hold(&record, (const char *const[]){"community_id contains \"1:\"",
                                                   "icmp_from == \"10.0.0.9\"", NULL});
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
                               .alert = {"unknown_ca", NULL},
                               .has_ech = true,
                               .key_updates = {2, 1}};
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
                                 "tls.certificate == \"b\"", "tls.alert == \"unknown_ca\"", "tls.ech == true",
                                 "tls.renewals == 3", NULL});
    assert_false(holds("tls.version == \"1.3\"", &record));
}

/* Every text that the library has for a field is one of its words. */
static void knows_the_words_of_fields(void **state)
{
    static const struct {
        const char *(*word)(size_t i);
        const char *field;
        size_t num_least;
    } all[] = {
        {ds_tls_suite_at, "tls.suite", 30},
        {ds_tls_group_at, "tls.group", 10},
        {ds_tls_alert_at, "tls.alert", 25},
        {ds_flags_release_at, "release", 10},
    };
    struct ds_event event = make_message();
    const struct record record = {.event = &event};
    (void)state;
    for (size_t a = 0; a < sizeof all / sizeof all[0]; a++) {
        size_t i = 0;
        char expression[200];
        for (const char *word; (word = all[a].word(i)) != NULL; i++) {
            snprintf(expression, sizeof expression, "%s == \"%s\"", all[a].field, word);
            assert_false(holds(expression, &record));
        }
        assert_true(i >= all[a].num_least);
    }
    assert_false(holds("flag_names in {\"FRAGMENTS\", \"bit_60\", \"bit_63\"}", &record));
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

static void knows_the_fields_of_streams(void **state)
{
    static const struct ds_conn osiris = {.number = 3, .proto = "osiris"};
    const struct ds_event event = {.type = DS_EVENT_STREAM, .conn = &osiris,
                                   .stream = {.what = "chunk", .bytes = 55, .has_offset = true, .offset = 42, .epoch = 7,
                                              .entries = 2, .records = 3, .written_ns = 1700000000000000000}};
    const struct record record = {.event = &event};
    (void)state;
    assert_all_hold(&record, (const char *const[]){
        "type == \"stream\"", "proto == \"osiris\"", "what == \"chunk\"", "bytes == 55", "offset == 42",
        "records == 3", "entries == 2", "epoch == 7", "conn == 3", "written >= \"2023-11-14T22:13:20Z\"", NULL});
    assert_none_hold(&record, (const char *const[]){
        "written > \"2023-11-14T22:13:20Z\"", "proto == \"gen_rpc\"", "messages", "op", "size", NULL});
    assert_false(holds("proto", &(const struct record){.event = &(struct ds_event){.conn = &(struct ds_conn){0}}}));
}

/* The tests above used all fields, except release: it depends on flags that may change. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_the_fields_of_messages),
        cmocka_unit_test(knows_unknown_ops),
        cmocka_unit_test(knows_the_fields_of_calls),
        cmocka_unit_test(knows_the_fields_of_monitors),
        cmocka_unit_test(knows_the_fields_of_handshakes),
        cmocka_unit_test(knows_the_fields_of_the_rest),
        cmocka_unit_test(knows_the_fields_of_links),
        cmocka_unit_test(knows_whose_sockets_are),
        cmocka_unit_test(knows_the_fields_of_tls),
        cmocka_unit_test(knows_the_words_of_fields),
        cmocka_unit_test(knows_the_fields_of_findings),
        cmocka_unit_test(knows_the_fields_of_streams),
        cmocka_unit_test(has_tested_all_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
