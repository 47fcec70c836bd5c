/*
 * test_findings_links.c - findings about connections that are up: ticks, silence, stalls, losses,
 * ends; for each code records that raise it, and near misses that do not.
 */
#include "findings_world.h"

static void silence(void **state)
{
    (void)state;
    for (int acknowledged = 0; acknowledged < 2; acknowledged++) {
        begin();
        up();
        w.now_ns += 60 * SECOND;
        w.conn.counters[0].ticks = 4;
        w.link.side[0].last_data_ns = w.now_ns;
        if (acknowledged)
            w.link.side[1].last_ns = w.now_ns - SECOND;
        half_close(0, DS_CLOSE_FIN);
        found("DS201");
        sentence_is("alice@127.0.0.1 disconnected bob@127.0.0.1, which had stopped responding: net_tick_timeout");
        struct ds_buffer out = {0};
        wording_print(&w.last.detail, &out);
        ds_buffer_add(&out, "", 1);
        assert_true((strstr(out.data, "still acknowledged") != NULL) == acknowledged);
        ds_buffer_free(&out);
    }
    assert_int_equal(w.last.certainty, CERTAINTY_LIKELY); /* by a ticktime that was not seen */
    begin();
    up();
    w.now_ns += 60 * SECOND;
    w.link.side[0].last_data_ns = w.now_ns;
    w.link.icmp = "host unreachable";
    half_close(0, DS_CLOSE_FIN);
    detail_has("; ICMP says: host unreachable");
    for (int end = 0; end < 2; end++) { /* with a net_ticktime of 8 s, as either end ticks */
        begin();
        up();
        struct ds_tcp_side *side = &w.link.side[end];
        side->tick_intervals = 2;
        side->tick_last_ns = side->tick_min_ns = side->tick_max_ns = 2 * SECOND;
        w.now_ns += 7 * SECOND;
        w.link.side[0].last_data_ns = w.now_ns - SECOND; /* messages, and no ticks */
        half_close(0, DS_CLOSE_FIN);
        found("DS201");
        assert_int_equal(w.last.certainty, CERTAINTY_SURE);
    }
    begin(); /* neither end sends anything: the capture paused, or a clock was set */
    up();
    w.now_ns += 60 * SECOND;
    w.conn.counters[0].ticks = 4;
    w.link.side[0].last_data_ns += 29 * SECOND - SECOND;
    half_close(0, DS_CLOSE_FIN);
    found("DS204");
    for (int ticked = 0; ticked < 2; ticked++) { /* it may only tick less often */
        begin();
        up();
        w.link.side[0].tick_intervals = 2;
        w.link.side[0].tick_last_ns = SECOND;
        w.conn.counters[0].ticks = 4;
        w.conn.counters[1].ticks = (uint64_t)ticked;
        w.now_ns += 4 * SECOND;
        w.link.side[0].last_data_ns = w.now_ns - SECOND;
        w.link.side[1].last_ns = w.now_ns;
        half_close(0, DS_CLOSE_FIN);
        found("DS201");
        assert_int_equal(w.last.certainty, ticked ? CERTAINTY_SURE : CERTAINTY_LIKELY);
    }
    begin(); /* an idle link that an end closes */
    up();
    w.now_ns += 30 * SECOND;
    w.conn.counters[0].ticks = 2;
    half_close(0, DS_CLOSE_FIN);
    found("DS204");
    begin(); /* the silent end closes it */
    up();
    w.now_ns += 60 * SECOND;
    w.conn.counters[0].ticks = 4;
    w.link.side[0].last_data_ns = w.now_ns;
    half_close(1, DS_CLOSE_FIN);
    found("DS204");
}

static void ticks(void **state)
{
    (void)state;
    for (int64_t factor = 8; factor <= 11; factor += 3) {
        begin();
        up();
        for (int end = 0; end < 2; end++) {
            struct ds_tcp_side *side = &w.link.side[end];
            side->tick_intervals = 3;
            side->tick_min_ns = side->tick_max_ns = side->tick_last_ns =
                end == 0 ? 2 * SECOND : 2 * SECOND * factor / 8;
        }
        struct ds_event tick = event_of(DS_EVENT_TICK, 0);
        put(&tick);
        put(&tick);
        found(factor == 8 ? "" : "DS203");
    }
    for (int i = 0; i < 3; i++) {
        begin();
        up();
        w.link.side[1].tick_intervals = 3;
        w.link.side[1].tick_min_ns = w.link.side[1].tick_max_ns = 15 * SECOND;
        w.link.side[1].max_idle_ns = i == 0 ? 30 * SECOND : 45 * SECOND;
        w.conn.counters[1].gaps = i == 1;
        struct ds_event tick = event_of(DS_EVENT_TICK, 0);
        put(&tick);
        put(&tick);
        found(i == 2 ? "DS202" : "");
    }
}

/* Both ends are silent: the capture paused, or its clock was set. */
static void pauses(void **state)
{
    (void)state;
    for (int64_t seconds = 22; seconds <= 3600; seconds += 3578) {
        begin();
        up();
        w.link.side[1].tick_intervals = 3;
        w.link.side[1].tick_min_ns = w.link.side[1].tick_max_ns = 15 * SECOND;
        w.now_ns += seconds * SECOND;
        struct ds_event tick = event_of(DS_EVENT_TICK, 0);
        put(&tick);
        w.now_ns += 15 * SECOND;
        w.link.side[1].max_idle_ns = seconds < 60 ? 45 * SECOND : (seconds + 15) * SECOND;
        tick = event_of(DS_EVENT_TICK, 1);
        put(&tick);
        found(seconds < 60 ? "DS202" : "");
        assert_int_equal(strstr(w.unchecked, "1 node silent") != NULL, seconds > 60);
    }
}

static void resets(void **state)
{
    (void)state;
    begin();
    up();
    half_close(1, DS_CLOSE_RESET);
    found("DS204");
    sentence_is("bob@127.0.0.1 reset its link with alice@127.0.0.1");
    begin(); /* one that ends closes all its links */
    for (int i = 0; i < 2; i++) {
        up();
        half_close(1, DS_CLOSE_FIN);
        next_conn();
    }
    found("DS204 DS204");
    sentence_is("bob@127.0.0.1 closed its links with other nodes");
    assert_int_equal(w.last.count, 2);
    begin(); /* a tool comes and goes */
    w.hidden = true;
    up();
    half_close(0, DS_CLOSE_FIN);
    found("");
    for (int64_t second = 100; second <= 130; second += 30) {
        begin();
        for (int i = 0; i < 2; i++) {
            up();
            w.now_ns += (i == 0 ? 100 : second) * SECOND;
            half_close(1, DS_CLOSE_RESET);
            next_conn();
        }
        found(second == 100 ? "DS204 DS208 DS204" : "DS204 DS204");
    }
}

static void flaps(void **state)
{
    enum { COMES_AND_GOES, IS_RESTARTED, SELDOM, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        for (int n = 0; n < 3; n++) {
            shake(DS_STEP_CHALLENGE_ACK, "alice@127.0.0.1", "bob@127.0.0.1");
            w.conn.end[0].addr = (struct ds_addr){4, {127, 0, 0, 1}};
            if (i == IS_RESTARTED)
                w.conn.end[1].creation = (uint32_t)n + 1;
            change(DS_CONN_UP, 0, false);
            half_close(1, DS_CLOSE_FIN);
            next_conn();
            w.now_ns += i == SELDOM ? 1801 * SECOND : 1800 * SECOND;
        }
        found(i == COMES_AND_GOES ? "DS204 DS204 DS209 DS204" : "DS204 DS204 DS204");
    }
}

/* Data that had arrived before, according to the other end, was not lost. */
static void sent_needlessly(void **state)
{
    (void)state;
    for (uint64_t needless = 0; needless <= 91; needless += 13) {
        begin();
        up();
        w.link.side[0].data_segments = 200;
        w.link.side[0].retransmitted = 100;
        w.link.side[0].needless = needless;
        struct ds_event tick = event_of(DS_EVENT_TICK, 0);
        put(&tick);
        found(needless <= 90 ? "DS212" : "");
        if (needless == 13)
            detail_has("100 of 200 segments were retransmitted; 13 of them needlessly, because "
                       "they had arrived");
    }
    begin(); /* it claims more than there is */
    up();
    w.link.side[0].data_segments = 200;
    w.link.side[0].lost_upstream = 10;
    w.link.side[0].needless = 10;
    struct ds_event tick = event_of(DS_EVENT_TICK, 0);
    put(&tick);
    found("DS212");
}

/* A sender without probes has nothing to send, or they were not captured. */
static void stalls_without_a_try(void **state)
{
    (void)state;
    for (uint32_t tries = 0; tries < 2; tries++) {
        begin();
        up();
        struct ds_event event = event_of(DS_EVENT_STALL, 0);
        event.stall = (struct ds_stall){.why = DS_STALL_ZERO_WINDOW, .is_over = true, .tries = tries,
                                        .start_ns = w.now_ns - SECOND, .duration_ns = SECOND};
        put(&event);
        found("DS205");
        assert_int_equal(w.last.certainty, tries != 0 ? CERTAINTY_SURE : CERTAINTY_LIKELY);
    }
}

static void stalls(void **state)
{
    (void)state;
    begin();
    up();
    put_stall(DS_STALL_ZERO_WINDOW, SECOND, false, 100);
    assert_int_equal(w.num, 1);
    put_stall(DS_STALL_ZERO_WINDOW, 5 * SECOND, true, 100); /* the same one */
    assert_int_equal(w.last.count, 1);
    detail_has("sending was blocked for 5.00 s");
    put_stall(DS_STALL_ZERO_WINDOW, 2 * SECOND, true, 100);
    assert_int_equal(w.last.count, 2);
    found("DS205 DS205");
    sentence_is("bob@127.0.0.1 does not read what alice@127.0.0.1 sends");
    begin();
    up();
    put_stall(DS_STALL_ZERO_WINDOW, SECOND - MS, true, 100);
    found("");
    for (uint64_t times = 2; times < 4; times++) { /* short ones add up */
        begin();
        up();
        w.link.side[0].first_ns = w.now_ns;
        w.link.side[0].stalls = times;
        w.link.side[0].stalled_ns = 2 * SECOND;
        w.now_ns += 20 * SECOND;
        put_stall(DS_STALL_ZERO_WINDOW, SECOND / 2, true, 100);
        put_stall(DS_STALL_ZERO_WINDOW, SECOND / 2, true, 100);
        found(times == 3 ? "DS205" : "");
        if (times == 3)
            assert_int_equal(w.last.severity, SEVERITY_WARNING);
    }
    begin(); /* little for such a long time */
    up();
    w.link.side[0].first_ns = w.now_ns;
    w.link.side[0].stalls = 9;
    w.link.side[0].stalled_ns = 2 * SECOND;
    w.now_ns += 21 * SECOND;
    put_stall(DS_STALL_ZERO_WINDOW, SECOND / 2, true, 100);
    found("");
    begin(); /* nothing is heard of it at all: it is gone */
    up();
    w.now_ns += 3 * SECOND;
    put_stall(DS_STALL_FULL_WINDOW, 2 * SECOND, false, 100);
    found("");
    begin();
    up();
    w.link.side[1].data_segments = 5;
    w.link.side[1].last_ns = w.now_ns;
    put_stall(DS_STALL_LOST, SECOND, false, 1400);
    found("DS207");
    begin();
    up();
    w.link.side[1].data_segments = 5;
    put_stall(DS_STALL_LOST, SECOND, false, 90); /* a small one */
    found("");
    for (uint64_t others = 4; others <= 5; others++) { /* if others are lost, too, it is the path */
        begin();
        up();
        w.link.side[1].data_segments = 5;
        w.link.side[1].last_ns = w.now_ns;
        w.link.side[0].data_segments = 100;
        w.link.side[0].retransmitted = others + 2;
        w.link.side[0].lost_upstream = 1;
        w.link.side[0].most_repeats = 3;
        put_stall(DS_STALL_LOST, SECOND, false, 1400);
        found(others == 4 ? "DS207" : "");
    }
    begin(); /* the capture ends in between: the same one */
    up();
    put_stall(DS_STALL_ZERO_WINDOW, SECOND, false, 100);
    put_stall(DS_STALL_ZERO_WINDOW, 2 * SECOND, false, 100);
    found("DS205");
    assert_int_equal(w.last.count, 1);
}

/* Data that is not acknowledged. */

static void fading(void **state)
{
    enum { GONE, ENDS, ACKNOWLEDGED, HEARD, CLOSED, EARLY, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        up();
        w.link.side[0].tick_intervals = 2;
        w.link.side[0].tick_last_ns = w.link.side[0].tick_min_ns = SECOND;
        w.now_ns += 2 * SECOND;
        put_stall(DS_STALL_LOST, SECOND, false, 4);
        struct ds_event tick = event_of(DS_EVENT_TICK, i == HEARD ? 1 : 0);
        put(&tick);
        if (i == ACKNOWLEDGED)
            put_stall(DS_STALL_LOST, SECOND, true, 4);
        if (i == CLOSED)
            half_close(1, DS_CLOSE_FIN);
        if (i == ENDS) { /* the capture does */
            w.now_ns += 3 * SECOND;
            change(DS_CONN_OPEN_AT_END, 0, true);
        }
        findings_time(w.findings, w.now_ns + (i == EARLY ? 2 : 3) * SECOND);
        found(i <= ENDS ? "DS201" : i == CLOSED ? "DS204" : "");
        if (i <= ENDS)
            sentence_is("alice@127.0.0.1 disconnected bob@127.0.0.1, which had stopped responding: "
                        "net_tick_timeout");
    }
}

/* goes_fading: alice's data is retransmitted again and again; both tick every second. */
static void goes_fading(void)
{
    begin();
    up();
    w.now_ns += 2 * SECOND;
    for (int end = 0; end < 2; end++) {
        struct ds_tcp_side *side = &w.link.side[end];
        side->tick_intervals = 2;
        side->tick_last_ns = side->tick_min_ns = side->tick_max_ns = SECOND;
        side->last_data_ns = w.now_ns;
    }
    put_stall(DS_STALL_LOST, SECOND, false, 4);
}

/* The data that comes at last was waiting for a network, or is the answer of a host that does not
 * know the link. It had been given up, whether that was reported by then or not, and its end is no
 * node's fault. */
static void given_up_before_the_end(void **state)
{
    enum { RESET, FIN, TICKS, STAYS, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        for (int in_time = 0; in_time < 2; in_time++) {
            goes_fading();
            w.link.icmp = "host unreachable";
            change(DS_CONN_ICMP_ERROR, 0, false);
            w.now_ns += 5 * SECOND;
            if (in_time)
                findings_time(w.findings, w.now_ns);
            w.now_ns += 4 * SECOND;
            w.link.side[1].max_idle_ns = 9 * SECOND;
            w.link.side[0].retransmitted = w.link.side[0].data_segments = 100;
            w.link.silence_ns = SECOND;
            if (i == TICKS || i == FIN) {
                w.link.side[1].last_data_ns = w.now_ns;
                struct ds_event tick = event_of(DS_EVENT_TICK, 1);
                put(&tick);
            }
            if (i != STAYS)
                half_close(1, i == FIN ? DS_CLOSE_FIN : DS_CLOSE_RESET);
            else if (!in_time)
                continue;
            found("DS201");
            detail_has("; ICMP says: host unreachable");
        }
    }
}

/* One direction is cut: packets in the other one are no answer, and may cease as well. */
static void heard_once(void **state)
{
    enum { TIME, UP_SOON, UP_LATER, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        goes_fading();
        w.now_ns += SECOND;
        struct ds_event tick = event_of(DS_EVENT_TICK, 1);
        put(&tick);
        if (i == TIME) {
            findings_time(w.findings, w.now_ns + 5 * SECOND - 1);
            assert_int_equal(w.num, 0);
            findings_time(w.findings, w.now_ns + 5 * SECOND);
        } else {
            w.now_ns += 3 * SECOND - (i == UP_SOON);
            next_conn();
            up();
        }
        found(i == UP_SOON ? "" : "DS201");
    }
}

/* No answer can come while nothing gets through, and retransmissions are not many losses. */
static void nothing_gets_through(void **state)
{
    (void)state;
    for (int is_over = 0; is_over < 2; is_over++) {
        goes_fading();
        if (is_over)
            put_stall(DS_STALL_LOST, SECOND, true, 4);
        w.link.side[0].retransmitted = w.link.side[0].data_segments = 100;
        struct ds_event tick = event_of(DS_EVENT_TICK, 0);
        put(&tick);
        call(CALL_UNANSWERED, 5 * SECOND);
        found(is_over ? "DS212 DS305" : "DS201");
    }
}

/* If the first data after a silence is answered by a RST, the link may have been forgotten; not if
 * the RST comes from the sender, or if the silence was short. */
static void reset_without_a_word(void **state)
{
    enum { FORGOTTEN, SHORT, OWN_WORD, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        begin();
        up();
        w.now_ns += 20 * SECOND;
        w.link.silence_ns = i == SHORT ? SECOND / 2 - 1 : SECOND / 2;
        w.link.side[i == OWN_WORD].last_data_ns = w.now_ns - MS;
        half_close(1, DS_CLOSE_RESET);
        found("DS204");
        assert_int_equal(w.last.certainty, i == FORGOTTEN ? CERTAINTY_LIKELY : CERTAINTY_SURE);
    }
}

/* Two nodes give each other up while nothing of either is captured, and the end of their link comes
 * when something gets through again: both tick, and have not; or they have connected again. */
static void parted(void **state)
{
    enum { TICKS, SOON, ONE_TICKS, NO_TICKS, AGAIN, AGAIN_FIN, AGAIN_BURST, AGAIN_SOON, RESTARTED, BEFORE, GAP,
           GAP_BEFORE, LATE, PAUSED, AGAIN_PAUSED, OPEN_BEFORE, UNKNOWN_BEFORE, RESTARTED_BEFORE, RESENT,
           RESENT_EARLY, RESENT_PAUSED, RESENT_OFTEN, CASES };
    static const bool is_parted[CASES] = {[TICKS] = true, [AGAIN] = true, [AGAIN_FIN] = true, [GAP_BEFORE] = true,
                                          [LATE] = true, [AGAIN_BURST] = true, [AGAIN_PAUSED] = true,
                                          [OPEN_BEFORE] = true, [UNKNOWN_BEFORE] = true,
                                          [RESENT] = true, [RESENT_PAUSED] = true};
    (void)state;
    for (int i = 0; i < CASES; i++) {
        const bool is_resent = i >= RESENT;
        const bool has_ticks = i < NO_TICKS || (i >= GAP && i <= PAUSED) || i == RESENT || i == RESENT_EARLY ||
                               i == RESENT_OFTEN;
        const bool has_silence = i < AGAIN || (has_ticks && !is_resent);
        const bool was_open = i >= OPEN_BEFORE && i <= RESTARTED_BEFORE; /* before the capture */
        begin();
        if (i == BEFORE) {
            up();
            next_conn();
            w.now_ns += SECOND;
        }
        if (i == LATE) {
            w.conn.end[0].addr = w.conn.end[1].addr = (struct ds_addr){4, {127, 0, 0, 1}};
            w.link.side[0].last_data_ns = w.link.side[1].last_data_ns = w.now_ns;
            change(DS_CONN_UP, 0, false);
        } else if (was_open) {
            for (int end = 0; end < 2; end++) {
                w.conn.end[end].node = text(end == 0 ? "alice@127.0.0.1" : "bob@127.0.0.1");
                w.conn.end[end].addr = (struct ds_addr){4, {127, 0, 0, 1}};
                w.conn.end[end].creation = i == UNKNOWN_BEFORE ? 0 : 5;
                w.link.side[end].last_data_ns = w.now_ns;
            }
            change(DS_CONN_JOINED_LATE, 0, false);
        } else {
            up();
        }
        if (i == GAP_BEFORE)
            put_gap();
        w.now_ns += MS;
        for (int end = 0; end < 2 - (i == ONE_TICKS) && has_ticks; end++) {
            w.link.side[end].tick_intervals = 3;
            w.link.side[end].tick_min_ns = w.link.side[end].tick_max_ns = 4 * SECOND;
            w.link.side[end].tick_last_ns = 4 * SECOND;
        }
        const struct ds_conn conn = w.conn;
        const struct ds_tcp_stats link = w.link;
        const bool is_paused = i == PAUSED || i == AGAIN_PAUSED || i == RESENT_PAUSED;
        for (int k = 0; k < (is_paused ? 1 : 11); k++) { /* others go on */
            w.now_ns += is_paused ? 11 * SECOND : i == AGAIN_SOON ? SECOND / 4 : SECOND;
            next_conn();
            w.conn.number += 50;
            struct ds_event tick = event_of(DS_EVENT_TICK, 0);
            put(&tick);
        }
        if ((i >= AGAIN && i <= RESTARTED) || i == AGAIN_PAUSED || i == RESENT_PAUSED || was_open)
            up_as(i == RESTARTED || i == RESTARTED_BEFORE ? 6 : 5);
        w.now_ns += SECOND;
        w.conn = conn;
        w.conn.link = &w.link;
        w.link = link;
        w.link.silence_ns = has_silence ? 12 * SECOND - (i == SOON) : 0;
        if (i == GAP)
            put_gap();
        for (int end = 0; end < 2 && i == AGAIN_BURST; end++) { /* what was under way */
            w.link.side[end].last_data_ns = w.now_ns - MS;
            w.link.side[end].max_quiet_ns = 12 * SECOND - MS;
        }
        if (is_resent) { /* by an end that had not been acknowledged yet: it has no silence_ns */
            w.link.side[0].pause_from_ns = w.now_ns - 12 * SECOND;
            w.link.side[0].pause_to_ns = w.now_ns - SECOND - (i == RESENT_EARLY);
            w.link.side[0].last_data_ns = w.now_ns;
            w.link.side[0].most_repeats = 1 + (i == RESENT_OFTEN);
        }
        half_close(1, i == AGAIN_FIN ? DS_CLOSE_FIN : DS_CLOSE_RESET);
        if (!is_parted[i]) {
            assert_null(strstr(w.log, "DS201"));
            continue;
        }
        found("DS201");
        /* If the capture had paused, the retransmissions would follow a gap. */
        const bool is_doubtful = (is_paused && !is_resent) || i == UNKNOWN_BEFORE;
        assert_int_equal(w.last.certainty, is_doubtful ? CERTAINTY_POSSIBLE : CERTAINTY_LIKELY);
        assert_int_equal(w.last.severity, is_doubtful ? SEVERITY_WARNING : SEVERITY_ERROR);
        if (i != LATE)
            sentence_is("alice@127.0.0.1 and bob@127.0.0.1 disconnected, as nothing got through between them: "
                        "net_tick_timeout");
        /* A new link ends the silence, a second before the end of the old one. */
        detail_has(has_ticks ? "neither was heard for 12.00 s, though each ticks every 4.00 s"
                              : "neither was heard for 11.00 s, and they connected again");
        assert_int_equal(w.last.last_ns, has_ticks ? w.now_ns : w.now_ns - SECOND);
        assert_int_equal(w.last.is_past, !has_ticks);
    }
}

static void losses(void **state)
{
    (void)state;
    for (uint64_t again = 9; again <= 10; again++) {
        begin();
        up();
        w.link.side[0].data_segments = 1000;
        w.link.side[0].retransmitted = again;
        change(DS_CONN_CLOSED, 0, true);
        found(again == 9 ? "" : "DS212");
    }
    begin();
    up();
    w.link.side[0].data_segments = 1001;
    w.link.side[0].lost_upstream = 10;
    change(DS_CONN_CLOSED, 0, true);
    found("");
    for (uint32_t repeats = 4; repeats <= 5; repeats++) { /* one of them again and again */
        begin();
        up();
        w.link.side[0].data_segments = 100;
        w.link.side[0].retransmitted = 14;
        w.link.side[0].most_repeats = repeats;
        change(DS_CONN_CLOSED, 0, true);
        found(repeats == 5 ? "" : "DS212");
    }
    for (int dir = 0; dir < 2; dir++) { /* while it is busy, and does not tick */
        for (uint64_t again = 9; again <= 10; again++) {
            static const uint8_t nil[] = {106};
            begin();
            up();
            w.link.side[dir].data_segments = 1000;
            w.link.side[dir].lost_upstream = again;
            const struct ds_event event = message(0, nil, sizeof nil);
            put(&event);
            assert_int_equal(w.num, again == 10);
        }
    }
}

static void big_messages(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        begin();
        up();
        struct ds_event event = event_of(DS_EVENT_MESSAGE, 0);
        event.message.size = 50000000;
        event.message.wire_ns = i == 0 ? SECOND - 1 : 2 * SECOND;
        event.message.stalled_ns = i == 1 ? 2 * SECOND : 0;
        put(&event);
        found(i == 2 ? "DS206" : "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(silence),
        cmocka_unit_test(ticks),
        cmocka_unit_test(pauses),
        cmocka_unit_test(resets),
        cmocka_unit_test(flaps),
        cmocka_unit_test(sent_needlessly),
        cmocka_unit_test(stalls_without_a_try),
        cmocka_unit_test(stalls),
        cmocka_unit_test(losses),
        cmocka_unit_test(big_messages),
        cmocka_unit_test(fading),
        cmocka_unit_test(given_up_before_the_end),
        cmocka_unit_test(heard_once),
        cmocka_unit_test(nothing_gets_through),
        cmocka_unit_test(reset_without_a_word),
        cmocka_unit_test(parted),
    };
    leaves_out = "DS214"; /* test_findings_stall.c has them */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
