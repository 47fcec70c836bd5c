/*
 * detect_calls.c - findings of family 3 from calls: they fail, are answered too late or never, or
 * name code that the other node does not have.
 */
#include "analyse/findings/detect.h"

#include "core/hash.h"

#include <inttypes.h>
#include <string.h>

enum { MIN_CALLS = 5, FAILED_SHARE = 5, TEXT_LEN = 100 };

/* A call without an answer is overdue after so many times the longest time that its callee took, if so
 * many answers are known; else after this time. */
enum { MIN_ANSWERS = 3, LATE_TIMES = 2 };
#define LONG_NS INT64_C(1000000000)

#define RESTART_NS INT64_C(10000000000) /* after this, a process that ended in order is back, or gone */

struct callee {
    struct table_entry entry;
    uint64_t key; /* hash of its node and name */
    uint64_t calls, failed, noproc, timeouts, abandoned;
    uint64_t latest;   /* number of the latest call that failed */
    uint64_t answered;
    int64_t longest_ns; /* the longest time that an answer took */
    int64_t ended_ns;  /* when it ended in order, as the result of a call says; 0: it has not */
    bool is_guess;     /* a failed call has atoms that are only likely */
    uint64_t finding;  /* number of its finding; 0: none */
    uint64_t told;     /* how many had failed when it was reported */
    uint64_t told_calls;
};
TABLE_KEYED(struct callee, key);

enum { MAX_CALLEES = 1024 };

struct calls_watch {
    struct table callees;
    struct callee all; /* answers of all callees */
};

const struct detect_family detect_calls_family = {
    sizeof(struct calls_watch),
    {{offsetof(struct calls_watch, callees), sizeof(struct callee), MAX_CALLEES}},
};

static void set_nodes(struct finding *f, const struct call *call)
{
    const struct ds_text node[2] = {call->caller.node, call->callee.node};
    for (int i = 0; i < 2; i++) {
        if (node[i].data == NULL || node[i].len > FINDING_NODE_LEN)
            continue;
        memcpy(f->node[i].text, node[i].data, node[i].len);
        f->node[i].len = node[i].len;
    }
}

struct finding *detect_begin_call(struct detect *d, enum finding_code code, const struct call *call)
{
    struct finding *f = detect_begin(d, code, NULL);
    detect_since(d, call->start_ns);
    f->evidence[0].conn = call->conn;
    f->evidence[0].ts_ns = call->end_ns;
    set_nodes(f, call);
    if (call->likely_atoms != 0)
        detect_guess(d);
    detect_frame(f, call->start_frame, "request");
    return f;
}

struct ds_text detect_name_at_end(const struct record *record)
{
    const struct ds_event *event = record->event;
    const struct ds_op *op =
        event != NULL && event->type == DS_EVENT_MESSAGE ? event->message.op : NULL;
    struct ds_text name = {0};
    if (op == NULL || (op->kind != DS_KIND_DOWN && op->kind != DS_KIND_DEMONITOR))
        return name;
    const bool is_down = op->kind == DS_KIND_DOWN;
    if (!ds_term_get_atom(&event->message.role[is_down ? DS_ROLE_FROM : DS_ROLE_TO], &name))
        name = is_down ? record->note.from_name : record->note.to_name;
    return name;
}

void detect_unread(struct detect *d, const struct ds_event *event)
{
    struct conn_watch *w = detect_watch(d, event->conn);
    const struct ds_text node = event->conn->end[event->dir].node;
    if (w == NULL)
        return;
    w->unread_ns[event->dir] = event->ts_ns;
    w->unread_by[event->dir] =
        node.data != NULL && memchr(node.data, '@', node.len) != NULL ? hash_text(node) : 0;
}

/* may_be_unread says whether a later message from the callee's node, as far as that is known, could
 * not be read: it may have been the answer. */
static bool may_be_unread(const struct conn_watch *w, const struct call *call)
{
    const struct ds_text node = call->callee.node;
    for (int end = 0; end < 2; end++) {
        if (w->unread_ns[end] != 0 && w->unread_ns[end] >= call->start_ns &&
            (node.data == NULL || w->unread_by[end] == 0 || w->unread_by[end] == hash_text(node)))
            return true;
    }
    return false;
}

void detect_hung(struct detect *d, const struct call *call)
{
    const struct conn_watch *w = detect_find_watched(d, call->conn);
    const struct party *callee = &call->callee;
    if (call->awaits_input)
        return; /* it waits for a user's input */
    if (w != NULL && (w->gap_ns >= call->start_ns || w->is_one_way || detect_is_lost(d, w) ||
                      w->hole_ns[0] != 0 || w->hole_ns[1] != 0))
        return; /* the answer may be among missing packets, or no answer can come */
    if (w != NULL && may_be_unread(w, call)) {
        d->checks.unread_calls++;
        return;
    }
    if (callee->name.data == NULL && !callee->has_pid && callee->node.data == NULL)
        return; /* on a link joined late, the answer may not have been recognised */
    struct finding *f = detect_begin_call(d, FINDING_DS305, call);
    wording_say(&f->sentence, "{}{label} to {process} is not answered",
                a_word(strchr("aeiou", call->label[0]) != NULL ? "an " : "a "), a_label(call->label),
                a_party(callee));
    wording_say(&f->detail, "asked by {caller}, open for {open}, call #{call}", a_party(&call->caller),
                a_span(call->end_ns - call->start_ns), a_number(call->number));
    detect_unsure(f, CERTAINTY_LIKELY, "a longer capture");
    detect_commit(d);
}

static void on_hung(struct detect *d, const struct call *call)
{
    if (call->outcome == CALL_UNANSWERED && call->end_ns - call->start_ns >= DETECT_HUNG_NS &&
        call->start_ns > d->overdue_ns)
        detect_hung(d, call);
}

/* has_failed says whether the callee may be the cause: it is not when a connection is lost. */
static bool has_failed(enum call_outcome outcome)
{
    return call_outcome_is_failure(outcome) && outcome != CALL_NOCONNECTION;
}

/* is_housekeeping says whether the call is one that Erlang/OTP or a library makes by itself. They
 * also give such calls up by themselves, as global does when nodes come and go. */
static bool is_housekeeping(const char *group)
{
    return group != NULL && group[0] != '\0';
}

static void add_outcome(struct wording *detail, bool *is_next, uint64_t num, const char *what)
{
    if (num == 0)
        return;
    wording_say(detail, "{}{} {}", a_word(*is_next ? ", " : ": "), a_number(num), a_word(what));
    *is_next = true;
}

/* get_callee finds or adds the callee; at the cap it evicts the oldest. NULL if memory ran out. */
static struct callee *get_callee(struct detect *d, const struct call *call)
{
    const uint64_t key = hash_short(hash_short(9, call->callee.node), call->callee.name);
    return table_find_or_put(&d->calls->callees, key);
}

/* is_orderly says whether a reason is that of a process that was told to stop: normal, shutdown,
 * {shutdown, _}, and these with the called function, or after 'EXIT' or exit. */
static bool is_orderly(const struct ds_term *reason)
{
    enum { DEEP = 3 };
    struct ds_term term = *reason, first, second;
    for (int depth = 0; depth < DEEP; depth++) {
        if (detect_is_atom(&term, "normal") || detect_is_atom(&term, "shutdown"))
            return true;
        if (!ds_term_get_element(&term, 0, &first) || !ds_term_get_element(&term, 1, &second))
            return false;
        term = detect_is_atom(&first, "EXIT") || detect_is_atom(&first, "exit") ? second : first;
    }
    return false;
}

/* ends_in_order says whether a call failed as its callee was told to stop, then or just before. */
static bool ends_in_order(struct callee *c, const struct call *call)
{
    if (call->outcome == CALL_ERROR && call->reason.data != NULL && is_orderly(&call->reason)) {
        c->ended_ns = call->end_ns;
        return true;
    }
    return call->outcome == CALL_NOPROC && c->ended_ns != 0 && call->end_ns - c->ended_ns < RESTART_NS;
}

static void add_counts(struct wording *detail, struct callee *c, bool is_over)
{
    bool is_next = false;
    wording_say(detail, "{failed} of {calls} calls failed{}", a_number(c->failed), a_number(c->calls),
                a_word(is_over ? "" : " so far"));
    add_outcome(detail, &is_next, c->noproc, "noproc");
    add_outcome(detail, &is_next, c->timeouts, "timed out");
    add_outcome(detail, &is_next, c->abandoned, "abandoned");
    add_outcome(detail, &is_next, c->failed - c->noproc - c->timeouts - c->abandoned, "with an error");
    wording_say(detail, "; most recent: call #{call}", a_number(c->latest));
    c->told = c->failed;
    c->told_calls = c->calls;
}

/* is_overdue says whether a call without an answer has been open for longer than its callee takes to
 * answer; where that is unknown, for longer than all others do. If it was open for very long, DS305
 * says so. */
static bool is_overdue(const struct detect *d, const struct callee *c, const struct call *call)
{
    const int64_t open_ns = call->end_ns - call->start_ns;
    if (call->awaits_input || open_ns >= DETECT_HUNG_NS)
        return false;
    if (c == NULL || c->answered < MIN_ANSWERS)
        c = &d->calls->all;
    if (c->answered < MIN_ANSWERS)
        return open_ns >= LONG_NS;
    return open_ns / LATE_TIMES > c->longest_ns;
}

/* on_answer records how long the callee takes to answer, and counts calls that the capture leaves
 * without an answer. c is NULL if the callee has no name. */
static void on_answer(struct detect *d, struct callee *c, const struct call *call)
{
    struct callee *both[2] = {&d->calls->all, c};
    if (call->outcome == CALL_UNANSWERED)
        d->checks.overdue += is_overdue(d, c, call);
    for (int i = 0; i < 2 && call->outcome == CALL_OK; i++) {
        if (both[i] == NULL)
            continue;
        both[i]->answered++;
        if (call->end_ns - call->start_ns > both[i]->longest_ns)
            both[i]->longest_ns = call->end_ns - call->start_ns;
    }
}

static void on_callee(struct detect *d, const struct call *call)
{
    if (detect_is_one_way(d, call->conn))
        return;
    if (call->callee.name.data == NULL || call->callee.node.data == NULL) {
        on_answer(d, NULL, call);
        return;
    }
    struct callee *c = get_callee(d, call);
    if (c == NULL) {
        d->no_memory++;
        return;
    }
    c->calls++;
    on_answer(d, c, call);
    if (raft_gets_no_vote(call))
        return;
    if (!has_failed(call->outcome) || ends_in_order(c, call))
        return;
    c->failed++;
    c->is_guess |= call->likely_atoms != 0;
    c->noproc += call->outcome == CALL_NOPROC;
    c->timeouts += call->outcome == CALL_TIMEOUT;
    c->abandoned += call->outcome == CALL_ABANDONED;
    c->latest = call->number;
    struct wording detail = {.len = 0};
    if (c->finding != 0) { /* the failures go on */
        if (c->failed / 2 < c->told)
            return;
        add_counts(&detail, c, false);
        detect_detail(d, c->finding, &detail);
        return;
    }
    if (c->calls < MIN_CALLS || c->failed * FAILED_SHARE < c->calls)
        return;
    struct finding *f = detect_begin_call(d, FINDING_DS310, call);
    if (is_housekeeping(call->group))
        f->severity = SEVERITY_NOTE;
    wording_say(&f->sentence, "calls to {process} fail", a_party(&call->callee));
    add_counts(&detail, c, false);
    if (c->is_guess)
        detect_guess(d);
    f->detail = detail;
    detect_frame(f, call->end_frame, "its end");
    c->finding = detect_commit(d);
}

void detect_calls_sum(struct detect *d)
{
    for (struct callee *c = table_get(&d->calls->callees, d->calls->callees.oldest); c != NULL;
         c = table_get(&d->calls->callees, c->entry.newer)) {
        if (c->finding == 0 || (c->told_calls == c->calls && !d->is_over))
            continue;
        struct wording detail = {.len = 0};
        add_counts(&detail, c, d->is_over);
        detect_detail(d, c->finding, &detail);
    }
}

static void on_late(struct detect *d, const struct record *record)
{
    const struct ds_event *event = record->event;
    struct finding *f = detect_begin(d, FINDING_DS301, event);
    if (is_housekeeping(record->note.group))
        f->severity = SEVERITY_NOTE;
    wording_say(&f->sentence, "a reply to {label} from {node} to {peer} came too late",
                a_label(record->note.label != NULL ? record->note.label : "a call"),
                an_end(&event->conn->end[event->dir]), an_end(&event->conn->end[!event->dir]));
    if (record->note.has_latency) {
        detect_since(d, event->ts_ns - record->note.latency_ns);
        wording_say(&f->detail, "after {latency}, call #{call}", a_span(record->note.latency_ns),
                    a_number(record->note.call));
    }
    detect_frame(f, event->frame, "the reply");
    detect_commit(d);
}

/* --- missing code --- */

bool detect_is_atom(const struct ds_term *term, const char *word)
{
    struct ds_text text;
    return ds_term_get_atom(term, &text) && text.len == strlen(word) &&
           memcmp(text.data, word, text.len) == 0;
}

bool detect_read_function(const struct ds_term *entry, struct function *out)
{
    struct ds_term part[3];
    int64_t arity;
    for (uint32_t i = 0; i < 3; i++) {
        if (!ds_term_get_element(entry, i, &part[i]))
            return false;
    }
    if (!ds_term_get_atom(&part[0], &out->mod) || !ds_term_get_atom(&part[1], &out->fun))
        return false;
    out->has_arity = true;
    if (ds_term_get_integer(&part[2], &arity) && arity >= 0 && arity < UINT32_MAX)
        out->arity = (uint32_t)arity;
    else
        out->has_arity = ds_term_get_length(&part[2], &out->arity);
    return true;
}

/* missing is what a reason reports as missing. */
enum missing { MISSING_NOTHING, MISSING_FUNCTION, MISSING_CLAUSE, MISSING_FUN };

static enum missing read_kind(const struct ds_term *term)
{
    struct ds_term first;
    if (detect_is_atom(term, "undef"))
        return MISSING_FUNCTION;
    if (detect_is_atom(term, "function_clause"))
        return MISSING_CLAUSE;
    return ds_term_get_element(term, 0, &first) && detect_is_atom(&first, "badfun") ? MISSING_FUN
                                                                            : MISSING_NOTHING;
}

/* read_reason finds undef, function_clause or badfun in the reason of a failed call, and the
 * function at the top of its stack: undef; {undef, Stack}; {'EXIT', ...}; {{undef, Stack}, {M, F,
 * A}}. */
static enum missing read_reason(const struct ds_term *reason, struct function *at, bool *has_at)
{
    enum { DEEP = 4 };
    struct ds_term term = *reason, first, second;
    struct ds_term_list stack;
    *has_at = false;
    for (int depth = 0; depth < DEEP; depth++) {
        const enum missing kind = read_kind(&term);
        if (kind != MISSING_NOTHING)
            return kind;
        if (!ds_term_get_element(&term, 0, &first) || !ds_term_get_element(&term, 1, &second))
            return MISSING_NOTHING;
        if (detect_is_atom(&first, "EXIT")) {
            term = second;
            continue;
        }
        *has_at = ds_term_get_list(&second, &stack) && ds_term_list_next(&stack, &second) &&
                  detect_read_function(&second, at);
        term = first;
    }
    return MISSING_NOTHING;
}

static bool text_equals(struct ds_text a, struct ds_text b)
{
    return a.data != NULL && b.data != NULL && a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}

static void put_function(struct wording *wording, const struct function *function)
{
    wording_say(wording, "{function}", a_function(function->mod, function->fun));
    if (function->has_arity)
        wording_say(wording, "/{arity}", a_number(function->arity));
}

/* on_missing reports missing code. It reports function_clause only for the called function itself.
 * If another function is missing, it is only possible that the caller has it. */
static void on_missing(struct detect *d, const struct call *call)
{
    struct function called = {.has_arity = false}, at;
    bool has_at;
    if (call->outcome != CALL_ERROR || call->reason.data == NULL || call->callee.node.data == NULL)
        return;
    const enum missing kind = read_reason(&call->reason, &at, &has_at);
    const bool names = call->mod.data != NULL && ds_term_get_atom(&call->mod, &called.mod) &&
                       ds_term_get_atom(&call->fun, &called.fun);
    if (names)
        called.has_arity = ds_term_get_length(&call->args, &called.arity);
    const bool is_called =
        names && (!has_at || (text_equals(at.mod, called.mod) && text_equals(at.fun, called.fun)));
    if (kind == MISSING_NOTHING || (kind == MISSING_CLAUSE && !(is_called && has_at)) ||
        (kind == MISSING_FUNCTION && !has_at && !names))
        return;
    struct finding *f = detect_begin_call(d, FINDING_DS302, call);
    f->variant = (unsigned)kind;
    wording_say(&f->sentence, "{node}", a_node(call->callee.node));
    if (kind == MISSING_FUN) {
        wording_add(&f->sentence, " does not have the code of a fun that it was sent");
    } else {
        wording_add(&f->sentence, kind == MISSING_CLAUSE ? " has another version of "
                                                         : " does not have ");
        put_function(&f->sentence, has_at ? &at : &called);
    }
    wording_say(&f->detail, "asked by {caller}, call #{call}", a_party(&call->caller),
                a_number(call->number));
    detect_frame(f, call->end_frame, "its end");
    detect_unsure(f, is_called || kind == MISSING_FUN ? CERTAINTY_LIKELY : CERTAINTY_POSSIBLE,
                  "code:which/1 and Module:module_info(md5) on both nodes");
    detect_commit(d);
}

const char *detect_missing(const struct call *call, struct function *called)
{
    struct function at;
    bool has_at;
    if (call->outcome != CALL_ERROR || call->reason.data == NULL || call->mod.data == NULL ||
        !ds_term_get_atom(&call->mod, &called->mod) || !ds_term_get_atom(&call->fun, &called->fun))
        return NULL;
    const enum missing kind = read_reason(&call->reason, &at, &has_at);
    called->has_arity = ds_term_get_length(&call->args, &called->arity);
    if (has_at && !(text_equals(at.mod, called->mod) && text_equals(at.fun, called->fun)))
        return NULL;
    return kind == MISSING_CLAUSE ? "function_clause" : kind == MISSING_FUNCTION ? "undef" : NULL;
}

void detect_calls(struct detect *d, const struct record *record)
{
    if (record->call != NULL) {
        on_hung(d, record->call);
        on_callee(d, record->call);
        on_missing(d, record->call);
        return;
    }
    const struct ds_event *event = record->event;
    if (record->monitor != NULL || event == NULL || event->type != DS_EVENT_MESSAGE)
        return;
    if (record->note.late)
        on_late(d, record);
}
