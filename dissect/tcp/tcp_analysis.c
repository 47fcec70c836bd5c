/*
 * tcp_analysis.c - see tcp_analysis.h. Of the TCP header (RFC 9293) it uses the numbers, the
 * window, two options of a SYN:
 *
 *   2, 4, mss:16              the largest segment it accepts
 *   3, 3, shift:8             windows of later segments are shifted by it (RFC 7323), if both
 *                             SYNs have it
 *
 * and one of the other segments:
 *
 *   5, 2 + 8 n, left:32 right:32 ...   what has come after a hole (RFC 2018); if the first block is
 *                             acknowledged, or within the second, it came twice (RFC 2883)
 *
 * A segment without new bytes was retransmitted, unless it is the same packet captured twice (the
 * same IP identification, or none and almost no time between). If the stream still lacks its bytes,
 * the first copy was lost before it could be captured, or this segment was overtaken. If the sender
 * numbers its packets, as most do over IPv4, an overtaken one has a lower number than those that
 * overtook it. Otherwise an overtaken one comes within a few milliseconds, and before the other end
 * can have caused a retransmission.
 */
#include "tcp/tcp_analysis.h"

#include "tcp/tcp_conn.h"
#include "tcp/tcp_stall.h"

#include <stdlib.h>

enum {
    OPTION_END = 0,
    OPTION_NOP = 1,
    OPTION_MSS = 2,
    OPTION_SCALE = 3,
    OPTION_SACK = 5,
    SACK_LEN = 10, /* with one block */
    MAX_SCALE = 14,
    MAX_OPTIONS = 40,
    LOST_REPEATS = 3,
    LARGE_LEN = 1000,      /* a possible full-size segment, if no MSS is known */
    MSS_SLACK = 60,        /* for TCP options, which reduce it */
    RISES = 4,             /* so many rising identifications are numbers: 2^-24 by chance */
    ID_STEP = 1024,        /* packets that a host sends elsewhere are numbered as well */
    USUAL_TTL = 8,         /* so many segments make a time to live usual: they are not forged */
    REPEATED_ACKS = 3,     /* after so many a segment is retransmitted */
};
#define MS_NS INT64_C(1000000)
#define COPY_NS (MS_NS / 2)          /* between two captures of a packet without identification */
#define OVERTAKEN_NS (3 * MS_NS)
#define LONG_PAUSE_NS (1000 * MS_NS)
#define RUN_PAUSE_NS (5 * MS_NS)     /* a sender that pauses longer has nothing to send */
#define TICK_NS (50 * MS_NS)         /* ticks that were due during a handshake come at once */

struct tcp_analysis *tcp_analysis_new(void)
{
    struct tcp_analysis *facts = calloc(1, sizeof *facts);
    if (facts != NULL)
        facts->link.closed_by = -1;
    return facts;
}

static void read_options(struct tcp_analysis_dir *me, struct ds_tcp_side *side, struct cursor options)
{
    for (int i = 0; i < MAX_OPTIONS; i++) {
        uint8_t kind, len, scale;
        struct cursor value;
        if (!cursor_read_u8(&options, &kind) || kind == OPTION_END)
            return;
        if (kind == OPTION_NOP)
            continue;
        if (!cursor_read_u8(&options, &len) || len < 2 ||
            !cursor_child(&options, len - 2u, &value))
            return;
        uint16_t mss;
        if (kind == OPTION_MSS && cursor_read_u16(&value, &mss))
            side->mss = mss;
        if (kind == OPTION_SCALE && cursor_read_u8(&value, &scale)) {
            me->scale = scale < MAX_SCALE ? scale : MAX_SCALE;
            me->has_scale = true;
        }
    }
}

/* is_copy says whether a segment is a packet that was already captured. */
static bool is_copy(const struct tcp_analysis_dir *me, const struct ds_tcp_side *side,
                    const struct segment *segment, uint32_t len)
{
    for (unsigned i = 0; i < ANALYSIS_RECENT; i++) {
        if (me->recent[i].seq == segment->seq && me->recent[i].len == (uint16_t)len &&
            me->recent[i].ip_id == segment->ip_id)
            return segment->ip_id != 0 ||
                   tcp_elapsed(segment->ts_ns, side->last_ns) < (uint64_t)COPY_NS;
    }
    return false;
}

static void remember(struct tcp_analysis_dir *me, const struct segment *segment, uint32_t len)
{
    const unsigned at = me->recent_next++ % ANALYSIS_RECENT;
    me->recent[at].seq = segment->seq;
    me->recent[at].ip_id = segment->ip_id;
    me->recent[at].len = (uint16_t)len;
}

static void on_syn(struct tcp_analysis *facts, int dir, const struct segment *segment)
{
    struct tcp_analysis_dir *me = &facts->dir[dir];
    struct ds_tcp_side *side = &facts->link.side[dir];
    if (side->syns != 0 && is_copy(me, side, segment, 0)) {
        side->copies++;
        return;
    }
    remember(me, segment, 0);
    side->syns++;
    read_options(me, side, segment->options);
    side->window = segment->window;
    me->high_seq = segment->seq + 1;
    me->has_high = true;
    if (facts->syn_ns == 0)
        facts->syn_ns = segment->ts_ns;
    const struct ds_tcp_side *other = &facts->link.side[!dir];
    side->is_scaled = facts->link.side[!dir].is_scaled = other->syns != 0;
    const bool scales = side->is_scaled && me->has_scale && facts->dir[!dir].has_scale;
    me->shift = scales ? me->scale : 0;
    facts->dir[!dir].shift = scales ? facts->dir[!dir].scale : 0;
}

/* is_full says whether a segment has full size, as limited by the MSS of the other end. */
static bool is_full(const struct tcp_analysis *facts, int dir, uint32_t len)
{
    const uint32_t mss = facts->link.side[!dir].mss;
    return mss != 0 ? len + MSS_SLACK >= mss : len >= LARGE_LEN;
}

/* come_to records that all bytes before seq have been seen here or acknowledged. */
static void come_to(struct tcp_analysis *facts, int dir, uint32_t seq)
{
    struct tcp_analysis_dir *me = &facts->dir[dir];
    struct ds_tcp_side *side = &facts->link.side[dir];
    if (me->has_whole && tcp_diff(seq, me->whole_seq) <= 0)
        return;
    me->whole_seq = seq;
    me->has_whole = true;
    if (me->missing_told)
        me->filled_ns = side->missing_ns;
    me->passes_full = me->missing_told = false;
    me->beyond = 0;
    side->missing = 0;
    side->missing_ns = 0;
}

/* update_missing counts missing bytes: the number of a segment shows what was sent before it. If
 * those bytes do not come, but small segments do, they are too large for the path, and are lost
 * before the point of capture. */
static void update_missing(struct tcp_analysis *facts, int dir, const struct segment *segment,
                           uint32_t len)
{
    struct tcp_analysis_dir *me = &facts->dir[dir];
    struct ds_tcp_side *side = &facts->link.side[dir];
    const int32_t ahead = tcp_diff(segment->seq, me->whole_seq);
    if (len != 0 && (!me->has_whole || ahead <= 0)) {
        come_to(facts, dir, segment->seq + len);
        return;
    }
    if (!me->has_whole || ahead < LARGE_LEN || ahead > TCP_NEAR || (segment->flags & TCP_RST) != 0)
        return;
    if (len != 0 && is_full(facts, dir, len)) {
        me->passes_full = true;
        side->missing = 0;
        side->missing_ns = 0;
    }
    if (me->passes_full)
        return;
    if (side->missing_ns == 0)
        side->missing_ns = segment->ts_ns;
    const uint32_t missing = (uint32_t)ahead > me->beyond ? (uint32_t)ahead - me->beyond : 0;
    if (side->missing < missing)
        side->missing = missing;
    if (me->has_high && tcp_diff(segment->seq + len, me->high_seq) > 0)
        me->beyond += len;
}

/* has_come_twice says whether the SACK option reports bytes that came twice. */
static bool has_come_twice(struct cursor options, uint32_t ack)
{
    for (int i = 0; i < MAX_OPTIONS; i++) {
        uint8_t kind, len;
        struct cursor blocks;
        uint32_t left, right, next_left, next_right;
        if (!cursor_read_u8(&options, &kind) || kind == OPTION_END)
            return false;
        if (kind == OPTION_NOP)
            continue;
        if (!cursor_read_u8(&options, &len) || len < 2 || !cursor_child(&options, len - 2u, &blocks))
            return false;
        if (kind != OPTION_SACK)
            continue;
        if (!cursor_read_u32(&blocks, &left) || !cursor_read_u32(&blocks, &right))
            return false;
        if (tcp_diff(right, ack) <= 0)
            return true;
        return cursor_read_u32(&blocks, &next_left) && cursor_read_u32(&blocks, &next_right) &&
               tcp_diff(left, next_left) >= 0 && tcp_diff(right, next_right) <= 0;
    }
    return false;
}

/* on_ack processes the acknowledgement and window that the other direction sends for dir.
 * Returns whether it filled in stall. */
static bool on_ack(struct tcp_analysis *facts, int dir, const struct segment *segment,
                   struct ds_stall *stall)
{
    struct tcp_analysis_dir *me = &facts->dir[dir];
    struct ds_tcp_side *side = &facts->link.side[dir], *other = &facts->link.side[!dir];
    bool has_ended = false;
    const uint32_t window = (uint32_t)segment->window << facts->dir[!dir].shift;
    if (cursor_left(&segment->options) >= SACK_LEN)
        side->needless += has_come_twice(segment->options, segment->ack);
    come_to(facts, dir, segment->ack);
    if (!me->has_acked || tcp_diff(segment->ack, me->acked) > 0) {
        me->acked = segment->ack;
        me->has_acked = true;
        if (me->has_high && tcp_diff(me->acked, me->high_seq) > TCP_NEAR)
            me->high_seq = me->acked;
        me->repeats = 0;
        me->repeated_acks = 0;
        if (me->lost_ns != 0) {
            tcp_stall_recover(me, segment->ts_ns, stall);
            has_ended = true;
        }
        if (me->timed_ns != 0 && tcp_diff(segment->ack, me->timed_seq) >= 0) {
            ds_histogram_add(&side->round_trip, segment->ts_ns - me->timed_ns);
            me->timed_ns = 0;
        }
    } else if (tcp_diff(segment->ack, me->acked) < 0) {
        return false; /* an older one, late */
    } else {
        me->repeated_acks += me->repeated_acks < REPEATED_ACKS;
        if (me->lost_ns != 0 && tcp_stall_heard(me, segment->ts_ns, facts->link.handshake_ns, stall))
            has_ended = true;
    }
    if (window == 0) {
        other->zero_windows += other->window != 0 || other->zero_windows == 0;
        other->window = 0;
        tcp_stall_begin(me, DS_STALL_ZERO_WINDOW, segment->ts_ns);
        return has_ended;
    }
    other->window = window;
    if (me->stall_ns == 0)
        return has_ended;
    const uint32_t flight = tcp_in_flight(me);
    if (me->stall_why == DS_STALL_FULL_WINDOW && flight != 0 && window < flight + other->mss)
        return has_ended;
    struct ds_stall window_stall;
    if (!tcp_stall_end(facts, dir, segment->ts_ns, &window_stall))
        return has_ended;
    *stall = window_stall;
    return true;
}

/* note_id processes the IP identification of a segment with new bytes. */
static void note_id(struct tcp_analysis_dir *me, uint16_t ip_id)
{
    const uint16_t step = (uint16_t)(ip_id - me->high_id);
    const bool rises = ip_id != 0 && step != 0 && step < ID_STEP;
    me->id_rises = !rises ? 0 : me->id_rises < RISES ? me->id_rises + 1 : RISES;
    me->high_id = ip_id;
}

/* is_overtaken says whether a segment that fills a hole was sent before those that left the
 * hole. */
static bool is_overtaken(const struct tcp_analysis *facts, const struct tcp_analysis_dir *me,
                         const struct segment *segment)
{
    const uint64_t late_ns = tcp_elapsed(segment->ts_ns, me->hole_ns);
    if (me->id_rises == RISES && segment->ip_id != 0)
        return (uint16_t)(me->high_id - segment->ip_id) < UINT16_MAX / 2;
    if (me->repeated_acks == REPEATED_ACKS && facts->link.handshake_ns != 0 &&
        late_ns >= (uint64_t)facts->link.handshake_ns)
        return false;
    return late_ns < (uint64_t)OVERTAKEN_NS;
}

/* is_probe says whether a retransmission that ends at end is a probe: the window of the other
 * end does not allow more. */
static bool is_probe(const struct tcp_analysis_dir *me, const struct ds_tcp_side *other, uint32_t end)
{
    if (other->segments == 0 || !me->has_acked)
        return false;
    return other->window == 0 ||
           (other->is_scaled && tcp_diff(end, me->acked + other->window) > 0);
}

/* on_retransmission processes a segment without new bytes. True if it is one too many: stall is
 * filled in. */
static bool on_retransmission(struct tcp_analysis *facts, int dir, const struct segment *segment,
                              uint32_t len, bool is_missing, struct ds_stall *stall)
{
    struct tcp_analysis_dir *me = &facts->dir[dir];
    struct ds_tcp_side *side = &facts->link.side[dir];
    const struct ds_tcp_side *other = &facts->link.side[!dir];
    me->timed_ns = 0; /* an acknowledgement may be for either copy */
    me->tick_is_late = true;
    if (is_missing) {
        if (is_overtaken(facts, me, segment)) {
            side->reordered++;
            return false;
        }
        side->lost_upstream++;
    } else if (is_probe(me, other, segment->seq + len)) {
        side->probes++;
        if (other->last_ns > side->last_data_ns) { /* the one before was answered */
            me->repeats = 0;
            return false;
        }
    } else {
        side->retransmitted++;
        side->retransmitted_bytes += len;
    }
    side->retransmitted_large += is_full(facts, dir, len);
    if (me->has_acked && tcp_diff(segment->seq + len, me->acked) <= 0)
        return false; /* it has arrived, and its acknowledgement was lost: a loss of the other direction */
    if (me->repeats == 0 || me->repeat_seq != segment->seq) {
        me->repeat_seq = segment->seq;
        me->repeats = 0;
        me->repeat_ns = segment->ts_ns;
    }
    me->repeats++;
    side->repeated_ns = segment->ts_ns;
    if (me->repeats > side->most_repeats) {
        side->most_repeats = me->repeats;
        side->most_repeats_len = len;
    }
    if (me->lost_ns != 0 && me->heard_ns != 0 && me->again_ns == 0)
        me->again_ns = segment->ts_ns;
    if (me->repeats != LOST_REPEATS || me->lost_ns != 0)
        return false;
    tcp_stall_on_loss(me, segment->ts_ns, len, stall);
    return true;
}

/* on_new_data processes a segment with new bytes. True if it ended a stall: the sender's window
 * was full. */
static bool on_new_data(struct tcp_analysis *facts, int dir, const struct segment *segment, uint32_t end,
                        struct ds_stall *stall)
{
    struct tcp_analysis_dir *me = &facts->dir[dir];
    struct ds_tcp_side *side = &facts->link.side[dir];
    const struct ds_tcp_side *other = &facts->link.side[!dir];
    const int64_t now_ns = segment->ts_ns;
    const bool has_ended = me->stall_ns != 0 && me->stall_why == DS_STALL_FULL_WINDOW &&
                           tcp_stall_end(facts, dir, now_ns, stall);
    if (side->last_data_ns != 0 && now_ns - side->last_data_ns > side->max_idle_ns)
        side->max_idle_ns = now_ns - side->last_data_ns;
    if (me->run_ns != 0 && tcp_in_flight(me) == 0 && now_ns - me->run_at_ns > RUN_PAUSE_NS)
        me->run_ns = 0;
    me->run_at_ns = now_ns;
    if (me->has_high && tcp_diff(segment->seq, me->high_seq) > 0) {
        me->hole_ns = now_ns;
        me->repeated_acks = 0;
    }
    note_id(me, segment->ip_id);
    me->high_seq = end;
    me->has_high = true;
    if (me->timed_ns == 0) {
        me->timed_seq = end;
        me->timed_ns = now_ns;
    }
    const uint32_t flight = tcp_in_flight(me);
    if (flight > side->max_in_flight)
        side->max_in_flight = flight;
    if (flight != 0 && other->is_scaled && me->stall_ns == 0 && other->window < flight + other->mss)
        tcp_stall_begin(me, DS_STALL_FULL_WINDOW, now_ns);
    return has_ended;
}

/* leaps says whether a segment is so far ahead, beyond any known window, that neither end may
 * have sent it: if it counted, the next ones would seem to be retransmitted. */
static bool leaps(const struct tcp_analysis *facts, int dir, const struct segment *segment)
{
    const struct tcp_analysis_dir *me = &facts->dir[dir];
    const struct ds_tcp_side *other = &facts->link.side[!dir];
    const uint32_t window = other->is_scaled && other->window > TCP_NEAR ? other->window : TCP_NEAR;
    return me->has_high && tcp_diff(segment->seq, me->high_seq) > TCP_NEAR &&
           (!me->has_acked || segment->seq - me->acked > window);
}

/* add_gap processes the time since the last segment with payload. */
static void add_gap(struct ds_tcp_side *side, int64_t ts_ns)
{
    enum { OF_LATE = 16 };
    int64_t gap_ns;
    if (__builtin_sub_overflow(ts_ns, side->last_data_ns, &gap_ns) || gap_ns < 0)
        return;
    if (gap_ns > side->max_quiet_ns)
        side->max_quiet_ns = gap_ns;
    if (gap_ns >= LONG_PAUSE_NS) {
        side->pause_from_ns = side->last_data_ns;
        side->pause_to_ns = ts_ns;
        side->pause_heard_ns = side->last_ns;
        side->pause_usual_ns = side->usual_gap_ns;
    }
    const int64_t more_ns = (gap_ns - side->usual_gap_ns) / OF_LATE;
    side->usual_gap_ns = side->usual_gap_ns == 0 ? gap_ns : side->usual_gap_ns + more_ns;
}

static bool on_data(struct tcp_analysis *facts, int dir, const struct segment *segment, uint32_t len,
                    bool is_missing, struct ds_stall *stall)
{
    struct tcp_analysis_dir *me = &facts->dir[dir];
    struct ds_tcp_side *side = &facts->link.side[dir];
    const uint32_t end = segment->seq + len;
    const bool is_new = !me->has_high || tcp_diff(end, me->high_seq) > 0;
    if (is_new && leaps(facts, dir, segment))
        return false;
    if (!is_new && len <= 1 && segment->seq + 1 == me->high_seq) {
        side->keepalives++;
        return false;
    }
    if (!is_new && is_copy(me, side, segment, len)) {
        side->copies++;
        return false;
    }
    remember(me, segment, len);
    side->data_segments++;
    side->data_bytes += len;
    if (side->last_data_ns != 0)
        add_gap(side, segment->ts_ns);
    bool has_ended = false;
    if (is_new)
        has_ended = on_new_data(facts, dir, segment, end, stall);
    else
        has_ended = on_retransmission(facts, dir, segment, len, is_missing, stall);
    side->last_data_ns = segment->ts_ns;
    return has_ended;
}

/* update_silence processes the first segment with payload after both ends were silent. */
static void update_silence(struct tcp_analysis *facts, int dir, const struct segment *segment,
                           uint32_t len)
{
    const int64_t a_ns = facts->link.side[0].last_ns, b_ns = facts->link.side[1].last_ns;
    const int64_t latest_ns = a_ns > b_ns ? a_ns : b_ns;
    if (len == 0 || latest_ns == 0 || segment->ts_ns <= latest_ns ||
        tcp_in_flight(&facts->dir[0]) != 0 || tcp_in_flight(&facts->dir[1]) != 0)
        return;
    facts->link.silence_ns = segment->ts_ns - latest_ns;
    facts->silence_dir = (int8_t)dir;
}

/* on_answer processes a segment of the end that did not break the silence, if it shows that
 * bytes have arrived: an acknowledgement without data, or one that leaves fewer than had bytes
 * in flight. */
static void on_answer(struct tcp_analysis *facts, int dir, const struct segment *segment,
                      uint32_t len, uint32_t had)
{
    struct ds_tcp_stats *link = &facts->link;
    const bool is_alone = len == 0 && (segment->flags & (TCP_FIN | TCP_RST)) == 0;
    if (link->silence_ns == 0 || dir == facts->silence_dir ||
        (!is_alone && tcp_in_flight(&facts->dir[!dir]) >= had))
        return;
    if (link->silence_ns > link->longest_silence_ns)
        link->longest_silence_ns = link->silence_ns;
    link->silence_ns = 0;
}

int ds_tcp_unseen(const struct ds_tcp_stats *link)
{
    for (int end = 0; end < 2; end++) {
        if (link->side[end].segments == 0 && link->side[!end].segments > link->side[!end].syns)
            return end;
    }
    return -1;
}

/* update_ttl keeps a second time to live if many segments have it: the route changed, or packets
 * are captured at two places. */
static __attribute__((noinline)) void update_ttl(struct tcp_analysis *facts, int dir, uint8_t ttl)
{
    struct tcp_analysis_dir *me = &facts->dir[dir];
    struct ds_tcp_side *side = &facts->link.side[dir];
    if (side->segments == 1) {
        side->usual_ttl[0] = ttl;
        return;
    }
    if (me->num_other_ttl == 0)
        me->other_ttl = ttl;
    if (me->other_ttl != ttl)
        me->num_other_ttl--;
    else if (me->num_other_ttl < USUAL_TTL && ++me->num_other_ttl == USUAL_TTL)
        side->usual_ttl[1] = ttl;
}

int tcp_analyse_segment(struct tcp_analysis *facts, int dir, const struct segment *segment, uint32_t len,
                        bool started, uint32_t next_seq, struct ds_stall *stall)
{
    struct tcp_analysis_dir *me = &facts->dir[dir];
    struct ds_tcp_side *side = &facts->link.side[dir];
    const uint32_t had = facts->link.silence_ns != 0 ? tcp_in_flight(&facts->dir[!dir]) : 0;
    int ended = -1;
    side->segments++;
    side->ttl = segment->ttl;
    if (segment->ttl != side->usual_ttl[0])
        update_ttl(facts, dir, segment->ttl);
    me->stall_tries += me->stall_ns != 0 && me->stall_tries < UINT32_MAX;
    update_silence(facts, dir, segment, len);
    if ((segment->flags & TCP_SYN) != 0) {
        on_syn(facts, dir, segment);
    } else {
        if ((segment->flags & TCP_ACK) != 0) {
            if (dir == 0 && facts->link.handshake_ns == 0 && facts->syn_ns != 0 &&
                facts->link.side[1].syns == 1 && side->syns == 1)
                facts->link.handshake_ns = (int64_t)tcp_elapsed(segment->ts_ns, facts->syn_ns);
            if (on_ack(facts, !dir, segment, stall))
                ended = !dir;
            on_answer(facts, dir, segment, len, had);
        }
        struct ds_stall own;
        update_missing(facts, dir, segment, len);
        if (len != 0) {
            const bool is_missing = started && tcp_diff(segment->seq, next_seq) >= 0;
            if (on_data(facts, dir, segment, len, is_missing, &own) && ended < 0) {
                *stall = own;
                ended = dir;
            }
        } else if (me->has_high && segment->seq + 1 == me->high_seq &&
                 (segment->flags & TCP_FIN) == 0 && side->data_segments != 0) {
            side->keepalives++;
        }
        if ((segment->flags & TCP_FIN) != 0 && facts->link.closed_by < 0 &&
            facts->link.side[!dir].segments != 0)
            facts->link.closed_by = (int8_t)dir;
    }
    if (side->first_ns == 0)
        side->first_ns = segment->ts_ns;
    side->last_ns = segment->ts_ns;
    for (int d = 0; d < 2 && ended < 0; d++) {
        if (tcp_stall_missing(facts, d, segment->ts_ns, stall))
            ended = d;
    }
    return ended;
}

void tcp_analysis_ignore(struct tcp_analysis *facts, int dir, uint8_t flags, uint8_t ttl,
                         uint64_t frame, int64_t ts_ns)
{
    struct ds_ignored *ignored = &facts->link.side[dir].ignored;
    if ((flags & TCP_RST) != 0)
        ignored->resets++;
    else if ((flags & TCP_SYN) != 0)
        ignored->syns++;
    else
        ignored->others++;
    if (ignored->first_frame == 0) {
        ignored->first_frame = frame;
        ignored->first_ns = ts_ns;
        ignored->min_ttl = ignored->max_ttl = ttl;
    }
    ignored->min_ttl = ttl < ignored->min_ttl ? ttl : ignored->min_ttl;
    ignored->max_ttl = ttl > ignored->max_ttl ? ttl : ignored->max_ttl;
    ignored->last_frame = frame;
}

void tcp_analysis_tick(struct tcp_analysis *facts, int dir, int64_t now_ns, uint64_t num_frames)
{
    struct tcp_analysis_dir *me = &facts->dir[dir];
    struct ds_tcp_side *side = &facts->link.side[dir];
    const int64_t interval_ns = now_ns - me->tick_ns;
    if (me->tick_ns != 0 && !me->tick_is_late && me->tick_frames + 1 == num_frames &&
        interval_ns >= TICK_NS) {
        if (side->tick_intervals++ == 0)
            side->tick_min_ns = side->tick_max_ns = interval_ns;
        side->tick_min_ns = interval_ns < side->tick_min_ns ? interval_ns : side->tick_min_ns;
        side->tick_max_ns = interval_ns > side->tick_max_ns ? interval_ns : side->tick_max_ns;
        side->tick_last_ns = interval_ns;
    }
    me->tick_ns = me->tick_is_late ? 0 : now_ns; /* a late tick does not begin an interval */
    me->tick_is_late = false;
    me->tick_frames = num_frames;
}
