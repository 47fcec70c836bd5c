/*
 * test_sinks.c - events of all kinds as text and as JSON, hostile ones above all: whatever a peer
 * sends, a line of text contains no control character, and a line of JSON is valid.
 */
#include "failing_alloc.h"
#include "output/json_write.h"
#include "output/sink.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define TEXT(literal) ((struct ds_text){(literal), sizeof(literal) - 1})
#define TERM(literal) ((struct ds_term){.data = (const uint8_t *)(literal),                        \
                                        .len = sizeof(literal) - 1})

static struct ds_conn conn;

/* A connection and an event on it, to be filled in. */
static struct ds_event make_event(enum ds_event_type type)
{
    conn = (struct ds_conn){.number = 7};
    for (unsigned i = 0; i < 2; i++) {
        conn.end[i].addr = (struct ds_addr){4, {10, 0, 0, (uint8_t)(1 + i)}};
        conn.end[i].port = (uint16_t)(1000 + i);
    }
    conn.end[0].node = TEXT("alice@h");
    return (struct ds_event){
        .type = type, .dir = 1, .frame = 12, .ts_ns = INT64_C(1700000000123456789), .conn = &conn};
}

/* Passes one event to a sink and returns the line without its newline. The caller frees it. */
static char *show(const struct sink_kind *kind, struct sink_config *options,
                  const struct ds_event *event)
{
    struct sink sink;
    const struct sink_format format = {kind, "/dev/null"};
    const struct record record = {.event = event};
    assert_true(sink_open(&sink, &format, options));
    if (sink_wants(&sink, &record))
        kind->record(&sink, &record);
    struct ds_buffer *out = &sink.output.buffer;
    char *line = NULL;
    if (out->len != 0) {
        assert_false(out->failed);
        assert_int_equal(out->data[out->len - 1], '\n');
        line = strndup(out->data, out->len - 1);
        assert_int_equal(strlen(line), out->len - 1);
    }
    sink_close(&sink);
    return line;
}

static void assert_text(const struct ds_event *event, int verbose, const char *expected)
{
    struct sink_config options = {
        .verbose = verbose, .time_style = TIME_NONE, .color = COLOR_NEVER};
    options.time_style = TIME_EPOCH;
    char *line = show(&sink_text, &options, event);
    if (expected == NULL)
        assert_null(line);
    else
        assert_string_equal(line, expected);
    free(line);
}

/* assert_times checks the times of three events, 1.5 and 2.5 seconds apart. */
static void assert_times(enum time_style style, const char *second, const char *third)
{
    struct sink sink;
    const struct sink_format format = {&sink_text, "/dev/null"};
    struct sink_config options = {.time_style = style, .color = COLOR_NEVER};
    struct ds_event event = make_event(DS_EVENT_GAP);
    const struct record record = {.event = &event};
    const char *const expected[] = {"00:00:00.000000 ", second, third};
    const int64_t later_ns[] = {0, 1500000000, 2500000000};
    assert_true(sink_open(&sink, &format, &options));
    for (int i = 0; i < 3; i++) {
        struct ds_buffer *out = &sink.output.buffer;
        const size_t len = out->len;
        event.ts_ns += later_ns[i];
        sink_text.record(&sink, &record);
        assert_true(out->len > len + strlen(expected[i]));
        assert_memory_equal(out->data + len, expected[i], strlen(expected[i]));
    }
    sink_close(&sink);
}

static void tells_times(void **state)
{
    (void)state;
    assert_times(TIME_DELTA, "00:00:01.500000 ", "00:00:02.500000 ");
    assert_times(TIME_SINCE_FIRST, "00:00:01.500000 ", "00:00:04.000000 ");
}

static void assert_json(const struct ds_event *event, const char *expected)
{
    static const char head[] =
        ",\"ts\":\"2023-11-14T22:13:20.123456Z\",\"frame\":12,\"conn\":7,"
        "\"src\":{\"addr\":\"10.0.0.2\",\"port\":1001},"
        "\"dst\":{\"addr\":\"10.0.0.1\",\"port\":1000,\"node\":\"alice@h\"}";
    struct sink_config options = {.etf = true};
    char *line = show(&sink_json, &options, event);
    char *after = strstr(line, head);
    assert_non_null(after);
    memmove(after, after + strlen(head), strlen(after + strlen(head)) + 1);
    assert_string_equal(line, expected);
    free(line);
}

static void shows_messages(void **state)
{
    struct ds_event event = make_event(DS_EVENT_MESSAGE);
    (void)state;
    event.message = (struct ds_message){.code = 22, .op = ds_op_find(22), .size = 99,
                                        .fragments = 3};
    event.message.control = TERM("h\3a\x16jj");
    event.message.role[DS_ROLE_FROM] = TERM("w\4from");
    event.message.role[DS_ROLE_TO] = TERM("w\2to");
    event.message.payload = TERM("k\0\5a\"\\\nz");
    assert_text(&event, 0, "1700000000.123456 10.0.0.2.1001 > alice@h: send_sender from > to "
                           "\"a\\\"\\\\\\nz\" (3 fragments)");
    assert_json(&event, "{\"type\":\"message\",\"op\":\"send_sender\",\"from\":\"from\","
                        "\"to\":\"to\",\"term\":\"\\\"a\\\\\\\"\\\\\\\\\\\\nz\\\"\",\"size\":99,"
                        "\"fragments\":3,\"ctl\":\"g2gDYRZqag==\",\"msg\":\"g2sABWEiXAp6\"}");
}

static void shows_unknown_ops(void **state)
{
    struct ds_event event = make_event(DS_EVENT_MESSAGE);
    (void)state;
    event.message = (struct ds_message){.code = 200, .size = 9, .fragments = 1};
    event.message.control = TERM("h\2a\xc8j");
    assert_text(&event, 0, "1700000000.123456 10.0.0.2.1001 > alice@h: op_200 {200,[]}");
    assert_json(&event, "{\"type\":\"message\",\"op\":\"op_200\",\"control\":\"{200,[]}\","
                        "\"size\":9,\"ctl\":\"g2gCYchq\"}");
}

static void shows_tokens_and_numbers(void **state)
{
    struct ds_event event = make_event(DS_EVENT_MESSAGE);
    (void)state;
    event.message = (struct ds_message){.code = 37, .op = ds_op_find(37), .size = 1,
                                        .fragments = 1};
    event.message.role[DS_ROLE_FLAGS] = TERM("a\2");
    event.message.role[DS_ROLE_ID] = TERM("n\x08\0\1\0\0\0\0\0\x20\0"); /* 2^53 + 1 */
    event.message.role[DS_ROLE_TOKEN] = TERM("j");
    event.message.token = (struct ds_token){.present = true, .flags = 3, .label = TERM("w\1l"),
                                            .serial = -5, .from = TERM("w\1p"),
                                            .previous = INT64_MIN};
    char *line = show(&sink_json, &(struct sink_config){0}, &event);
    cJSON *record = cJSON_Parse(line);
    assert_non_null(record);
    assert_true(cJSON_GetObjectItem(record, "flags")->valuedouble == 2);
    assert_string_equal(cJSON_GetObjectItem(record, "id")->valuestring, "9007199254740993");
    const cJSON *token = cJSON_GetObjectItem(record, "token");
    assert_string_equal(cJSON_GetObjectItem(token, "label")->valuestring, "l");
    assert_true(cJSON_GetObjectItem(token, "serial")->valuedouble == -5);
    assert_string_equal(cJSON_GetObjectItem(token, "previous")->valuestring,
                        "-9223372036854775808");
    cJSON_Delete(record);
    free(line);
    assert_text(&event, 0, "1700000000.123456 10.0.0.2.1001 > alice@h: altact_sig_send flags 2 "
                           "[trace label l serial -5 from p flags 3]");
}

static void shows_trouble(void **state)
{
    struct ds_event event = make_event(DS_EVENT_GAP);
    (void)state;
    event.gap = (struct ds_gap){.bytes = 1000, .messages = -1};
    event.fault = (struct ds_fault){DS_FAULT_GAP, 17, "packets are missing"};
    event.unknown_atoms = 2;
    event.inferred_atoms = 1;
    event.address_atoms = 3; /* text has the addresses */
    assert_text(&event, 0, "1700000000.123456 10.0.0.2.1001 > alice@h: gap of 1000 bytes "
                           "[gap at 17: packets are missing] [2 unknown atoms] "
                           "[1 inferred atom]");
    assert_json(&event, "{\"type\":\"gap\",\"bytes\":1000,\"fault\":{\"kind\":\"gap\","
                        "\"offset\":17,\"what\":\"packets are missing\"},\"unknown_atoms\":2,"
                        "\"inferred_atoms\":1,\"address_atoms\":3}");
}

static void hides_ticks(void **state)
{
    struct ds_event event = make_event(DS_EVENT_TICK);
    (void)state;
    assert_text(&event, 0, NULL);
    assert_text(&event, 1,
                "1700000000.123456 10.0.0.2.1001 > alice@h: tick (conn 7, frame 12)");
    assert_json(&event, "{\"type\":\"tick\"}");
}

/* A call that a message ended is on the line of that message: no other sink receives it. */
static void takes_what_it_writes(void **state)
{
    const struct ds_event message = make_event(DS_EVENT_MESSAGE), tick = make_event(DS_EVENT_TICK);
    const struct sink_config config = {.verbose = 0}, more = {.verbose = 1};
    struct sink text = {.kind = &sink_text, .config = &config};
    const struct sink json = {.kind = &sink_json, .config = &config};
    const struct record ended = {.event = &message, .call = &(struct call){.number = 1}};
    const struct record unanswered = {.call = &(struct call){.number = 1}};
    const struct record dull = {.event = &tick};
    (void)state;
    assert_false(sink_wants(&text, &ended));
    assert_true(sink_wants(&json, &ended));
    assert_true(sink_wants(&text, &unanswered));
    assert_false(sink_wants(&text, &dull));
    text.config = &more;
    assert_true(sink_wants(&text, &dull));
    assert_false(sink_wants(&text, &ended));
}

static void shows_the_end_of_a_connection(void **state)
{
    struct ds_event event = make_event(DS_EVENT_CONN);
    (void)state;
    conn.counters[0] = (struct ds_counters){.bytes = 10, .frames = 2, .messages = 1};
    event.change = (struct ds_conn_change){.state = DS_CONN_CLOSED, .reason = "by reset",
                                           .final = true};
    assert_text(&event, 0, "1700000000.123456 10.0.0.2.1001 > alice@h: conn 7 closed: by reset; "
                           "alice@h sent 10 bytes, 1 message; "
                           "10.0.0.2.1001 sent 0 bytes, 0 messages");
    assert_json(&event,
                "{\"type\":\"conn\",\"state\":\"closed\",\"reason\":\"by reset\","
                "\"community_id\":\"1:M3XH4qCOziAcDYE1kAN40Skgx/8=\","
                "\"src_sent\":{\"bytes\":0,\"frames\":0,\"messages\":0,\"ticks\":0,\"gaps\":0,"
                "\"gap_bytes\":0,\"faults\":0,\"unknown_atoms\":0},"
                "\"dst_sent\":{\"bytes\":10,\"frames\":2,\"messages\":1,\"ticks\":0,\"gaps\":0,"
                "\"gap_bytes\":0,\"faults\":0,\"unknown_atoms\":0}}");
}

static void shows_handshakes(void **state)
{
    struct ds_event event = make_event(DS_EVENT_HANDSHAKE);
    (void)state;
    event.handshake = (struct ds_handshake){.step = DS_STEP_SEND_NAME, .version = 6,
                                            .has_flags = true,
                                            .flags = 1 | UINT64_C(1) << 63,
                                            .name = TEXT("bob@h")};
    char *line = show(&sink_json, &(struct sink_config){0}, &event);
    cJSON *record = cJSON_Parse(line);
    assert_string_equal(cJSON_GetObjectItem(record, "flags")->valuestring, "0x8000000000000001");
    const cJSON *names = cJSON_GetObjectItem(record, "flag_names");
    assert_int_equal(cJSON_GetArraySize(names), 2);
    assert_string_equal(cJSON_GetArrayItem(names, 1)->valuestring, "bit_63");
    assert_true(cJSON_GetObjectItem(record, "creation")->valuedouble == 0);
    cJSON_Delete(record);
    free(line);
}

static void shows_nodes_of_epmd(void **state)
{
    static const struct ds_epmd_node nodes[] = {{.name = TEXT("a"), .port = 1, .fd = -1},
                                                {.name = TEXT("b\x1b"), .port = 2, .fd = -1}};
    struct ds_event event = make_event(DS_EVENT_EPMD);
    (void)state;
    event.epmd = (struct ds_epmd){.op = DS_EPMD_NAMES_RESP, .epmd_port = 4369, .nodes = nodes,
                                  .num_nodes = 2};
    assert_text(&event, 0, "1700000000.123456 10.0.0.2.1001 > alice@h: epmd names_resp 2 nodes: "
                           "a port 1, b\\x1B port 2");
    assert_json(&event, "{\"type\":\"epmd\",\"op\":\"names_resp\",\"epmd_port\":4369,"
                        "\"nodes\":[{\"name\":\"a\",\"port\":1},"
                        "{\"name\":\"b\\u001b\",\"port\":2}]}");
}

/* All bytes that a peer could put into a name, in all places of a name. */
static void shows_hostile_names(void **state)
{
    char name[256 + 6];
    (void)state;
    for (int i = 0; i < 256; i++)
        name[i] = (char)i;
    memcpy(name + 256, "\xe2\x80\xae\xc2\x9b\\", 6);
    struct ds_event event = make_event(DS_EVENT_EPMD);
    conn.end[1].node = (struct ds_text){name, sizeof name};
    event.epmd = (struct ds_epmd){.op = DS_EPMD_PORT2_RESP, .name = conn.end[1].node,
                                  .extra = conn.end[1].node, .raw = conn.end[1].node};
    char *line = show(&sink_json, &(struct sink_config){0}, &event);
    cJSON *record = cJSON_Parse(line);
    assert_non_null(record);
    const char *parsed = cJSON_GetObjectItem(record, "name")->valuestring;
    const char *node =
        cJSON_GetObjectItem(cJSON_GetObjectItem(record, "src"), "node")->valuestring;
    assert_string_equal(parsed, node);
    assert_memory_equal(parsed, "\xef\xbf\xbd\1\2\3\4\5\6\a\b\t\n", 13);
    cJSON_Delete(record);
    for (const char *at = line; *at != '\0'; at++)
        assert_true((unsigned char)*at >= 0x20);
    free(line);

    line = show(&sink_text, &(struct sink_config){.time_style = TIME_NONE}, &event);
    for (const char *at = line; *at != '\0'; at++)
        assert_true((unsigned char)*at >= 0x20 && (unsigned char)*at < 0x7F);
    free(line);
}

/* Each place of the escaper's step of eight, with each byte that must be escaped. */
static void escapes_terms_at_any_place(void **state)
{
    (void)state;
    for (int byte = 1; byte < 0x80; byte++) {
        for (size_t place = 0; place < 20; place++) {
            char name[21];
            memset(name, 'x', 20);
            name[20] = '\0';
            name[place] = (char)byte;
            struct ds_buffer out = {0};
            struct json_writer json = {.out = &out};
            json_begin(&json, JSON_TYPE("t"));
            json_put_text(&json, JSON_KEY("k"), (struct ds_text){name, 20});
            json_put_open(&json, JSON_KEY("o"));
            json_put_close(&json);
            json_end(&json);
            assert_false(out.failed);
            ds_buffer_add(&out, "", 1);
            cJSON *parsed = cJSON_Parse(out.data);
            assert_non_null(parsed);
            assert_string_equal(cJSON_GetObjectItem(parsed, "k")->valuestring, name);
            cJSON_Delete(parsed);
            ds_buffer_free(&out);
            json_writer_free(&json);
        }
    }
}

/* assert_maps checks the event in Erlang and Elixir, without the common fields. */
static void assert_maps(const struct ds_event *event, const char *erlang, const char *elixir)
{
    static const char *const heads[] = {
        "time => 1700000000123456789, frame => 12, conn => 7, src => {{10,0,0,2},1001}, "
        "dst => alice@h, ",
        "time: 1700000000123456789, frame: 12, conn: 7, src: {{10, 0, 0, 2}, 1001}, "
        "dst: :alice@h, ",
    };
    const struct sink_kind *const kinds[] = {&sink_erl, &sink_ex};
    const char *const expected[] = {erlang, elixir};
    for (int i = 0; i < 2; i++) {
        char *line = show(kinds[i], &(struct sink_config){0}, event);
        char *after = strstr(line, heads[i]), *body = strchr(line, '\n') + 1;
        if (i == 1)
            body = strchr(body, '\n') + 1; /* behind the bracket */
        assert_non_null(after);
        memmove(after, after + strlen(heads[i]), strlen(after + strlen(heads[i])) + 1);
        assert_string_equal(body, expected[i]);
        free(line);
    }
}

static void shows_maps(void **state)
{
    struct ds_event event = make_event(DS_EVENT_MESSAGE);
    (void)state;
    event.message = (struct ds_message){.code = 22, .op = ds_op_find(22), .size = 99,
                                        .fragments = 3};
    event.message.role[DS_ROLE_FROM] = TERM("w\4from");
    event.message.payload = TERM("k\0\5a\"\\\nz");
    event.fault = (struct ds_fault){DS_FAULT_GAP, 17, "packets are missing"};
    assert_maps(&event,
                "#{type => message, op => send_sender, from => from, term => \"a\\\"\\\\\\nz\", "
                "size => 99, fragments => 3, fault => #{kind => gap, offset => 17, "
                "what => <<\"packets are missing\">>}}.",
                "%{type: :message, op: :send_sender, from: :from, term: ~c\"a\\\"\\\\\\nz\", "
                "size: 99, fragments: 3, fault: %{kind: :gap, offset: 17, "
                "what: \"packets are missing\"}},");

    static const struct ds_epmd_node nodes[] = {{.name = TEXT("a"), .port = 1, .active = true},
                                                {.name = TEXT("#{b}\x1b"), .port = 2}};
    event = make_event(DS_EVENT_EPMD);
    event.epmd = (struct ds_epmd){.op = DS_EPMD_NAMES_RESP, .epmd_port = 4369, .nodes = nodes,
                                  .num_nodes = 2};
    assert_maps(&event,
                "#{type => epmd, op => names_resp, epmd_port => 4369, nodes => "
                "[#{name => <<\"a\">>, port => 1, active => true}, "
                "#{name => <<\"#{b}\\e\">>, port => 2}]}.",
                "%{type: :epmd, op: :names_resp, epmd_port: 4369, nodes: "
                "[%{name: \"a\", port: 1, active: true}, "
                "%{name: \"\\#{b}\\e\", port: 2}]},");
}

static void shows_what_was_lost_as_maps(void **state)
{
    const struct loss loss = {.cause = 0, .count = 5, .messages = 3, .first_ns = 1, .last_ns = 2};
    const struct sink_kind *const kinds[] = {&sink_erl, &sink_ex, &sink_etf};
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct sink sink;
        const struct sink_format format = {kinds[i], "/dev/null"};
        assert_true(sink_open(&sink, &format, &(struct sink_config){0}));
        size_t len = sink.output.buffer.len;
        kinds[i]->lost(&sink, &loss);
        assert_false(sink.output.buffer.failed);
        assert_true(sink.output.buffer.len > len);
        ds_buffer_add(&sink.output.buffer, "", 1);
        if (i == 0)
            assert_non_null(strstr(sink.output.buffer.data,
                                   "#{type => lost, time => 1, until => 2, cause => queue, "
                                   "records => 5, messages => 3}.\n"));
        sink_close(&sink);
    }
}

/* In external format: the length, 131, a map with its number of pairs. */
static void shows_external_terms(void **state)
{
    struct ds_event event = make_event(DS_EVENT_GAP);
    struct sink sink;
    const struct sink_format format = {&sink_etf, "/dev/null"};
    const struct record record = {.event = &event};
    static const char end[] = "w\5bytesb\0\0\3\xe8w\10messagesb\0\0\0\2";
    (void)state;
    event.gap = (struct ds_gap){.bytes = 1000, .messages = 2};
    assert_true(sink_open(&sink, &format, &(struct sink_config){0}));
    sink_etf.record(&sink, &record);
    const struct ds_buffer *out = &sink.output.buffer;
    assert_int_equal((uint8_t)out->data[3], out->len - 4);
    assert_memory_equal(out->data + 4, "\203t\0\0\0\10w\4typew\3gap", 17);
    assert_memory_equal(out->data + out->len - (sizeof end - 1), end, sizeof end - 1);
    sink_close(&sink);
}

static void survive_one(void *context)
{
    const struct ds_event *event = context;
    struct sink sink;
    const struct sink_format json = {&sink_json, "/dev/null"};
    const struct sink_format text = {&sink_text, "/dev/null"};
    const struct sink_format erl = {&sink_erl, "/dev/null"};
    const struct sink_format ex = {&sink_ex, "/dev/null"};
    const struct sink_format etf = {&sink_etf, "/dev/null"};
    const struct sink_format *formats[] = {&json, &text, &erl, &ex, &etf};
    struct sink_config options = {.etf = true, .verbose = 1};
    const struct record record = {.event = event};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (!sink_open(&sink, formats[i], &options))
            continue;
        sink_record(&sink, &record);
        sink_close(&sink);
    }
}

static void survives_lack_of_memory(void **state)
{
    struct ds_event event = make_event(DS_EVENT_MESSAGE);
    (void)state;
    event.message = (struct ds_message){.code = 22, .op = ds_op_find(22), .size = 99,
                                        .fragments = 3};
    event.message.control = TERM("h\3a\x16jj");
    event.message.payload = TERM("k\0\5a\"\\\nz");
    assert_true(failing_alloc_each(survive_one, &event) > 5);
}

static void says_full_disks_once(void **state)
{
    struct output_file output;
    (void)state;
    assert_true(output_file_open(&output, "/dev/full", true));
    ds_buffer_add_text(&output.buffer, "x\n");
    output_file_end_record(&output);
    assert_true(output.failed);
    assert_false(output.closed);
    output_file_close(&output);
}

static void ends_quietly_when_the_reader_goes(void **state)
{
    struct output_file output;
    int ends[2];
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(ends), 0);
    assert_true(output_file_open(&output, "/dev/null", true));
    assert_true(dup2(ends[1], output.fd) >= 0);
    close(ends[0]);
    close(ends[1]);
    ds_buffer_add_text(&output.buffer, "x\n");
    output_file_end_record(&output);
    assert_true(output.failed && output.closed);
    output_file_close(&output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_times),
        cmocka_unit_test(shows_messages),
        cmocka_unit_test(shows_unknown_ops),
        cmocka_unit_test(shows_tokens_and_numbers),
        cmocka_unit_test(shows_trouble),
        cmocka_unit_test(hides_ticks),
        cmocka_unit_test(takes_what_it_writes),
        cmocka_unit_test(shows_the_end_of_a_connection),
        cmocka_unit_test(shows_handshakes),
        cmocka_unit_test(shows_nodes_of_epmd),
        cmocka_unit_test(shows_hostile_names),
        cmocka_unit_test(escapes_terms_at_any_place),

        cmocka_unit_test(shows_maps),
        cmocka_unit_test(shows_what_was_lost_as_maps),
        cmocka_unit_test(shows_external_terms),
        cmocka_unit_test(survives_lack_of_memory),
        cmocka_unit_test(says_full_disks_once),
        cmocka_unit_test(ends_quietly_when_the_reader_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
