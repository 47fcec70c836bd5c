/*
 * correlate.c - which message answers which, see correlate.h.
 *
 * A request opens a call under the key of its tag. The first of these ends the call: a message that
 * carries the tag; the DOWN of the monitor with the same reference (or of the monitor that was set
 * up just before, if the tag is another); the removal of that monitor, when the caller stops waiting;
 * the end of the connection or of the capture. A spawn request is a call too: its answer is the
 * spawn reply or, for erpc, the exit reason.
 */
#include "analyse/calls/calls_by_caller.h"
#include "core/own_labels.h"
#include "analyse/calls/call_parent.h"
#include "analyse/calls/process_names.h"
#include "analyse/calls/step.h"

#include <stdlib.h>

/* fill_end describes a monitor or link. titles provides room to which out may point. */
static void fill_end(const struct correlate *c, const struct monitor *m,
                     const struct monitor_cause *why, struct titles titles[2], struct monitor_end *out)
{
    *out = (struct monitor_end){
        .is_link = m->is_link,
        .of_call = m->of_call,
        .began_before = m->began_before,
        .is_part = m->is_part || (why->event != NULL && why->event->type == DS_EVENT_MESSAGE &&
                                  !event_is_read_whole(why->event)),
        .conn = m->conn,
        .start_ns = m->start_ns,
        .end_ns = why->end_ns >= m->start_ns ? why->end_ns : m->start_ns,
        .start_frame = m->start_frame,
        .has_start_seq = m->has_start_seq,
        .start_seq = m->start_seq,
        .end_frame = why->event != NULL ? why->event->frame : 0,
        .outcome = why->outcome,
    };
    calls_fill_party(&c->calls, &m->watcher, &out->watcher, &titles[0]);
    calls_fill_party(&c->calls, &m->target, &out->target, &titles[1]);
    if (why->outcome == MONITOR_EXIT && why->reason != NULL)
        out->reason = *why->reason;
    if (!m->is_link && m->key.node == m->watcher.node && m->key.more <= DS_IDENTITY_MAX_WORDS) {
        out->num_ref_words = m->key.more;
        out->ref_creation = m->key.creation;
        memcpy(out->ref, m->key.word, sizeof out->ref);
    }
}

/* give_end emits the record of a monitor or link that ended. */
static void give_end(void *context, const struct monitor *m, const struct monitor_cause *why)
{
    struct correlate *c = context;
    struct titles titles[2];
    struct monitor_end end;
    fill_end(c, m, why, titles, &end);
    const struct record record = {.event = why->event, .monitor = &end};
    c->config.emit(c->config.context, &record);
}

/* begin_calls initializes the names and calls, empty. */
static void begin_calls(struct correlate *c)
{
    const struct correlate_config *config = &c->config;
    intern_init(&c->intern, config->limits[DS_LIMIT_NAMES]);
    calls_init(&c->calls, &c->intern, config->limits[DS_LIMIT_CALLS],
               config->limits[DS_LIMIT_NAMES], config->emit, config->context);
    c->calls.keep = config->keep;
    c->calls.is_elixir = config->is_elixir;
    c->calls.ends_seen_by = config->ends_seen_by;
}

struct correlate *correlate_new(const struct correlate_config *config)
{
    struct correlate *c = calloc(1, sizeof *c);
    if (c == NULL)
        return NULL;
    c->config = *config;
    c->otp = own_labels_table(config->labels);
    begin_calls(c);
    table_init(&c->early_downs, sizeof(struct early_down), MAX_EARLY_DOWNS);
    table_init(&c->set_ups, sizeof(struct set_up), MAX_SET_UP);
    table_init(&c->proven, sizeof(struct proven), MAX_PROVEN);
    table_init(&c->watches, sizeof(struct watch), config->limits[DS_LIMIT_MONITORS]);
    monitors_init(&c->monitors, config->limits[DS_LIMIT_MONITORS]);
    c->monitors.on_end = give_end;
    c->monitors.context = c;
    if (c->otp == NULL) {
        correlate_free(c);
        return NULL;
    }
    return c;
}

void correlate_free(struct correlate *c)
{
    if (c == NULL)
        return;
    ds_otp_free(c->otp);
    calls_free(&c->calls);
    monitors_free(&c->monitors);
    table_free(&c->early_downs);
    table_free(&c->watches);
    table_free(&c->set_ups);
    table_free(&c->proven);
    intern_free(&c->intern);
    free(c);
}

void correlate_add_stats(const struct correlate *c, struct ds_stats *stats)
{
    stats->limits_hit[DS_LIMIT_CALLS] += c->calls.num_dropped;
    stats->limits_hit[DS_LIMIT_MONITORS] += c->monitors.num_dropped;
    stats->limits_hit[DS_LIMIT_NAMES] += c->calls.processes.num_dropped + c->num_flushed;
    stats->no_memory +=
        c->calls.no_memory + c->calls.processes.no_memory + c->monitors.no_memory;
}

static void on_exit2(struct correlate *c, struct step *s)
{
    (void)c;
    s->note->role = NOTE_EXIT;
}

static void on_leader(struct correlate *c, struct step *s)
{
    (void)c;
    s->note->role = NOTE_LEADER;
}

static void on_unlink_ack(struct correlate *c, struct step *s)
{
    (void)c;
    s->note->role = NOTE_UNLINK;
}

static void (*const take[DS_KIND_COUNT])(struct correlate *, struct step *) = {
    [DS_KIND_SEND] = step_on_send,           [DS_KIND_LINK] = step_on_link,
    [DS_KIND_UNLINK] = step_on_unlink,       [DS_KIND_UNLINK_ACK] = on_unlink_ack,
    [DS_KIND_EXIT] = step_on_exit,           [DS_KIND_EXIT2] = on_exit2,
    [DS_KIND_MONITOR] = step_on_monitor,     [DS_KIND_DEMONITOR] = step_on_demonitor,
    [DS_KIND_DOWN] = step_on_down,           [DS_KIND_SPAWN] = step_on_spawn_request,
    [DS_KIND_SPAWNED] = step_on_spawn_reply, [DS_KIND_LEADER] = on_leader,
};

static void on_message(struct correlate *c, struct step *s)
{
    const enum ds_op_kind kind = ds_message_kind(s->message);
    if (take[kind] == NULL)
        return;
    take[kind](c, s);
    if (c->config.owners && s->note->label == NULL)
        step_set_owner(c, s);
    if (s->ending != NULL)
        s->note->body = s->end.result.data != NULL ? s->end.result : s->end.reason;
    if (c->config.names)
        step_add_names(c, s);
}

/* end_all ends what is open, with unknown outcome. */
static void end_all(struct correlate *c)
{
    calls_end_all(&c->calls, c->now_ns, CALL_UNKNOWN);
    monitors_end_all(&c->monitors, &(struct monitor_cause){.outcome = MONITOR_UNKNOWN,
                                                           .end_ns = c->now_ns});
}

/* renew_calls forgets all names and calls. Their counters stay. */
static void renew_calls(struct correlate *c)
{
    const struct calls old = c->calls;
    calls_free(&c->calls);
    intern_free(&c->intern);
    begin_calls(c);
    c->calls.num_started = old.num_started;
    c->calls.num_dropped = old.num_dropped;
    c->calls.no_memory = old.no_memory;
    c->calls.processes.num_dropped = old.processes.num_dropped;
    c->calls.processes.no_memory = old.processes.no_memory;
}

/* begin_anew drops everything when there are more nodes and names than the cap, so that the first
 * ones are not favoured forever. Nothing that refers to them is kept. */
static void begin_anew(struct correlate *c)
{
    end_all(c);
    renew_calls(c);
    table_clear(&c->watches);
    table_clear(&c->early_downs);
    table_clear(&c->set_ups);
    table_clear(&c->proven);
    c->num_flushed++;
}

/* count_conn counts the connections of nodes: knowledge about a node ends with its last one. */
static void count_conn(struct correlate *c, const struct ds_event *event)
{
    const struct ds_conn *conn = event->conn;
    uint32_t node[2];
    for (int end = 0; end < 2; end++)
        node[end] = intern_add(&c->intern, conn->end[end].node);
    if (event->change.state == DS_CONN_UP || event->change.state == DS_CONN_CONTINUED)
        processes_conn_up(&c->calls.processes, conn->number, node);
    else if (event->change.final && !event->change.unfollowed) {
        process_names_conn_ended(&c->calls.processes, conn->number);
        processes_conn_ended(&c->calls.processes, conn->number, node);
    }
}

/* caller_ended abandons the calls of a process that has ended. */
static void caller_ended(struct correlate *c, const struct ds_event *event, const struct pid_key *pid)
{
    struct open_call *next;
    for (struct open_call *call = calls_by_caller_first(&c->calls, pid); call != NULL;
         call = next) {
        const struct call_end end = {
            .event = event,
            .end_ns = event->ts_ns,
            .outcome = calls_may_be_answered(&c->calls, call) ? CALL_UNKNOWN : CALL_ABANDONED};
        next = calls_by_caller_next(&c->calls, call);
        call->caller_ended = true;
        if (!call->given_up)
            calls_abandon(&c->calls, call, &end);
    }
}

/* note_heard records that a waiting process gets another message, even an answer to another call:
 * it may stop waiting because of it. */
static void note_heard(struct correlate *c, struct step *s)
{
    switch (s->note->role) {
    case NOTE_MONITOR:
    case NOTE_DEMONITOR:
    case NOTE_LINK:
    case NOTE_UNLINK:
        return;
    default:
        if (step_know_to(c, s) && s->to.serial != PID_KEY_NAMED)
            calls_by_caller_hears(&c->calls, &s->to, s->event->ts_ns);
        else if (s->ending != NULL && s->note->role == NOTE_REPLY)
            calls_by_caller_hears(&c->calls, &s->ending->caller, s->event->ts_ns);
    }
}

/* note_life records that a process which does something has not ended. */
static void note_life(struct correlate *c, struct step *s)
{
    switch (s->note->role) {
    case NOTE_DEMONITOR:
    case NOTE_DOWN:
    case NOTE_EXIT:
    case NOTE_UNLINK:
        return;
    default:
        if (step_know_from(c, s))
            calls_set_fate(&c->calls, &s->from, CALLER_GOES_ON, s->event->ts_ns);
    }
}

/* process_ended forgets a process that has ended. */
static void process_ended(struct correlate *c, const struct ds_event *event,
                          const struct pid_key *pid, const struct ds_term *reason)
{
    struct pid_key dead = *pid;
    if (pid->serial != PID_KEY_NAMED) {
        calls_set_fate(&c->calls, pid, step_fate(reason), event->ts_ns);
        caller_ended(c, event, pid);
    } else {
        processes_whereis(&c->calls.processes, pid->node, pid->id, 0, &dead);
    }
    call_parent_ended(&c->calls, &dead);
    processes_ended(&c->calls.processes, pid);
}

/* note_unread records a message that may be an answer: one with atoms that are unknown, only
 * likely, or a node's address (in the request, that node may have been unknown). */
static void note_unread(struct correlate *c, struct step *s)
{
    const struct ds_message *m = s->message;
    struct ref_key ref;
    switch (s->note->role) {
    case NOTE_SEND:
    case NOTE_INFO:
    case NOTE_REPLY:
        break;
    case NOTE_DOWN:
    case NOTE_SPAWNED: /* a call known by its reference would have been found */
        calls_add_unread(&c->calls, s->event, NULL, NULL);
        return;
    default:
        return;
    }
    const bool has_ref = ref_key_find(&c->intern, &m->role[DS_ROLE_TO], s->event->conn->number,
                                      &ref);
    calls_add_unread(&c->calls, s->event, step_know_to(c, s) ? &s->to : NULL, has_ref ? &ref : NULL);
}

/* A message adds at most a handful of names. */
enum { NAMES_PER_MESSAGE = 16 };

void correlate_event(struct correlate *c, const struct ds_event *event)
{
    struct step s; /* end is only set when a call ends */
    s.event = event;
    s.record = (struct record){.event = event};
    s.note = &s.record.note;
    s.from_state = s.to_state = UNASKED;
    s.ending = NULL;
    s.is_given_up = s.is_down = false;
    s.released = NULL;
    s.dead.node = 0;
    c->now_ns = event->ts_ns;
    calls_release_old(&c->calls, c->now_ns);
    if (event->type == DS_EVENT_MESSAGE) {
        if (!intern_has_room(&c->intern, NAMES_PER_MESSAGE))
            begin_anew(c);
        s.message = &event->message;
        on_message(c, &s);
        if ((event->unknown_atoms | event->likely_atoms | event->address_atoms) != 0 &&
            c->calls.conns.num != 0 && s.note->call == 0 && s.ending == NULL)
            note_unread(c, &s);
        if (c->calls.askers.num != 0)
            note_heard(c, &s);
        if (c->calls.held.num_for_death != 0 || c->calls.held.num_for_answer != 0)
            note_life(c, &s);
    }
    c->config.emit(c->config.context, &s.record);
    if (s.ending != NULL && s.is_given_up)
        calls_abandon(&c->calls, s.ending, &s.end);
    else if (s.ending != NULL && s.is_down)
        calls_end_by_down(&c->calls, s.ending, &s.end, &s.watched);
    else if (s.ending != NULL)
        calls_end(&c->calls, s.ending, &s.end);
    if (s.released != NULL)
        monitors_end(&c->monitors, s.released, &s.why);
    if (s.dead.node != 0)
        process_ended(c, event, &s.dead, s.dead_of);
    /* The nodes have lost each other with the first FIN, whenever the second comes. */
    if (event->type == DS_EVENT_CONN &&
        (event->change.final || event->change.state == DS_CONN_HALF_CLOSED)) {
        const bool lost = !event->change.unfollowed;
        calls_end_conn(&c->calls, event, lost ? CALL_NOCONNECTION : CALL_OPEN);
        const struct monitor_cause why = {
            .outcome = lost ? MONITOR_NOCONNECTION : MONITOR_OPEN,
            .event = event,
            .end_ns = event->ts_ns,
        };
        monitors_end_conn(&c->monitors, event->conn->number, &why);
    }
    if (event->type == DS_EVENT_CONN)
        count_conn(c, event);
}

void correlate_time(struct correlate *c, int64_t now_ns)
{
    if (now_ns <= c->now_ns)
        return;
    c->now_ns = now_ns;
    calls_release_old(&c->calls, now_ns);
}

void correlate_visit_open(const struct correlate *c, int64_t now_ns, record_fn visit, void *context)
{
    const struct monitor_cause why = {.outcome = MONITOR_OPEN,
                                      .end_ns = now_ns > c->now_ns ? now_ns : c->now_ns};
    calls_visit_open(&c->calls, why.end_ns, visit, context);
    const struct monitor *m = c->config.monitors ? table_oldest(&c->monitors.table) : NULL;
    for (; m != NULL; m = table_newer(&c->monitors.table, m)) {
        struct titles titles[2];
        struct monitor_end end;
        fill_end(c, m, &why, titles, &end);
        visit(context, &(struct record){.monitor = &end});
    }
}

void correlate_visit_overdue(const struct correlate *c, int64_t after_ns, int64_t until_ns,
                             int64_t now_ns, record_fn visit, void *context)
{
    calls_visit_overdue(&c->calls, after_ns, until_ns, now_ns, visit, context);
}

void correlate_end(struct correlate *c)
{
    calls_end_all(&c->calls, c->now_ns, CALL_UNANSWERED);
    monitors_end_all(&c->monitors, &(struct monitor_cause){.outcome = MONITOR_OPEN,
                                                           .end_ns = c->now_ns});
}
