/*
 * test_timeline.c - what happened when: equal events are one line, failures of a callee end with its first
 * answer, stalls and findings last, tools are one line; the order of files, what comes live, caps, memory.
 */
#include "analyse/findings/timeline.h"
#include "failing_alloc.h"

#include <distsniff/dissect.h>

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define SECOND INT64_C(1000000000)

static char told[8192];
static size_t told_len;
static uint64_t num_told;
static int64_t last_from_ns;
static bool is_ordered;
static struct timeline *t;

static struct presence nowhere; /* no node was seen */
static void take(void *context, const struct record *record)
{
    const struct finding *f = record->finding;
    struct ds_buffer text = {0};
    (void)context;
    num_told++;
    is_ordered &= f->first_ns >= last_from_ns;
    last_from_ns = f->first_ns;
    wording_print(&f->sentence, &text);
    if (!text.failed && sizeof told - told_len > 400)
        told_len += (size_t)snprintf(told + told_len, sizeof told - told_len, "%s%g-%g %s x%" PRIu64 ": %.*s\n",
                                     f->is_update ? "begins " : "", (double)f->first_ns / 1e9,
                                     (double)f->last_ns / 1e9, happening_name(f->happening), f->count, (int)text.len,
                                     text.len != 0 ? text.data : "");
    ds_buffer_free(&text);
}

static void begin(bool is_live)
{
    const struct timeline_config config = {.emit = take, .presence = &nowhere, .is_live = is_live};
    timeline_free(t);
    t = timeline_new(&config);
    assert_non_null(t);
    told_len = num_told = 0;
    told[0] = '\0';
    last_from_ns = INT64_MIN;
    is_ordered = true;
}

static void is_told(const char *wanted)
{
    timeline_end(t);
    assert_string_equal(told, wanted);
}

static struct ds_text text(const char *string)
{
    return (struct ds_text){string, strlen(string)};
}

static void call(const char *name, enum call_outcome outcome, double at)
{
    const struct call c = {.callee = {.node = text("b@h"), .name = text(name)}, .caller = {.node = text("a@h")},
                           .conn = 1, .end_frame = 2, .outcome = outcome, .end_ns = (int64_t)(at * 1e9)};
    timeline_time(t, c.end_ns);
    timeline_call(t, &(struct record){.call = &c}, at > 1000);
}

static void failures(void **state)
{
    (void)state;
    begin(false);
    call("srv", CALL_OK, 1);
    call("srv", CALL_TIMEOUT, 2);
    call("srv", CALL_TIMEOUT, 4);
    call("other", CALL_NOPROC, 4.5);
    call("srv", CALL_OK, 5); /* it fails again, so soon that this was no recovery */
    call("srv", CALL_TIMEOUT, 6);
    call("srv", CALL_OK, 8);
    call("srv", CALL_OK, 9);
    timeline_time(t, 20 * SECOND);
    call("srv", CALL_TIMEOUT, 21); /* another time */
    call("srv", CALL_OK, 40);      /* be it long after */
    call("srv", CALL_TIMEOUT, 50);
    call("srv", CALL_TIMEOUT, 70);
    call("srv", CALL_OK, 71);
    call("srv", CALL_OK, 99);
    is_told("2-6 failing x3: calls to srv of b@h timed out\n"
            "4.5-4.5 failing x1: calls to other of b@h failed: noproc\n"
            "8-8 recovered x1: srv of b@h answers again\n"
            "21-21 failing x1: calls to srv of b@h timed out\n40-40 recovered x1: srv of b@h answers again\n"
            "50-50 failing x1: calls to srv of b@h timed out\n70-70 failing x1: calls to srv of b@h timed out\n"
            "71-71 recovered x1: srv of b@h answers again\n");
    begin(false); /* one that its caller abandoned is no timeout: the caller is named */
    call("srv", CALL_TIMEOUT, 1);
    call("srv", CALL_ABANDONED, 2);
    call("srv", CALL_ABANDONED, 3);
    call("srv", CALL_OK, 4);
    is_told("1-1 failing x1: calls to srv of b@h timed out\n"
            "2-3 failing x2: calls to srv of b@h were abandoned by their caller on a@h\n"
            "4-4 recovered x1: srv of b@h answers again\n");
    begin(false); /* in several ways: all of them, once */
    call("srv", CALL_TIMEOUT, 1);
    call("srv", CALL_NOPROC, 2);
    call("srv", CALL_TIMEOUT, 3);
    call("srv", CALL_ERROR, 4);
    is_told("1-4 failing x4: calls to srv of b@h failed: error, noproc, timeout\n");
    begin(false);
    call("srv", CALL_TIMEOUT, 1001);
    is_told("1001-1001 failing x1: calls to srv of b@h were abandoned by their caller on a@h, which had itself sent "
            "nothing for a while\n");
    begin(false); /* just within, just beyond */
    call("srv", CALL_TIMEOUT, 1);
    call("srv", CALL_TIMEOUT, 5.9);
    call("srv", CALL_TIMEOUT, 11);
    is_told("1-5.9 failing x2: calls to srv of b@h timed out\n11-11 failing x1: calls to srv of b@h timed out\n");
}

/* call_unnamed ends a call from end 0 of connection 1, whose node has no name, to end 1. */
static void call_unnamed(const char *node, enum call_outcome outcome, enum ds_op_kind kind, uint64_t conn, double at)
{
    const struct ds_op op = {.kind = kind};
    const struct ds_conn link = {.number = conn,
                                 .end = {{.addr = {4, {10, 0, 0, 1}}, .port = 7}, {.addr = {4, {10, 0, 0, 2}}, .port = 9}}};
    const struct ds_event event = {.type = DS_EVENT_MESSAGE, .conn = &link, .dir = kind != DS_KIND_DEMONITOR,
                                   .message = {.op = &op}};
    const struct call c = {.callee = {.node = node != NULL ? text(node) : (struct ds_text){0}, .name = text("srv")},
                           .conn = 1, .end_frame = 2, .outcome = outcome, .end_ns = (int64_t)(at * 1e9)};
    timeline_time(t, c.end_ns);
    timeline_call(t, &(struct record){.event = &event, .call = &c}, false);
}

static void nodes_without_names(void **state)
{
    (void)state;
    begin(false); /* the address is known: from an answer, or from who stops waiting */
    call_unnamed(NULL, CALL_TIMEOUT, DS_KIND_DEMONITOR, 1, 1);
    call_unnamed(NULL, CALL_NOPROC, DS_KIND_DOWN, 1, 2);
    call_unnamed("~10.0.0.2:9", CALL_OK, DS_KIND_SEND, 1, 3);
    is_told("1-2 failing x2: calls to srv of 10.0.0.2:9 failed: noproc, timeout\n"
            "3-3 recovered x1: srv of 10.0.0.2:9 answers again\n");
    begin(false); /* what ended the call came on another connection: the address is not known */
    call_unnamed(NULL, CALL_NOPROC, DS_KIND_DOWN, 2, 1);
    is_told("1-1 failing x1: calls to srv of an unknown node failed: noproc\n");
    begin(false); /* a name that is known stays */
    call_unnamed("b@h", CALL_NOPROC, DS_KIND_DOWN, 1, 1);
    is_told("1-1 failing x1: calls to srv of b@h failed: noproc\n");
}

static void live(void **state)
{
    (void)state;
    begin(true);
    call("srv", CALL_TIMEOUT, 1);
    call("srv", CALL_TIMEOUT, 2);
    assert_string_equal(told, "begins 1-1 failing x1: calls to srv of b@h timed out\n");
    timeline_time(t, 6 * SECOND);
    assert_int_equal(num_told, 1);
    timeline_time(t, 8 * SECOND); /* it is over, be it that nothing answers */
    is_told("begins 1-1 failing x1: calls to srv of b@h timed out\n1-2 failing x2: calls to srv of b@h timed out\n");
}

static struct ds_tcp_stats link_facts;
static struct ds_conn conn = {.number = 1,
                              .link = &link_facts,
                              .end = {{.port = 1, .node = {"a@h", 3}}, {.port = 2, .node = {"b@h", 3}}}};

static void stall(int dir, double start, double lasts, bool is_over)
{
    const struct ds_event event = {.type = DS_EVENT_STALL, .dir = (uint8_t)dir, .conn = &conn,
                                   .ts_ns = (int64_t)((start + lasts) * 1e9), .frame = 1,
                                   .stall = {.why = DS_STALL_LOST, .is_over = is_over,
                                             .start_ns = (int64_t)(start * 1e9),
                                             .duration_ns = (int64_t)(lasts * 1e9)}};
    timeline_time(t, event.ts_ns);
    timeline_event(t, &event);
}

static void stalls(void **state)
{
    (void)state;
    begin(false);
    stall(0, 1, 0.9, true); /* too short to be one */
    stall(0, 2, 1, false);
    stall(1, 1.5, 2, false); /* the other way as well: the same */
    stall(0, 2, 6, true);
    stall(1, 9, 0.9, true); /* again, soon: goes on */
    timeline_time(t, 30 * SECOND);
    stall(0, 40, 1, false);
    const struct ds_event end = {.type = DS_EVENT_CONN, .conn = &conn, .ts_ns = 45 * SECOND, .change.final = true};
    timeline_event(t, &end);
    is_told("1.5-9.9 stall x1: data from a@h to b@h is not acknowledged\n"
            "40-45 stall x1: data from a@h to b@h is not acknowledged\n");
}

static void gap(double at)
{
    const struct ds_event event = {.type = DS_EVENT_GAP, .conn = &conn, .ts_ns = (int64_t)(at * 1e9), .frame = 1};
    timeline_time(t, event.ts_ns);
    timeline_event(t, &event);
}

static void says(const char *name, uint64_t flags, double at)
{
    const struct ds_event event = {.type = DS_EVENT_HANDSHAKE, .conn = &conn, .ts_ns = (int64_t)(at * 1e9),
                                   .frame = 1, .handshake = {.has_flags = true, .flags = flags, .name = text(name)}};
    timeline_event(t, &event);
}

/* EPMD is at the other end of a connection of its own. */
static void epmd(uint64_t number, enum ds_epmd_op op, const char *name, uint8_t type, uint8_t result, double at)
{
    const struct ds_conn own = {.number = number, .end = {{.addr = {4, {10, 0, 0, 1}}, .port = 40000},
                                                          {.addr = {4, {10, 0, 0, 2}}, .port = 4369}}};
    const bool is_question = op == DS_EPMD_ALIVE2_REQ;
    const struct ds_event event = {.type = DS_EVENT_EPMD, .conn = &own, .ts_ns = (int64_t)(at * 1e9), .frame = 1,
                                   .dir = !is_question,
                                   .epmd = {.op = op, .name = is_question ? text(name) : (struct ds_text){0},
                                            .port = 25672, .node_type = type, .result = result}};
    timeline_event(t, &event);
}

static void leaves_epmd(uint64_t number, enum ds_conn_state state, double at)
{
    const struct ds_conn own = {.number = number};
    const struct ds_event event = {.type = DS_EVENT_CONN, .conn = &own, .ts_ns = (int64_t)(at * 1e9),
                                   .change = {.state = state, .final = state != DS_CONN_HALF_CLOSED}};
    timeline_event(t, &event);
}

enum { VISIBLE = 77, TOOL = 72 };

static void registrations(void **state)
{
    char longest[FINDING_NODE_LEN + 2];
    (void)state;
    begin(false);
    epmd(1, DS_EPMD_ALIVE2_REQ, "bob", VISIBLE, 0, 1);
    epmd(1, DS_EPMD_ALIVE2_X_RESP, NULL, 0, 0, 2);
    epmd(1, DS_EPMD_ALIVE2_X_RESP, NULL, 0, 0, 2.5); /* once */
    leaves_epmd(1, DS_CONN_HALF_CLOSED, 3);
    leaves_epmd(1, DS_CONN_CLOSED, 4);
    epmd(2, DS_EPMD_ALIVE2_REQ, "bob", VISIBLE, 0, 5); /* refused */
    epmd(2, DS_EPMD_ALIVE2_RESP, NULL, 0, 1, 5);
    leaves_epmd(2, DS_CONN_CLOSED, 6);
    epmd(3, DS_EPMD_ALIVE2_REQ, "rabbitmqcli-1-rabbit", TOOL, 0, 7);
    epmd(3, DS_EPMD_ALIVE2_RESP, NULL, 0, 0, 7);
    leaves_epmd(3, DS_CONN_CLOSED, 8);
    epmd(8, DS_EPMD_ALIVE2_REQ, "rabbitmqcli-1-rabbit", VISIBLE, 0, 8);
    epmd(8, DS_EPMD_ALIVE2_RESP, NULL, 0, 0, 8);
    epmd(9, DS_EPMD_ALIVE2_REQ, "epmd-starter-17", VISIBLE, 0, 8);
    epmd(9, DS_EPMD_ALIVE2_RESP, NULL, 0, 0, 8);
    epmd(4, DS_EPMD_ALIVE2_RESP, NULL, 0, 0, 9); /* the question was not captured */
    leaves_epmd(4, DS_CONN_CLOSED, 9);
    epmd(5, DS_EPMD_ALIVE2_REQ, "carol", VISIBLE, 0, 10);
    epmd(5, DS_EPMD_ALIVE2_RESP, NULL, 0, 0, 10);
    leaves_epmd(5, DS_CONN_OPEN_AT_END, 11); /* of the capture alone */
    memset(longest, 'n', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    epmd(6, DS_EPMD_ALIVE2_REQ, longest, VISIBLE, 0, 12);
    epmd(6, DS_EPMD_ALIVE2_RESP, NULL, 0, 0, 12);
    epmd(7, DS_EPMD_ALIVE2_REQ, "", VISIBLE, 0, 13);
    epmd(7, DS_EPMD_ALIVE2_RESP, NULL, 0, 0, 13);
    is_told("2-2 registered x1: bob registered at EPMD of 10.0.0.2, port 25672\n"
            "3-3 unregistered x1: bob is no longer registered at EPMD of 10.0.0.2\n"
            "10-10 registered x1: carol registered at EPMD of 10.0.0.2, port 25672\n");
    begin(false); /* the oldest is forgotten where there are too many */
    for (uint64_t i = 0; i < 1025; i++) {
        epmd(100 + i, DS_EPMD_ALIVE2_REQ, "n", VISIBLE, 0, 1);
        epmd(100 + i, DS_EPMD_ALIVE2_RESP, NULL, 0, 0, 1);
    }
    timeline_end(t);
    assert_int_equal(num_told, 1025);
    leaves_epmd(100, DS_CONN_CLOSED, 2);
    leaves_epmd(101, DS_CONN_CLOSED, 2);
    timeline_end(t);
    assert_int_equal(num_told, 1026);
}

static void gaps_and_releases(void **state)
{
    (void)state;
    begin(false);
    gap(1);
    gap(3);
    says("a@h", 5, 4);
    says("a@h", 5, 5);
    says("a@h", 7, 6);
    says("tool@h", 4, 6);
    says("tool@h", 2, 7); /* a hidden node: tools share names */
    const struct loss loss = {.count = 7, .first_ns = 20 * SECOND, .last_ns = 21 * SECOND};
    timeline_lost(t, &loss);
    timeline_end(t);
    assert_non_null(strstr(told, "1-3 gap x2: packets from a@h to b@h are missing in the capture\n6-6 release x1: "
                                 "a@h runs another release than before"));
    assert_non_null(strstr(told, "20-21 gap x7: distsniff itself lost "));
    assert_null(strstr(told, "tool@h"));
}

static void finding_again(uint64_t number, uint64_t count, double from, double to, bool is_over)
{
    const struct finding_kind kind = {"DS106", SEVERITY_ERROR, RANK_AVAILABILITY, "no EPMD", "do", "page"};
    struct finding f = {.number = number, .kind = &kind, .severity = SEVERITY_WARNING, .count = count,
                        .first_ns = (int64_t)(from * 1e9), .last_ns = (int64_t)(to * 1e9), .is_over = is_over};
    wording_add(&f.sentence, "it is so");
    timeline_finding(t, &f);
}

static void finding(uint64_t number, enum severity severity, double from, double to, bool is_update, bool is_past)
{
    static const struct finding_kind kind = {"DS105", SEVERITY_ERROR, RANK_AVAILABILITY, "no port", "do", "page"};
    static struct finding made;
    struct finding *f = &made;
    *f = (struct finding){.number = number, .kind = &kind, .severity = severity, .count = 2,
                          .first_ns = (int64_t)(from * 1e9), .last_ns = (int64_t)(to * 1e9),
                          .is_update = is_update, .is_past = is_past};
    wording_add(&f->sentence, "it is so");
    timeline_finding(t, f);
}

static void finding_of(const char *code, int second)
{
    const struct finding_kind kind = {code, SEVERITY_WARNING, RANK_AVAILABILITY, "title", "do", "page"};
    struct finding f = {.number = (uint64_t)second, .kind = &kind, .severity = SEVERITY_WARNING, .count = 2,
                        .first_ns = second * SECOND, .last_ns = second * SECOND,
                        .evidence = {{.conn = conn.number}}, .num_evidence = 1};
    wording_add(&f.sentence, "it is so");
    timeline_finding(t, &f);
}

static void findings(void **state)
{
    (void)state;
    begin(false);
    finding(1, SEVERITY_ERROR, 1, 1, false, false);
    timeline_time(t, 100 * SECOND); /* it goes on */
    finding(1, SEVERITY_ERROR, 1, 120, true, false);
    finding(2, SEVERITY_NOTE, 2, 2, false, false);   /* a note is none */
    finding(3, SEVERITY_ERROR, 3, 3, true, false);   /* nor is what only counts */
    finding(1, SEVERITY_ERROR, 1, 120, true, true);
    timeline_time(t, 200 * SECOND);
    is_told("1-120 finding x2: error DS105 no port: it is so\n");
    begin(false); /* what a stall, or failing calls, have said */
    stall(0, 0, 1, false);
    finding_of("DS214", 1);
    stall(0, 0, 1, true);
    finding_of("DS310", 2);
    finding_of("DS313", 3);
    finding_of("DS301", 4);
    finding_of("DS201", 5);
    finding_of("DS216", 6);
    finding_of("DS403", 7); /* somebody did that, be it hygiene */
    is_told("0-1 stall x1: data from a@h to b@h is not acknowledged\n"
            "4-4 finding x2: warning DS301 title: it is so\n"
            "5-5 silent x2: warning DS201 title: it is so\n"
            "6-6 silent x2: warning DS216 title: it is so\n"
            "7-7 finding x2: warning DS403 title: it is so\n");
    begin(false); /* what was over and comes again has a line of its own, from then on */
    for (unsigned i = 0; i < 3; i++) {
        finding_again(1, i + 1, 1, 1 + 100 * i, true);
        timeline_time(t, (50 + 100 * (int64_t)i) * SECOND);
    }
    finding_again(65, 2, 5, 250, true); /* another one, which was not told of */
    is_told("1-1 finding x1: warning DS106 no EPMD: it is so\n"
            "5-250 finding x2: warning DS106 no EPMD: it is so\n"
            "101-101 finding x1: warning DS106 no EPMD: it is so\n"
            "201-201 finding x1: warning DS106 no EPMD: it is so\n");
    begin(false); /* a stall of which no event has told: three losses within a second */
    stall(0, 1, 0.9, false);
    finding_of("DS214", 1);
    timeline_time(t, 30 * SECOND);
    stall(0, 1, 40, true);
    is_told("1-41 stall x1: it is so\n");
}

static void change(enum presence_what what, const char *name, double at, bool is_hidden, const char *peer)
{
    struct presence_node node = {.len = strlen(name), .name = (char *)(uintptr_t)name};
    const struct ds_endpoint end[2] = {{.port = 1, .node = text(name)}, {.port = 2, .node = text(peer)}};
    const bool is_node = what <= PRESENCE_BACK;
    const struct presence_change c = {.what = what, .ts_ns = (int64_t)(at * 1e9), .conn = 1, .frame = 3, .end = end,
                                      .node = is_node ? &node : NULL, .is_hidden = is_hidden,
                                      .is_hidden_end = {is_hidden}, .is_replaced = at > 6};
    timeline_time(t, c.ts_ns);
    timeline_presence(t, &c);
}

static void nodes(void **state)
{
    (void)state;
    begin(false);
    change(PRESENCE_SEEN, "a@h", 1, false, "b@h");
    change(PRESENCE_UP, "a@h", 1, false, "b@h");
    change(PRESENCE_UP, "tool1@h", 2, true, "b@h");
    change(PRESENCE_DOWN, "tool1@h", 2.5, true, "b@h");
    change(PRESENCE_UP, "tool2@h", 3, true, "b@h");
    change(PRESENCE_DOWN, "a@h", 4, false, "b@h");
    change(PRESENCE_LEFT, "a@h", 4, false, "b@h");
    change(PRESENCE_BACK, "a@h", 5, false, "b@h");
    change(PRESENCE_DOWN, "a@h", 7, false, "b@h");
    is_told("1-1 node_seen x1: a@h was first seen\n"
            "1-1 link_up x1: the link between a@h and b@h is up\n"
            "2-3 link_up x2: a hidden node (a tool) connected to b@h\n"
            "4-4 link_down x1: the link between a@h and b@h was closed by a@h\n"
            "4-4 node_left x1: a@h left: its last link went down\n"
            "5-5 node_back x1: a@h is back\n"
            "7-7 link_down x1: the old link between a@h and b@h was closed by a@h\n");
    for (int is_live = 0; is_live < 2; is_live++) { /* who closed the link of b has left: b may not have */
        begin(is_live);
        change(PRESENCE_LEFT, "c@h", 1, false, "a@h");
        change(PRESENCE_LEFT, "b@h", 1, false, "a@h");
        change(PRESENCE_STAYS, "b@h", 1, false, "a@h");
        is_told(is_live ? "1-1 node_left x1: c@h left: its last link went down\n"
                          "1-1 node_left x1: b@h left: its last link went down\n"
                          "1-1 node_back x1: b@h may still be there: its last link was closed by a node that left\n"
                        : "1-1 node_left x1: c@h left: its last link went down\n");
    }
}

static void caps(void **state)
{
    (void)state;
    begin(false);
    for (int i = 0; i < 10000; i++) {
        char name[20];
        snprintf(name, sizeof name, "srv%d", i);
        call(name, CALL_NOPROC, 1 + i * 1e-4);
    }
    timeline_end(t);
    assert_int_equal(num_told, 10000); /* more than have room: these are over sooner */
    assert_true(is_ordered);
    assert_int_equal(timeline_left_out(t), 0);
}

static void without_memory(void *context)
{
    const struct timeline_config config = {.emit = take, .presence = &nowhere};
    (void)context;
    struct timeline *made = timeline_new(&config);
    if (made == NULL)
        return;
    struct timeline *was = t;
    t = made;
    num_told = 0;
    call("srv", CALL_TIMEOUT, 1);
    call("srv", CALL_OK, 2);
    stall(0, 3, 2, true);
    gap(6);
    says("a@h", 5, 7);
    says("a@h", 7, 8);
    finding(1, SEVERITY_ERROR, 9, 9, false, false);
    change(PRESENCE_SEEN, "a@h", 10, false, "b@h");
    epmd(1, DS_EPMD_ALIVE2_REQ, "bob", VISIBLE, 0, 11);
    epmd(1, DS_EPMD_ALIVE2_RESP, NULL, 0, 0, 11);
    timeline_end(t);
    assert_true(num_told == 8 || failing_alloc_failed());
    t = was;
    timeline_free(made);
}

static void memory(void **state)
{
    (void)state;
    told_len = sizeof told; /* texts are of no interest */
    assert_true(failing_alloc_each(without_memory, NULL) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures), cmocka_unit_test(nodes_without_names), cmocka_unit_test(live),  cmocka_unit_test(stalls),
        cmocka_unit_test(registrations), cmocka_unit_test(gaps_and_releases), cmocka_unit_test(findings), cmocka_unit_test(nodes),
        cmocka_unit_test(caps), cmocka_unit_test(memory)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    timeline_free(t);
    return failed;
}
