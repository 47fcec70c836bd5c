/*
 * findings.c - see findings.h: the store of what was found, and the checks that it ends with.
 */
#include "findings.h"

#include "detect.h"
#include "duration.h"
#include "hash.h"
#include "label_show.h"
#include "term_show.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MIN_PAUSE_NS INT64_C(1000000000)
#define RECENT_NS INT64_C(600000000000)

enum {
    MAX_FOUND = 1024,
    MAX_PAIRS = 4096,
    MAX_ASKED = 1024,
    MAX_CALLEES = 1024,
    MAX_COPIED = 1024,
    MAX_COINED = 256,
    MAX_LOCKS = 256,
    MAX_LISTED = 4096,
};

struct findings {
    struct detect detect;
};

/* found is what all equal findings have become. */
struct found {
    struct table_entry entry;
    struct finding finding;
};

struct findings *findings_new(const struct findings_config *config)
{
    struct findings *f = calloc(1, sizeof *f);
    if (f == NULL)
        return NULL;
    struct detect *d = &f->detect;
    d->config = *config;
    table_init(&d->watched, sizeof(struct watched), config->limits[DS_LIMIT_CONNECTIONS]);
    table_init(&d->asked, sizeof(struct asked), MAX_ASKED);
    table_init(&d->pairs, sizeof(struct pair), MAX_PAIRS);
    table_init(&d->callees, sizeof(struct callee), MAX_CALLEES);
    table_init(&d->copied, sizeof(struct copied), MAX_COPIED);
    table_init(&d->coined, sizeof(struct coined), MAX_COINED);
    table_init(&d->locks, sizeof(struct locked), MAX_LOCKS);
    table_init(&d->listed, sizeof(struct listed), MAX_LISTED);
    table_init(&d->found, sizeof(struct found), MAX_FOUND);
    return f;
}

void findings_free(struct findings *f)
{
    if (f == NULL)
        return;
    table_free(&f->detect.watched);
    table_free(&f->detect.asked);
    table_free(&f->detect.pairs);
    table_free(&f->detect.callees);
    table_free(&f->detect.copied);
    table_free(&f->detect.coined);
    table_free(&f->detect.locks);
    table_free(&f->detect.listed);
    table_free(&f->detect.found);
    detect_mesh_free(&f->detect);
    free(f);
}

void findings_add_stats(const struct findings *f, struct ds_stats *stats)
{
    stats->no_memory += f->detect.no_memory;
}

struct watched *detect_find_watched(const struct detect *d, uint64_t conn)
{
    struct watched *w = table_first(&d->watched, hash_key(&conn, sizeof conn));
    while (w != NULL && w->conn != conn)
        w = table_next(&d->watched, w);
    return w;
}

struct watched *detect_watch(struct detect *d, const struct ds_conn *conn)
{
    const uint32_t hash = hash_key(&conn->number, sizeof conn->number);
    struct watched *w = detect_find_watched(d, conn->number);
    if (w != NULL)
        return w;
    w = table_add_forgetting(&d->watched, hash);
    if (w == NULL) {
        d->no_memory++;
        return NULL;
    }
    w->conn = conn->number;
    w->initiator = -1;
    w->last_step = DS_STEP_UNKNOWN;
    w->opened_ns = d->now_ns;
    return w;
}

struct finding *detect_begin(struct detect *d, enum finding_code code,
                             const struct ds_event *event)
{
    struct finding *f = &d->draft;
    memset(f, 0, sizeof *f);
    f->kind = finding_kind_at(code);
    f->severity = f->kind->severity;
    f->num_evidence = 1;
    f->evidence[0].ts_ns = d->now_ns;
    if (event == NULL)
        return f;
    f->evidence[0].conn = event->conn->number;
    f->evidence[0].ts_ns = event->ts_ns;
    for (int end = 0; end < 2; end++) {
        const struct ds_text node = event->conn->end[end].node;
        if (node.data == NULL || node.len > FINDING_NODE_LEN)
            continue;
        memcpy(f->node[end].text, node.data, node.len);
        f->node[end].len = node.len;
    }
    return f;
}

void detect_frame(struct finding *f, uint64_t frame, const char *what)
{
    struct evidence *e = &f->evidence[0];
    if (frame == 0 || e->num == FINDING_FRAMES)
        return;
    e->packet[e->num].frame = frame;
    e->packet[e->num].what = what;
    e->num++;
}

void detect_unsure(struct finding *f, enum certainty certainty, const char *proof)
{
    f->certainty = certainty;
    f->proof = proof;
}

static void emit(struct detect *d, const struct finding *finding)
{
    const struct record record = {.finding = finding};
    d->config.emit(d->config.context, &record);
}

static bool is_equal(const struct finding *a, const struct finding *b)
{
    return a->kind == b->kind && a->variant == b->variant && a->sentence.len == b->sentence.len &&
           memcmp(a->sentence.bytes, b->sentence.bytes, a->sentence.len) == 0;
}

static uint32_t hash_finding(const struct finding *f)
{
    return hash_text(text_of(f->sentence.bytes, f->sentence.len)) ^ (uint32_t)(uintptr_t)f->kind;
}

static struct found *find_equal(const struct detect *d, uint32_t hash)
{
    struct found *found = table_first(&d->found, hash);
    while (found != NULL && !is_equal(&found->finding, &d->draft))
        found = table_next(&d->found, found);
    return found;
}

void detect_complete(struct detect *d)
{
    const struct finding *draft = &d->draft;
    struct found *found = find_equal(d, hash_finding(draft));
    if (found == NULL)
        return;
    struct finding *f = &found->finding;
    f->detail = draft->detail;
    f->is_update = true;
    if (draft->certainty < f->certainty) {
        f->certainty = draft->certainty;
        f->proof = draft->proof;
    }
    for (size_t i = f->num_evidence; i-- > 0;) {
        if (f->evidence[i].conn != draft->evidence[0].conn)
            continue;
        f->evidence[i] = draft->evidence[0];
        break;
    }
    emit(d, f);
}

void detect_commit(struct detect *d)
{
    struct finding *draft = &d->draft;
    const int64_t ts_ns = draft->evidence[0].ts_ns;
    const uint32_t hash = hash_finding(draft);
    struct found *found = find_equal(d, hash);
    if (found == NULL) {
        found = table_add_forgetting(&d->found, hash);
        if (found == NULL) {
            d->no_memory++;
            return;
        }
        draft->number = ++d->num_found;
        draft->count = 1;
        draft->first_ns = draft->last_ns = ts_ns;
        found->finding = *draft;
        emit(d, &found->finding);
        return;
    }
    struct finding *f = &found->finding;
    f->count++;
    f->last_ns = ts_ns;
    f->is_update = f->num_evidence == FINDING_SETS;
    if (!f->is_update)
        f->evidence[f->num_evidence++] = draft->evidence[0];
    if (draft->certainty < f->certainty) { /* proven by now */
        f->certainty = draft->certainty;
        f->proof = draft->proof;
    }
    emit(d, f);
}

void wording_span(struct wording *wording, int64_t ns)
{
    struct ds_buffer text = {0};
    duration_print(ns, &text);
    if (!text.failed)
        wording_put(wording, WORD_PLAIN, text_of(text.data, text.len));
    ds_buffer_free(&text);
}

void wording_size(struct wording *wording, uint64_t bytes)
{
    if (bytes < 10000)
        wording_add(wording, ds_counted(bytes, "bytes").text);
    else if (bytes < 1000000)
        wording_printf(wording, "%.0f kB", (double)bytes / 1e3);
    else
        wording_printf(wording, "%.1f MB", (double)bytes / 1e6);
}

void wording_function(struct wording *wording, struct ds_text module, struct ds_text function)
{
    struct ds_buffer call = {0};
    if (term_show_syntax() == DS_SYNTAX_ERLANG) {
        wording_put(wording, WORD_ATOM, module);
        wording_add(wording, ":");
        wording_put(wording, WORD_ATOM, function);
        return;
    }
    term_show_call(module, function, &call);
    if (!call.failed)
        wording_put(wording, WORD_ATOM, (struct ds_text){call.data, call.len});
    ds_buffer_free(&call);
}

void wording_label(struct wording *wording, const char *label)
{
    struct ds_buffer text = {0};
    label_show(label, &text);
    if (!text.failed)
        wording_put(wording, WORD_PLAIN, (struct ds_text){text.data, text.len});
    ds_buffer_free(&text);
}

void wording_party(struct wording *wording, const struct party *party)
{
    if (party->name.data != NULL) {
        wording_put(wording, WORD_ATOM, party->name);
        if (party->node.data != NULL)
            wording_add(wording, " of ");
    } else if (party->has_pid) {
        wording_printf(wording, "<%u.%u> of ", (unsigned)party->id, (unsigned)party->serial);
    }
    if (party->node.data != NULL)
        wording_put(wording, WORD_NODE, party->node);
}

bool detect_is_published(const struct watched *w)
{
    const uint64_t published = 1; /* PUBLISHED: no hidden node, such as a tool's */
    return w->has_flags[0] && w->has_flags[1] && (w->flags[0] & w->flags[1] & published) != 0;
}

size_t detect_keep(char *out, size_t size, struct ds_text text)
{
    const size_t len = text.data == NULL ? 0 : text.len < size ? text.len : size;
    if (len != 0)
        memcpy(out, text.data, len);
    return len;
}

static void count(struct detect *d, const struct ds_event *event)
{
    struct checks *c = &d->checks;
    c->epmd_messages += event->type == DS_EVENT_EPMD;
    if (event->type == DS_EVENT_GAP) {
        struct watched *w = detect_watch(d, event->conn);
        if (w != NULL)
            w->gap_ns = event->ts_ns;
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
    c->tls += tls != NULL && tls->unopened[0] + tls->unopened[1] != 0;
    const struct ds_link *link = event->conn->link;
    const uint64_t *messages[2] = {&event->conn->counters[0].messages,
                                   &event->conn->counters[1].messages};
    if (*messages[0] + *messages[1] == 0)
        return;
    if (link == NULL) {
        c->unmeasured++;
        return;
    }
    c->links++;
    if (ds_link_unseen(link) >= 0) {
        c->one_way++;
        return;
    }
    c->zero_windows += link->side[0].zero_windows + link->side[1].zero_windows;
    const bool ticks = link->side[0].tick_intervals != 0 || link->side[1].tick_intervals != 0;
    c->ticking += ticks;
    c->unticked += !ticks;
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

/* What messages, calls and other events can show. Nearly all records are one of the first two, and
 * most detectors look at neither. */

static __attribute__((noinline)) void take_closely(struct detect *d, const struct record *record)
{
    if (d->has_fading)
        detect_silence(d, record);
    detect_tls_message(d, record->event);
}

static inline void take_message(struct detect *d, const struct record *record)
{
    detect_link_message(d, record->event);
    if (d->num_one_way != 0 || record->event->fault.kind == DS_FAULT_TRUNCATED)
        detect_capture(d, record->event);
    if (d->looks_closer)
        take_closely(d, record);
    if (record->note.late)
        detect_calls(d, record);
    detect_messages(d, record);
    if (detect_is_of_global(record->note.label))
        detect_global(d, record);
    detect_exposure_message(d, record);
}

static void take_call(struct detect *d, const struct record *record)
{
    const bool is_seen = !detect_is_one_way(d, record->call->conn);
    d->checks.calls += is_seen;
    d->checks.calls_open += record->call->outcome == CALL_UNANSWERED;
    detect_calls(d, record);
    if (detect_is_of_global(record->call->label))
        detect_global(d, record);
}

static void take_other(struct detect *d, const struct record *record)
{
    count(d, record->event);
    detect_capture(d, record->event);
    detect_tls(d, record);
    detect_connect(d, record);
    detect_link(d, record);
    detect_silence(d, record);
    detect_mesh(d, record);
    detect_exposure(d, record);
}

static void take_time(struct detect *d, bool at_end)
{
    detect_connect_time(d, at_end);
    if (d->has_fading)
        detect_silence_time(d);
    detect_mesh_time(d, at_end);
}

void findings_record(struct findings *f, const struct record *record)
{
    struct detect *d = &f->detect;
    const bool is_message = record_is_message(record);
    if (!is_message &&
        (record->finding != NULL || (record->event != NULL && ds_event_is_raw(record->event))))
        return;
    if (!is_message && record->note.held != NULL) { /* of before */
        detect_held_up(d, record);
        return;
    }
    d->now_ns = is_message ? record->event->ts_ns : record_time(record);
    note_pause(d);
    if (is_message)
        take_message(d, record);
    else if (record->call != NULL)
        take_call(d, record);
    else if (record->monitor == NULL)
        take_other(d, record);
    take_time(d, false);
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

/* say emits a line of the checks. Lines have numbers of their own, from the greatest down. */
static void say(struct detect *d, unsigned line, enum severity severity, const char *format,
                const char *number)
{
    struct finding f = {.number = UINT64_MAX - line, .severity = severity, .is_update = true};
    wording_add(&f.sentence, number);
    wording_add(&f.sentence, format);
    emit(d, &f);
}

void findings_sum_up(struct findings *f)
{
    struct detect *d = &f->detect;
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
    if (c->links != 0) {
        snprintf(text, sizeof text, "ticks seen at regular intervals on %" PRIu64, c->ticking);
        struct finding tick = {
            .number = UINT64_MAX - line, .severity = SEVERITY_FINE, .is_update = true};
        wording_add(&tick.sentence, text);
        wording_printf(&tick.sentence, " of %s", ds_counted(c->links, "links").text);
        emit(d, &tick);
    }
    line++;
    if (c->links != c->one_way && c->zero_windows == 0)
        say(d, line, SEVERITY_FINE, ": none was ever closed", "windows");
    line++;
    if (c->calls != 0 && c->calls_open == 0)
        say(d, line, SEVERITY_FINE, ", all answered or ended", ds_counted(c->calls, "calls").text);
    line++;
    if (c->gaps + c->one_way + c->cut == 0 && c->links != 0)
        say(d, line, SEVERITY_FINE, " is missing in the capture", "no packet");
    line++;
    if (c->tls != 0)
        say(d, line, SEVERITY_UNCHECKED, " of TLS: what is inside cannot be seen",
            ds_counted(c->tls, "connections").text);
    line++;
    if (c->late != 0)
        say(d, line, SEVERITY_UNCHECKED, " that the capture joined late: their handshakes and cookies",
            ds_counted(c->late, "links").text);
    line++;
    if (c->one_way != 0)
        say(d, line, SEVERITY_UNCHECKED,
            " of which one direction alone was captured: what is answered, what is lost, who is silent",
            ds_counted(c->one_way, "links").text);
    line++;
    if (c->gaps != 0)
        say(d, line, SEVERITY_UNCHECKED, " in what was captured: messages that were in them",
            ds_counted(c->gaps, "gaps").text);
    line++;
    if (c->paused != 0)
        say(d, line, SEVERITY_UNCHECKED,
            " that were silent while nothing at all was captured, for a pause or a clock that was set",
            ds_counted(c->paused, "nodes").text);
    line++;
    if (c->epmd_messages == 0)
        say(d, line, SEVERITY_UNCHECKED, " is not in the capture: registrations and names",
            "EPMD, port 4369,");
    line++;
    if (c->handshakes != 0 && !d->config.has_cookie)
        say(d, line, SEVERITY_UNCHECKED, ": --cookie-file would tell", "cookies");
    line++;
    if (c->lookups == 0)
        say(d, line, SEVERITY_UNCHECKED, " is not in the capture: names that do not resolve",
            "DNS, UDP port 53,");
    else if (c->resolved == c->lookups)
        say(d, line, SEVERITY_FINE, " of DNS, all with an address", ds_counted(c->lookups, "answers").text);
    line++;
    if (detect_mesh_cap(d) != 0) {
        snprintf(text, sizeof text, "%u", detect_mesh_cap(d));
        say(d, line, SEVERITY_UNCHECKED,
            " nodes at most are looked at for links that are missing (DS211)", text);
    }
    line++;
    if (c->unseen_pairs != 0)
        say(d, line, SEVERITY_UNCHECKED,
            " of nodes without a link: nothing between their hosts passes here (DS211)",
            ds_counted(c->unseen_pairs, "pairs").text);
    line++;
    if (c->unnamed != 0)
        say(d, line, SEVERITY_UNCHECKED,
            " of nodes whose full names were not captured: which links are missing (DS211)",
            ds_counted(c->unnamed, "links").text);
    line++;
    if (c->unmeasured != 0)
        say(d, line, SEVERITY_UNCHECKED,
            " of which there was no memory to measure the way: what is lost, who is silent (--max-memory)",
            ds_counted(c->unmeasured, "links").text);
    line++;
    if (d->found.num_forgotten != 0)
        say(d, line, SEVERITY_UNCHECKED, " that were forgotten, since there were too many",
            ds_counted(d->found.num_forgotten, "findings").text);
}

void findings_end(struct findings *f)
{
    take_time(&f->detect, true);
    findings_sum_up(f);
}
