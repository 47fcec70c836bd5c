/*
 * tcp_stall.c - see tcp_stall.h.
 */
#include "tcp/tcp_stall.h"

#define MS_NS INT64_C(1000000)
#define ZERO_WINDOW_NS (100 * MS_NS) /* shorter ones are not reported */
#define FULL_WINDOW_NS (200 * MS_NS) /* the same */
#define HEARD_NS (200 * MS_NS)       /* an acknowledgement arrives within this time */
#define ONGOING_NS (1000 * MS_NS)    /* then it is reported while it lasts */
#define ANSWER_NS (3000 * MS_NS)     /* the kernels' answers are awaited this long */
#define MISSING_NS (3000 * MS_NS)    /* by then it was retransmitted about three times */

void tcp_stall_begin(struct tcp_analysis_dir *me, enum ds_stall_why why, int64_t now_ns)
{
    if (me->stall_ns == 0) {
        me->stall_ns = now_ns;
        me->stall_flight = tcp_in_flight(me);
        me->stall_tries = 0;
        me->stall_told = false;
    }
    me->stall_why = why;
}

static struct ds_stall describe(const struct tcp_analysis_dir *me, int64_t now_ns, bool is_over)
{
    return (struct ds_stall){
        .why = me->stall_why,
        .is_over = is_over,
        .start_ns = me->stall_ns,
        .duration_ns = (int64_t)tcp_elapsed(now_ns, me->stall_ns),
        .in_flight = me->stall_flight,
        .tries = me->stall_tries,
    };
}

/* is_remarkable says whether a stall is unusually long: a window that is full for one round trip
 * is not. */
static bool is_remarkable(const struct tcp_analysis *facts, const struct ds_stall *stall)
{
    if (stall->why == DS_STALL_ZERO_WINDOW)
        return stall->duration_ns >= ZERO_WINDOW_NS;
    return stall->duration_ns >= FULL_WINDOW_NS &&
           stall->duration_ns / 4 >= facts->link.handshake_ns;
}

/* add_span adds without overflow: times are not checked. */
static void add_span(int64_t *sum, int64_t ns)
{
    *sum = ns < INT64_MAX - *sum ? *sum + ns : INT64_MAX;
}

bool tcp_stall_end(struct tcp_analysis *facts, int dir, int64_t now_ns, struct ds_stall *stall)
{
    struct tcp_analysis_dir *me = &facts->dir[dir];
    struct ds_tcp_side *side = &facts->link.side[dir];
    *stall = describe(me, now_ns, true);
    me->stall_ns = 0;
    if (!is_remarkable(facts, stall))
        return false;
    me->tick_is_late = true;
    side->stalls++;
    add_span(&side->stalled_ns, stall->duration_ns);
    if (stall->duration_ns > side->longest_stall_ns)
        side->longest_stall_ns = stall->duration_ns;
    add_span(&me->run_ns, stall->duration_ns);
    me->run_at_ns = now_ns;
    return true;
}

static struct ds_stall describe_lost(const struct tcp_analysis_dir *me, int64_t now_ns, bool is_over,
                                     uint32_t len)
{
    return (struct ds_stall){
        .why = DS_STALL_LOST,
        .is_over = is_over,
        .start_ns = me->lost_ns,
        .duration_ns = (int64_t)tcp_elapsed(now_ns, me->lost_ns),
        .in_flight = len,
        .from_seq = me->has_acked ? me->acked : me->repeat_seq,
    };
}

void tcp_stall_on_loss(struct tcp_analysis_dir *me, int64_t now_ns, uint32_t len, struct ds_stall *stall)
{
    me->lost_ns = me->repeat_ns;
    me->lost_len = len;
    me->heard_ns = me->again_ns = 0;
    me->heard_told = false;
    *stall = describe_lost(me, now_ns, false, len);
}

void tcp_stall_recover(struct tcp_analysis_dir *me, int64_t now_ns, struct ds_stall *stall)
{
    *stall = describe_lost(me, now_ns, true, 0);
    add_span(&me->run_ns, stall->duration_ns);
    me->run_at_ns = now_ns;
    me->lost_ns = 0;
}

bool tcp_stall_heard(struct tcp_analysis_dir *me, int64_t now_ns, int64_t handshake_ns,
                     struct ds_stall *stall)
{
    if (me->heard_ns == 0)
        me->heard_ns = now_ns;
    if (me->heard_told || me->again_ns == 0 ||
        tcp_elapsed(now_ns, me->again_ns) < (uint64_t)HEARD_NS + 2 * (uint64_t)handshake_ns)
        return false;
    me->heard_told = true;
    *stall = describe_lost(me, now_ns, false, me->lost_len);
    stall->is_heard = true;
    return true;
}

bool tcp_stall_missing(struct tcp_analysis *facts, int dir, int64_t now_ns, struct ds_stall *stall)
{
    struct tcp_analysis_dir *me = &facts->dir[dir];
    const struct ds_tcp_side *side = &facts->link.side[dir], *other = &facts->link.side[!dir];
    const int64_t both_ns = side->last_ns < other->last_ns ? side->last_ns : other->last_ns;
    const bool is_over = me->filled_ns != 0;
    if (!is_over && (side->missing_ns == 0 || me->missing_told || both_ns < side->missing_ns ||
                     tcp_elapsed(both_ns, side->missing_ns) < (uint64_t)MISSING_NS))
        return false;
    *stall = (struct ds_stall){
        .why = DS_STALL_MISSING,
        .is_over = is_over,
        .start_ns = is_over ? me->filled_ns : side->missing_ns,
        .in_flight = side->missing,
    };
    stall->duration_ns = (int64_t)tcp_elapsed(now_ns, stall->start_ns);
    me->filled_ns = 0;
    me->missing_told = !is_over;
    return true;
}

/* have_answered says whether all kernels that know a socket of this connection answered since a time. */
static bool have_answered(const struct tcp_analysis *facts, int64_t since_ns)
{
    bool is_known = false;
    for (int end = 0; end < 2; end++) {
        const int64_t asked_ns = facts->link.side[end].socket.asked_ns;
        if (asked_ns != 0 && asked_ns < since_ns)
            return false;
        is_known |= asked_ns != 0;
    }
    return is_known;
}

bool tcp_analysis_time(struct tcp_analysis *facts, int dir, bool asks_kernels, int64_t now_ns,
                       struct ds_stall *stall)
{
    struct tcp_analysis_dir *me = &facts->dir[dir];
    if (me->stall_ns == 0 || me->stall_told)
        return false;
    *stall = describe(me, now_ns, false);
    if (stall->duration_ns < ONGOING_NS || !is_remarkable(facts, stall) ||
        (asks_kernels && stall->duration_ns < ANSWER_NS && !have_answered(facts, me->stall_ns)))
        return false;
    me->stall_told = true;
    return true;
}

bool tcp_analysis_end(struct tcp_analysis *facts, int dir, int64_t now_ns, struct ds_stall *stall)
{
    if (facts->dir[dir].stall_ns == 0 || !tcp_stall_end(facts, dir, now_ns, stall))
        return false;
    stall->is_over = false;
    return true;
}
