/* Diagrams and traces of a small conversation; and no text of a peer is interpreted in them. */
#include "failing_alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "sink_player.h"

/* play is a small conversation with everything in it. */
static void play(void)
{
    begin(DS_EVENT_CONN, 0);
    event.change.state = DS_CONN_UP;
    show();
    message(6, 0, pid("alice@h", 85), atom("echo"), atom("wrapped"));
    record.note = (struct note){.role = NOTE_REQUEST, .label = "gen:call", .call = 7};
    record.note.body = atom("ping");
    show();
    message(22, 1, pid("bob@h", 90), pid("alice@h", 85), atom("pong"));
    record.note = (struct note){.role = NOTE_REPLY, .label = "gen:call", .call = 7};
    record.note.outcome = CALL_OK;
    record.note.has_latency = true;
    record.note.latency_ns = 412000;
    record.note.from_name = text_of("echo");
    show();
    message(6, 0, pid("alice@h", 85), atom("echo"), atom("note"));
    record.note.role = NOTE_CAST;
    show();
    message(29, 0, pid("alice@h", 85), none, none);
    event.message.role[DS_ROLE_MFA] = atom("mfa");
    show();
    message(24, 1, pid("bob@h", 91), pid("alice@h", 85), atom("normal"));
    show();
    message(28, 1, pid("bob@h", 91), pid("alice@h", 85), atom("killed"));
    show();
    begin(DS_EVENT_GAP, 1);
    event.gap.bytes = 1460;
    event.gap.messages = 2;
    show();
    begin(DS_EVENT_TICK, 1);
    show();
    struct call call = {.number = 8, .outcome = CALL_TIMEOUT, .end_ns = 5000000000};
    call.caller = (struct party){.node = text_of("alice@h"), .has_pid = true, .id = 85};
    call.callee = (struct party){.node = text_of("bob@h"), .name = text_of("echo")};
    begin(DS_EVENT_TICK, 1);
    record.call = &call;
    show();
}

static void mermaid_by_node(void **test)
{
    (void)test;
    start("mermaid", LANES_NODE);
    play();
    expect("sequenceDiagram\n"
           "    autonumber\n"
           "    participant L1 as alice@h\n"
           "    participant L2 as bob@h\n"
           "    Note over L1,L2: connection 3 up\n"
           "    L1->>L2: CALL #35;7 #60;85.0#62; to echo: ping\n"
           "    L2-->>L1: reply #35;7 after 412 us echo to #60;85.0#62;: pong\n"
           "    L1->>L2: CAST #60;85.0#62; to echo: note\n"
           "    L1->>L2: SPAWN #60;85.0#62;: mfa\n"
           "    L2->>L1: EXIT #60;91.0#62; to #60;85.0#62;: normal\n"
           "    L2-->>L1: DOWN #60;91.0#62; to #60;85.0#62;: killed\n"
           "    Note over L2,L1: 1460 bytes are missing (2 messages)\n"
           "    Note over L1,L2: #35;8 timeout after 5.00 s\n");
}

static void mermaid_by_process(void **test)
{
    (void)test;
    start("mermaid", LANES_PROCESS);
    play();
    expect("sequenceDiagram\n"
           "    autonumber\n"
           "    participant L1 as alice@h\n"
           "    participant L2 as bob@h\n"
           "    Note over L1,L2: connection 3 up\n"
           "    participant L3 as #60;85.0#62;<br/>alice@h\n"
           "    participant L4 as echo<br/>bob@h\n"
           "    L3->>L4: CALL #35;7: ping\n"
           "    L4-->>L3: reply #35;7 after 412 us: pong\n"
           "    L3->>L4: CAST: note\n"
           "    L3->>L2: SPAWN: mfa\n"
           "    participant L5 as #60;91.0#62;<br/>bob@h\n"
           "    L5->>L3: EXIT: normal\n"
           "    L5-->>L3: DOWN: killed\n"
           "    Note over L2,L1: 1460 bytes are missing (2 messages)\n"
           "    Note over L3,L4: #35;8 timeout after 5.00 s\n");
}

static void plantuml_by_process(void **test)
{
    (void)test;
    start("plantuml", LANES_PROCESS);
    play();
    expect("@startuml\n"
           "autonumber\n"
           "participant \"alice@h\" as L1\n"
           "participant \"bob@h\" as L2\n"
           "note over L1,L2: connection 3 up\n"
           "participant \"<U+003C>85.0<U+003E>\\nalice@h\" as L3\n"
           "participant \"echo\\nbob@h\" as L4\n"
           "    L3 -> L4: CALL <U+0023>7: ping\n"
           "    L4 --> L3: reply <U+0023>7 after 412 us: pong\n"
           "    L3 -> L4: CAST: note\n"
           "    L3 -> L2: SPAWN: mfa\n"
           "participant \"<U+003C>91.0<U+003E>\\nbob@h\" as L5\n"
           "    L5 -> L3: EXIT: normal\n"
           "    L5 --> L3: DOWN: killed\n"
           "note over L2,L1: 1460 bytes are missing (2 messages)\n"
           "note over L3,L4: <U+0023>8 timeout after 5.00 s\n"
           "@enduml\n");
}

/* A call that ends without an answer gets a note; one that was answered has an arrow. */
static void ends_without_an_answer_are_noted(void **test)
{
    static const struct {
        enum call_outcome outcome;
        bool is_noted;
    } ends[] = {
        {CALL_OK, false},        {CALL_ERROR, false},        {CALL_NOPROC, false},
        {CALL_TIMEOUT, true},    {CALL_ABANDONED, true},     {CALL_ANSWERED_ELSEWHERE, true},
        {CALL_UNANSWERED, true}, {CALL_NOCONNECTION, true},  {CALL_UNKNOWN, false},
    };
    (void)test;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        start("mermaid", LANES_NODE);
        struct call call = {.number = 8, .outcome = ends[i].outcome, .end_ns = 2000};
        call.caller.node = text_of("alice@h");
        call.callee.node = text_of("bob@h");
        begin(DS_EVENT_TICK, 0);
        record.call = &call;
        show();
        char note[64];
        snprintf(note, sizeof note, "Note over L1,L2: #35;8 %s after 2 us\n",
                 call_outcome_name(ends[i].outcome));
        char *all = stop();
        assert_int_equal(strstr(all, "Note over") != NULL, ends[i].is_noted);
        assert_int_equal(strstr(all, note) != NULL, ends[i].is_noted);
        free(all);
    }
}

/* Texts that might break a diagram. */
static const char *const hostile[] = {
    "end", "a\nend", "a;b", "a#b", "#35;", "%%", "%%{init: {\"theme\":\"dark\"}}%%", "<script>",
    "<br/>", "\"quoted\"", "'it'", "a\\nb", "\\", "@enduml", "@startuml", "!include /etc/passwd",
    "%date()", "$x", "$$x$$", "**b**", "//i//", "__u__", "--s--", "~~w~~", "[[http://x y]]",
    "<U+0041>", "<&star>", "<img:x>", "''", "/' c '/", "==", "...", "|||", "L1->>L2: forged",
    "L1 -> L2 : forged", "participant L1 as x", "wrap:x", "nowrap:x", "\xc3\xa9\xe2\x86\x92",
    "\xef\xac\x82\xc2\xb0\xc2\xb0" "35\xc2\xb6\xc3\x9f", "\xe2\x80\xae" "rtl", "\xff\xfe", "\x1b[31m",
    "\r", "\t", "\x01\x7f", "\xf0\x9f\x98\x80", ",", ":", "::", "{", "}", "end note", "&#60;b&#62;",
    "\xe2\x80\xa8x", "\x00y",
};
enum { NUM_HOSTILE = sizeof hostile / sizeof hostile[0] };

static void play_hostile(void)
{
    for (size_t i = 0; i < NUM_HOSTILE; i++) {
        char both[256];
        size_t len = i + 1 == NUM_HOSTILE ? 2 : strlen(hostile[i]);
        snprintf(both, sizeof both, "%s@h", hostile[i]);
        num_bytes = 0;
        conn.end[0].node = text_of(both);
        message(6, 0, pid(both, 1), atom_of(hostile[i], len), atom_of(hostile[i], len));
        record.note.from_name = (struct ds_text){hostile[i], len};
        show();
        begin(DS_EVENT_CONN, 0);
        event.change.state = DS_CONN_CLOSED;
        event.change.reason = hostile[i];
        show();
        struct call call = {.number = i, .outcome = CALL_TIMEOUT, .end_ns = 5};
        call.caller.node = call.callee.node = text_of(both);
        call.caller.name = (struct ds_text){hostile[i], len};
        call.mfa = text_of("m:f()");
        call.request = atom_of(hostile[i], len);
        begin(DS_EVENT_TICK, 0);
        record.call = &call;
        show();
    }
}

/* check_line returns whether a line is one that we write, in which each character of a text is
 * plain or escaped. */
static bool check_text(const char *text, const char *end, const char *forbidden, bool plantuml)
{
    while (text < end) {
        if (!plantuml && *text == '#') {
            size_t digits = strspn(text + 1, "0123456789");
            if (digits == 0 || text[1 + digits] != ';')
                return false;
            text += digits + 2;
        } else if (plantuml && *text == '<') {
            size_t digits = strspn(text + 3, "0123456789ABCDEF");
            if (strncmp(text, "<U+", 3) != 0 || digits < 4 || text[3 + digits] != '>')
                return false;
            text += digits + 4;
        } else if (*text < ' ' || *text > '~' || strchr(forbidden, *text) != NULL) {
            return false;
        } else {
            text++;
        }
    }
    return true;
}

static bool check_mermaid_line(const char *line, const char *end)
{
    static const char forbidden[] = ";<>&%$\\`~";
    unsigned a, b;
    int at = 0;
    if (sscanf(line, "    participant L%u as %n", &a, &at) == 1 && at != 0) {
        const char *half = strstr(line, "<br/>");
        if (half == NULL || half >= end)
            return check_text(line + at, end, forbidden, false);
        return check_text(line + at, half, forbidden, false) &&
               check_text(half + 5, end, forbidden, false);
    }
    if ((sscanf(line, "    L%u->>L%u: %n", &a, &b, &at) == 2 && at != 0) ||
        (sscanf(line, "    Note over L%u,L%u: %n", &a, &b, &at) == 2 && at != 0) ||
        (sscanf(line, "    Note over L%u: %n", &a, &at) == 1 && at != 0))
        return check_text(line + at, end, forbidden, false);
    return false;
}

static bool check_plantuml_line(const char *line, const char *end)
{
    static const char forbidden[] = "\"\\<>*/_~-[]|#!%$&`^?;=";
    unsigned a, b;
    int at = 0;
    if (strncmp(line, "participant \"", 13) == 0) {
        const char *close = strstr(line, "\" as L");
        const char *half = strstr(line, "\\n");
        if (close == NULL || close >= end || sscanf(close, "\" as L%u%n", &a, &at) != 1 ||
            close + at != end)
            return false;
        if (half == NULL || half >= close)
            return check_text(line + 13, close, forbidden, true);
        return check_text(line + 13, half, forbidden, true) &&
               check_text(half + 2, close, forbidden, true);
    }
    if ((sscanf(line, "    L%u -> L%u: %n", &a, &b, &at) == 2 && at != 0) ||
        (sscanf(line, "note over L%u,L%u: %n", &a, &b, &at) == 2 && at != 0) ||
        (sscanf(line, "note over L%u: %n", &a, &at) == 1 && at != 0))
        return check_text(line + at, end, forbidden, true);
    return false;
}

/* keep writes a diagram to the directory DIAGRAMS, to try it with the real tools. */
static void keep(const char *all, int i)
{
    static const char *const names[] = {"node.mmd", "node.puml", "process.mmd", "process.puml"};
    char name[256];
    if (getenv("DIAGRAMS") == NULL)
        return;
    snprintf(name, sizeof name, "%s/hostile-%s", getenv("DIAGRAMS"), names[i]);
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(all, file);
    fclose(file);
}

static void nothing_means_anything(void **test)
{
    (void)test;
    for (int i = 0; i < 4; i++) {
        bool plantuml = i % 2 == 1;
        start(plantuml ? "plantuml" : "mermaid", i < 2 ? LANES_NODE : LANES_PROCESS);
        play_hostile();
        char *all = stop();
        keep(all, i);
        size_t num_lines = 0, num_arrows = 0;
        for (char *line = all, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
            *end = '\0';
            num_arrows += strstr(line, "->") != NULL;
            if (num_lines++ < 2 || strcmp(line, "@enduml") == 0)
                continue;
            if (!(plantuml ? check_plantuml_line(line, end) : check_mermaid_line(line, end)))
                fail_msg("line %zu: %s", num_lines, line);
        }
        assert_int_equal(num_arrows, NUM_HOSTILE);
        free(all);
    }
}

static void json_stays_json(void **test)
{
    (void)test;
    start("perfetto", LANES_NODE);
    play();
    play_hostile();
    char *all = stop();
    cJSON *trace = cJSON_Parse(all);
    assert_non_null(trace);
    size_t num_instants = 0, num_slices = 0, num_arrows = 0;
    const cJSON *one;
    cJSON_ArrayForEach(one, trace)
    {
        const char *phase = cJSON_GetStringValue(cJSON_GetObjectItem(one, "ph"));
        assert_non_null(phase);
        assert_true(cJSON_IsNumber(cJSON_GetObjectItem(one, "pid")));
        assert_true(cJSON_IsNumber(cJSON_GetObjectItem(one, "tid")));
        assert_true(cJSON_IsString(cJSON_GetObjectItem(one, "name")));
        if (phase[0] != 'M')
            assert_true(cJSON_IsNumber(cJSON_GetObjectItem(one, "ts")));
        num_instants += phase[0] == 'i';
        num_slices += phase[0] == 'X';
        num_arrows += phase[0] == 's';
    }
    assert_int_equal(num_slices, 2 * (NUM_HOSTILE + 1));
    assert_int_equal(num_arrows, NUM_HOSTILE + 1);
    /* of the conversation: up, spawn, cast, exit, down, gap; the others belong to calls */
    assert_int_equal(num_instants, 6 + 2 * NUM_HOSTILE);
    cJSON_Delete(trace);
    free(all);
}

static uint64_t random_state = 1;

static int64_t random_below(int64_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((random_state >> 33) % (uint64_t)n);
}

/* Calls of few processes that overlap in all ways, in the order of their ends. */
static void slices_lie_within_or_beside_each_other(void **test)
{
    (void)test;
    start("perfetto", LANES_NODE);
    int64_t end = 1000000;
    for (int i = 0; i < 2000; i++) {
        struct call call = {.number = (uint64_t)i + 1, .outcome = CALL_OK};
        end += random_below(5) * 1000;
        call.end_ns = end;
        call.start_ns = end - random_below(20) * 1000;
        call.caller = (struct party){.node = text_of("alice@h"), .has_pid = true};
        call.callee = (struct party){.node = text_of("bob@h"), .has_pid = true};
        call.caller.id = (uint32_t)random_below(3);
        call.callee.id = (uint32_t)random_below(2);
        begin(DS_EVENT_TICK, 0);
        record.call = &call;
        show();
    }
    char *all = stop();
    cJSON *trace = cJSON_Parse(all);
    assert_non_null(trace);
    static struct {
        int tid;
        double start, end;
    } slices[4000];
    size_t num = 0;
    const cJSON *one;
    cJSON_ArrayForEach(one, trace)
    {
        if (cJSON_GetStringValue(cJSON_GetObjectItem(one, "ph"))[0] != 'X')
            continue;
        slices[num].tid = cJSON_GetObjectItem(one, "tid")->valueint;
        slices[num].start = cJSON_GetObjectItem(one, "ts")->valuedouble;
        slices[num].end = slices[num].start + cJSON_GetObjectItem(one, "dur")->valuedouble;
        for (size_t i = 0; i < num; i++) {
            bool apart = slices[i].end <= slices[num].start || slices[num].end <= slices[i].start;
            bool within = (slices[i].start >= slices[num].start && slices[i].end <= slices[num].end) ||
                          (slices[num].start >= slices[i].start && slices[num].end <= slices[i].end);
            assert_true(slices[i].tid != slices[num].tid || apart || within);
        }
        num++;
    }
    assert_int_equal(num, 4000);
    cJSON_Delete(trace);
    free(all);
}

static void lanes_are_bounded(void **test)
{
    (void)test;
    start("mermaid", LANES_NODE);
    for (int i = 0; i < 6000; i++) {
        char name[32];
        snprintf(name, sizeof name, "n%d@h", i);
        num_bytes = 0;
        conn.end[0].node = text_of(name);
        message(22, 0, none, none, atom("x"));
        show();
    }
    char *all = stop();
    size_t num = 0;
    for (const char *at = all; (at = strstr(at, "participant ")) != NULL; at++)
        num++;
    assert_int_equal(num, 4096 + 1);
    assert_non_null(strstr(all, "participant L0 as others\n"));
    assert_non_null(strstr(all, "    L0->>L2: SEND: x\n"));
    free(all);
}

static void play_once(void *context)
{
    const char *kind = context;
    memset(&sink, 0, sizeof sink);
    memset(&options, 0, sizeof options);
    sink.kind = sink_find(kind, strlen(kind));
    sink.config = &options;
    num_bytes = 0;
    if (!sink.kind->open(&sink)) {
        assert_true(failing_alloc_failed());
        return;
    }
    play();
    sink.kind->end(&sink);
    sink.kind->close(&sink);
    ds_buffer_free(&sink.output.buffer);
    ds_buffer_free(&sink.output.ends);
}

static void stands_failing_allocations(void **test)
{
    static const char *const kinds[] = {"mermaid", "plantuml", "perfetto"};
    (void)test;
    memset(&conn, 0, sizeof conn);
    conn.number = 3;
    conn.end[0].node = text_of("alice@h");
    conn.end[1].node = text_of("bob@h");
    for (int i = 0; i < 3; i++) {
        char kind[16];
        strcpy(kind, kinds[i]);
        assert_true(failing_alloc_each(play_once, kind) >= 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mermaid_by_node),
        cmocka_unit_test(mermaid_by_process),
        cmocka_unit_test(plantuml_by_process),
        cmocka_unit_test(ends_without_an_answer_are_noted),
        cmocka_unit_test(nothing_means_anything),
        cmocka_unit_test(json_stays_json),
        cmocka_unit_test(slices_lie_within_or_beside_each_other),
        cmocka_unit_test(lanes_are_bounded),
        cmocka_unit_test(stands_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
