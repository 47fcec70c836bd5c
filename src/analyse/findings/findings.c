/*
 * findings.c - see findings.h: who looks at what comes, and the checks that it ends with.
 */
#include "analyse/findings/findings.h"

#include "analyse/findings/detect.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MIN_PAUSE_NS INT64_C(1000000000)
#define RECENT_NS INT64_C(600000000000)

enum { MAX_PAIRS = 4096, MAX_ASKED = 1024 };

struct findings {
    struct detect detect;
};

/* make_family returns the state of a family, all 0 and its tables empty; NULL: memory ran out. free_family
 * frees it; NULL is allowed. */
static void *make_family(const struct detect_family *family)
{
    char *state = calloc(1, family->size);
    for (size_t i = 0; state != NULL && i < 2 && family->table[i].entry_size != 0; i++)
        table_init((struct table *)(void *)(state + family->table[i].at), family->table[i].entry_size,
                   family->table[i].cap);
    return state;
}

static void free_family(const struct detect_family *family, void *state)
{
    for (size_t i = 0; state != NULL && i < 2 && family->table[i].entry_size != 0; i++)
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
    table_init(&d->asked, sizeof(struct epmd_lookup), MAX_ASKED);
    table_init(&d->pairs, sizeof(struct pair), MAX_PAIRS);
    raft_init(&d->raft);
    detect_presence_init(d);
    bool is_made = true;
#define FAMILY(name) is_made &= (d->name = make_family(&detect_##name##_family)) != NULL;
#include "analyse/findings/families.def"
#undef FAMILY
    const struct timeline_config lines = {
        .emit = config->emit, .context = config->context, .is_live = config->is_live};
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
    c->ticking += link->side[0].tick_intervals != 0 || link->side[1].tick_intervals != 0;
}

/* note_pause keeps the longest time of late in which nothing came: the capture may have paused, or a
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
        detect_silence(d, record);
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
    if (raft_takes(label))
        detect_raft(d, record);
    else if (strcmp(label, "rabbit_node_monitor") == 0)
        detect_rabbit(d, record);
    else if (strcmp(label, "mnesia_controller") == 0)
        detect_tables_message(d, record);
}

static inline void take_message(struct detect *d, const struct record *record)
{
    const bool is_undecoded = record->event->fault.kind != DS_FAULT_NONE;
    d->checks.messages++;
    d->checks.undecoded += is_undecoded;
    d->checks.unknown += !is_undecoded && record->event->unknown_atoms != 0;
    detect_link_message(d, record->event);
    if (detect_has_paused(record->event))
        detect_awake(d, record);
    if (detect_has_foreign(record->event))
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
    if (detect_is_of_global(record->note.label))
        detect_global(d, record);
    if (detect_is_of_apps(record->note.group))
        take_app(d, record);
    detect_exposure_message(d, record);
}

static void take_call(struct detect *d, const struct record *record)
{
    if (!detect_is_one_way(d, record->call->conn)) {
        d->checks.calls++;
        d->checks.ended[record->call->outcome]++;
    }
    if (record->call->outcome == CALL_OK || record->call->outcome == CALL_ERROR)
        detect_answer(d, record);
    detect_calls(d, record);
    detect_crash(d, record);
    detect_timeout(d, record->call);
    if (d->num_awake != 0)
        detect_awake_call(d, record->call);
    if (d->presence.new_ones != 0)
        detect_presence_call(d, record->call);
    if (d->timeline != NULL)
        timeline_call(d->timeline, record->call);
    if (detect_is_of_global(record->call->label))
        detect_global(d, record);
    if (record->call->mod.data != NULL) {
        detect_mnesia(d, record->call);
        detect_tables_call(d, record->call);
        detect_builds(d, record->call);
    }
    if (record->call->outcome == CALL_OK)
        detect_socket_call(d, record->call);
    if (d->raft.clusters.num != 0 && raft_takes(record->call->label))
        raft_call(&d->raft, record->call);
}

static void take_other(struct detect *d, const struct record *record)
{
    count(d, record->event);
    if (d->has_fading && record->event != NULL)
        detect_silence_due(d, record->event);
    detect_capture(d, record->event);
    if (detect_has_foreign(record->event))
        detect_foreign(d, record->event);
    if (record->event->type == DS_EVENT_STALL)
        detect_arrival(d, record->event);
    if (record->event->type == DS_EVENT_TICK)
        detect_mnesia_tick(d, record->event);
    if (record->event->type == DS_EVENT_EPMD)
        detect_tables_epmd(d, record->event);
    detect_tls(d, record);
    detect_connect(d, record);
    detect_link(d, record);
    detect_silence(d, record);
    detect_stall(d, record->event);
    detect_starts(d, record->event);
    detect_mesh(d, record);
    detect_exposure(d, record);
    detect_presence(d, record->event); /* after what says that an earlier link was given up */
}

static void take_time(struct detect *d, bool at_end)
{
    detect_connect_time(d, at_end);
    if (d->has_fading)
        detect_silence_time(d);
    detect_stall_time(d);
    detect_mesh_time(d, at_end);
    if (d->has_splits)
        detect_mnesia_time(d, at_end);
    if (d->tables != NULL)
        detect_tables_time(d);
    if (d->timeline != NULL)
        timeline_time(d->timeline, d->now_ns);
}

/* is_of_socket says whether a record is of a connection beside the distribution: what is true of links
 * between nodes is not true of these. */
static bool is_of_socket(const struct record *record)
{
    return record->call == NULL && record->monitor == NULL && record->event->conn->proto != NULL;
}

static void take_socket(struct detect *d, const struct record *record)
{
    const struct ds_event *event = record->event;
    const bool is_change = event->type == DS_EVENT_CONN;
    d->checks.sockets += is_change && (event->change.state == DS_CONN_OPEN ||
                                       event->change.state == DS_CONN_JOINED_LATE);
    d->checks.gaps += event->type == DS_EVENT_GAP;
    detect_socket(d, record);
}

void findings_record(struct findings *f, const struct record *record)
{
    struct detect *d = &f->detect;
    const bool is_message = record_is_message(record);
    if (!is_message &&
        (record->finding != NULL || (record->event != NULL && ds_event_is_raw(record->event))))
        return;
    if (!is_message && record->note.held != NULL) { /* of before */
        detect_stall_effects(d, record);
        return;
    }
    d->now_ns = is_message ? record->event->ts_ns : record_time(record);
    if (d->first_ns == 0)
        d->first_ns = d->now_ns;
    note_pause(d);
    if (is_of_socket(record)) {
        take_socket(d, record);
        take_time(d, false);
        return;
    }
    if (is_message)
        take_message(d, record);
    else if (record->call != NULL)
        take_call(d, record);
    else if (record->monitor == NULL)
        take_other(d, record);
    take_time(d, false);
}

void findings_lost(struct findings *f, const struct loss *loss)
{
    detect_lost(&f->detect, loss->first_ns, loss->last_ns);
    if (f->detect.timeline != NULL)
        timeline_lost(f->detect.timeline, loss);
}

void findings_time(struct findings *f, int64_t now_ns)
{
    if (now_ns <= f->detect.now_ns)
        return;
    f->detect.now_ns = now_ns;
    take_time(&f->detect, false);
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

/* put_line emits a line of the checks. Lines have numbers of their own, from the greatest down. */
static void put_line(struct detect *d, unsigned line, enum severity severity, struct finding *f)
{
    f->number = UINT64_MAX - line;
    f->severity = severity;
    f->is_update = true;
    detect_emit(d, f);
}

static void say(struct detect *d, unsigned line, enum severity severity, const char *format,
                const char *number)
{
    struct finding f = {0};
    wording_add(&f.sentence, number);
    wording_add(&f.sentence, format);
    put_line(d, line, severity, &f);
}

/* say_unseen is of what the capture does not have: the verdict says so. */
static void say_unseen(struct detect *d, unsigned line, const char *format, const char *number)
{
    struct finding f = {.limits = LIMITS_SEEN};
    wording_add(&f.sentence, number);
    wording_add(&f.sentence, format);
    put_line(d, line, SEVERITY_UNCHECKED, &f);
}

/* say_calls counts the outcomes of calls apart. */
static void say_calls(struct detect *d, unsigned line)
{
    static const struct {
        enum call_outcome outcome;
        const char *words;
    } outcomes[] = {{CALL_OK, "ok"},
                    {CALL_ANSWERED_ELSEWHERE, "answered elsewhere"},
                    {CALL_TIMEOUT, "timed out"},
                    {CALL_ABANDONED, "abandoned"},
                    {CALL_ERROR, "failed (error)"},
                    {CALL_NOPROC, "noproc"},
                    {CALL_NOCONNECTION, "noconnection"},
                    {CALL_UNKNOWN, "not known"},
                    {CALL_UNANSWERED, "still open"}};
    const struct checks *c = &d->checks;
    struct finding f = {0};
    const bool is_fine =
        c->ended[CALL_OK] + c->ended[CALL_ANSWERED_ELSEWHERE] == c->calls && c->unarrived == 0;
    if (c->calls == 0)
        return;
    wording_add(&f.sentence, ds_counted(c->calls, "calls").text);
    for (size_t i = 0, num = 0; i < sizeof outcomes / sizeof outcomes[0]; i++) {
        const uint64_t count = c->ended[outcomes[i].outcome];
        if (count != 0)
            wording_printf(&f.sentence, "%s %" PRIu64 " %s", num++ == 0 ? ":" : ",", count,
                           outcomes[i].words);
    }
    if (c->ended[CALL_UNANSWERED] == 0 && d->is_over)
        wording_add(&f.sentence, ", none still open");
    put_line(d, line, is_fine ? SEVERITY_FINE : SEVERITY_COUNTED, &f);
}

/* say_unread tells how many messages could not be read, be it in part. */
static void say_unread(struct detect *d, unsigned line)
{
    const struct checks *c = &d->checks;
    const uint64_t unread = c->undecoded + c->unknown;
    struct finding f = {.limits = LIMITS_READ,
                        .num_read = c->messages - unread,
                        .num_messages = c->messages + c->sealed};
    if (unread + c->sealed == 0)
        return;
    wording_printf(&f.sentence, "%" PRIu64 " of ", unread + c->sealed);
    wording_add(&f.sentence, ds_counted(f.num_messages, "messages").text);
    wording_add(&f.sentence, ", as they could not be read in full: ");
    const struct {
        uint64_t num;
        const char *words;
    } kinds[] = {{c->unknown, "have unknown atoms"},
                 {c->undecoded, "could not be decoded"},
                 {c->sealed, "are sealed by TLS, one to a record"}};
    for (size_t i = 0, num = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].num != 0)
            wording_printf(&f.sentence, "%s%" PRIu64 " %s", num++ == 0 ? "" : ", ", kinds[i].num,
                           kinds[i].words);
    }
    put_line(d, line, SEVERITY_UNCHECKED, &f);
}

void findings_note_unseen(struct findings *f, const struct findings_unseen *unseen)
{
    f->detect.unseen = *unseen;
}

void findings_unusual(struct findings *f, const struct unusual *unusual)
{
    detect_unusual(&f->detect, unusual);
}

void findings_note_baseline(struct findings *f, const struct baseline_checks *checks)
{
    f->detect.has_baseline = true;
    f->detect.baseline = *checks;
}

/* say_baseline tells what was compared with a baseline. */
static void say_baseline(struct detect *d, unsigned line)
{
    const struct baseline_checks *b = &d->baseline;
    if (b->is_incomplete)
        say(d, line, SEVERITY_UNCHECKED, ": too many kinds of things (--max-tallies)",
            "what the baseline does not have");
    else if (b->num_not_judged != 0)
        say(d, line, SEVERITY_UNCHECKED,
            " of things that may be new: the baseline has messages that could not be read (DS504)",
            ds_counted(b->num_not_judged, "kinds").text);
    else if (b->num_more != 0)
        say(d, line, SEVERITY_UNCHECKED, " more that the baseline does not have: --compare shows all",
            ds_counted(b->num_more, "things").text);
    else if (b->num_told == 0)
        say(d, line, SEVERITY_FINE, " that the baseline does not have (DS504)", "nothing");
}

void findings_sum_up(struct findings *f)
{
    struct detect *d = &f->detect;
    detect_calls_sum(d);
    detect_presence_sum(d);
    const struct checks *c = &d->checks;
    char text[64];
    unsigned line = 0;
    line++;
    if (c->handshakes != 0)
        say(d, line, SEVERITY_FINE, " complete", ds_counted(c->handshakes, "handshakes").text);
    line++;
    if (c->cookies != 0)
        say(d, line, SEVERITY_FINE, " made with the cookie given", ds_counted(c->cookies, "digests").text);
    line++;
    if (c->links != 0 && c->ticking == 0) {
        say(d, line, SEVERITY_UNCHECKED, " with too few ticks to check their timing (capture "
                                         "longer than net_ticktime)",
            ds_counted(c->links, "links").text);
    } else if (c->links != 0) {
        snprintf(text, sizeof text, "ticks seen at regular intervals on %" PRIu64, c->ticking);
        struct finding tick = {0};
        wording_add(&tick.sentence, text);
        wording_printf(&tick.sentence, " of %s", ds_counted(c->links, "links").text);
        put_line(d, line, SEVERITY_FINE, &tick);
    }
    line++;
    if (c->links != c->one_way && c->zero_windows == 0)
        say(d, line, SEVERITY_FINE, " ever closed its TCP window", "no receiver");
    line++;
    if (c->gaps + c->one_way + c->cut == 0 && c->links != 0)
        say(d, line, SEVERITY_FINE, " is complete (no missing packets)", "the capture");
    line++;
    say_calls(d, line);
    line++;
    say_unread(d, line);
    line++;
    if (c->tls != 0)
        say_unseen(d, line, ": contents encrypted (give --keylog-file)",
                   ds_counted(c->tls, "TLS connections").text);
    line++;
    if (c->late != 0)
        say_unseen(d, line, " opened before the capture: handshakes and cookies not checked",
                   ds_counted(c->late, "links").text);
    line++;
    if (c->one_way != 0)
        say_unseen(d, line,
                   " captured in one direction only: replies, losses and silence not checked",
                   ds_counted(c->one_way, "links").text);
    line++;
    if (c->gaps != 0)
        say_unseen(d, line, " in the capture: lost messages not checked",
                   ds_counted(c->gaps, "gaps").text);
    line++;
    if (c->paused != 0)
        say_unseen(d, line,
                   " silent while nothing was captured: a pause of the capture, or a clock that "
                   "was set",
                   ds_counted(c->paused, "nodes").text);
    line++;
    if (c->epmd_messages == 0)
        say(d, line, SEVERITY_UNCHECKED, ": not checked (no EPMD packets, port 4369, in the "
                                         "capture)",
            "registrations and names");
    line++;
    if (c->handshakes != 0 && !d->config.has_cookie)
        say(d, line, SEVERITY_UNCHECKED, ": not checked (give --cookie-file)", "cookies");
    line++;
    if (c->lookups + c->questions == 0)
        say(d, line, SEVERITY_UNCHECKED, ": not checked (no DNS packets in the capture)",
            "name resolution");
    else if (c->lookups == 0)
        say(d, line, SEVERITY_UNCHECKED, " to DNS, without any answer in the capture",
            ds_counted(c->questions, "questions").text);
    else if (c->resolved == c->lookups)
        say(d, line, SEVERITY_FINE, " of DNS, all with an address", ds_counted(c->lookups, "answers").text);
    line++;
    if (c->unarrived != 0)
        say(d, line, SEVERITY_UNCHECKED,
            " whose answers passed here and were never acknowledged: they may not have arrived",
            ds_counted(c->unarrived, "calls").text);
    line++;
    if (c->unread_calls != 0)
        say(d, line, SEVERITY_UNCHECKED,
            " without an answer, which may be among messages that could not be read (DS305)",
            ds_counted(c->unread_calls, "calls").text);
    line++;
    if (c->others_names != 0) {
        struct finding others = {0};
        wording_printf(&others.sentence, "%s did not resolve, of hosts on which no node was seen: ",
                       ds_counted(c->others_names, "names").text);
        wording_put(&others.sentence, WORD_NODE,
                    detect_unresolved(d));
        wording_add(&others.sentence, " first (DS109)");
        put_line(d, line, SEVERITY_UNCHECKED, &others);
    }
    line++;
    if (detect_mesh_cap(d) != 0) {
        snprintf(text, sizeof text, "%u", detect_mesh_cap(d));
        say(d, line, SEVERITY_UNCHECKED,
            " nodes at most are looked at for links that are missing (DS211)", text);
    }
    line++;
    if (c->unseen_pairs != 0)
        say(d, line, SEVERITY_UNCHECKED,
            " of nodes without a link: not checked (no traffic between their hosts passes here, "
            "DS211)",
            ds_counted(c->unseen_pairs, "pairs").text);
    line++;
    if (c->unnamed != 0)
        say(d, line, SEVERITY_UNCHECKED,
            " of nodes whose full names were not captured: missing links not checked (DS211)",
            ds_counted(c->unnamed, "links").text);
    line++;
    if (c->unmeasured != 0)
        say_unseen(d, line,
                   " without memory for TCP measurements: losses and silence not checked "
                   "(--max-memory)",
                   ds_counted(c->unmeasured, "links").text);
    line++;
    if (c->sockets != 0)
        say(d, line, SEVERITY_COUNTED,
            " beside the distribution (-Y proto), of which losses and silence are not checked",
            ds_counted(c->sockets, "connections").text);
    line++;
    if (d->found.num_forgotten != 0)
        say_unseen(d, line, " dropped, because there were too many",
                   ds_counted(d->found.num_forgotten, "findings").text);
    line++;
    if (d->unseen.lost_packets != 0)
        say_unseen(d, line, " dropped by the kernel or the interface before they were captured",
                   ds_counted(d->unseen.lost_packets, "packets").text);
    line++;
    if (d->unseen.bad_packets != 0)
        say_unseen(d, line, " of an unknown link type, or with malformed headers",
                   ds_counted(d->unseen.bad_packets, "packets").text);
    line++;
    if (d->unseen.ignored != 0)
        say(d, line, SEVERITY_UNCHECKED,
            " ignored, that no node takes: damaged, somebody else's, or out of place (DS505)",
            ds_counted(d->unseen.ignored, "packets").text);
    line++;
    if (d->unseen.differing != 0)
        say_unseen(d, line, " retransmitted with other bytes than the first copy, which was taken",
                   ds_counted(d->unseen.differing, "segments").text);
    line++;
    if (d->unseen.fragments != 0)
        say_unseen(d, line, " discarded, as their fragments overlap or do not agree where they end",
                   ds_counted(d->unseen.fragments, "IP packets").text);
    line++;
    if (d->unseen.caps != 0)
        say_unseen(d, line, " a limit was reached, and entries were dropped (--max-*)",
                   ds_counted(d->unseen.caps, "times").text);
    line++;
    if (d->has_baseline)
        say_baseline(d, line);
    line++;
    struct finding down = {0};
    if (detect_presence_down(d, &down.sentence)) {
        put_line(d, line, SEVERITY_DOWN, &down);
    } else if (d->was_down) {
        wording_add(&down.sentence, "nodes that had left: all have come back");
        put_line(d, line, SEVERITY_FINE, &down);
    }
    d->was_down |= down.sentence.len != 0;
    line++;
    struct finding visitors = {0};
    if (detect_presence_visitors(d, &visitors.sentence))
        put_line(d, line, SEVERITY_FINE, &visitors);
}

void findings_end(struct findings *f)
{
    f->detect.is_over = true;
    take_time(&f->detect, true);
    findings_sum_up(f);
    if (f->detect.timeline != NULL)
        timeline_end(f->detect.timeline);
}
