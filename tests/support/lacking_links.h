/*
 * lacking_links.h - findings about connections and links, each with something missing in its evidence if lack says so:
 * played by test_findings_lacking.c.
 */
#ifndef TESTS_LACKING_LINKS_H
#define TESTS_LACKING_LINKS_H

#include "findings_world.h"

enum lack { NOTHING, GAP, LOST, LOST_BEFORE, LATE_GAP };
static enum lack lack;

/* within is called after one part of the evidence and before another part. */
static inline void within(void)
{
    const struct loss loss = {.cause = LOSS_QUEUE, .count = 1, .first_ns = w.now_ns, .last_ns = w.now_ns};
    if (lack == GAP)
        put_gap();
    if (lack == LOST)
        findings_lost(w.findings, &loss);
    w.now_ns += MS;
}

static inline void refuses_cookie(void)
{
    shake(DS_STEP_CHALLENGE_REPLY, "alice@a", "bob@b");
    within();
    close_by(1, MS, DS_CLOSE_FIN);
}

static inline void is_unreachable(void)
{
    asked("bob");
    w.link.side[0].first_ns = w.now_ns;
    w.link.side[0].syns = 3;
    within();
    close_by(-1, 7 * SECOND, DS_CLOSE_SYN_TIMEOUT);
}

static inline void has_no_epmd(void)
{
    w.conn.end[1].port = EPMD;
    w.link.side[0].first_ns = w.now_ns;
    within();
    close_by(1, MS, DS_CLOSE_RESET);
    findings_time(w.findings, w.now_ns + 20 * SECOND);
}

static inline void does_not_answer(void)
{
    w.link.side[1].syns = 1;
    step(DS_STEP_SEND_NAME, 0, "alice@a");
    within();
    close_by(0, 7 * SECOND, DS_CLOSE_FIN);
}

static inline void falls_silent(void)
{
    up();
    w.now_ns += 30 * SECOND;
    within();
    w.now_ns += 30 * SECOND;
    w.link.side[0].last_data_ns = w.link.side[1].last_ns = w.now_ns;
    w.link.side[0].tick_intervals = 4;
    w.link.side[0].tick_last_ns = 15 * SECOND;
    half_close(0, DS_CLOSE_FIN);
}

static inline void is_not_acknowledged(void)
{
    up();
    w.now_ns += 2 * SECOND;
    within();
    struct ds_event event = event_of(DS_EVENT_STALL, 0);
    event.stall = (struct ds_stall){.why = DS_STALL_LOST, .in_flight = 4, .start_ns = w.now_ns};
    put(&event);
    findings_time(w.findings, w.now_ns + 80 * SECOND);
}

static inline void misses_ticks(void)
{
    up();
    within();
    w.link.side[1].tick_intervals = 3;
    w.link.side[1].tick_min_ns = w.link.side[1].tick_max_ns = 15 * SECOND;
    for (int i = 1; i <= 5; i++) { /* the other one does tick in between */
        w.now_ns += 10 * SECOND;
        w.link.side[1].max_idle_ns = i == 5 ? 50 * SECOND + MS : 0;
        const struct ds_event tick = event_of(DS_EVENT_TICK, 0);
        put(&tick);
    }
}

static inline void ticks_less_often(void)
{
    up();
    within();
    for (int end = 0; end < 2; end++) {
        struct ds_tcp_side *side = &w.link.side[end];
        side->tick_intervals = 3;
        side->tick_min_ns = side->tick_max_ns = side->tick_last_ns = (2 + end) * SECOND;
    }
    struct ds_event tick = event_of(DS_EVENT_TICK, 0);
    put(&tick);
}

static inline void stall(enum ds_stall_why why, uint64_t in_flight)
{
    up();
    const int64_t start_ns = w.now_ns;
    w.now_ns += SECOND;
    within();
    w.now_ns += 5 * SECOND;
    w.link.side[1].data_segments = 5;
    w.link.side[1].last_ns = w.now_ns;
    struct ds_event event = event_of(DS_EVENT_STALL, 0);
    event.stall = (struct ds_stall){.why = why, .is_over = why != DS_STALL_LOST, .in_flight = in_flight,
                                    .tries = 3, .start_ns = start_ns, .duration_ns = w.now_ns - start_ns};
    put(&event);
}

static inline void does_not_read(void)
{
    stall(DS_STALL_ZERO_WINDOW, 100);
}

/* wakes_up: bob was suspended, and his next data is answered with a RST. */
static inline void wakes_up(void)
{
    up();
    const int64_t heard_ns = w.link.side[1].last_data_ns = w.now_ns;
    struct ds_event event = event_of(DS_EVENT_STALL, 0);
    event.stall = (struct ds_stall){.why = DS_STALL_ZERO_WINDOW, .in_flight = 100, .tries = 3,
                                    .start_ns = heard_ns, .duration_ns = SECOND};
    w.now_ns += SECOND;
    put(&event);
    within();
    w.now_ns += 60 * SECOND;
    w.link.side[1].last_data_ns = w.now_ns;
    w.link.side[1].max_idle_ns = w.now_ns - heard_ns;
    half_close(0, DS_CLOSE_RESET);
}

static inline void loses_large_ones(void)
{
    stall(DS_STALL_LOST, 1448);
}

static inline void holds_the_link(void)
{
    up();
    within();
    w.now_ns += 2 * SECOND;
    struct ds_event event = message(0, "", 0);
    event.message.wire_ns = 2 * SECOND + MS;
    put(&event);
}

static inline void flaps(void)
{
    for (int i = 0; i < 3; i++) {
        if (i != 0)
            next_conn();
        if (i == 2)
            within();
        up();
    }
}

static inline void loses_packets(void)
{
    up();
    within();
    w.link.side[0].data_segments = 200;
    w.link.side[0].retransmitted = 100;
    struct ds_event tick = event_of(DS_EVENT_TICK, 0);
    put(&tick);
}

static inline void are_parted(void)
{
    up();
    for (int end = 0; end < 2; end++) {
        w.link.side[end].tick_intervals = 3;
        w.link.side[end].tick_min_ns = w.link.side[end].tick_max_ns = 4 * SECOND;
        w.link.side[end].tick_last_ns = 4 * SECOND;
    }
    const struct ds_conn conn = w.conn;
    const struct ds_tcp_stats link = w.link;
    for (int k = 0; k < 12; k++) { /* others go on */
        w.now_ns += SECOND;
        next_conn();
        w.conn.number += 50;
        struct ds_event tick = event_of(DS_EVENT_TICK, 0);
        put(&tick);
    }
    w.conn = conn;
    w.conn.link = &w.link;
    w.link = link;
    within();
    w.link.silence_ns = 12 * SECOND;
    half_close(1, DS_CLOSE_RESET);
}

static inline void starts_again(void)
{
    for (uint32_t i = 1; i <= 3; i++) {
        next_conn();
        if (i == 3)
            within();
        up_as(i);
        w.now_ns += SECOND;
    }
}

static inline void ignores_resets(void)
{
    up();
    within();
    w.link.side[1].segments = 20;
    w.link.side[1].usual_ttl[0] = 64;
    w.link.side[1].ignored = (struct ds_ignored){.resets = 9, .first_frame = 7, .last_frame = 8,
                                                 .first_ns = w.now_ns, .min_ttl = 50, .max_ttl = 50};
    struct ds_event tick = event_of(DS_EVENT_TICK, 0);
    put(&tick);
}

static inline void is_called_otherwise(const char *asked_for, const char *name)
{
    if (asked_for != NULL)
        asked(asked_for);
    shake(DS_STEP_CHALLENGE, "alice@a", name);
    within();
    close_by(0, MS, DS_CLOSE_FIN);
}

static inline void is_another(void)
{
    is_called_otherwise("bob", "carol@b");
}

static inline void has_a_long_name(void)
{
    is_called_otherwise(NULL, "bob@b.example.org");
}

static inline void is_too_old(void)
{
    struct ds_event event = event_of(DS_EVENT_HANDSHAKE, 0);
    event.handshake = (struct ds_handshake){.step = DS_STEP_SEND_NAME, .version = 6, .name = text("alice@a"),
                                            .has_flags = true, .flags = 0x37ffd};
    w.conn.end[0].node = text("alice@a");
    w.conn.counters[0].bytes = 30;
    put(&event);
    within();
    close_by(1, MS, DS_CLOSE_FIN);
}

static inline void listens_on_the_other_version(void)
{
    asked("bob");
    w.conn.end[0].addr = w.conn.end[1].addr = (struct ds_addr){6, {[15] = 9}};
    w.link.side[0].first_ns = w.now_ns;
    within();
    close_by(1, MS, DS_CLOSE_RESET);
}

static inline void speaks_tls(void)
{
    step(DS_STEP_SEND_NAME, 0, "alice@a");
    const struct ds_event event = event_of_alert();
    put(&event);
    within();
    close_by(1, MS, DS_CLOSE_FIN);
}

static inline void closes_in_the_handshake(void)
{
    shake(DS_STEP_CHALLENGE_REPLY, "alice@a", "bob@b");
    within();
    close_by(0, 900 * MS, DS_CLOSE_FIN);
}

/* shaking is a TLS handshake under way. */
static inline struct ds_tls shaking(void)
{
    change(DS_CONN_OPEN, 0, false);
    w.conn.counters[0].bytes = w.conn.counters[1].bytes = 300;
    w.link.side[0].data_bytes = w.link.side[1].data_bytes = 300;
    w.link.side[0].last_data_ns = w.now_ns;
    w.link.side[1].last_data_ns = w.now_ns + MS;
    return (struct ds_tls){
        .version = 0x0303, .offered = 0x0303, .has_hello = {true, true}, .has_ended = {true, true}};
}

static inline void alerts(uint8_t code)
{
    struct ds_tls tls = shaking();
    w.conn.tls = &tls;
    tls.has_alert[1] = true;
    tls.alert_code[1] = code;
    within();
    close_by(1, MS, DS_CLOSE_FIN);
}

static inline void refuses_a_certificate(void)
{
    alerts(48);
}

static inline void has_nothing_in_common(void)
{
    alerts(70);
}

static inline void stops_in_tls(void)
{
    struct ds_tls tls = shaking();
    w.conn.tls = &tls;
    w.link.side[0].last_data_ns = w.now_ns + 2 * MS;
    within();
    close_by(0, 7 * SECOND, DS_CLOSE_FIN);
}

static inline void is_cut_one_way(void)
{
    up();
    const int64_t start_ns = w.now_ns + 100 * MS;
    w.now_ns = start_ns + 1400 * MS;
    w.link.side[1].last_ns = w.now_ns;
    struct ds_event event = event_of(DS_EVENT_STALL, 0);
    event.stall = (struct ds_stall){.why = DS_STALL_LOST, .start_ns = start_ns, .in_flight = 40,
                                    .duration_ns = w.now_ns - start_ns};
    put(&event);
    within();
    findings_time(w.findings, start_ns + 4 * SECOND);
}

static inline void renews_keys(void)
{
    struct ds_tls tls = shaking();
    w.conn.tls = &tls;
    tls.data_records[0] = tls.data_records[1] = 100;
    change(DS_CONN_UP, 0, false);
    tls.key_updates[0] = tls.key_updates[1] = 2;
    w.now_ns += 100 * SECOND;
    within();
    w.now_ns += 100 * SECOND;
    change(DS_CONN_CLOSED, 0, true);
}

/* asks asks a name server, or gets its answer: there is no such name. */
static inline void asks(const char *host, bool is_answer)
{
    struct ds_conn conn = {.end = {{.addr = {4, {10, 0, 0, 1}}}, {.addr = {4, {10, 0, 0, 53}}}}};
    struct ds_event event = event_of(DS_EVENT_LOOKUP, is_answer);
    event.conn = &conn;
    event.lookup = (struct ds_lookup){
        .name = text(host), .type = DS_LOOKUP_A, .is_answer = is_answer, .code = is_answer ? 3 : 0};
    put(&event);
}

static inline void does_not_resolve(void)
{
    asked("alice"); /* nodes are known on her host, and bob's host is in the name of one */
    step(DS_STEP_SEND_NAME, 1, "bob@bob");
    asks("bob", false);
    within();
    asks("bob", true);
    findings_time(w.findings, w.now_ns + 2 * SECOND);
}

static inline void are_stuck(void)
{
    step(DS_STEP_SEND_NAME, 0, "alice@a");
    step(DS_STEP_STATUS, 1, "ok_simultaneous");
    within();
    findings_time(w.findings, w.now_ns + 10 * SECOND);
}

static inline void is_cut_while_idle(void)
{
    up();
    w.now_ns += 5 * SECOND;
    within();
    w.now_ns += 5 * SECOND;
    w.link.silence_ns = 10 * SECOND;
    w.link.side[0].last_data_ns = w.now_ns;
    half_close(1, DS_CLOSE_RESET);
    next_conn();
    up();
}

#endif
