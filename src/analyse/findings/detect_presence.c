/*
 * detect_presence.c - what is down now: nodes that have left and not come back, links between nodes
 * that are there. It also marks findings as passed when the node or link is back.
 */
#include "analyse/findings/detect.h"

#include "analyse/findings/tools.h"
#include "core/timestamp.h"

#include <distsniff/dissect.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
#define RECENT_NS (60 * SECOND) /* older findings have passed, if no link shows more */

enum { NAMED = 3 }; /* nodes and links listed in one sentence */

static void on_change(void *context, const struct presence_change *change)
{
    struct detect *d = context;
    if (d->timeline != NULL)
        timeline_presence(d->timeline, change);
}

void detect_presence_init(struct detect *d)
{
    presence_init(&d->presence, d->config.epmd_port);
    d->presence.emit = on_change;
    d->presence.context = d;
}

void detect_presence(struct detect *d, const struct ds_event *event)
{
    if (event != NULL && event->type == DS_EVENT_EPMD && event->epmd.op == DS_EPMD_PORT_PLEASE2_REQ)
        presence_ask(&d->presence, event->epmd.name, &event->conn->end[1].addr);
    if (event != NULL && event->type != DS_EVENT_LOOKUP && event->type != DS_EVENT_PART)
        presence_event(&d->presence, event);
    if (event != NULL && d->timeline != NULL)
        timeline_event(d->timeline, event);
}

void detect_presence_message(struct detect *d, const struct record *record)
{
    const struct ds_event *event = record->event;
    if (tools_read_terminal(record->note.label, &event->message.payload))
        presence_type(&d->presence, event->conn->end[!event->dir].node);
}

/* detect_presence_call records an answer, except to calls that every node or terminal answers:
 * these do not make it a server. */
void detect_presence_call(struct detect *d, const struct call *call)
{
    const bool is_answer = call->outcome == CALL_OK || call->outcome == CALL_ERROR;
    if (is_answer && call->label != NULL && strcmp(call->group, "otp") != 0 &&
        strcmp(call->label, "io_request") != 0 && strcmp(call->label, "rpc:features") != 0)
        presence_answer(&d->presence, call->callee.node);
}

void wording_clock(struct wording *wording, int64_t ns)
{
    enum { CLOCK_LEN = 8, DIGITS = 6 };
    struct timestamp_cache cache = {0};
    struct ds_buffer text = {0};
    timestamp_print_local(&cache, ns, DIGITS, false, &text);
    if (!text.failed && text.len >= CLOCK_LEN)
        wording_put(wording, WORD_PLAIN, text_of(text.data, CLOCK_LEN));
    ds_buffer_free(&text);
}

/* is_of_calls says whether a finding is about one callee or process, whose state links do not show. */
static bool is_of_calls(const struct finding *f)
{
    return f->kind->code[2] == '3' || f->kind == finding_kind_at(FINDING_DS209) ||
           f->kind == finding_kind_at(FINDING_DS215) || f->kind == finding_kind_at(FINDING_DS606);
}

/* is_named says whether a finding names this node by the part before the @, and by its address if
 * the finding has one. */
static bool is_named(const struct finding *f, const struct presence_node *node)
{
    char addr[DS_ADDR_LEN];
    bool has_name = false, has_addr = false, is_there = false;
    ds_addr_print(&node->addr, addr);
    for (unsigned i = 0; i < f->sentence.num; i++) {
        const struct ds_text word = {f->sentence.bytes + f->sentence.part[i].at, f->sentence.part[i].len};
        if (f->sentence.part[i].kind == WORD_NODE)
            has_name |= word.len < node->len && memcmp(word.data, node->name, word.len) == 0 &&
                        node->name[word.len] == '@';
        if (f->sentence.part[i].kind != WORD_ADDR)
            continue;
        has_addr = true;
        is_there |= word.len == strlen(addr) && memcmp(word.data, addr, word.len) == 0;
    }
    return has_name && (is_there || !has_addr);
}

/* begins_with says whether this node is the subject of a finding. */
static bool begins_with(const struct finding *f, const struct presence_node *node)
{
    return f->sentence.num != 0 && f->sentence.part[0].kind == WORD_NODE &&
           f->sentence.part[0].len == node->len &&
           memcmp(f->sentence.bytes + f->sentence.part[0].at, node->name, node->len) == 0;
}

/* has_passed says whether the two nodes have connected since, or the node is there again. Failures
 * of calls have passed when their causes are over. */
static bool has_passed(const struct detect *d, const struct finding *f, struct caused caused)
{
    if (f->kind->rank != RANK_AVAILABILITY)
        return false;
    if (f->is_over || f->kind == finding_kind_at(FINDING_DS601))
        return f->is_over;
    if (is_of_calls(f))
        return d->now_ns - f->last_ns >= RECENT_NS || caused.is_over;
    const struct presence_pair *pair =
        presence_find_pair(&d->presence, finding_node(f, 0), finding_node(f, 1));
    if (pair != NULL)
        return pair->links != 0 && pair->up_ns >= f->last_ns;
    for (int i = 0; i < 2; i++) {
        const struct presence_node *node = presence_find(&d->presence, finding_node(f, i));
        if (node != NULL && !presence_is_gone(node) && node->back_ns > f->last_ns)
            return true;
    }
    const struct presence_node *node = finding_node(f, 0).data == NULL && finding_node(f, 1).data == NULL
                                           ? table_oldest(&d->presence.nodes)
                                           : NULL;
    for (; node != NULL; node = table_newer(&d->presence.nodes, node)) {
        if (node->links != 0 && node->back_ns > f->last_ns && is_named(f, node))
            return true;
    }
    return false;
}

/* name_in returns the name of the first node in a sentence. */
static struct ds_text name_in(const struct wording *sentence)
{
    for (unsigned i = 0; i < sentence->num; i++) {
        if (sentence->part[i].kind == WORD_NODE)
            return (struct ds_text){sentence->bytes + sentence->part[i].at, sentence->part[i].len};
    }
    return (struct ds_text){0};
}

/* is_counted says whether the number at the end of a name has leading zeros: people number nodes in
 * this way, while scripts use the number of a process or a time. */
static bool is_counted(struct ds_text name, size_t len)
{
    return name.data[len] == '0';
}

/* is_of_scripts says whether an unregistered node is one of several whose names differ only in
 * their number: another one came and went, or is unregistered too. */
static bool is_of_scripts(const struct detect *d, const struct finding *f)
{
    const struct ds_text name = name_in(&f->sentence);
    const size_t len = tools_number_len(name, TOOLS_NUMBER_LEN);
    if (len == 0 || is_counted(name, len))
        return false;
    for (const struct presence_node *node = table_oldest(&d->presence.nodes); node != NULL;
         node = table_newer(&d->presence.nodes, node)) {
        if (node->is_visitor && tools_number_len(text_of(node->name, node->len), TOOLS_NUMBER_LEN) == len &&
            memcmp(node->name, name.data, len) == 0)
            return true;
    }
    for (const struct found *found = table_oldest(&d->found); found != NULL;
         found = table_newer(&d->found, found)) {
        const struct ds_text other = name_in(&found->finding.sentence);
        if (found->finding.kind == f->kind && tools_number_len(other, TOOLS_NUMBER_LEN) == len &&
            memcmp(other.data, name.data, len) == 0 && !is_counted(other, len) &&
            (other.len != name.len || memcmp(other.data, name.data, name.len) != 0))
            return true;
    }
    return false;
}

/* comes_of_known says whether a finding follows from known facts: an unregistered node was about to
 * start, has left, or is one of several scripts; or a visitor closed its links. */
static bool comes_of_known(const struct detect *d, const struct finding *f)
{
    const bool is_unregistered = f->kind == finding_kind_at(FINDING_DS107);
    if (f->is_aside || (!is_unregistered && f->kind != finding_kind_at(FINDING_DS204)))
        return f->is_aside;
    const struct presence_node *node = table_oldest(&d->presence.nodes);
    for (; node != NULL; node = table_newer(&d->presence.nodes, node)) {
        if (is_unregistered && (presence_is_gone(node) || node->back_ns > f->last_ns) && is_named(f, node))
            return true;
        if (!is_unregistered && node->is_visitor && begins_with(f, node))
            return true;
    }
    return is_unregistered && is_of_scripts(d, f);
}

static void sum_finding(struct detect *d, struct found *found)
{
    struct finding *f = &found->finding;
    const struct caused caused = detect_find_causes(d, found);
    const bool is_past = has_passed(d, f, caused), is_aside = comes_of_known(d, f);
    if (f->is_past == is_past && f->is_aside == is_aside && f->is_effect == caused.is_effect)
        return;
    f->is_past = is_past;
    f->is_effect = caused.is_effect;
    f->is_aside = is_aside;
    if (is_aside)
        f->severity = SEVERITY_NOTE;
    f->is_update = true;
    f->error_change = 0;
    detect_emit(d, f);
}

/* detect_presence_sum updates calls last: whether they have passed depends on their causes. */
void detect_presence_sum(struct detect *d)
{
    for (int of_calls = 0; of_calls < 2; of_calls++) {
        for (struct found *found = table_oldest(&d->found); found != NULL;
             found = table_newer(&d->found, found)) {
            if (is_of_calls(&found->finding) == (of_calls == 1))
                sum_finding(d, found);
        }
    }
}

static void add_node(struct wording *out, const struct presence_node *node)
{
    wording_put(out, WORD_NODE, text_of(node->name, node->len));
}

/* is_asked_for says whether a node is one that the user asked for. */
static bool is_asked_for(const struct detect *d, const struct presence_node *node)
{
    return d->config.has_node == NULL ||
           d->config.has_node(d->config.context, text_of(node->name, node->len), &node->addr);
}

/* count_gone counts the nodes that have left and are missed, and stores the first ones: lost nodes
 * come before those that closed their links. */
static unsigned count_gone(const struct detect *d, const struct presence_node *first[NAMED])
{
    const struct presence *p = &d->presence;
    unsigned num = 0;
    for (int lost = 1; lost >= 0; lost--) {
        for (struct presence_node *node = table_oldest(&p->nodes); node != NULL;
             node = table_newer(&p->nodes, node)) {
            if (!presence_is_missed(node) || node->was_lost != (lost == 1) || !is_asked_for(d, node))
                continue;
            if (num < NAMED)
                first[num] = node;
            num++;
        }
    }
    return num;
}

static void add_gone(struct wording *out, const struct presence_node *const first[NAMED], unsigned num)
{
    if (num == 1) {
        add_node(out, first[0]);
        wording_add(out, " left at ");
        wording_clock(out, first[0]->left_ns);
        wording_add(out, " and has not come back");
        return;
    }
    for (unsigned i = 0; i < num && i < NAMED; i++) {
        wording_add(out, i == 0 ? "" : i + 1 == num ? " and " : ", ");
        add_node(out, first[i]);
        wording_add(out, i == 0 ? " (left at " : " (at ");
        wording_clock(out, first[i]->left_ns);
        wording_add(out, ")");
    }
    if (num > NAMED)
        wording_printf(out, " and %u more", num - NAMED);
    wording_add(out, " have not come back");
}

/* add_apart writes the first link that is down between nodes that are there. */
static bool add_apart(const struct detect *d, struct wording *out)
{
    const struct presence *p = &d->presence;
    unsigned num = 0;
    for (struct presence_pair *pair = table_oldest(&p->pairs); pair != NULL;
         pair = table_newer(&p->pairs, pair)) {
        if (!presence_is_apart(p, pair) ||
            (!is_asked_for(d, table_get(&p->nodes, pair->node[0])) &&
             !is_asked_for(d, table_get(&p->nodes, pair->node[1]))) ||
            num++ != 0)
            continue;
        wording_add(out, "the link between ");
        add_node(out, table_get(&p->nodes, pair->node[0]));
        wording_add(out, " and ");
        add_node(out, table_get(&p->nodes, pair->node[1]));
        wording_add(out, " went down at ");
        wording_clock(out, pair->down_ns);
        wording_add(out, " and has not come back");
    }
    if (num > 2)
        wording_printf(out, ", nor have %u others", num - 1);
    else if (num == 2)
        wording_add(out, ", nor has another one");
    return num != 0;
}

bool detect_presence_down(const struct detect *d, struct wording *out)
{
    const struct presence_node *first[NAMED];
    const unsigned num = count_gone(d, first);
    if (num != 0)
        add_gone(out, first, num);
    return num != 0 || add_apart(d, out);
}

/* detect_presence_restarted writes how long they were away, the latest time. */
bool detect_presence_restarted(const struct detect *d, struct wording *out)
{
    const struct presence *p = &d->presence;
    unsigned num = 0, most = 0;
    for (struct presence_node *node = table_oldest(&p->nodes); node != NULL;
         node = table_newer(&p->nodes, node)) {
        if (node->restarts == 0 || node->again_ns < d->told_since_ns || !is_asked_for(d, node))
            continue;
        most = node->restarts > most ? node->restarts : most;
        if (num++ >= NAMED)
            continue;
        wording_add(out, num > 1 ? ", " : "");
        add_node(out, node);
        wording_add(out, " (down from ");
        wording_clock(out, node->away_ns);
        wording_add(out, " to ");
        wording_clock(out, node->again_ns);
        wording_add(out, ")");
    }
    if (num > NAMED)
        wording_printf(out, " and %u more", num - NAMED);
    wording_add(out, num == 0 ? "" : num == 1 ? " was restarted" : " were restarted");
    if (most > 1 && d->told_since_ns == INT64_MIN)
        wording_printf(out, num == 1 ? " %u times" : " up to %u times", most);
    return num != 0;
}

bool detect_presence_visitors(const struct detect *d, struct wording *out)
{
    const struct presence *p = &d->presence;
    const struct presence_node *first = NULL;
    unsigned num = 0;
    for (struct presence_node *node = table_oldest(&p->nodes); node != NULL;
         node = table_newer(&p->nodes, node)) {
        if (!node->is_visitor || node->left_ns < d->told_since_ns || !is_asked_for(d, node))
            continue;
        first = first != NULL ? first : node;
        num++;
    }
    if (num == 0)
        return false;
    if (num > 1)
        wording_printf(out, "%u nodes connected, asked, and left in order, as tools do: ", num);
    add_node(out, first);
    wording_add(out, num > 1 ? " first (" : " connected, asked, and left in order, as tools do (");
    wording_clock(out, first->back_ns);
    wording_add(out, " to ");
    wording_clock(out, first->left_ns);
    wording_add(out, ")");
    return true;
}
