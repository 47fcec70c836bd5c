/*
 * timeline.c - which events get a line in the timeline, and what the line says: calls that fail, nodes and
 * links that come and go, stalls, gaps, EPMD, and findings. timeline_lines.c has what becomes of a line.
 */
#include "analyse/findings/timeline_parts.h"

#include "analyse/findings/timeline_say.h"
#include "analyse/findings/tools.h"
#include "analyse/findings/wording_say.h"
#include "core/hash.h"

#include <distsniff/counted.h>
#include <stdlib.h>
#include <string.h>

#define STALL_NS SECOND         /* shorter stalls are ignored */
#define AGAIN_NS (2 * SECOND)   /* a stall that begins again within this time goes on */

enum { NODE_TYPE_HIDDEN = 72 };

/* --- failures of calls --- */

/* find_place returns where a callee is whose node has no known name: an end of the connection, from
 * the message that ended the call, which is an answer or a demonitor of the caller. NULL if that is
 * unknown, or if the node has a name. */
static const struct ds_endpoint *find_place(const struct record *record)
{
    const struct ds_text node = record->call->callee.node;
    const struct ds_event *event = record->event;
    const struct ds_op *op =
        event != NULL && event->type == DS_EVENT_MESSAGE ? event->message.op : NULL;
    if (op == NULL || event->conn->number != record->call->conn ||
        (node.data != NULL && node.data[0] != '~'))
        return NULL;
    return &event->conn->end[op->kind == DS_KIND_DEMONITOR ? !event->dir : event->dir];
}

static void add_callee(struct wording *out, const struct record *record)
{
    const struct call *call = record->call;
    const struct ds_text name = call->callee.name;
    const struct ds_endpoint *place = find_place(record);
    if (name.data != NULL) {
        wording_put(out, WORD_ATOM, name);
        wording_add(out, " of ");
    }
    if (place != NULL)
        wording_end(out, place);
    else if (call->callee.node.data != NULL)
        wording_put(out, WORD_NODE, call->callee.node);
    else
        wording_add(out, "an unknown node");
    if (name.data == NULL && call->label != NULL) {
        wording_add(out, " (");
        wording_add(out, call->label);
        wording_add(out, ")");
    }
}

static uint64_t hash_callee(const struct record *record)
{
    const struct call *call = record->call;
    const struct ds_text node = call->callee.node, name = call->callee.name;
    const struct ds_endpoint *place = find_place(record);
    uint64_t hash = place != NULL ? timeline_hash_node(place)
                                  : hash_more(3, node.data != NULL ? node.data : "", node.len);
    if (name.data != NULL)
        return hash_more(hash, name.data, name.len);
    return call->label != NULL ? hash_more(hash, call->label, strlen(call->label)) : hash;
}

static void add_failure(struct wording *out, const struct call *call, bool caller_woke)
{
    if (call->outcome != CALL_ABANDONED && !caller_woke) {
        wording_add(out, call->outcome == CALL_TIMEOUT ? " timed out" : " failed: ");
        if (call->outcome != CALL_TIMEOUT)
            wording_add(out, call_outcome_name(call->outcome));
        return;
    }
    wording_add(out, " were abandoned by their caller");
    if (call->caller.node.data != NULL) {
        wording_add(out, " on ");
        wording_put(out, WORD_NODE, call->caller.node);
    }
    if (caller_woke)
        wording_add(out, ", which had itself sent nothing for a while");
}

/* add_outcome rewrites the sentence for calls that failed in several ways. */
static void add_outcome(struct open_line *o, const struct call *call)
{
    if ((o->outcomes & 1U << call->outcome) != 0)
        return;
    o->outcomes |= 1U << call->outcome;
    struct wording *sentence = &o->finding.sentence;
    *sentence = (struct wording){.len = 0};
    wording_add(sentence, "calls to ");
    wording_words(sentence, &o->finding.detail);
    const char *before = " failed: ";
    for (int i = 0; i < CALL_OUTCOME_COUNT; i++) {
        if ((o->outcomes >> i & 1) == 0)
            continue;
        wording_add(sentence, before);
        wording_add(sentence, call_outcome_name((enum call_outcome)i));
        before = ", ";
    }
}

void timeline_call(struct timeline *t, const struct record *record, bool caller_woke)
{
    const struct call *call = record->call;
    /* An abandoned call is about its caller, which may have been suspended. */
    const struct ds_text who = call->caller.node;
    const bool is_abandoned = call->outcome == CALL_ABANDONED || caller_woke;
    const uint64_t by = is_abandoned ? hash_more(1, who.data != NULL ? who.data : "", who.len) : 0;
    const uint64_t key = timeline_key(HAPPENING_FAILING, hash_callee(record), by);
    if (!call_outcome_is_failure(call->outcome) || call->began_before) {
        struct open_line *o = call->outcome == CALL_OK ? table_find(&t->open, key) : NULL;
        if (o != NULL && o->recovered_ns == 0 && call->end_ns >= o->finding.last_ns)
            o->recovered_ns = call->end_ns;
        if (o != NULL && o->is_given)
            timeline_finish(t, o);
        return;
    }
    struct open_line *o = timeline_merge(t, key, call->end_ns);
    if (o != NULL) {
        if (!is_abandoned)
            add_outcome(o, call);
        return;
    }
    struct finding *line = timeline_begin(t, HAPPENING_FAILING, call->end_ns);
    if (line == NULL)
        return;
    timeline_name_node(line, 0, call->callee.node);
    timeline_name_node(line, 1, call->caller.node);
    timeline_name_place(line, call->conn, call->end_frame, "the first");
    wording_add(&line->sentence, "calls to ");
    add_callee(&line->sentence, record);
    add_failure(&line->sentence, call, caller_woke);
    add_callee(&line->detail, record);
    o = timeline_hold(t, line, key, FOLD_NS);
    if (o != NULL)
        o->outcomes = 1U << call->outcome;
    free(line);
}

/* --- nodes and links --- */

/* end_stall ends the stall of a link that has ended. */
static void end_stall(struct timeline *t, uint64_t conn, int64_t ts_ns)
{
    struct open_line *o = table_find(&t->open, timeline_key(HAPPENING_STALL, conn, 0));
    if (o == NULL)
        return;
    if (o->goes_on && ts_ns > o->finding.first_ns)
        o->finding.last_ns = ts_ns;
    o->goes_on = false;
    o->has_ended = true;
    o->due_ns = ts_ns + AGAIN_NS;
}

/* undo_departure removes the line about a node that has left, if it was not emitted. */
static bool undo_departure(struct timeline *t, const struct presence_node *node)
{
    for (size_t i = t->num_kept; i-- > 0;) {
        const struct finding *line = t->kept[i];
        if (line->happening != HAPPENING_NODE_LEFT || line->node[0].len != node->len ||
            memcmp(line->node[0].text, node->name, node->len) != 0)
            continue;
        free(t->kept[i]);
        memmove(t->kept + i, t->kept + i + 1, (--t->num_kept - i) * sizeof(struct finding *));
        return true;
    }
    return false;
}

void timeline_presence(struct timeline *t, const struct presence_change *c)
{
    static const enum happening happenings[] = {
        [PRESENCE_SEEN] = HAPPENING_NODE_SEEN, [PRESENCE_LEFT] = HAPPENING_NODE_LEFT,
        [PRESENCE_STAYS] = HAPPENING_NODE_BACK,
        [PRESENCE_BACK] = HAPPENING_NODE_BACK, [PRESENCE_UP] = HAPPENING_LINK_UP,
        [PRESENCE_DOWN] = HAPPENING_LINK_DOWN};
    const enum happening happening = happenings[c->what];
    if (c->what == PRESENCE_STAYS && undo_departure(t, c->node))
        return;
    if (c->what == PRESENCE_DOWN)
        end_stall(t, c->conn, c->ts_ns);
    /* Tools come and go: all visits to a node are one line. */
    const int visited = c->is_hidden_end[0] ? 1 : 0;
    const uint64_t key = timeline_key(happening, timeline_hash_node(&c->end[visited]), 0);
    if (c->is_hidden && (c->what == PRESENCE_DOWN || timeline_merge(t, key, c->ts_ns) != NULL))
        return;
    struct finding *line = timeline_begin(t, happening, c->ts_ns);
    if (line == NULL)
        return;
    if (c->node == NULL) {
        timeline_name_ends(line, c->end);
    }
    timeline_name_place(line, c->conn, c->frame, "this packet");
    if (c->node != NULL) {
        timeline_name_node(line, 0, (struct ds_text){c->node->name, c->node->len});
        timeline_say_node(&line->sentence, c);
    } else if (c->is_hidden) {
        wording_add(&line->sentence, "a hidden node (a tool) connected to ");
        wording_end(&line->sentence, &c->end[visited]);
    } else if (c->what == PRESENCE_DOWN) {
        timeline_say_down(&line->sentence, c);
    } else {
        wording_add(&line->sentence, "the link between ");
        timeline_say_link(&line->sentence, c);
        wording_add(&line->sentence, c->was_up ? " was up before the capture" : " is up");
    }
    if (c->is_hidden)
        timeline_hold(t, line, key, FOLD_NS);
    else
        timeline_put(t, line);
    free(line);
}

/* --- events --- */

static void on_stall(struct timeline *t, const struct ds_event *event)
{
    const struct ds_stall *stall = &event->stall;
    const uint64_t key = timeline_key(HAPPENING_STALL, event->conn->number, 0);
    struct open_line *o = table_find(&t->open, key);
    const int64_t end_ns = stall->start_ns + stall->duration_ns;
    if (o == NULL && stall->duration_ns < STALL_NS)
        return;
    if (o == NULL) {
        struct finding *line = timeline_begin(t, HAPPENING_STALL, stall->start_ns);
        if (line == NULL)
            return;
        timeline_name_ends(line, event->conn->end);
        timeline_name_place(line, event->conn->number, event->frame, "the latest packet");
        wording_add(&line->sentence, "data from ");
        wording_end(&line->sentence, &event->conn->end[event->dir]);
        wording_add(&line->sentence, " to ");
        wording_end(&line->sentence, &event->conn->end[!event->dir]);
        const bool is_unread =
            stall->why == DS_STALL_ZERO_WINDOW || stall->why == DS_STALL_FULL_WINDOW;
        wording_add(&line->sentence, is_unread ? " is not read" : " is not acknowledged");
        o = timeline_hold(t, line, key, AGAIN_NS);
        free(line);
        if (o == NULL)
            return;
    }
    if (stall->start_ns < o->finding.first_ns)
        o->finding.first_ns = stall->start_ns;
    if (o->has_ended)
        return;
    if (end_ns > o->finding.last_ns)
        o->finding.last_ns = end_ns;
    o->goes_on = !stall->is_over;
    o->due_ns = o->finding.last_ns + AGAIN_NS;
}

static void on_gap(struct timeline *t, const struct ds_event *event)
{
    const uint64_t key = timeline_key(HAPPENING_GAP, event->conn->number, 0);
    if (timeline_merge(t, key, event->ts_ns))
        return;
    struct finding *line = timeline_begin(t, HAPPENING_GAP, event->ts_ns);
    if (line == NULL)
        return;
    timeline_name_ends(line, event->conn->end);
    timeline_name_place(line, event->conn->number, event->frame, "behind it");
    wording_add(&line->sentence, "packets from ");
    wording_end(&line->sentence, &event->conn->end[event->dir]);
    wording_add(&line->sentence, " to ");
    wording_end(&line->sentence, &event->conn->end[!event->dir]);
    wording_add(&line->sentence, " are missing in the capture");
    timeline_hold(t, line, key, FOLD_NS);
    free(line);
}

/* on_flags detects a node whose capabilities changed: it runs another release. */
static void on_flags(struct timeline *t, const struct ds_event *event)
{
    const uint64_t published = 1;
    const struct ds_handshake *h = &event->handshake;
    const struct ds_text name = h->name;
    if (!h->has_flags || name.data == NULL || name.len == 0 || (h->flags & published) == 0)
        return;
    const uint64_t key = hash_more(5, name.data, name.len);
    struct seen_release *r = table_find(&t->releases, key);
    if (r == NULL) {
        r = table_find_or_put(&t->releases, key);
        if (r != NULL)
            r->flags = h->flags;
        return;
    }
    if (r->flags == h->flags)
        return;
    r->flags = h->flags;
    struct finding *line = timeline_begin(t, HAPPENING_RELEASE, event->ts_ns);
    if (line == NULL)
        return;
    timeline_name_node(line, 0, name);
    timeline_name_place(line, event->conn->number, event->frame, "its flags");
    wording_put(&line->sentence, WORD_NODE, name);
    wording_add(&line->sentence,
                " runs another release than before: the capability flags of its handshake differ");
    timeline_put(t, line);
    free(line);
}

static void say_registration(struct timeline *t, const struct ds_event *event, enum happening happening,
                             const struct registration *r)
{
    const struct ds_text name = {r->name, r->len};
    struct finding *line = timeline_begin(t, happening, event->ts_ns);
    if (line == NULL)
        return;
    timeline_name_node(line, 0, name);
    timeline_name_place(line, event->conn->number, event->frame,
               happening == HAPPENING_REGISTERED ? "the answer" : "the close");
    wording_put(&line->sentence, WORD_NODE, name);
    wording_add(&line->sentence, happening == HAPPENING_REGISTERED ? " registered at EPMD of "
                                     : " is no longer registered at EPMD of ");
    wording_addr(&line->sentence, &r->epmd);
    if (happening == HAPPENING_REGISTERED)
        wording_printf(&line->sentence, ", port %u", (unsigned)r->port);
    timeline_put(t, line);
    free(line);
}

/* ask_registration ignores tools, hidden or with names of tools: they come and go. */
static void ask_registration(struct timeline *t, const struct ds_event *event)
{
    const struct ds_epmd *epmd = &event->epmd;
    if (epmd->node_type == NODE_TYPE_HIDDEN || tools_have_name(epmd->name) || epmd->name.data == NULL ||
        epmd->name.len == 0 || epmd->name.len > FINDING_NODE_LEN)
        return;
    struct registration *r = table_add_forgetting(&t->registrations, (uint32_t)event->conn->number);
    if (r == NULL)
        return;
    r->conn = event->conn->number;
    r->port = epmd->port;
    r->epmd = event->conn->end[!event->dir].addr;
    r->len = epmd->name.len;
    memcpy(r->name, epmd->name.data, r->len);
}

/* on_epmd ignores refused and unknown names, which findings report. */
static void on_epmd(struct timeline *t, const struct ds_event *event)
{
    const enum ds_epmd_op op = event->epmd.op;
    struct registration *r = table_find(&t->registrations, event->conn->number);
    if (op == DS_EPMD_ALIVE2_REQ && r == NULL) {
        ask_registration(t, event);
    } else if (r != NULL && (op == DS_EPMD_ALIVE2_RESP || op == DS_EPMD_ALIVE2_X_RESP)) {
        if (event->epmd.result == 0 && !r->is_registered)
            say_registration(t, event, HAPPENING_REGISTERED, r);
        r->is_registered = event->epmd.result == 0;
    }
}

/* end_registration ends a registration: it lasts as long as the connection to EPMD. */
static void end_registration(struct timeline *t, const struct ds_event *event)
{
    struct registration *r = table_find(&t->registrations, event->conn->number);
    if (r == NULL)
        return;
    const bool is_closed =
        event->change.state == DS_CONN_CLOSED || event->change.state == DS_CONN_HALF_CLOSED;
    if (r->is_registered && is_closed)
        say_registration(t, event, HAPPENING_UNREGISTERED, r);
    table_remove(&t->registrations, r);
}

void timeline_event(struct timeline *t, const struct ds_event *event)
{
    if (event->type == DS_EVENT_EPMD)
        on_epmd(t, event);
    if (event->type == DS_EVENT_CONN &&
        (event->change.final || event->change.state == DS_CONN_HALF_CLOSED))
        end_registration(t, event);
    if (event->type == DS_EVENT_STALL)
        on_stall(t, event);
    else if (event->type == DS_EVENT_GAP)
        on_gap(t, event);
    else if (event->type == DS_EVENT_HANDSHAKE)
        on_flags(t, event);
    else if (event->type == DS_EVENT_CONN &&
             (event->change.final || event->change.state == DS_CONN_HALF_CLOSED))
        end_stall(t, event->conn->number, event->ts_ns);
}

/* --- findings --- */

/* happening_of returns the event that a finding is: a few have events of their own kind. */
static enum happening happening_of(const struct finding *f)
{
    return strcmp(f->kind->code, "DS601") == 0   ? HAPPENING_SPLIT
           : strcmp(f->kind->code, "DS604") == 0 ? HAPPENING_ELECTION
           : strcmp(f->kind->code, "DS201") == 0 ? HAPPENING_SILENT
           : strcmp(f->kind->code, "DS216") == 0 ? HAPPENING_SILENT
                                                 : HAPPENING_FINDING;
}

/* has_line says whether a line about a stall or failing calls covers the finding, with the same
 * times. */
static bool has_line(const struct finding *f)
{
    static const char *const codes[] = {"DS214", "DS310", "DS313"};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        if (strcmp(f->kind->code, codes[i]) == 0)
            return true;
    }
    return false;
}

/* is_act says whether the finding is an action on a node, which is shown though it is hygiene. */
static bool is_act(const struct finding *f)
{
    return strcmp(f->kind->code, "DS403") == 0 && f->severity == SEVERITY_WARNING;
}

/* latest_of returns the evidence of the latest occurrence. NULL: it is not kept. */
static const struct evidence *latest_of(const struct finding *f)
{
    return f->num_evidence != 0 && f->count <= FINDING_SETS ? &f->evidence[f->num_evidence - 1] : NULL;
}

/* add_stall adds the line of a stall that no event has reported: a loss may be known before the
 * stall has lasted long, and no event follows. */
static void add_stall(struct timeline *t, const struct finding *f)
{
    const struct evidence *latest = latest_of(f);
    const uint64_t key = timeline_key(HAPPENING_STALL, latest != NULL ? latest->conn : 0, 0);
    if (latest == NULL || f->is_over || f->is_update || table_find(&t->open, key) != NULL)
        return;
    struct finding *line =
        timeline_begin(t, HAPPENING_STALL, latest->ts_ns > f->first_ns ? latest->ts_ns : f->first_ns);
    if (line == NULL)
        return;
    line->node[0] = f->node[0];
    line->node[1] = f->node[1];
    line->num_evidence = 1;
    line->evidence[0] = *latest;
    wording_words(&line->sentence, &f->sentence);
    struct open_line *o = timeline_hold(t, line, key, AGAIN_NS);
    if (o != NULL)
        o->goes_on = true;
    free(line);
}

/* timeline_finding adds a line for an error or warning, unless an event of its own reports the same. */
void timeline_finding(struct timeline *t, const struct finding *f)
{
    const uint64_t key = timeline_key(HAPPENING_FINDING, f->number, 0);
    struct open_line *o = f->kind != NULL ? table_find(&t->open, key) : NULL;
    const bool is_new = o == NULL && f->severity <= SEVERITY_WARNING && !f->is_update;
    if (f->kind != NULL && strcmp(f->kind->code, "DS214") == 0)
        add_stall(t, f);
    if (f->kind == NULL || has_line(f) || (finding_is_aside(f) && !is_act(f)) || (o == NULL && !is_new))
        return;
    struct told_finding *told = &t->told[f->number % NUM_TOLD];
    if (o == NULL) {
        const uint64_t before = told->number == f->number && told->count < f->count ? told->count : 0;
        const enum happening happening = happening_of(f);
        struct finding *line = timeline_begin(t, happening, before != 0 ? f->last_ns : f->first_ns);
        if (line == NULL)
            return;
        line->node[0] = f->node[0];
        line->node[1] = f->node[1];
        line->severity = f->severity;
        const struct evidence *seen = before != 0 ? latest_of(f) : &f->evidence[0];
        line->num_evidence = seen != NULL && f->num_evidence != 0;
        if (line->num_evidence != 0)
            line->evidence[0] = *seen;
        if (happening == HAPPENING_FINDING || happening == HAPPENING_SILENT)
            wording_printf(&line->sentence, "%s %s ", severity_name(f->severity), f->kind->code);
        wording_printf(&line->sentence, "%s: ", f->kind->title);
        for (unsigned i = 0; i < f->sentence.num; i++) {
            const struct ds_text word = {f->sentence.bytes + f->sentence.part[i].at,
                                         f->sentence.part[i].len};
            wording_put(&line->sentence, (enum word_kind)f->sentence.part[i].kind, word);
        }
        o = timeline_hold(t, line, key, FOLD_NS);
        free(line);
        if (o == NULL)
            return;
        o->goes_on = true;
        o->count_before = before;
    }
    o->finding.count = f->count - o->count_before;
    *told = (struct told_finding){f->number, f->count};
    o->finding.last_ns = f->last_ns > o->finding.first_ns ? f->last_ns : o->finding.first_ns;
    o->goes_on = !f->is_past && !f->is_over;
}

void timeline_lost(struct timeline *t, const struct loss *loss)
{
    struct finding *line = timeline_begin(t, HAPPENING_GAP, loss->first_ns);
    if (line == NULL)
        return;
    line->last_ns = loss->last_ns;
    line->count = loss->count;
    wording_printf(&line->sentence, "distsniff itself lost %s", loss_unit(loss->cause));
    timeline_put(t, line);
    free(line);
}
