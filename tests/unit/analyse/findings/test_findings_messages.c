/*
 * test_findings_messages.c - findings about messages: calls, global, meshes, dangerous calls and
 * secrets; for each code records that raise it, and near misses that do not.
 */
#include "findings_world.h"

static void calls(void **state)
{
    (void)state;
    begin();
    call(CALL_UNANSWERED, 5 * SECOND);
    found("DS305");
    sentence_is("a gen:call to calc of bob@b is not answered");
    begin();
    call(CALL_UNANSWERED, 5 * SECOND - 1);
    found("");
    begin(); /* the answer may be among the missing bytes */
    const struct ds_event gap = event_of(DS_EVENT_GAP, 1);
    put(&gap);
    call(CALL_UNANSWERED, 5 * SECOND);
    found("");
    begin(); /* the callee is unknown: so is the sender of the answer */
    const struct call unknown = {.number = 1, .conn = 1, .label = "gen:call", .group = "",
                                 .start_ns = w.now_ns, .end_ns = w.now_ns + 9 * SECOND,
                                 .outcome = CALL_UNANSWERED};
    findings_record(w.findings, &(struct record){.call = &unknown});
    found("");
    begin(); /* unless that was before the request */
    const struct ds_event before = event_of(DS_EVENT_GAP, 1);
    put(&before);
    w.now_ns += MS;
    call(CALL_UNANSWERED, 5 * SECOND);
    found("DS305");
    for (int good = 3; good < 6; good++) {
        begin();
        for (int i = 0; i < good; i++)
            call(CALL_OK, MS);
        call(CALL_NOPROC, MS);
        found(good == 4 ? "DS310" : "");
    }
    begin();
    struct ds_event event = event_of(DS_EVENT_MESSAGE, 1);
    w.conn.end[0].node = text("alice@a");
    w.conn.end[1].node = text("bob@b");
    struct record late = {.event = &event, .note = {.late = true, .label = "gen:call", .call = 9}};
    findings_record(w.findings, &late);
    late.note.late = false;
    findings_record(w.findings, &late);
    found("DS301");
    assert_int_equal(w.last.severity, SEVERITY_WARNING);
    begin(); /* global's, or similar */
    late.note.late = true;
    late.note.group = "otp";
    findings_record(w.findings, &late);
    found("DS301");
    assert_int_equal(w.last.severity, SEVERITY_NOTE);
    for (uint64_t gaps = 0; gaps < 2; gaps++) {
        begin();
        event = event_of(DS_EVENT_MESSAGE, 0);
        event.fault = (struct ds_fault){DS_FAULT_MALFORMED, 9, "no term begins like this"};
        w.conn.counters[0].gaps = gaps;
        put(&event);
        found(gaps ? "" : "DS306");
        if (gaps == 0)
            assert_int_equal(w.last.certainty, CERTAINTY_LIKELY); /* it was unreadable */
    }
    begin();
    event.message.control = (struct ds_term){.data = (const uint8_t *)"j", .len = 1};
    w.conn.counters[0].gaps = 0;
    put(&event);
    found("DS306");
    assert_int_equal(w.last.certainty, CERTAINTY_SURE);
}

static void kills(void **state)
{
    static const uint8_t atoms[2][6] = {{119, 4, 'k', 'i', 'l', 'l'}, {119, 4, 'k', 'i', 'l', 'n'}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        begin();
        struct ds_event event = event_of(DS_EVENT_MESSAGE, 0);
        event.message.op = ds_op_find(26);
        event.message.payload = (struct ds_term){.data = atoms[i], .len = sizeof atoms[i]};
        const struct record record = {.event = &event, .note = {.role = NOTE_EXIT}};
        findings_record(w.findings, &record);
        found(i == 0 ? "DS311" : "");
    }
}

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

static void earlier_life(void **state)
{
    static const struct {
        uint8_t creation;
        uint8_t op;
        const char *codes;
    } cases[] = {{5, 22, ""}, {7, 22, "DS308"}, {0, 22, ""}, {7, 20, ""}, {7, 19, "DS308"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint8_t pid[] = {88, 82, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, cases[i].creation};
        begin();
        up();
        struct ds_event event = message(0, NULL, 0);
        event.message.op = ds_op_find(cases[i].op);
        event.message.role[DS_ROLE_TO] = (struct ds_term){
            .data = pid, .len = sizeof pid, .atoms = node_atoms, .num_atoms = 1};
        put(&event);
        found(cases[i].codes);
    }
}

static void fan_out(void **state)
{
    static uint8_t payload[30000];
    enum { SAME_NODE, OTHER_NODES, OTHER_PAYLOADS, ONE_PROCESS, LATER, FEW, CASES };
    static const char *const codes[CASES] = {"DS307", "DS307", "", "", "", ""};
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        up();
        for (uint8_t n = 0; n < (i == FEW ? 3 : 5); n++) {
            const uint8_t name[] = {119, 1, i == ONE_PROCESS ? 'a' : (uint8_t)('a' + n)};
            struct ds_event event = message(0, payload, sizeof payload);
            event.message.role[DS_ROLE_TO] = (struct ds_term){.data = name, .len = sizeof name};
            payload[20000] = i == OTHER_PAYLOADS ? n : 0; /* between the samples */
            w.now_ns += i == LATER ? 2 * SECOND : MS;
            event.ts_ns = w.now_ns;
            put(&event);
            if (i == OTHER_NODES) {
                const struct ds_endpoint alice = w.conn.end[0];
                next_conn();
                w.conn.end[0] = alice;
            }
        }
        found(codes[i]);
        if (w.num != 0)
            assert_int_equal(w.last.severity, i == SAME_NODE ? SEVERITY_WARNING : SEVERITY_NOTE);
    }
}

static void new_atoms(void **state)
{
    enum { NUMBERED, KNOWN, NODES, THE_SAME, WORDS, CASES };
    static const char *const codes[CASES] = {"DS309", "", "", "", ""};
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        up();
        for (int n = 0; n < 300; n++) {
            char name[40];
            snprintf(name, sizeof name, i == NODES ? "n%x@host" : "user_%x", i == THE_SAME ? 1 : n);
            if (i == WORDS)
                snprintf(name, sizeof name, "u%c%c", 'g' + n % 20, 'g' + n / 20);
            const struct ds_atom atom = {.text = (const uint8_t *)name,
                                         .len = (uint16_t)strlen(name),
                                         .state = DS_ATOM_KNOWN,
                                         .is_new = i != KNOWN};
            struct ds_event event = message(0, NULL, 0);
            event.message.control = (struct ds_term){.atoms = &atom, .num_atoms = 1};
            put(&event);
        }
        found(codes[i]);
    }
}

static void missing_code(void **state)
{
    static const struct {
        const char *why, *fun, *codes;
        enum certainty certainty;
    } cases[] = {{"undef", "f", "DS302", CERTAINTY_LIKELY},
                 {"undef", "g", "DS302", CERTAINTY_POSSIBLE},
                 {"function_clause", "f", "DS302", CERTAINTY_LIKELY},
                 {"function_clause", "g", "", CERTAINTY_SURE},
                 {"badarg", "f", "", CERTAINTY_SURE}};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        const bool wraps = i % 2 != 0; /* {'EXIT', ...} */
        begin();
        begin_terms();
        if (wraps) {
            put_tuple(2);
            put_atom("EXIT");
        }
        put_reason(cases[i / 2].why, cases[i / 2].fun);
        const struct ds_term reason = term_since(0);
        size_t at = term_bytes.len;
        put_atom("m");
        const struct ds_term mod = term_since(at);
        at = term_bytes.len;
        put_atom("f");
        const struct ds_term fun = term_since(at);
        at = term_bytes.len;
        put_list(1);
        put_small(7);
        put_nil();
        const struct call call = {.number = 1, .conn = 1, .label = "rpc:call", .group = "",
                                  .caller = {.node = text("alice@a")},
                                  .callee = {.node = text("bob@b")},
                                  .mod = mod, .fun = fun, .args = term_since(at),
                                  .outcome = CALL_ERROR, .error_class = "error",
                                  .reason = reason, .end_ns = w.now_ns};
        const struct record record = {.call = &call};
        findings_record(w.findings, &record);
        found(cases[i / 2].codes);
        if (w.num != 0)
            assert_int_equal(w.last.certainty, cases[i / 2].certainty);
    }
    begin(); /* a fun whose code is missing */
    begin_terms();
    put_tuple(2);
    put_tuple(2);
    put_atom("badfun");
    put_atom("f");
    put_nil();
    const struct call call = {.label = "erpc:call", .group = "", .outcome = CALL_ERROR,
                              .callee = {.node = text("bob@b")}, .reason = term_since(0)};
    const struct record record = {.call = &call};
    findings_record(w.findings, &record);
    found("DS302");
}

static void locks(void **state)
{
    enum { STUCK, FREED, TAKEN_BETWEEN, FOUR_TIMES, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        lock_call("global:set_lock", "carol@c", "true");
        for (int n = 0; n < (i == FOUR_TIMES ? 4 : 6); n++) {
            lock_call("global:set_lock", "alice@a", "false");
            if (n == 2 && i == FREED)
                lock_call("global:del_lock", "carol@c", "true");
            if (n == 2 && i == TAKEN_BETWEEN)
                lock_call("global:set_lock", "dave@d", "true");
        }
        found(i == STUCK ? "DS303" : "");
        if (i == STUCK)
            sentence_is("alice@a repeatedly asks for the global lock till, which carol@c holds");
    }
}

static void exchange(int dir, const char *name, const char *node, uint8_t id)
{
    begin_terms();
    put_tuple(5);
    put_atom("exchange");
    put_atom("n");
    put_list(1);
    put_tuple(3);
    put_atom(name);
    put_pid(node, id);
    put_atom("resolver");
    put_nil();
    put_nil();
    put_small(1);
    struct ds_event event = message(dir, NULL, 0);
    const struct record record = {
        .event = &event, .note = {.label = "global:exchange", .group = "otp", .body = term_since(0)}};
    findings_record(w.findings, &record);
}

static void global_names(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        begin();
        up();
        exchange(0, "shop", "alice@a", 9);
        exchange(1, i == 1 ? "bank" : "shop", i == 2 ? "alice@a" : "bob@b", 9);
        found(i == 0 ? "DS304" : "");
        if (i == 0)
            sentence_is("bob@127.0.0.1 and alice@127.0.0.1 have different processes under the same "
                        "global name: shop");
    }
}

static void said_by_global_of(const char *what, const char *label, int dir, const char *one, const char *gone)
{
    begin_terms();
    put_tuple(5);
    put_atom(what);
    put_atom(one);
    put_small(1);
    put_small(1);
    put_atom(gone);
    struct ds_event event = message(dir, NULL, 0);
    event.message.payload = term_since(0);
    const struct record record = {.event = &event, .note = {.label = label, .group = ""}};
    findings_record(w.findings, &record);
}

static void said_by_global(const char *what, const char *label, int dir)
{
    said_by_global_of(what, label, dir, "alice@a", "carol@c");
}

static void cut_by_global(void **state)
{
    (void)state;
    begin();
    up();
    said_by_global("lost_connection", "global:lost_connection", 0);
    found(""); /* that alone cuts nothing */
    begin();
    up();
    said_by_global("lost_connection", "global:lost_connection", 0);
    said_by_global("remove_connection", "global:remove_connection", 0);
    found("DS210");
    assert_int_equal(w.last.severity, SEVERITY_WARNING); /* that link was not seen */
    for (int closed_by = 0; closed_by < 2; closed_by++) {
        begin();
        shake(DS_STEP_CHALLENGE_ACK, "alice@a", "carol@c");
        w.conn.end[0].addr = w.conn.end[1].addr = (struct ds_addr){4, {127, 0, 0, 1}};
        change(DS_CONN_UP, 0, false);
        half_close(closed_by, DS_CLOSE_FIN);
        next_conn();
        up();
        said_by_global("lost_connection", "global:lost_connection", 0);
        said_by_global("remove_connection", "global:remove_connection", 0);
        found(closed_by == 0 ? "DS204 DS210" : "DS204"); /* carol, the lost node, has ended */
        if (closed_by == 0)
            assert_int_equal(w.last.severity, SEVERITY_ERROR);
    }
    for (int is_own = 0; is_own < 2; is_own++) { /* killed, with data unread; or its host knows of nothing */
        begin();
        shake(DS_STEP_CHALLENGE_ACK, "alice@a", "carol@c");
        w.conn.end[0].addr = w.conn.end[1].addr = (struct ds_addr){4, {127, 0, 0, 1}};
        change(DS_CONN_UP, 0, false);
        w.link.reset_is_own = is_own != 0;
        half_close(1, DS_CLOSE_RESET);
        next_conn();
        up();
        said_by_global("lost_connection", "global:lost_connection", 0);
        said_by_global("remove_connection", "global:remove_connection", 0);
        found(is_own ? "DS204" : "DS204 DS210");
    }
}

/* Nodes that end while others are reported lost: their own loss counts, however many nodes report
 * it. It cannot be seen on the host of the reporting node. */
static void ends_among_others(void **state)
{
    enum { ENDED, OF_ONE_HOST, MANY_BEFORE, TOO_MANY_AFTER, RESET, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        shake(DS_STEP_CHALLENGE_ACK, "dora@d", "bob@b");
        w.conn.end[0].addr = w.conn.end[1].addr = (struct ds_addr){4, {127, 0, 0, 1}};
        change(DS_CONN_UP, 0, false);
        if (i != OF_ONE_HOST)
            half_close(1, i == RESET ? DS_CLOSE_RESET : DS_CLOSE_FIN);
        next_conn();
        up();
        w.conn.end[1].node = text("bob@b");
        said_by_global("lost_connection", "global:lost_connection", 0);
        const int others = i == MANY_BEFORE || i == TOO_MANY_AFTER ? 8 : 0;
        char name[] = "eve0@e";
        for (int k = 0; i == MANY_BEFORE && k < others; k++, name[3]++)
            said_by_global_of("lost_connection", "global:lost_connection", 0, "alice@a", name);
        for (int again = 0; again < 9; again++)
            said_by_global_of("lost_connection", "global:lost_connection", 0,
                              i == OF_ONE_HOST ? "dora@b" : "dora@d", "bob@b");
        for (int k = 0; i == TOO_MANY_AFTER && k < others; k++, name[3]++)
            said_by_global_of("lost_connection", "global:lost_connection", 0, "alice@a", name);
        said_by_global("remove_connection", "global:remove_connection", 0);
        found(i == OF_ONE_HOST                        ? ""
              : i == RESET || i == TOO_MANY_AFTER ? "DS204 DS210"
                                                      : "DS204");
    }
}

/* How the lost link had ended, if that was captured: nothing is reported only if its lost node
 * closed it. */
static void ends_before_the_cut(void **state)
{
    enum { RESET, FELL_SILENT, UP_AGAIN, CASES };
    static const char *const codes[CASES] = {"DS204 DS210", "DS201 DS210", "DS204 DS210"};
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        shake(DS_STEP_CHALLENGE_ACK, "alice@a", "carol@c");
        w.conn.end[0].addr = w.conn.end[1].addr = (struct ds_addr){4, {127, 0, 0, 1}};
        change(DS_CONN_UP, 0, false);
        w.link.side[0].last_data_ns = w.link.side[1].last_data_ns = w.now_ns;
        if (i == FELL_SILENT) { /* alice did */
            w.now_ns += 60 * SECOND;
            w.link.side[1].last_data_ns = w.now_ns;
        }
        half_close(1, i == RESET ? DS_CLOSE_RESET : DS_CLOSE_FIN);
        next_conn();
        if (i == UP_AGAIN) {
            shake(DS_STEP_CHALLENGE_ACK, "alice@a", "carol@c");
            w.conn.end[0].addr = w.conn.end[1].addr;
            change(DS_CONN_UP, 0, false);
            next_conn();
        }
        up();
        said_by_global("lost_connection", "global:lost_connection", 0);
        said_by_global("remove_connection", "global:remove_connection", 0);
        found(codes[i]);
        assert_int_equal(w.last.severity, i == UP_AGAIN ? SEVERITY_WARNING : SEVERITY_ERROR);
    }
}

static void is_not_acknowledged(void)
{
    struct ds_event event = event_of(DS_EVENT_STALL, 0);
    event.stall = (struct ds_stall){.why = DS_STALL_LOST, .in_flight = 4};
    put(&event);
}

/* The lost link fades, whoever waits: its data is not acknowledged any more; or is again. */
static void fades_before_the_cut(void **state)
{
    enum { ALICE_WAITS, CAROL_WAITS, IS_HEARD, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        up();
        is_not_acknowledged(); /* so does another one */
        next_conn();
        shake(DS_STEP_CHALLENGE_ACK, i == CAROL_WAITS ? "carol@c" : "alice@a",
              i == CAROL_WAITS ? "alice@a" : "carol@c");
        w.link.side[0].last_data_ns = w.link.side[1].last_data_ns = w.now_ns;
        is_not_acknowledged();
        if (i == IS_HEARD) {
            const struct ds_event tick = event_of(DS_EVENT_TICK, 1);
            put(&tick);
        }
        next_conn();
        up_as(6); /* restarted */
        said_by_global("lost_connection", "global:lost_connection", 0);
        said_by_global("remove_connection", "global:remove_connection", 0);
        found("DS210");
        assert_int_equal(w.last.severity, i == IS_HEARD ? SEVERITY_WARNING : SEVERITY_ERROR);
    }
}

static void link_up(const char *one, uint8_t host_one, const char *two, uint8_t host_two)
{
    shake(DS_STEP_CHALLENGE_ACK, one, two);
    w.conn.end[0].addr = (struct ds_addr){4, {10, 0, 0, host_one}};
    w.conn.end[1].addr = (struct ds_addr){4, {10, 0, 0, host_two}};
    change(DS_CONN_UP, 0, false);
    next_conn();
}

/* greets: the node at the initiator's end of a link connects to the nodes it hears of. */
static void greets(const char *node)
{
    struct ds_event event = message(0, "", 0);
    const struct record record = {.event = &event, .note = {.label = "global:init_connect"}};
    w.conn.end[0].node = text(node);
    findings_record(w.findings, &record);
    next_conn();
}

/* A link from before the capture may be idle: it is seen with its next tick, perhaps before any
 * other. Two nodes without a failed attempt are reported when one would have failed. */
static void meshes_joined_late(void **state)
{
    enum { BEFORE_ALL, AFTER, OTHER_HOSTS, TURNED, NONE, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        for (int when = BEFORE_ALL; when <= TURNED; when++) {
            if (when == AFTER) {
                link_up("alice@a", 1, "bob@b", 2);
                link_up("bob@b", 2, "carol@c", 3);
                w.conn.end[0].addr = (struct ds_addr){4, {10, 0, 0, 1}};
                w.conn.end[1].addr = (struct ds_addr){4, {10, 0, 0, 3}};
                change(DS_CONN_CLOSED, 0, true);
                next_conn();
            }
            if (when != i)
                continue;
            w.conn.end[0].addr = (struct ds_addr){4, {10, 0, 0, i == TURNED ? 3 : 1}};
            w.conn.end[1].addr = (struct ds_addr){4, {10, 0, 0, i == TURNED ? 1 : i == OTHER_HOSTS ? 4 : 3}};
            change(DS_CONN_JOINED_LATE, 0, false);
            next_conn();
        }
        w.now_ns += 65 * SECOND - 1;
        findings_time(w.findings, w.now_ns);
        const unsigned in_clear = i == NONE ? 2 : 3; /* one for each link */
        assert_int_equal(w.num, in_clear);
        findings_time(w.findings, w.now_ns + 1);
        findings_time(w.findings, w.now_ns + 100 * SECOND);
        found(i == OTHER_HOSTS ? "DS401 DS401 DS401 DS211"
              : i == NONE      ? "DS401 DS401 DS211"
                               : "DS401 DS401 DS401");
        if (w.num == in_clear)
            continue;
        assert_int_equal(w.last.count, 1);
        assert_int_equal(w.last.certainty, CERTAINTY_POSSIBLE);
        assert_int_equal(w.last.evidence[0].num, 2); /* the links with the third node */
        assert_int_not_equal(w.last.evidence[0].conn, 0);
    }
}

/* The cap on remembered earlier links; beyond it, nothing is reported. */
static void meshes_joined_late_at_the_cap(void **state)
{
    (void)state;
    for (int num = 255; num <= 256; num++) {
        begin();
        for (int i = 0; i < num; i++) {
            w.conn.end[0].addr = (struct ds_addr){4, {10, 0, 1, (uint8_t)i}};
            change(DS_CONN_JOINED_LATE, 0, false);
            next_conn();
        }
        link_up("alice@a", 1, "bob@b", 2);
        link_up("bob@b", 2, "carol@c", 3);
        w.conn.end[0].addr = (struct ds_addr){4, {10, 0, 0, 3}};
        w.conn.end[1].addr = (struct ds_addr){4, {10, 0, 0, 1}};
        close_by(-1, MS, DS_CLOSE_SYN_TIMEOUT);
        findings_time(w.findings, w.now_ns + 10 * SECOND);
        found(num == 255 ? "DS401 DS401 DS401 DS105 DS211" : "DS401 DS401 DS401 DS105");
    }
}

static void meshes(void **state)
{
    enum { SEEN, UNSEEN, CONNECTED, EARLY, GREETED, ALONE, LATE, CASES };
    /* Each link reports clear text. */
    static const char *const codes[CASES] = {"DS401 DS401 DS105 DS211", "DS401 DS401",
                                             "DS401 DS401 DS401", "DS401 DS401 DS105",
                                             "DS401 DS401 DS105 DS211", "DS401 DS401 DS105",
                                             "DS401 DS401 DS401 DS105"};
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        link_up("alice@a", 1, "bob@b", 2);
        link_up("bob@b", 2, "carol@c", 3);
        if (i == CONNECTED)
            link_up("carol@c", 3, "alice@a", 1);
        if (i == LATE) { /* it was up before */
            w.conn.end[0].addr = (struct ds_addr){4, {10, 0, 0, 3}};
            w.conn.end[1].addr = (struct ds_addr){4, {10, 0, 0, 1}};
            change(DS_CONN_JOINED_LATE, 0, false);
            next_conn();
        }
        if (i == GREETED || i == ALONE) { /* alice has -connect_all false, or not */
            greets("bob@b");
            greets("carol@c");
        }
        if (i == GREETED)
            greets("alice@a");
        if (i != UNSEEN && i != CONNECTED) {
            w.conn.end[0].addr = (struct ds_addr){4, {10, 0, 0, 3}};
            w.conn.end[1].addr = (struct ds_addr){4, {10, 0, 0, 1}};
            close_by(-1, MS, DS_CLOSE_SYN_TIMEOUT);
        }
        w.now_ns += i == EARLY ? 9 * SECOND : 10 * SECOND;
        findings_time(w.findings, w.now_ns);
        found(codes[i]);
    }
}

/* Unchecked nodes are reported. */
static void meshes_at_the_cap(void **state)
{
    (void)state;
    for (int num = 127; num <= 128; num++) { /* and the hub */
        begin();
        for (int i = 0; i < num; i++) {
            char name[16];
            snprintf(name, sizeof name, "n%d@h", i);
            link_up("hub@h", 1, name, (uint8_t)(i + 2));
        }
        findings_time(w.findings, w.now_ns + 10 * SECOND);
        findings_end(w.findings);
        const char *const cap = "128 nodes at most are looked at for links that are missing (DS211)\n";
        assert_int_equal(strstr(w.unchecked, cap) != NULL, num == 128);
        assert_non_null(strstr(w.unchecked, num == 127 ? "8001 pairs of nodes without a link"
                                                       : "pairs of nodes without a link"));
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
        cmocka_unit_test(calls),
        cmocka_unit_test(kills),
        cmocka_unit_test(exposure),
        cmocka_unit_test(earlier_life),
        cmocka_unit_test(fan_out),
        cmocka_unit_test(new_atoms),
        cmocka_unit_test(missing_code),
        cmocka_unit_test(locks),
        cmocka_unit_test(global_names),
        cmocka_unit_test(cut_by_global),
        cmocka_unit_test(ends_among_others),
        cmocka_unit_test(ends_before_the_cut),
        cmocka_unit_test(fades_before_the_cut),
        cmocka_unit_test(meshes),
        cmocka_unit_test(meshes_joined_late),
        cmocka_unit_test(meshes_joined_late_at_the_cap),
        cmocka_unit_test(meshes_at_the_cap),
        cmocka_unit_test(dangerous_code),
        cmocka_unit_test(secrets),
        cmocka_unit_test(cookies),
    };
    leaves_out = "DS214"; /* test_findings_stall.c has them */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
