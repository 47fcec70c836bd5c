/*
 * step_end.c - the message that ends a call: an answer, or the exit of the process that
 * should have given one.
 */
#include "analyse/calls/call_parent.h"
#include "analyse/calls/calls_by_caller.h"
#include "analyse/calls/step.h"

void step_set_end(struct step *s, struct open_call *call, enum note_role role,
                  enum call_outcome outcome)
{
    s->ending = call;
    s->end = (struct call_end){.event = s->event, .end_ns = s->event->ts_ns, .outcome = outcome};
    s->note->role = role;
    s->note->label = call->line->label;
    s->note->group = call->line->group;
    s->note->call = call->number;
    s->note->outcome = outcome;
    s->note->answers_unread = call->is_unread;
    s->note->has_latency = call->start_frame == 0 || s->event->frame != call->start_frame ||
                           s->event->ts_ns != call->start_ns;
    s->note->latency_ns = s->event->ts_ns > call->start_ns ? s->event->ts_ns - call->start_ns : 0;
}

void step_set_error(struct step *s, const char *class, const struct ds_term *reason)
{
    s->end.outcome = s->note->outcome = CALL_ERROR;
    s->end.error_class = class;
    s->end.reason = *reason;
}

/* judge_result decides by otp.def whether the answer is a failure. False if that has no rows for
 * answers to such calls. */
static bool judge_result(struct correlate *c, struct step *s, const struct ds_otp_line *line,
                         const struct ds_term *reply)
{
    struct ds_otp_match result;
    s->end.result = *reply;
    if (!ds_otp_find_result(c->otp, line, reply, &result)) {
        if (!step_is_undecided(reply) ||
            !ds_otp_has_results(c->otp, line, !ds_term_is_unknown_atom(reply)))
            return false;
        s->end.outcome = s->note->outcome = CALL_UNKNOWN;
        return true;
    }
    if (result.kind == DS_OTP_FAILURE) {
        const struct ds_term *reason = ds_otp_get(&result, DS_OTP_REASON);
        step_set_error(s, result.line->label, reason != NULL ? reason : reply);
        s->end.result = (struct ds_term){0};
    } else if (ds_otp_get(&result, DS_OTP_REPLY_TERM) != NULL) {
        s->end.result = *ds_otp_get(&result, DS_OTP_REPLY_TERM);
    }
    return true;
}

/* learn_callee records that the process that answers has done the work. For rpc:call it learns no
 * name: rex has calls done by other processes. */
static void learn_callee(struct correlate *c, struct step *s, struct open_call *call)
{
    if (step_know_from(c, s))
        call_parent_set_callee(&c->calls, call, &s->from,
                               strcmp(call->line->label, "rpc:call") != 0);
}

void step_end_by_reply(struct correlate *c, struct step *s, struct open_call *call,
                       const struct ds_term *reply)
{
    learn_callee(c, s, call);
    call_parent_answered(&c->calls, call, s->event->ts_ns);
    step_set_end(s, call, NOTE_REPLY, CALL_OK);
    if (call->is_undecided)
        s->end.outcome = s->note->outcome = CALL_UNKNOWN;
    judge_result(c, s, call->line, reply);
}

void step_on_late_reply(struct correlate *c, struct step *s, struct open_call *call)
{
    s->note->role = NOTE_REPLY;
    s->note->late = true;
    s->note->answers_unread = call->is_unread;
    s->note->label = call->line->label;
    s->note->group = call->line->group;
    s->note->call = call->number;
    s->note->has_latency = true;
    s->note->latency_ns = s->event->ts_ns > call->start_ns ? s->event->ts_ns - call->start_ns : 0;
    learn_callee(c, s, call);
    calls_heard_late(&c->calls, call, s->event->ts_ns);
}

/* usual_time is a typical timeout: a multiple of a unit. A timer never fires early, but it may fire
 * late on a busy machine. Yet the packets may be closer together than the timeout: the caller
 * starts the timer when it has handed the request to its node, which sends it when the connection
 * is scheduled, 2 to 5 ms later on a busy machine, and the message that shows that it stopped waiting may
 * not have to wait. */
struct usual_time {
    int64_t unit_ns, late_ns; /* late_ns: at most, and at most a tenth of the time */
};

#define MS INT64_C(1000000)
#define LEFT_LATE_NS (5 * MS)
#define DEFAULT_NS (5000 * MS) /* of gen_server:call, gen_statem:call, erpc, rpc:server_call ... */
#define DEFAULT_LATE_NS (100 * MS)

/* Whole seconds are usual; of other times only few are certain to be deliberate. */
static const struct usual_time usual_times[] = {{1000 * MS, 500 * MS}, {100 * MS, 50 * MS}};

static bool looks_like_timeout(int64_t waited_ns)
{
    enum { SLACK_PART = 10 };
    for (size_t i = 0; i < sizeof usual_times / sizeof usual_times[0]; i++) {
        const struct usual_time usual = usual_times[i];
        const int64_t times = (waited_ns + LEFT_LATE_NS) / usual.unit_ns;
        const int64_t beyond_ns = waited_ns - times * usual.unit_ns; /* negative: it was sent late */
        if (times > 0 && beyond_ns <= usual.late_ns && beyond_ns * SLACK_PART <= waited_ns)
            return true;
    }
    return false;
}

/* waited_before says whether a call whose request was stalled before it was sent may have lasted a usual
 * timeout since its caller asked. */
static bool waited_before(int64_t waited_ns, int64_t stalled_ns)
{
    const int64_t unit_ns = usual_times[sizeof usual_times / sizeof usual_times[0] - 1].unit_ns;
    int64_t longest_ns;
    return !__builtin_add_overflow(waited_ns, stalled_ns, &longest_ns) &&
           longest_ns / unit_ns > waited_ns / unit_ns;
}

/* judge_timeout: a caller that waits no longer after such a time looks as if its call had timed out; so
 * does one that paused for so long, or was killed. Few pause for the default of gen_server:call. */
static enum call_outcome judge_timeout(int64_t waited_ns, int64_t stalled_ns, enum certainty *certainty)
{
    if (!looks_like_timeout(waited_ns)) {
        if (!waited_before(waited_ns, stalled_ns))
            return CALL_ABANDONED;
        *certainty = CERTAINTY_POSSIBLE;
        return CALL_TIMEOUT;
    }
    *certainty = waited_ns >= DEFAULT_NS - LEFT_LATE_NS && waited_ns <= DEFAULT_NS + DEFAULT_LATE_NS
                     ? CERTAINTY_LIKELY
                     : CERTAINTY_POSSIBLE;
    return CALL_TIMEOUT;
}

enum call_outcome step_how_given_up(const struct correlate *c, const struct open_call *call,
                                    const struct ds_event *event, enum certainty *certainty)
{
    *certainty = CERTAINTY_SURE;
    if (calls_may_be_answered(&c->calls, call) || call->place == ANSWER_PLACE_UNKNOWN)
        return CALL_UNKNOWN;
    if (call->place == ANSWER_ELSEWHERE)
        return CALL_ANSWERED_ELSEWHERE;
    if (!call->is_forwarded && calls_lost_answer(call, event->conn))
        return CALL_UNKNOWN;
    return calls_by_caller_reacts(&c->calls, call, event->ts_ns)
               ? CALL_ABANDONED
               : judge_timeout(event->ts_ns - call->start_ns, call->stalled_ns, certainty);
}

void step_on_crossed(struct correlate *c, struct step *s)
{
    struct pending_call *held =
        step_know_from(c, s) ? calls_find_crossed(&c->calls, &s->from, &s->watched) : NULL;
    if (held == NULL)
        return;
    const struct call *call = held->copy->call;
    const int64_t waited_ns = s->event->ts_ns - call->start_ns;
    enum certainty certainty = CERTAINTY_SURE;
    s->note->label = call->label;
    s->note->group = call->group;
    s->note->call = call->number;
    s->note->outcome = held->may_be_elsewhere ? CALL_UNKNOWN
                       : held->is_elsewhere   ? CALL_ANSWERED_ELSEWHERE
                                              : judge_timeout(waited_ns, 0, &certainty);
    s->note->has_latency = true;
    s->note->latency_ns = waited_ns > 0 ? waited_ns : 0;
    calls_set_given_up(&c->calls, held, s->event, s->note->outcome, certainty);
}

bool step_is_undecided(const struct ds_term *term)
{
    struct ds_term part;
    struct ds_text text;
    if (ds_term_is_unknown_atom(term))
        return true;
    for (uint32_t i = 0; i < 2 && ds_term_get_element(term, i, &part); i++) {
        if (ds_term_is_unknown_atom(&part))
            return true;
        if (ds_term_get_atom(&part, &text))
            return false;
    }
    return false;
}

bool step_is_atom(const struct ds_term *term, const char *word)
{
    struct ds_text text;
    return ds_term_get_atom(term, &text) && text.len == strlen(word) &&
           memcmp(text.data, word, text.len) == 0;
}

void step_end_by_exit(struct correlate *c, struct step *s, struct open_call *call,
                      const struct ds_term *reason)
{
    step_set_end(s, call, NOTE_DOWN, CALL_OK);
    s->is_down = true;
    if (call->answer_is_exit && judge_result(c, s, call->line, reason)) {
        /* Such an answer may arrive as the caller stops waiting, too; only then its record has to wait. */
        s->is_down = looks_like_timeout(s->event->ts_ns - call->start_ns);
        return;
    }
    s->end.result = (struct ds_term){0};
    switch (step_how_ended(reason)) {
    case MONITOR_UNKNOWN:
        s->end.outcome = s->note->outcome = CALL_UNKNOWN;
        break;
    case MONITOR_NOPROC:
        s->end.outcome = s->note->outcome = CALL_NOPROC;
        break;
    case MONITOR_NOCONNECTION:
        s->end.outcome = s->note->outcome = CALL_NOCONNECTION;
        break;
    default:
        step_set_error(s, "exit", reason);
        break;
    }
}

enum caller_fate step_fate(const struct ds_term *reason)
{
    enum { MAX_DEPTH = 8 }; /* {timeout,{gen_server,call,_}} may be wrapped */
    struct ds_term at = *reason, first;
    if (step_is_atom(reason, "normal"))
        return CALLER_GOES_ON;
    for (int depth = 0; depth < MAX_DEPTH && ds_term_get_element(&at, 0, &first); depth++)
        at = first;
    return step_is_atom(&at, "timeout") ? CALLER_TIMED_OUT : CALLER_ENDED;
}

enum monitor_outcome step_how_ended(const struct ds_term *reason)
{
    return step_is_atom(reason, "noproc")         ? MONITOR_NOPROC
           : step_is_atom(reason, "noconnection") ? MONITOR_NOCONNECTION
           : ds_term_is_unknown_atom(reason)      ? MONITOR_UNKNOWN
                                                  : MONITOR_EXIT;
}
