/*
 * detect_timeout.c - calls that time out (DS313): the caller removed the monitor of its request,
 * without a reply, after a time usual for timeouts. It is reported from the first call on; DS310
 * says more if one callee is the cause, DS301 reports replies that came later.
 */
#include "analyse/findings/detect.h"

#include <inttypes.h>

#define SECOND INT64_C(1000000000)
#define MS INT64_C(1000000)

/* A timer fires a little late on a busy machine, and may leave a little early (step_end.c). */
#define EARLY_NS (5 * MS)
#define LATE_NS (100 * MS)

/* Several callers stop waiting for one callee after a usual time: that is no coincidence. */
enum { SEVERAL = 3 };

/* is_usual says whether a time is a usual timeout: 5 s, the default, and other whole seconds. */
static bool is_usual(int64_t waited_ns)
{
    return waited_ns >= SECOND - EARLY_NS && (waited_ns + EARLY_NS) % SECOND <= EARLY_NS + LATE_NS;
}

static void name_callee(struct wording *sentence, const struct record *record)
{
    const struct party *callee = &record->call->callee;
    const struct ds_text name = detect_name_at_end(record);
    wording_add(sentence, "calls ");
    if (callee->name.data != NULL && (callee->node.data != NULL || name.data == NULL)) {
        wording_say(sentence, "to {process} ", a_party(callee));
    } else if (name.data != NULL) {
        const struct ds_event *end = record->event;
        wording_say(sentence, "to {process} of {peer} ", an_atom(name), an_end(&end->conn->end[!end->dir]));
    } else if (callee->node.data != NULL) {
        wording_say(sentence, "to processes of {peer} ", a_node(callee->node));
    }
    wording_add(sentence, "time out");
}

void detect_timeout(struct detect *d, const struct record *record)
{
    const struct call *call = record->call;
    const struct conn_watch *w = detect_find_watched(d, call->conn);
    const int64_t waited_ns = call->end_ns - call->start_ns;
    if (call->outcome != CALL_TIMEOUT || call->awaits_input || (w != NULL && w->is_one_way) ||
        detect_caller_woke(d, call) || detect_waits_for_stream(d, call))
        return;
    struct finding *f = detect_begin_call(d, FINDING_DS313, call);
    if (call->group != NULL && call->group[0] != '\0')
        f->severity = SEVERITY_NOTE; /* Erlang/OTP and libraries abandon such calls by themselves */
    name_callee(&f->sentence, record);
    if (call_was_sent(call))
        wording_say(&f->detail, "after {waited}", a_span(waited_ns));
    else
        wording_add(&f->detail, "before the request was sent: it waited behind a stall");
    wording_say(&f->detail, ", asked by {caller}, call #{call}", a_party(&call->caller),
                a_number(call->number));
    detect_frame(f, call->end_frame, "the caller stops waiting");
    /* If packets are missing, or atoms are unknown, the reply may have come. */
    const bool may_be_answered = w != NULL && (w->gap_ns >= call->start_ns || w->initiator < 0);
    enum certainty certainty = call->certainty;
    if (certainty == CERTAINTY_POSSIBLE && is_usual(waited_ns) && detect_count(d) + 1 >= SEVERAL)
        certainty = CERTAINTY_LIKELY;
    if (may_be_answered)
        certainty = CERTAINTY_POSSIBLE;
    if (certainty != CERTAINTY_SURE)
        detect_unsure(f, certainty, "the log of the caller, or a late reply");
    detect_commit(d);
}
