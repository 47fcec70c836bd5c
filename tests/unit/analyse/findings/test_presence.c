/*
 * test_presence.c - which nodes and links are up: nodes that leave or come back, restarted or not;
 * the last link; hidden nodes, names that are known late, caps, the end of the capture; and
 * findings that are over.
 */
#include "findings_world.h"

#include "analyse/findings/presence.h"

#include <stdlib.h>

#include <inttypes.h>

static struct presence p;
static char told[4096];
static size_t told_len;
static struct ds_conn conns[8];
static struct ds_tcp_stats links[8];
static struct ds_event at;
static int64_t now_ns;

static void add(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void add(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    told_len += (size_t)vsnprintf(told + told_len, sizeof told - told_len, format, args);
    va_end(args);
}

static void note(void *context, const struct presence_change *c)
{
    static const char *const names[] = {"seen", "left", "stays", "back", "up", "down"};
    (void)context;
    add("%" PRId64 " %s", c->ts_ns / SECOND, names[c->what]);
    if (c->node != NULL)
        add(" %.*s", (int)c->node->len, c->node->name);
    else
        add(" %" PRIu64, c->conn);
    add("%s%s%s%s%s%s", c->is_hidden ? " hidden" : "", c->was_up ? " was up" : "",
        c->is_restarted ? " restarted" : "", c->is_same ? " same" : "", c->was_silent ? " silent" : "",
        c->is_replaced ? " replaced" : "");
    add("\n");
}

static void begin_presence(void)
{
    presence_free(&p);
    memset(&p, 0, sizeof p);
    memset(conns, 0, sizeof conns);
    memset(links, 0, sizeof links);
    presence_init(&p, EPMD);
    p.emit = note;
    told_len = 0;
    told[0] = '\0';
    now_ns = 0;
}

static struct ds_event *event(int conn, enum ds_event_type type)
{
    now_ns += SECOND;
    conns[conn].number = (uint64_t)conn;
    conns[conn].link = &links[conn];
    at = (struct ds_event){.type = type, .conn = &conns[conn], .ts_ns = now_ns, .frame = 1};
    return &at;
}

static void joins(int conn, const char *a, uint32_t a_creation, const char *b, uint32_t b_creation)
{
    conns[conn].end[0] = (struct ds_endpoint){.port = 1, .node = text(a), .creation = a_creation};
    conns[conn].end[1] = (struct ds_endpoint){.port = 2, .node = text(b), .creation = b_creation};
    links[conn].closed_by = -1;
    event(conn, DS_EVENT_CONN)->change.state = DS_CONN_UP;
    presence_event(&p, &at);
}

static void ends(int conn, int closed_by)
{
    links[conn].closed_by = (int8_t)closed_by;
    event(conn, DS_EVENT_CONN)->change.state = DS_CONN_HALF_CLOSED;
    presence_event(&p, &at);
    now_ns -= SECOND;
    event(conn, DS_EVENT_CONN)->change.state = DS_CONN_CLOSED;
    presence_event(&p, &at); /* counts once */
}

static void is_told(const char *wanted)
{
    assert_string_equal(told, wanted);
    told_len = 0;
    told[0] = '\0';
}

static void leaves_and_comes_back(void **state)
{
    (void)state;
    begin_presence();
    joins(1, "a@h", 1, "b@h", 1);
    joins(2, "a@h", 1, "c@h", 1);
    joins(3, "b@h", 1, "c@h", 1);
    is_told("1 seen a@h\n1 seen b@h\n1 up 1\n2 seen c@h\n2 up 2\n3 up 3\n");
    ends(2, 0); /* a closes: c has a link with b still */
    is_told("4 down 2\n");
    ends(3, 0); /* b closes its link with c: c has none any more, whichever closed */
    is_told("5 down 3\n5 left c@h\n");
    assert_true(presence_is_gone(presence_find(&p, text("c@h"))));
    joins(4, "c@h", 2, "a@h", 1);
    is_told("6 back c@h restarted\n6 up 4\n");
    ends(4, 0);
    joins(5, "c@h", 2, "a@h", 1);
    is_told("7 down 4\n7 left c@h\n8 back c@h same\n8 up 5\n");
    assert_false(presence_is_gone(presence_find(&p, text("c@h"))));
    assert_null(presence_find(&p, text("d@h")));
}

static void last_of_both(void **state)
{
    (void)state;
    begin_presence();
    joins(1, "a@h", 1, "b@h", 1);
    ends(1, 1);
    is_told("1 seen a@h\n1 seen b@h\n1 up 1\n2 down 1\n2 left b@h\n");
    const struct presence_pair *pair = presence_find_pair(&p, text("b@h"), text("a@h"));
    assert_non_null(pair);
    assert_false(presence_is_apart(&p, pair)); /* b has left: that says it all */
    begin_presence(); /* the closing end is unknown */
    joins(1, "a@h", 1, "b@h", 1);
    ends(1, -1);
    is_told("1 seen a@h\n1 seen b@h\n1 up 1\n2 down 1\n");
    assert_true(presence_is_apart(&p, presence_find_pair(&p, text("a@h"), text("b@h"))));
    begin_presence(); /* the silent end leaves, not the one that closes */
    joins(1, "a@h", 1, "b@h", 1);
    links[1].side[0].last_data_ns = 9 * SECOND;
    links[1].side[1].last_data_ns = 2 * SECOND;
    links[1].side[1].tick_intervals = 1;
    links[1].side[1].tick_last_ns = 2 * SECOND;
    now_ns = 9 * SECOND;
    ends(1, 0);
    is_told("1 seen a@h\n1 seen b@h\n1 up 1\n10 down 1 silent\n10 left b@h silent\n");
    begin_presence(); /* an idle link whose next tick was not due: the closing end leaves */
    joins(1, "a@h", 1, "b@h", 1);
    links[1].side[0].last_data_ns = 9 * SECOND;
    links[1].side[1].last_data_ns = 2 * SECOND;
    now_ns = 9 * SECOND;
    ends(1, 0);
    is_told("1 seen a@h\n1 seen b@h\n1 up 1\n10 down 1\n10 left a@h\n");
    begin_presence(); /* it was given up, though no packet shows it */
    joins(1, "a@h", 1, "b@h", 1);
    presence_given_up(&p, 1, 5 * SECOND, conns[1].end, 0);
    presence_given_up(&p, 1, 6 * SECOND, conns[1].end, 0);
    presence_given_up(&p, 7, 6 * SECOND, conns[1].end, 0);
    is_told("1 seen a@h\n1 seen b@h\n1 up 1\n5 down 1\n5 left b@h\n");
}

/* A node that tries to connect again is up, whatever the result; a restarted one counts when it is
 * connected. */
static void attempts_again(void **state)
{
    enum { SAME, RESTARTED, UNKNOWN, NAMELESS, OF_OTHER, THERE, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin_presence();
        joins(1, "a@h", 1, "b@h", 1);
        if (i == THERE)
            joins(3, "a@h", 1, "c@h", 1);
        ends(1, i == THERE ? 1 : 0);
        told_len = 0;
        told[0] = '\0';
        conns[2].end[0] = (struct ds_endpoint){
            .port = 1, .node = i == NAMELESS ? (struct ds_text){0} : text(i == OF_OTHER ? "d@h" : "a@h"),
            .creation = i == RESTARTED ? 2 : i == UNKNOWN ? 0 : 1};
        now_ns = 8 * SECOND;
        event(2, DS_EVENT_HANDSHAKE)->handshake.step = DS_STEP_SEND_NAME;
        presence_event(&p, &at);
        is_told(i == SAME ? "9 back a@h same\n" : "");
        assert_int_equal(presence_is_apart(&p, presence_find_pair(&p, text("a@h"), text("b@h"))), i == SAME);
        presence_event(&p, &at); /* once */
        is_told("");
        assert_int_equal(p.new_ones, 0);
    }
}

/* Only the links of a are captured, and the capture ends: nothing is known about the others. */
static void all_at_once(void **state)
{
    enum { AT_ONCE, ALL_RESTART, LATER, BY_OTHER, SILENT, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin_presence();
        joins(1, "a@h", 1, "b@h", 1);
        joins(2, "a@h", 1, "c@h", 1);
        joins(3, "d@h", 1, "a@h", 1);
        told_len = 0;
        if (i == SILENT) {
            links[1].side[0].last_data_ns = now_ns + 60 * SECOND;
            links[1].side[1].last_data_ns = SECOND;
            now_ns += 60 * SECOND;
        }
        ends(1, i == BY_OTHER ? 1 : 0);
        assert_true(presence_is_gone(presence_find(&p, text("b@h"))));
        now_ns -= SECOND;
        ends(2, 0);
        now_ns -= i == LATER ? 499999999 : 500000000;
        ends(3, 1);
        assert_true(presence_is_gone(presence_find(&p, text("a@h"))));
        assert_int_equal(presence_is_gone(presence_find(&p, text("b@h"))), i > ALL_RESTART);
        assert_int_equal(presence_is_gone(presence_find(&p, text("c@h"))), i == LATER);
        assert_false(presence_is_gone(presence_find(&p, text("d@h"))));
        if (i > ALL_RESTART)
            continue;
        is_told("4 down 1\n4 left b@h\n4 down 2\n4 left c@h\n4 down 3\n4 stays b@h\n4 stays c@h\n4 left a@h\n");
        joins(4, "b@h", i == ALL_RESTART ? 2 : 1, "a@h", 2);
        is_told(i == AT_ONCE ? "5 back a@h restarted\n5 up 4\n" /* b was there */
                             : "5 back b@h restarted\n5 back a@h restarted\n5 up 4\n");
        if (i == ALL_RESTART)
            assert_int_equal(presence_find(&p, text("b@h"))->away_ns, presence_find(&p, text("b@h"))->alone_ns);
    }
}

static void two_links(void **state)
{
    (void)state;
    begin_presence(); /* the new link is up before the old one is known to have ended */
    joins(1, "a@h", 1, "b@h", 1);
    joins(2, "a@h", 1, "b@h", 1);
    ends(1, 0);
    is_told("1 seen a@h\n1 seen b@h\n1 up 1\n2 up 2\n3 down 1 replaced\n");
    assert_false(presence_is_gone(presence_find(&p, text("b@h"))));
    ends(2, 0);
    is_told("4 down 2\n4 left a@h\n");
}

static void what_does_not_count(void **state)
{
    (void)state;
    begin_presence();
    joins(1, "a@h", 1, "b@h", 1);
    event(1, DS_EVENT_CONN)->change = (struct ds_conn_change){.state = DS_CONN_OPEN_AT_END, .final = true};
    presence_event(&p, &at);
    event(1, DS_EVENT_CONN)->change =
        (struct ds_conn_change){.state = DS_CONN_CLOSED, .final = true, .unfollowed = true};
    presence_event(&p, &at);
    is_told("1 seen a@h\n1 seen b@h\n1 up 1\n");
    event(2, DS_EVENT_HANDSHAKE)->handshake = (struct ds_handshake){.has_flags = true, .flags = 4}; /* hidden */
    presence_event(&p, &at);
    joins(2, "tool@h", 1, "a@h", 1);
    ends(2, 0);
    is_told("5 up 2 hidden\n6 down 2 hidden\n");
    assert_null(presence_find(&p, text("tool@h")));
    joins(3, "x@h", 1, "y@h", 1); /* EPMD's are no links */
    told_len = 0;
    told[0] = '\0';
    conns[4].end[1].port = EPMD;
    event(4, DS_EVENT_CONN)->change.state = DS_CONN_JOINED_LATE;
    presence_event(&p, &at);
    event(5, DS_EVENT_CONN)->change.state = DS_CONN_FAILED; /* it never was up */
    presence_event(&p, &at);
    is_told("");
}

static void names_come_late(void **state)
{
    (void)state;
    begin_presence();
    event(1, DS_EVENT_CONN)->change.state = DS_CONN_JOINED_LATE;
    presence_event(&p, &at);
    assert_int_equal(p.unnamed, 1);
    conns[1].end[0].node = text("a@h");
    presence_name(&p, event(1, DS_EVENT_MESSAGE));
    assert_int_equal(p.unnamed, 1);
    conns[1].end[1].node = text("b@h");
    presence_event(&p, event(1, DS_EVENT_TICK));
    presence_name(&p, event(1, DS_EVENT_MESSAGE));
    assert_int_equal(p.unnamed, 0);
    is_told("1 up 1 was up\n3 seen a@h\n3 seen b@h\n");
    ends(1, 1);
    is_told("5 down 1\n5 left b@h\n");
    event(2, DS_EVENT_CONN)->change.state = DS_CONN_JOINED_LATE; /* none ever comes */
    presence_event(&p, &at);
    ends(2, 0);
    assert_int_equal(p.unnamed, 0);
}

/* visit: v connects to b, which is up, and ends the link after stays_ns. */
static void visit(const char *name, int64_t stays_ns, int closed_by)
{
    begin_presence();
    joins(1, "a@h", 1, "b@h", 1);
    joins(2, name, 1, "b@h", 1);
    now_ns += stays_ns - SECOND;
    conns[2].end[0].addr = (struct ds_addr){4, {0}};
    ends(2, closed_by);
}

static bool misses(const char *name)
{
    const struct presence_node *node = presence_find(&p, text(name));
    assert_non_null(node);
    assert_true(presence_is_gone(node));
    return presence_is_missed(node);
}

/* A node that connects to a running node, only makes requests, and leaves in order within a minute,
 * is not missed. */
static void visitors(void **state)
{
    const struct ds_addr nowhere = {0}, elsewhere = {4, {10, 0, 0, 9}};
    (void)state;
    visit("v@h", 60 * SECOND, 0);
    assert_false(misses("v@h"));
    presence_ask(&p, text("v"), &elsewhere); /* another host's */
    presence_ask(&p, text("vv"), &nowhere);
    presence_ask(&p, text(""), &nowhere);
    assert_false(misses("v@h"));
    presence_ask(&p, text("v"), &nowhere); /* another node looks for it */
    assert_true(misses("v@h"));
    visit("v@h", 60 * SECOND + 1, 0); /* too long */
    assert_true(misses("v@h"));
    visit("v@h", 5 * SECOND, 1); /* the other node closed */
    assert_true(misses("v@h"));
    visit("v@h", 5 * SECOND, -1);
    assert_int_equal(p.new_ones, 0);

    begin_presence(); /* it answered a call */
    joins(1, "a@h", 1, "b@h", 1);
    joins(2, "v@h", 1, "b@h", 1);
    assert_int_equal(p.new_ones, 1);
    presence_answer(&p, text("v@h"));
    presence_answer(&p, text("nobody@h"));
    ends(2, 0);
    assert_true(misses("v@h"));
    assert_int_equal(p.new_ones, 0);

    begin_presence(); /* a remote shell may stay, and answer */
    joins(1, "a@h", 1, "b@h", 1);
    joins(2, "v@h", 1, "b@h", 1);
    presence_answer(&p, text("v@h"));
    presence_type(&p, text("v@h"));
    presence_type(&p, text("nobody@h"));
    now_ns += 3600 * SECOND;
    ends(2, 1); /* also if the other node ends */
    presence_ask(&p, text("v"), &nowhere);
    assert_false(misses("v@h"));
    assert_ptr_equal(presence_find_at(&p, text("v"), &nowhere), presence_find(&p, text("v@h")));
    assert_null(presence_find_at(&p, text("v@"), &nowhere));
    assert_null(presence_find_at(&p, text("v"), &elsewhere));
    joins(2, "v@h", 1, "b@h", 1); /* back: and then it is another story */
    now_ns += 3600 * SECOND;
    ends(2, 0);
    assert_true(misses("v@h"));

    begin_presence(); /* its link was reset */
    joins(1, "a@h", 1, "b@h", 1);
    joins(2, "v@h", 1, "b@h", 1);
    links[2].close = DS_CLOSE_RESET;
    ends(2, 0);
    assert_true(misses("v@h"));

    begin_presence(); /* it was silent at the end */
    joins(1, "a@h", 1, "b@h", 1);
    joins(2, "v@h", 1, "b@h", 1);
    presence_given_up(&p, 2, 9 * SECOND, conns[2].end, 1);
    assert_true(misses("v@h"));
    assert_true(presence_find(&p, text("v@h"))->was_lost);

    begin_presence(); /* no node was up: neither of the first two is a visitor */
    joins(1, "v@h", 1, "b@h", 1);
    ends(1, 0);
    assert_true(misses("v@h"));

    begin_presence(); /* the node that was there connected to it */
    joins(1, "a@h", 1, "b@h", 1);
    joins(2, "b@h", 1, "v@h", 1);
    ends(2, 1);
    assert_true(misses("v@h"));

    begin_presence(); /* but a script, which has a number, had connected to other nodes of its own host */
    joins(1, "a@h", 1, "b@h", 1);
    joins(2, "b@h", 1, "ask1234@h", 1);
    ends(2, 1);
    assert_false(misses("ask1234@h"));
    presence_ask(&p, text("ask1234"), &nowhere); /* global looks up every node */
    assert_false(misses("ask1234@h"));
    joins(2, "b@h", 1, "shop12@h", 1); /* such a short number is part of a name */
    ends(2, 1);
    assert_true(misses("shop12@h"));
    joins(2, "b@h", 1, "ask1235@h", 1); /* too long */
    now_ns += 61 * SECOND;
    ends(2, 1);
    assert_true(misses("ask1235@h"));
    joins(2, "ask1236@h", 1, "ask1237@h", 1); /* no node was up */
    ends(2, 1);
    assert_true(misses("ask1237@h"));

    begin_presence(); /* one of its links was cut, though the last one was not */
    joins(1, "a@h", 1, "b@h", 1);
    joins(2, "v@h", 1, "b@h", 1);
    joins(3, "v@h", 1, "a@h", 1);
    ends(3, 1);
    ends(2, 0);
    assert_true(misses("v@h"));

    begin_presence(); /* its name shows that it is a tool, not a node that comes and goes */
    joins(1, "a@h", 1, "b@h", 1);
    joins(2, "rabbitmqcli-404-b@h", 1, "b@h", 1);
    ends(2, 1);
    assert_null(presence_find(&p, text("rabbitmqcli-404-b@h")));
}

static void caps(void **state)
{
    (void)state;
    begin_presence();
    p.emit = NULL;
    static char name[2][20000][12];
    for (int i = 0; i < 20000; i++) {
        struct ds_conn conn = {.number = (uint64_t)i + 1};
        for (int end = 0; end < 2; end++) {
            const int len = snprintf(name[end][i], sizeof name[end][i], "%c%d@h", 'a' + end, i);
            conn.end[end].node = (struct ds_text){name[end][i], (size_t)len};
        }
        const struct ds_event up = {.type = DS_EVENT_CONN, .conn = &conn, .ts_ns = i, .change.state = DS_CONN_UP};
        presence_event(&p, &up);
    }
    assert_in_range(p.nodes.num, 2048, 2048); /* those that were there first */
    assert_non_null(presence_find(&p, text("a0@h")));
    assert_null(presence_find(&p, text("a19999@h")));
    assert_true(p.links.num <= 8192 && p.pairs.num <= 8192);
    assert_int_equal(p.unnamed, 0);
}

static void without_memory(void *context)
{
    (void)context;
    memset(&p, 0, sizeof p);
    presence_init(&p, EPMD);
    joins(1, "a@h", 1, "b@h", 1);
    ends(1, 0);
    assert_true(!failing_alloc_failed() || p.no_memory != 0);
    presence_free(&p);
    memset(&p, 0, sizeof p);
}

static void memory(void **state)
{
    (void)state;
    begin_presence();
    assert_true(failing_alloc_each(without_memory, NULL) > 0);
}

/* Findings that are over, and the beginning of the verdict. */

static struct wording down_line;
static bool was_past;

static void take_line(void *context, const struct record *record)
{
    (void)context;
    if (record->finding->severity == SEVERITY_DOWN)
        down_line = record->finding->sentence;
    else if (record->finding->kind != NULL)
        was_past = record->finding->is_past;
}

static void down_is(const char *wanted)
{
    struct ds_buffer out = {0};
    wording_print(&down_line, &out);
    ds_buffer_add(&out, "", 1);
    assert_string_equal(out.data, wanted);
    ds_buffer_free(&out);
    down_line = (struct wording){0};
}

static void verdict(void **state)
{
    struct findings_config config = {.emit = take_line, .epmd_port = EPMD};
    (void)state;
    setenv("TZ", "UTC", 1);
    default_limits(config.limits);
    findings_free(w.findings);
    memset(&w, 0, sizeof w);
    w.findings = findings_new(&config);
    w.now_ns = 3600 * SECOND;
    next_conn();
    up();
    findings_sum_up(w.findings);
    assert_int_equal(down_line.len, 0);
    half_close(1, DS_CLOSE_FIN); /* DS204 */
    findings_sum_up(w.findings);
    down_is("bob@127.0.0.1 left at 01:00:00 and has not come back");
    assert_false(was_past);
    w.now_ns += 5 * SECOND;
    next_conn();
    up();
    findings_sum_up(w.findings);
    assert_int_equal(down_line.len, 0);
    assert_true(was_past);
    findings_free(w.findings);
    w.findings = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_and_comes_back), cmocka_unit_test(last_of_both), cmocka_unit_test(attempts_again), cmocka_unit_test(all_at_once), cmocka_unit_test(two_links),
        cmocka_unit_test(what_does_not_count),   cmocka_unit_test(names_come_late), cmocka_unit_test(caps),
        cmocka_unit_test(visitors),
        cmocka_unit_test(memory),                cmocka_unit_test(verdict)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    presence_free(&p);
    return failed;
}
