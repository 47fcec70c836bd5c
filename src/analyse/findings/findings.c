/*
 * findings.c - see findings.h: passes each record to its detectors. The summary is in detect_sum.c.
 */
#include "analyse/findings/findings.h"

#include "analyse/findings/detect.h"

#include "record/paused.h"

#include <stdlib.h>
#include <string.h>

#define MIN_PAUSE_NS INT64_C(1000000000)
#define TICKTIME_NS INT64_C(60000000000) /* by default; an idle link ticks four times in it */
#define RECENT_NS INT64_C(600000000000)

enum { MAX_PAIRS = 4096, MAX_ASKED = 1024 };

struct findings {
    struct detect detect;
};

/* make_family allocates the state of a family, zeroed and with empty tables. NULL if memory ran
 * out. free_family frees it, and accepts NULL. */
static void *make_family(const struct detect_family *family)
{
    char *state = calloc(1, family->size);
    for (size_t i = 0; state != NULL && i < FAMILY_TABLES && family->table[i].entry_size != 0; i++)
        table_init((struct table *)(void *)(state + family->table[i].at), family->table[i].entry_size,
                   family->table[i].cap);
    return state;
}

static void free_family(const struct detect_family *family, void *state)
{
    for (size_t i = 0; state != NULL && i < FAMILY_TABLES && family->table[i].entry_size != 0; i++)
        table_free((struct table *)(void *)((char *)state + family->table[i].at));
    free(state);
}

struct findings *findings_new(const struct findings_config *config)
{
    struct findings *f = calloc(1, sizeof *f);
    if (f == NULL)
        return NULL;
    struct detect *d = &f->detect;
    detect_init(d, config);
    d->told_since_ns = INT64_MIN;
    table_init(&d->asked, sizeof(struct epmd_lookup), MAX_ASKED);
    table_init(&d->pairs, sizeof(struct pair), MAX_PAIRS);
    raft_init(&d->raft);
    detect_presence_init(d);
    bool is_made = true;
#define FAMILY(name) is_made &= (d->name = make_family(&detect_##name##_family)) != NULL;
#include "analyse/findings/families.def"
#undef FAMILY
    const struct timeline_config lines = {
        .emit = config->emit,
        .context = config->context,
        .presence = &d->presence,
        .is_live = config->is_live,
    };
    if (!is_made || (config->has_timeline && (d->timeline = timeline_new(&lines)) == NULL)) {
        findings_free(f);
        return NULL;
    }
    return f;
}

void findings_free(struct findings *f)
{
    if (f == NULL)
        return;
    detect_free(&f->detect);
    table_free(&f->detect.asked);
    table_free(&f->detect.pairs);
#define FAMILY(name) free_family(&detect_##name##_family, f->detect.name);
#include "analyse/findings/families.def"
#undef FAMILY
    raft_free(&f->detect.raft);
    detect_mesh_free(&f->detect);
    detect_rabbit_free(&f->detect);
    detect_registry_free(&f->detect);
    detect_guesses_free(&f->detect);
    detect_tables_free(&f->detect);
    presence_free(&f->detect.presence);
    timeline_free(f->detect.timeline);
    free(f);
}

void findings_add_stats(const struct findings *f, struct ds_stats *stats)
{
    stats->no_memory +=
        f->detect.no_memory + f->detect.presence.no_memory + f->detect.raft.no_memory;
    if (f->detect.timeline != NULL)
        stats->no_memory += timeline_left_out(f->detect.timeline);
}

/* is_busy says whether an end sent data all the time, for so long that it would have ticked
 * otherwise. */
static bool is_busy(const struct ds_tcp_side *side)
{
    return side->last_data_ns - side->first_ns >= TICKTIME_NS && side->max_quiet_ns < TICKTIME_NS / 4;
}

static void count(struct detect *d, const struct ds_event *event)
{
    struct checks *c = &d->checks;
    c->epmd_messages += event->type == DS_EVENT_EPMD;
    if (event->type == DS_EVENT_GAP) {
        detect_gap(d, event);
        c->gaps++;
    }
    if (event->type == DS_EVENT_HANDSHAKE && event->handshake.cookie == DS_COOKIE_OK)
        c->cookies++;
    if (event->type != DS_EVENT_CONN)
        return;
    const enum ds_conn_state state = event->change.state;
    c->handshakes += state == DS_CONN_UP;
    c->late += state == DS_CONN_JOINED_LATE;
    if (state == DS_CONN_CONTINUED)
        detect_continued(d, event);
    if (!event->change.final)
        return;
    const struct ds_tls *tls = event->conn->tls;
    if (tls != NULL && tls->undecrypted[0] + tls->undecrypted[1] != 0) {
        c->tls++;
        for (int dir = 0; dir < 2; dir++)
            c->sealed += tls->data_records[dir] > tls->ticks[dir] ? tls->data_records[dir] - tls->ticks[dir]
                                                                  : 0;
    }
    const struct ds_tcp_stats *link = event->conn->link;
    const uint64_t *messages[2] = {&event->conn->counters[0].messages,
                                   &event->conn->counters[1].messages};
    if (*messages[0] + *messages[1] == 0)
        return;
    if (link == NULL) {
        c->unmeasured++;
        return;
    }
    c->links++;
    if (ds_tcp_unseen(link) >= 0) {
        c->one_way++;
        return;
    }
    c->zero_windows += link->side[0].zero_windows + link->side[1].zero_windows;
    const bool is_ticking = link->side[0].tick_intervals != 0 || link->side[1].tick_intervals != 0;
    c->ticking += is_ticking;
    c->busy += !is_ticking && is_busy(&link->side[0]) && is_busy(&link->side[1]);
}

/* note_pause records the longest recent time without records: the capture may have paused, or a
 * clock was set. */
static void note_pause(struct detect *d)
{
    const int64_t since_ns = d->pause.last_ns;
    if (d->now_ns < since_ns && since_ns - d->now_ns <= DS_KEYS_WAIT_NS)
        return;
    d->pause.last_ns = d->now_ns;
    if (d->now_ns - since_ns < MIN_PAUSE_NS || since_ns == 0)
        return;
    const bool is_recent = since_ns - d->pause.to_ns < RECENT_NS;
    if (is_recent && d->now_ns - since_ns < d->pause.to_ns - d->pause.from_ns)
        return;
    d->pause.from_ns = since_ns;
    d->pause.to_ns = d->now_ns;
}

/* These functions pass each record to its detectors. Nearly all records are messages or calls. Most
 * detectors need neither. */

static __attribute__((noinline)) void take_closely(struct detect *d, const struct record *record)
{
    if (d->has_fading) {
        detect_silence_due(d, record->event);
        detect_silence(d, record->event);
    }
    detect_tls_message(d, record->event);
}

static __attribute__((noinline)) void take_app(struct detect *d, const struct record *record)
{
    const char *label = record->note.label;
    if (label == NULL)
        return;
    if (strcmp(label, "Phoenix.Tracker") == 0 || strcmp(label, "syn") == 0) {
        detect_registry(d, record);
        return;
    }
    detect_mnesia_message(d, record);
    if (raft_is_label(label))
        detect_raft(d, record);
    else if (strcmp(label, "rabbit_node_monitor") == 0)
        detect_rabbit(d, record);
    else if (strcmp(label, "mnesia_controller") == 0)
        detect_tables_message(d, record);
}

static inline void take_crash(struct detect *d, const struct record *record)
{
    const struct ds_op *op = record->event->message.op;
    if (op == NULL)
        return;
    if (op->kind == DS_KIND_DOWN || op->kind == DS_KIND_EXIT)
        detect_crash_message(d, record);
    else if (op->kind == DS_KIND_MONITOR || op->kind == DS_KIND_LINK || op->kind == DS_KIND_SPAWNED)
        detect_crash_watched(d, record);
}

static inline void on_message(struct detect *d, const struct record *record)
{
    const bool is_undecoded = record->event->fault.kind != DS_FAULT_NONE;
    d->checks.messages++;
    d->checks.undecoded += is_undecoded;
    d->checks.unknown += !is_undecoded && record->event->unknown_atoms != 0;
    d->checks.guessed +=
        !is_undecoded && record->event->unknown_atoms == 0 && record->event->likely_atoms != 0;
    detect_heard(d, record->event);
    detect_link_message(d, record->event);
    if (record->event->ts_ns - d->awake_ns <= DETECT_AWAKE_NS || paused_before(record->event))
        detect_awake(d, record);
    detect_foreign(d, record->event);
    if (d->num_one_way != 0 || record->event->fault.kind == DS_FAULT_TRUNCATED)
        detect_capture(d, record->event);
    if ((record->event->unknown_atoms | record->event->likely_atoms) != 0 ||
        record->event->fault.kind != DS_FAULT_NONE)
        detect_unread(d, record->event);
    if (d->presence.unnamed != 0)
        presence_name(&d->presence, record->event);
    if (d->presence.new_ones != 0)
        detect_presence_message(d, record);
    if (d->looks_closer)
        take_closely(d, record);
    if (record->note.late)
        detect_calls(d, record);
    detect_messages(d, record);
    take_crash(d, record);
    if (detect_is_of_global(record->note.label))
        detect_global(d, record);
    if (detect_is_of_apps(record->note.group))
        take_app(d, record);
    detect_exposure_message(d, record);
}

static void on_call(struct detect *d, const struct record *record)
{
    if (!detect_is_one_way(d, record->call->conn)) {
        d->checks.calls++;
        d->checks.ended[record->call->outcome]++;
    }
    if (record->call->outcome == CALL_OK || record->call->outcome == CALL_ERROR)
        detect_answer(d, record);
    const bool gets_no_vote = raft_gets_no_vote(record->call);
    detect_calls(d, record);
    detect_crash(d, record);
    if (!gets_no_vote)
        detect_timeout(d, record);
    if (d->num_awake != 0)
        detect_awake_call(d, record->call);
    if (d->presence.new_ones != 0)
        detect_presence_call(d, record->call);
    if (d->timeline != NULL && !gets_no_vote)
        timeline_call(d->timeline, record, detect_caller_woke(d, record->call));
    if (detect_is_of_global(record->call->label))
        detect_global(d, record);
    if (record->call->mod.data != NULL) {
        detect_mnesia(d, record->call);
        detect_tables_call(d, record->call);
        detect_builds(d, record->call);
    }
    if (record->call->outcome == CALL_OK)
        detect_socket_call(d, record->call);
    if (d->raft.clusters.num != 0 && raft_is_label(record->call->label))
        raft_call(&d->raft, record->call);
}

/* The detectors that handle events other than messages, in this order. detect_presence comes after
 * the detectors that may report an earlier link as disconnected. */
#define BIT(type) (1U << DS_EVENT_##type)
#define ANY (~0U)
static const struct {
    unsigned types;
    void (*take)(struct detect *d, const struct ds_event *event);
} of_events[] = {
    {ANY, count},
    {ANY, detect_silence_due},
    {ANY, detect_capture},
    {ANY, detect_foreign},
    {BIT(STALL), detect_arrival},
    {BIT(TICK) | BIT(CONN), detect_heard_event},
    {BIT(TICK), detect_mnesia_tick},
    {BIT(EPMD), detect_tables_epmd},
    {BIT(CONN), detect_tls},
    {ANY, detect_connect},
    {ANY & ~(BIT(EPMD) | BIT(HANDSHAKE)), detect_link},
    {ANY, detect_silence},
    {ANY, detect_stall},
    {ANY, detect_starts},
    {BIT(CONN), detect_mesh},
    {ANY, detect_exposure},
    {ANY, detect_presence},
};

static void on_event(struct detect *d, const struct ds_event *event)
{
    for (size_t i = 0; i < sizeof of_events / sizeof of_events[0]; i++) {
        if ((of_events[i].types >> event->type & 1) != 0)
            of_events[i].take(d, event);
    }
}

static void on_time(struct detect *d, bool at_end)
{
    detect_connect_time(d, at_end);
    if (d->has_fading)
        detect_silence_time(d);
    detect_stall_time(d);
    detect_crash_time(d, at_end);
    detect_mesh_time(d, at_end);
    if (d->has_splits)
        detect_mnesia_time(d, at_end);
    if (d->tables != NULL)
        detect_tables_time(d);
    if (d->timeline != NULL)
        timeline_time(d->timeline, d->now_ns);
}

/* is_of_socket says whether a record is about a connection other than distribution: what is true of
 * links between nodes does not apply to it. */
static bool is_of_socket(const struct record *record)
{
    return record->call == NULL && record->monitor == NULL && record->event->conn->proto != NULL;
}

static void on_socket(struct detect *d, const struct record *record)
{
    const struct ds_event *event = record->event;
    const bool is_change = event->type == DS_EVENT_CONN;
    d->checks.sockets += is_change && (event->change.state == DS_CONN_OPEN ||
                                       event->change.state == DS_CONN_JOINED_LATE);
    d->checks.gaps += event->type == DS_EVENT_GAP;
    detect_socket(d, record);
}

/* reach_since emits, once the time of --since has come, the findings from before that still last.
 * Until then none is emitted: a finding that ends before does not belong to the requested time. */
static void reach_since(struct detect *d, bool at_end)
{
    if (!d->awaits_since || (d->now_ns < d->told_since_ns && !at_end))
        return;
    detect_presence_sum(d); /* what has passed until now is not down */
    d->awaits_since = false;
    for (struct found *found = table_oldest(&d->found); d->has_held_back && found != NULL;
         found = table_newer(&d->found, found)) {
        struct finding *f = &found->finding;
        f->is_update = false;
        f->error_change = f->severity == SEVERITY_ERROR;
        f->is_before = !finding_is_since(f, d->told_since_ns);
        if (!f->is_before)
            d->config.emit(d->config.context, &(struct record){.finding = f});
    }
}

void findings_record(struct findings *f, const struct record *record)
{
    struct detect *d = &f->detect;
    const bool is_message = record_is_message(record);
    if (!is_message &&
        (record->finding != NULL || (record->event != NULL && ds_event_is_raw(record->event))))
        return;
    if (!is_message && record->note.held != NULL) { /* from before */
        detect_stall_effects(d, record);
        return;
    }
    d->now_ns = is_message ? record->event->ts_ns : record_time(record);
    if (d->first_ns == 0)
        d->first_ns = d->now_ns;
    reach_since(d, false);
    note_pause(d);
    if (is_of_socket(record)) {
        on_socket(d, record);
        on_time(d, false);
        return;
    }
    if (is_message)
        on_message(d, record);
    else if (record->call != NULL)
        on_call(d, record);
    else if (record->monitor == NULL)
        on_event(d, record->event);
    on_time(d, false);
}

void findings_lost(struct findings *f, const struct loss *loss)
{
    detect_lost(&f->detect, loss->first_ns, loss->last_ns);
    if (f->detect.timeline != NULL)
        timeline_lost(f->detect.timeline, loss);
}

void findings_silent(struct findings *f, const struct silent_point *point)
{
    detect_silent_point(&f->detect, point);
}

void findings_time(struct findings *f, int64_t now_ns)
{
    if (now_ns <= f->detect.now_ns)
        return;
    f->detect.now_ns = now_ns;
    reach_since(&f->detect, false);
    on_time(&f->detect, false);
}

int64_t findings_overdue_after(struct findings *f, int64_t now_ns, int64_t *until_ns)
{
    const int64_t after_ns = f->detect.overdue_ns;
    *until_ns = now_ns - DETECT_HUNG_NS;
    if (*until_ns > after_ns)
        f->detect.overdue_ns = *until_ns;
    return after_ns;
}

void findings_overdue(struct findings *f, const struct record *record)
{
    if (record->call != NULL)
        detect_hung(&f->detect, record->call);
}

void findings_set_since(struct findings *f, int64_t since_ns)
{
    f->detect.told_since_ns = since_ns;
    f->detect.awaits_since = since_ns != INT64_MIN;
}

void findings_set_unseen(struct findings *f, const struct findings_unseen *unseen)
{
    f->detect.unseen = *unseen;
}

void findings_unusual(struct findings *f, const struct unusual *unusual)
{
    detect_unusual(&f->detect, unusual);
}

void findings_set_baseline(struct findings *f, const struct baseline_checks *checks)
{
    f->detect.has_baseline = true;
    f->detect.baseline = *checks;
}

void findings_sum_up(struct findings *f)
{
    detect_calls_sum(&f->detect);
    detect_presence_sum(&f->detect);
    detect_sum(&f->detect);
}

void findings_end(struct findings *f)
{
    f->detect.is_over = true;
    reach_since(&f->detect, true);
    on_time(&f->detect, true);
    findings_sum_up(f);
    if (f->detect.timeline != NULL)
        timeline_end(f->detect.timeline);
}
