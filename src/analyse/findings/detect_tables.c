/*
 * detect_tables.c - a node waits for tables of mnesia (DS602): it has started, and a table that it
 * has on disc is not loaded on any node, as the node that ran last with it is missing.
 *
 * A node whose mnesia starts reads the schema of a running one, by rpc:
 *     mnesia_controller:get_remote_cstructs() -> {cstructs, [Cstruct], [Node where mnesia runs]}
 *     {cstruct, Tab, Type, RamCopies, DiscCopies, DiscOnlyCopies, External, LoadOrder, AccessMode,
 *      Majority, Index, Snmp, LocalContent, ...}
 * Then each node sends which tables it has loaded, and the new one adopts them, or requests them:
 *     {'$gen_cast', {adopt_orphans, Node, [Tab]}}
 *     {'$gen_cast', {send_table, Tab, Pid, Storage, Reason}}
 * No node requests a table that waits for a missing node: the sign of the wait is that none of
 * these messages names the table.
 */
#include "analyse/findings/detect.h"

#include "core/hash.h"

#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
#define WAIT_NS (10 * SECOND)
#define REFUSED_NS (60 * SECOND)
#define LOADED_NS (60 * SECOND)
#define KEPT_NS (60 * SECOND) /* after this time no packet shows which node is missing */

enum {
    MAX_WAITS = 64,
    MAX_REFUSALS = 8,
    MAX_HOLDERS = 6,
    TAB_LEN = 64,
    SHORT_LEN = 64,
    SHOWN = 5,
    AT_DISC = 4,
    AT_DISC_ONLY = 5,
    AT_LOCAL_CONTENT = 12
};

struct short_text {
    size_t len;
    char text[128];
};

/* table_wait is a table that a starting node has a copy of, and that no captured message shows as
 * loaded. */
struct table_wait {
    bool is_used;
    int64_t since_ns;
    uint64_t conn, frame;
    size_t tab_len;
    char tab[TAB_LEN];
    struct short_text node;
    unsigned num_holders; /* other nodes with a copy on disc */
    struct short_text holder[MAX_HOLDERS];
    bool runs[MAX_HOLDERS]; /* mnesia runs on it */
    int64_t loaded_ns;      /* for an unused entry: when the table was loaded; 0: it was not */
    uint64_t found;
};

struct table_watch {
    unsigned num; /* used entries of wait */
    int64_t checked_ns;
    struct table_wait wait[MAX_WAITS];
    struct {
        int64_t ts_ns;
        size_t len;
        char name[SHORT_LEN];
    } refused[MAX_REFUSALS]; /* the latest names that EPMD did not know */
    unsigned num_refused;
};

void detect_tables_free(struct detect *d)
{
    free(d->tables);
    d->tables = NULL;
}

static struct table_watch *get(struct detect *d)
{
    if (d->tables == NULL && (d->tables = calloc(1, sizeof *d->tables)) == NULL)
        d->no_memory++;
    return d->tables;
}

static void keep(struct short_text *out, struct ds_text text)
{
    out->len = detect_keep(out->text, sizeof out->text, text);
}

static struct ds_text text_from(const struct short_text *name)
{
    return text_of(name->text, name->len);
}

static bool is_text(struct ds_text a, struct ds_text b)
{
    return a.data != NULL && a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}

static bool is_name(const struct short_text *name, struct ds_text text)
{
    return is_text(text, text_from(name));
}

static void end_wait(struct detect *d, struct table_wait *wait, bool is_loaded)
{
    if (wait->found != 0)
        detect_over(d, wait->found);
    wait->is_used = false;
    wait->loaded_ns = is_loaded ? d->now_ns : 0;
    d->tables->num--;
}

/* --- nodes with copies --- */

/* add_holders stores the nodes of a list except own, and returns whether own is in the list. If
 * they do not fit, num_holders becomes MAX_HOLDERS + 1. */
static bool add_holders(struct table_wait *wait, const struct ds_term *list, struct ds_text own)
{
    struct ds_term_list nodes;
    struct ds_term node;
    struct ds_text name;
    bool has_own = false;
    if (!ds_term_get_list(list, &nodes))
        return false;
    while (ds_term_list_next(&nodes, &node)) {
        if (!ds_term_get_atom(&node, &name))
            continue;
        if (is_text(name, own))
            has_own = true;
        else if (wait->num_holders < MAX_HOLDERS)
            keep(&wait->holder[wait->num_holders++], name);
        else
            wait->num_holders = MAX_HOLDERS + 1;
    }
    return has_own;
}

/* read_cstruct reads a table. False: the caller has no copy on disc, no other node has one, or the
 * table is local. */
static bool read_cstruct(const struct ds_term *cstruct, struct ds_text own, struct table_wait *wait)
{
    struct ds_term item;
    struct ds_text tab;
    if (!ds_term_get_element(cstruct, 0, &item) || !detect_is_atom(&item, "cstruct") ||
        !ds_term_get_element(cstruct, AT_LOCAL_CONTENT, &item) || !detect_is_atom(&item, "false") ||
        !ds_term_get_element(cstruct, 1, &item) || !ds_term_get_atom(&item, &tab) ||
        tab.len > TAB_LEN || is_text(tab, text_of("schema", 6)))
        return false;
    wait->tab_len = detect_keep(wait->tab, sizeof wait->tab, tab);
    const bool is_on_disc =
        ds_term_get_element(cstruct, AT_DISC, &item) && add_holders(wait, &item, own);
    const bool is_on_disc_only =
        ds_term_get_element(cstruct, AT_DISC_ONLY, &item) && add_holders(wait, &item, own);
    return (is_on_disc || is_on_disc_only) && wait->num_holders != 0 &&
           wait->num_holders <= MAX_HOLDERS;
}

/* add_wait ignores a known wait: the schema is read from more than one node. */
static void add_wait(struct table_watch *t, const struct table_wait *wait)
{
    struct table_wait *place = NULL;
    for (size_t i = 0; i < MAX_WAITS; i++) {
        struct table_wait *at = &t->wait[i];
        if ((at->is_used || (at->loaded_ns != 0 && wait->since_ns - at->loaded_ns < LOADED_NS)) &&
            is_name(&at->node, text_from(&wait->node)) &&
            is_text(text_of(at->tab, at->tab_len), text_of(wait->tab, wait->tab_len)))
            return;
        if (!at->is_used && (place == NULL || at->loaded_ns < place->loaded_ns))
            place = at;
    }
    if (place == NULL)
        return;
    *place = *wait;
    place->is_used = true;
    t->num++;
}

/* end_waits ends the waits of a node (NULL: of all nodes) for a table (absent: for all tables). */
static void end_waits(struct detect *d, const struct ds_text *node, struct ds_text tab)
{
    struct table_watch *t = d->tables;
    for (size_t i = 0; t != NULL && i < MAX_WAITS; i++) {
        struct table_wait *wait = &t->wait[i];
        if ((node != NULL && !is_name(&wait->node, *node)) ||
            (tab.data != NULL && !is_text(tab, text_of(wait->tab, wait->tab_len))))
            continue;
        if (wait->is_used)
            end_wait(d, wait, tab.data != NULL);
        else if (tab.data == NULL)
            wait->loaded_ns = 0;
    }
}

/* note_running records that mnesia runs on a node. */
static void note_running(struct table_wait *wait, struct ds_text node)
{
    for (unsigned i = 0; i < wait->num_holders; i++)
        wait->runs[i] |= is_name(&wait->holder[i], node);
}

static void read_running(struct table_wait *wait, const struct ds_term *list)
{
    struct ds_term_list nodes;
    struct ds_term node;
    struct ds_text name;
    if (!ds_term_get_list(list, &nodes))
        return;
    while (ds_term_list_next(&nodes, &node)) {
        if (ds_term_get_atom(&node, &name))
            note_running(wait, name);
    }
}

void detect_tables_call(struct detect *d, const struct call *call)
{
    struct ds_term item, running;
    struct ds_term_list cstructs;
    if (call->caller.node.data == NULL || call->fun.data == NULL)
        return;
    if (detect_is_atom(&call->mod, "mnesia_monitor") && detect_is_atom(&call->fun, "call")) {
        end_waits(d, &call->caller.node, (struct ds_text){NULL, 0}); /* it restarts */
        return;
    }
    if (!detect_is_atom(&call->mod, "mnesia_controller") ||
        !detect_is_atom(&call->fun, "get_remote_cstructs") || call->outcome != CALL_OK ||
        !ds_term_get_element(&call->result, 0, &item) || !detect_is_atom(&item, "cstructs") ||
        !ds_term_get_element(&call->result, 1, &item) || !ds_term_get_list(&item, &cstructs) ||
        !ds_term_get_element(&call->result, 2, &running) || get(d) == NULL)
        return;
    while (ds_term_list_next(&cstructs, &item)) {
        struct table_wait wait = {.since_ns = call->end_ns,
                                  .conn = call->conn,
                                  .frame = call->end_frame};
        keep(&wait.node, call->caller.node);
        if (!read_cstruct(&item, call->caller.node, &wait))
            continue;
        read_running(&wait, &running);
        add_wait(d->tables, &wait);
    }
}

/* --- loaded tables --- */

static void on_loaded(struct detect *d, const struct ds_term *list)
{
    struct ds_term_list tabs;
    struct ds_term tab;
    struct ds_text name;
    if (!ds_term_get_list(list, &tabs))
        return;
    while (d->tables->num != 0 && ds_term_list_next(&tabs, &tab)) {
        if (ds_term_get_atom(&tab, &name))
            end_waits(d, NULL, name);
    }
}

static void on_running(struct detect *d, struct ds_text node)
{
    for (size_t i = 0; i < MAX_WAITS; i++) {
        if (d->tables->wait[i].is_used)
            note_running(&d->tables->wait[i], node);
    }
}

void detect_tables_message(struct detect *d, const struct record *record)
{
    const struct ds_event *event = record->event;
    const struct ds_term *said =
        record->note.body.data != NULL ? &record->note.body : &event->message.payload;
    struct ds_term word, item;
    struct ds_text name;
    if (d->tables == NULL || d->tables->num == 0 || said->data == NULL)
        return;
    /* A message that cannot be read may be one of these. */
    if (!event_is_read_whole(event)) {
        end_waits(d, NULL, (struct ds_text){NULL, 0});
        return;
    }
    if (!ds_term_get_element(said, 0, &word))
        return;
    if (detect_is_atom(&word, "adopt_orphans") && ds_term_get_element(said, 2, &item))
        on_loaded(d, &item);
    else if (detect_is_atom(&word, "im_running") && ds_term_get_element(said, 1, &item) &&
             ds_term_get_atom(&item, &name))
        on_running(d, name);
    else if (detect_is_atom(&word, "send_table") && ds_term_get_element(said, 1, &item) &&
             ds_term_get_atom(&item, &name))
        end_waits(d, NULL, name);
}

/* --- missing nodes --- */

void detect_tables_epmd(struct detect *d, const struct ds_event *event)
{
    const struct conn_watch *w = detect_find_watched(d, event->conn->number);
    if (event->epmd.op != DS_EPMD_PORT2_RESP || event->epmd.result == 0 || w == NULL ||
        w->asked_len == 0 || get(d) == NULL)
        return;
    struct table_watch *t = d->tables;
    const unsigned at = t->num_refused++ % MAX_REFUSALS;
    t->refused[at].ts_ns = event->ts_ns;
    t->refused[at].len = detect_keep(t->refused[at].name, SHORT_LEN, text_of(w->asked, w->asked_len));
}

static bool was_refused(const struct table_watch *t, struct ds_text node, int64_t now_ns)
{
    const char *at = memchr(node.data, '@', node.len);
    const size_t len = at != NULL ? (size_t)(at - node.data) : node.len;
    for (size_t i = 0; i < MAX_REFUSALS; i++) {
        if (t->refused[i].ts_ns != 0 && now_ns - t->refused[i].ts_ns < REFUSED_NS &&
            is_text(text_of(node.data, len), text_of(t->refused[i].name, t->refused[i].len)))
            return true;
    }
    return false;
}

/* is_gone says whether a node has no link up, and has left or is unknown to EPMD. */
static bool is_gone(const struct detect *d, struct ds_text node)
{
    const struct presence_node *p = presence_find(&d->presence, node);
    if (p != NULL && p->links != 0)
        return false;
    return (p != NULL && presence_is_gone(p)) || was_refused(d->tables, node, d->now_ns);
}

static bool is_linked(const struct detect *d, struct ds_text a, struct ds_text b)
{
    const struct presence_pair *pair = presence_find_pair(&d->presence, a, b);
    return pair != NULL && pair->links != 0;
}

/* find_missing returns the index of the missing holder. -1: there is none, or messages of another
 * one are not captured, which may have loaded the table. */
static int find_missing(const struct detect *d, const struct table_wait *wait)
{
    int missing = -1;
    for (int i = 0; i < (int)wait->num_holders; i++) {
        const struct ds_text holder = text_from(&wait->holder[i]);
        const bool is_heard = is_linked(d, text_from(&wait->node), holder);
        if (!wait->runs[i] && (is_heard || is_gone(d, holder)))
            missing = i;
        else if (!is_heard)
            return -1;
    }
    return missing;
}

/* report reports all tables for which the node of first waits. */
static void report(struct detect *d, struct table_wait *first)
{
    const int missing = find_missing(d, first);
    unsigned num = 0;
    struct finding *f = detect_begin(d, FINDING_DS602, NULL);
    detect_since(d, first->since_ns);
    f->evidence[0].conn = first->conn;
    f->node[0].len = detect_keep(f->node[0].text, sizeof f->node[0].text, text_from(&first->node));
    wording_say(&f->sentence, "mnesia on {node} has started and waits for tables",
                a_node(text_from(&first->node)));
    for (size_t i = 0; i < MAX_WAITS; i++) {
        struct table_wait *wait = &d->tables->wait[i];
        if (!wait->is_used || !is_name(&wait->node, text_from(&first->node)) || wait->found != 0)
            continue;
        if (num < SHOWN)
            wording_say(&f->detail, "{}{tables}", a_word(num == 0 ? "no running node has loaded " : ", "),
                        an_atom(text_of(wait->tab, wait->tab_len)));
        num++;
    }
    if (num > SHOWN)
        wording_say(&f->detail, " and {more} more", a_number(num - SHOWN));
    wording_say(&f->detail, " for {waited}; {peer} has a copy, and mnesia does not run there: it may "
                "have been the last that was up", a_span(d->now_ns - first->since_ns),
                a_node(text_from(&first->holder[missing])));
    detect_frame(f, first->frame, "the schema, as the node read it");
    detect_unsure(f, CERTAINTY_POSSIBLE, "mnesia:info() on that node: its tables that are not active");
    const uint64_t number = detect_commit(d);
    for (size_t i = 0; i < MAX_WAITS; i++) {
        struct table_wait *wait = &d->tables->wait[i];
        if (wait->is_used && is_name(&wait->node, text_from(&first->node)))
            wait->found = number;
    }
}

void detect_tables_time(struct detect *d)
{
    struct table_watch *t = d->tables;
    if (t == NULL || t->num == 0 || d->now_ns - t->checked_ns < SECOND)
        return;
    t->checked_ns = d->now_ns;
    for (size_t i = 0; i < MAX_WAITS; i++) {
        struct table_wait *wait = &t->wait[i];
        const struct presence_node *node = presence_find(&d->presence, text_from(&wait->node));
        if (!wait->is_used || d->now_ns - wait->since_ns < WAIT_NS)
            continue;
        if ((node != NULL && presence_is_gone(node)) ||
            (wait->found == 0 && d->now_ns - wait->since_ns > KEPT_NS))
            end_wait(d, wait, false);
        else if (wait->found == 0 && find_missing(d, wait) >= 0)
            report(d, wait);
    }
}
