/*
 * profile_gather.c - see profile_gather.h.
 */
#include "compare/profile_gather.h"

#include "core/hash.h"
#include "core/label_show.h"
#include "core/term_show.h"

#include <distsniff/dissect.h>
#include <distsniff/identity.h>
#include <distsniff/shape.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAX_PLACES = 4096 };

/* seen_message is a kind of messages, identified by a hash of its attributes as sent. */
struct seen_message {
    struct table_entry entry;
    uint64_t key;
    /* what is the entry of its function or shape, name the entry of its receiver's name. NULL: there
     * was no room, or it has none. */
    struct profile_entry *node, *other, *link, *message, *what, *name;
};
TABLE_KEYED(struct seen_message, key);

void profile_gather_init(struct profile_gather *g, struct profile *profile, struct node_roles *roles,
                         uint64_t max)
{
    *g = (struct profile_gather){.profile = profile, .roles = roles};
    table_init(&g->seen, sizeof(struct seen_message), max);
}

void profile_gather_free(struct profile_gather *g)
{
    table_free(&g->seen);
    ds_buffer_free(&g->key);
    ds_buffer_free(&g->other);
}

static struct ds_text text_of(const struct ds_buffer *buffer)
{
    return (struct ds_text){buffer->len != 0 ? buffer->data : "", buffer->len};
}

/* is_named says whether the name of a node is known: ~10.0.0.1:4711 is the form for an unknown name,
 * and names from EPMD lack their host. */
static bool is_named(struct ds_text node)
{
    return node.len != 0 && node.data[0] != '~' && memchr(node.data, '@', node.len) != NULL;
}

/* print_place appends the address and port of a node. */
static void print_place(const struct ds_endpoint *end, struct ds_buffer *out)
{
    char addr[DS_ADDR_LEN];
    ds_addr_print(&end->addr, addr);
    ds_buffer_printf(out, end->addr.family == 6 ? "[%s]:%u" : "%s:%u", addr, (unsigned)end->port);
}

/* print_end appends the role of a node, or its place if its name is unknown: see same_nodes.h. */
static void print_end(struct profile_gather *g, const struct ds_endpoint *end, struct ds_buffer *out)
{
    if (is_named(end->node)) {
        node_roles_print(g->roles, end->node, out);
        return;
    }
    print_place(end, out);
    g->is_unnamed = true;
}

/* get returns the entry for the current key, and makes it if necessary. */
static struct profile_entry *get(struct profile_gather *g, enum profile_kind kind)
{
    if (g->key.failed) {
        g->profile->no_memory = true;
        return NULL;
    }
    struct profile_entry *entry = profile_entry_get(g->profile, kind, text_of(&g->key));
    if (entry != NULL)
        entry->is_unnamed |= g->is_unnamed;
    return entry;
}

static void begin_key(struct profile_gather *g)
{
    g->key.len = 0;
    g->is_unnamed = false;
}

static struct profile_entry *get_node(struct profile_gather *g, const struct ds_endpoint *end)
{
    begin_key(g);
    print_end(g, end, &g->key);
    return get(g, PROFILE_NODE);
}

/* get_between returns the entry of two nodes, in either order. */
static struct profile_entry *get_between(struct profile_gather *g, enum profile_kind kind,
                                         const struct ds_conn *conn)
{
    struct ds_buffer *key = &g->key, *other = &g->other;
    begin_key(g);
    other->len = 0;
    print_end(g, &conn->end[0], key);
    print_end(g, &conn->end[1], other);
    const struct ds_text a = text_of(key), b = text_of(other);
    const int order = memcmp(a.data, b.data, a.len < b.len ? a.len : b.len);
    const bool is_swapped = order > 0 || (order == 0 && a.len > b.len);
    key->len = 0;
    print_end(g, &conn->end[is_swapped], key);
    ds_buffer_add_text(key, " - ");
    print_end(g, &conn->end[!is_swapped], key);
    return get(g, kind);
}

/* The attributes of a message that are the same in every run. */
struct gathered_message {
    const struct ds_event *event;
    const struct note *note;
    struct ds_term body;
    struct ds_shape_head head;
    struct ds_text mod, fun, to; /* to: the receiver, or the process that answers */
    bool has_function, answers;
    uint32_t arity;
};

static void read_message(const struct record *record, struct gathered_message *m)
{
    const struct ds_message *message = &record->event->message;
    const struct note *note = &record->note;
    *m = (struct gathered_message){.event = record->event, .note = note};
    m->body = note->body.data != NULL ? note->body : message->payload;
    m->has_function = note->mod.data != NULL && ds_term_get_atom(&note->mod, &m->mod) &&
                      ds_term_get_atom(&note->fun, &m->fun);
    if (m->has_function)
        ds_term_get_length(&note->args, &m->arity);
    else
        ds_shape_get_head(&m->body, &m->head);
    m->answers = note->role == NOTE_REPLY || note->role == NOTE_DOWN || note->role == NOTE_EXIT ||
                 note->role == NOTE_SPAWNED;
    const struct ds_text known = m->answers ? note->from_name : note->to_name;
    const bool is_for = m->answers ? note->from_is_for : note->to_is_for;
    if (known.data != NULL && !is_for)
        m->to = known;
    else if (!m->answers)
        (void)ds_term_get_atom(&message->role[DS_ROLE_TO], &m->to);
}

static uint64_t hash_end(uint64_t hash, const struct ds_endpoint *end)
{
    return is_named(end->node)
               ? hash_short(hash, end->node)
               : hash_words(hash_more(hash, end->addr.bytes, sizeof end->addr.bytes), end->port, 0);
}

static uint64_t hash_add(uint64_t hash, struct ds_text text)
{
    return text.data != NULL ? hash_short(hash, text) : hash;
}

static uint64_t hash_message(const struct gathered_message *m)
{
    const struct ds_event *event = m->event;
    uint64_t hash = hash_end(1, &event->conn->end[event->dir]);
    hash = hash_end(hash, &event->conn->end[!event->dir]);
    hash = hash_words(hash, (uint64_t)m->note->role << 32 | (uint32_t)event->message.code,
                      (uint64_t)(uintptr_t)m->note->label);
    hash = hash_add(hash, m->to);
    if (m->has_function)
        return hash_words(hash_add(hash_add(hash, m->mod), m->fun), 2, m->arity);
    hash = hash_words(hash, m->head.form, m->head.inner_form);
    return hash_add(hash_add(hash, m->head.word), m->head.inner_word);
}

static void print_function(struct ds_text mod, struct ds_text fun, uint32_t arity, struct ds_buffer *out)
{
    term_show_call(mod, fun, out);
    ds_buffer_printf(out, "/%" PRIu32, arity);
}

static void print_role(const struct gathered_message *m, struct ds_buffer *out)
{
    const struct ds_message *message = &m->event->message;
    if (m->note->role == NOTE_REQUEST)
        ds_buffer_add_text(out, "call");
    else if (m->note->role != NOTE_NONE)
        ds_buffer_add_text(out, note_role_name(m->note->role));
    else if (message->op != NULL)
        ds_buffer_add_text(out, message->op->name);
    else
        ds_buffer_printf(out, "op_%" PRId64, message->code);
}

static void print_message(struct profile_gather *g, const struct gathered_message *m,
                          struct ds_buffer *out)
{
    const struct ds_event *event = m->event;
    print_end(g, &event->conn->end[event->dir], out);
    ds_buffer_add_text(out, " > ");
    print_end(g, &event->conn->end[!event->dir], out);
    ds_buffer_add_text(out, " ");
    print_role(m, out);
    ds_buffer_add_text(out, " ");
    if (m->has_function)
        print_function(m->mod, m->fun, m->arity, out);
    else
        ds_shape_head_print(&m->head, out);
    if (m->note->label != NULL) {
        ds_buffer_add_text(out, " (");
        label_show(m->note->label, out);
        ds_buffer_add_text(out, ")");
    }
    if (m->to.data != NULL) {
        ds_buffer_add_text(out, m->answers ? " from " : " to ");
        node_roles_print_name(g->roles, m->to, out);
    }
}

/* get_what returns the entry of a message's contents, regardless of its sender. */
static struct profile_entry *get_what(struct profile_gather *g, const struct gathered_message *m)
{
    begin_key(g);
    if (m->has_function) {
        print_function(m->mod, m->fun, m->arity, &g->key);
        return get(g, PROFILE_FUNCTION);
    }
    print_role(m, &g->key);
    ds_buffer_add_text(&g->key, " ");
    ds_shape_head_print(&m->head, &g->key);
    if (m->note->label != NULL) {
        ds_buffer_add_text(&g->key, " (");
        label_show(m->note->label, &g->key);
        ds_buffer_add_text(&g->key, ")");
    }
    return get(g, PROFILE_SHAPE);
}

static struct profile_entry *get_name(struct profile_gather *g, const struct gathered_message *m)
{
    if (m->to.data == NULL || m->answers)
        return NULL;
    begin_key(g);
    node_roles_print_name(g->roles, m->to, &g->key);
    return get(g, PROFILE_NAME);
}

/* add_place stores that a node has the place in the current key. */
static void add_place(struct profile_gather *g, const char *node)
{
    struct profile_entry *place = get(g, PROFILE_PLACE);
    if (place == NULL)
        return;
    if (place->value[0] == '\0' && !place->is_unnamed)
        memcpy(place->value, node, strlen(node) + 1);
    else if (strcmp(place->value, node) != 0)
        place->is_unnamed = true;
}

/* add_places stores the address of a node with a name, and address and port. Tools come and go, so they
 * have none. */
static void add_places(struct profile_gather *g, const struct ds_endpoint *end)
{
    char node[PROFILE_VALUE_MAX], addr[DS_ADDR_LEN];
    if (!is_named(end->node))
        return;
    begin_key(g);
    node_roles_print(g->roles, end->node, &g->key);
    if (g->key.failed || g->key.len >= sizeof node || memchr(g->key.data, '*', g->key.len) != NULL)
        return;
    memcpy(node, g->key.data, g->key.len);
    node[g->key.len] = '\0';
    begin_key(g);
    ds_addr_print(&end->addr, addr);
    ds_buffer_add_text(&g->key, addr);
    add_place(g, node);
    if (g->num_places == MAX_PLACES)
        return;
    g->num_places++;
    begin_key(g);
    print_place(end, &g->key);
    add_place(g, node);
}

/* see makes the entry of a new kind of messages; m is NULL if they cannot be read. */
static struct seen_message *see(struct profile_gather *g, const struct ds_event *event,
                                const struct gathered_message *m, uint64_t key)
{
    struct seen_message *seen = table_find_or_put(&g->seen, key);
    if (seen == NULL) {
        g->profile->no_memory = true;
        return NULL;
    }
    seen->node = get_node(g, &event->conn->end[event->dir]);
    seen->other = get_node(g, &event->conn->end[!event->dir]);
    seen->link = get_between(g, PROFILE_LINK, event->conn);
    add_places(g, &event->conn->end[0]);
    add_places(g, &event->conn->end[1]);
    if (m == NULL)
        return seen;
    begin_key(g);
    print_message(g, m, &g->key);
    seen->message = get(g, PROFILE_MESSAGE);
    if (seen->message != NULL)
        seen->message->is_of_call |= m->note->call != 0;
    seen->what = get_what(g, m);
    seen->name = get_name(g, m);
    return seen;
}

static void count(struct profile_entry *entry, unsigned slice, uint64_t bytes,
                  const struct ds_event *event)
{
    if (entry == NULL)
        return;
    profile_count(entry, slice, bytes);
    if (entry->frame == 0) {
        entry->frame = event->frame;
        entry->conn = event->conn->number;
    }
}

/* add_to_window adds a call or message to the window of its entry. */
static void add_to_window(struct profile_gather *g, struct profile_entry *entry, uint64_t value,
                          const struct novelty_source *from)
{
    uint64_t least;
    if (entry != NULL && profile_window_add(g->profile, entry, from->ts_ns, value, &least) &&
        g->novelty != NULL)
        novelty_look_window(g->novelty, entry, least, from);
}

static struct novelty_source source_of(const struct ds_event *event)
{
    return (struct novelty_source){
        .node = {event->conn->end[event->dir].node, event->conn->end[!event->dir].node},
        .ts_ns = event->ts_ns,
        .frame = event->frame,
        .conn = event->conn->number};
}

/* look reports what is new in a message. */
static void look(struct profile_gather *g, const struct seen_message *seen,
                 const struct novelty_source *from)
{
    if (g->novelty == NULL)
        return;
    novelty_look(g->novelty, seen->node, from);
    novelty_look(g->novelty, seen->other, from);
    novelty_look_link(g->novelty, seen->link, seen->node, seen->other, from);
    novelty_look(g->novelty, seen->what, from);
    novelty_look(g->novelty, seen->name, from);
}

/* count_unread counts num messages of which only the nodes and the link are known: a single one, or
 * those of a gap. */
static void count_unread(struct profile_gather *g, const struct ds_event *event, unsigned slice,
                         uint64_t num)
{
    const struct ds_endpoint *from = &event->conn->end[event->dir], *to = &event->conn->end[!event->dir];
    const uint64_t key = hash_end(hash_end(3, from), to);
    struct seen_message *seen = table_find(&g->seen, key);
    g->profile->num_unread += num;
    if (seen == NULL)
        seen = see(g, event, NULL, key);
    if (seen == NULL)
        return;
    if (seen->link != NULL)
        seen->link->unread += num;
    if (event->type == DS_EVENT_MESSAGE) {
        count(seen->node, slice, event->message.size, event);
        count(seen->link, slice, event->message.size, event);
        const struct novelty_source source = source_of(event);
        look(g, seen, &source);
    }
}

/* is_tag says whether a term is a reference, or [alias | Reference], which calls use to recognise their
 * answer. */
static bool is_tag(const struct ds_term *term)
{
    struct ds_identity reference;
    struct ds_term head, tail;
    return ds_term_get_reference(term, &reference) ||
           (ds_term_get_cons(term, &head, &tail) && ds_term_get_reference(&tail, &reference));
}

/* may_answer_earlier says whether a message is an answer, or an end, whose beginning was not captured:
 * the connection is older than the capture. It is unknown what it answers, so it would look new. */
static bool may_answer_earlier(const struct record *record)
{
    const struct ds_message *message = &record->event->message;
    struct ds_term first, second;
    if (message->op == NULL || record->note.call != 0 || record->note.has_latency)
        return false;
    if (message->op->kind == DS_KIND_SEND)
        return ds_term_get_pair(&message->payload, &first, &second) && is_tag(&first);
    return message->op->kind == DS_KIND_DOWN || message->op->kind == DS_KIND_EXIT ||
           message->op->kind == DS_KIND_SPAWNED;
}

static void on_message(struct profile_gather *g, const struct record *record, unsigned slice)
{
    const struct ds_event *event = record->event;
    const uint64_t size = event->message.size;
    struct gathered_message m;
    g->profile->num_messages++;
    g->profile->num_unnamed += !is_named(event->conn->end[0].node) || !is_named(event->conn->end[1].node);
    const bool is_garbled = event->unknown_atoms != 0 || event->fault.kind != DS_FAULT_NONE;
    if (is_garbled || record->note.answers_unread ||
        (event->address_atoms != 0 && may_answer_earlier(record))) {
        g->profile->num_answers += !is_garbled;
        count_unread(g, event, slice, 1);
        return;
    }
    read_message(record, &m);
    const uint64_t key = hash_message(&m);
    struct seen_message *seen = table_find(&g->seen, key);
    if (seen == NULL)
        seen = see(g, event, &m, key);
    if (seen == NULL)
        return;
    count(seen->node, slice, size, event);
    count(seen->link, slice, size, event);
    count(seen->message, slice, size, event);
    count(seen->what, slice, size, event);
    count(seen->name, slice, size, event);
    const struct novelty_source from = source_of(event);
    add_to_window(g, seen->message, size, &from);
    look(g, seen, &from);
}

/* on_gap counts as many unread messages as the gap may contain. */
static void on_gap(struct profile_gather *g, const struct ds_event *event, unsigned slice)
{
    enum { SMALL_MESSAGE = 50 };
    const struct ds_gap *gap = &event->gap;
    const uint64_t num = gap->messages >= 0 ? (uint64_t)gap->messages : 1 + gap->bytes / SMALL_MESSAGE;
    g->profile->num_messages += num;
    count_unread(g, event, slice, num);
}

static void on_change(struct profile_gather *g, const struct ds_event *event, unsigned slice)
{
    const struct ds_conn_change *change = &event->change;
    if (change->final && !change->unfollowed && is_named(event->conn->end[0].node) &&
        is_named(event->conn->end[1].node))
        count(get_between(g, PROFILE_END, event->conn), slice, 0, event);
}

/* on_handshake remembers which release a node reports. */
static void on_handshake(struct profile_gather *g, const struct ds_event *event)
{
    const struct ds_endpoint *end = &event->conn->end[event->dir];
    const char *release = event->handshake.has_flags ? ds_flags_release(event->handshake.flags) : NULL;
    if (release == NULL || !is_named(end->node))
        return;
    struct profile_entry *node = get_node(g, end);
    if (node != NULL)
        snprintf(node->value, sizeof node->value, "%s", release);
}

static void on_event(struct profile_gather *g, const struct ds_event *event)
{
    const unsigned slice = profile_at(g->profile, event->ts_ns);
    if (event->type == DS_EVENT_GAP)
        on_gap(g, event, slice);
    else if (event->type == DS_EVENT_CONN)
        on_change(g, event, slice);
    else if (event->type == DS_EVENT_HANDSHAKE)
        on_handshake(g, event);
}

static void print_node(struct profile_gather *g, struct ds_text node, struct ds_buffer *out)
{
    if (is_named(node))
        node_roles_print(g->roles, node, out);
    else
        ds_buffer_add_text(out, "?");
    g->is_unnamed |= !is_named(node);
}

static void print_call(struct profile_gather *g, const struct call *call, struct ds_buffer *out)
{
    struct ds_text mod, fun;
    uint32_t arity = 0;
    print_node(g, call->caller.node, out);
    ds_buffer_add_text(out, " > ");
    print_node(g, call->callee.node, out);
    if (call->label != NULL) {
        ds_buffer_add_text(out, " ");
        label_show(call->label, out);
    }
    if (call->mod.data != NULL && ds_term_get_atom(&call->mod, &mod) &&
        ds_term_get_atom(&call->fun, &fun)) {
        (void)ds_term_get_length(&call->args, &arity);
        ds_buffer_add_text(out, " ");
        print_function(mod, fun, arity, out);
    } else if (call->callee.name.data != NULL && !call->callee.is_for) {
        ds_buffer_add_text(out, " to ");
        node_roles_print_name(g->roles, call->callee.name, out);
    }
}

/* on_call counts a call. If its end is unknown, its duration and success are unknown, too. */
static void on_call(struct profile_gather *g, const struct call *call)
{
    const bool has_failed = call_outcome_is_failure(call->outcome);
    if (call->outcome == CALL_OPEN || call->outcome == CALL_UNANSWERED || call->outcome == CALL_UNKNOWN)
        return;
    begin_key(g);
    print_call(g, call, &g->key);
    struct profile_entry *entry = get(g, PROFILE_CALL);
    if (entry == NULL)
        return;
    const int64_t span_ns = call->end_ns > call->start_ns ? call->end_ns - call->start_ns : 0;
    struct profile_part *part =
        profile_count(entry, profile_at(g->profile, call->end_ns), call->request_len);
    part->failed += has_failed;
    entry->outcomes[call->outcome]++;
    if (call_has_end(call) && call->outcome == CALL_OK && !call->awaits_input) {
        const struct novelty_source from = {.node = {call->caller.node, call->callee.node},
                                            .ts_ns = call->end_ns,
                                            .frame = call->start_frame,
                                            .conn = call->conn};
        g->profile->no_memory |= !histogram_add(&part->spans, (uint64_t)span_ns);
        add_to_window(g, entry, (uint64_t)span_ns, &from);
    }
    if (entry->call == 0 || span_ns > entry->slowest_ns) {
        entry->call = call->number;
        entry->frame = call->start_frame;
        entry->conn = call->conn;
        entry->slowest_ns = span_ns;
    }
}

/* is_of_a_pair says whether a finding is about what is between two nodes, whichever it names first. */
static bool is_of_a_pair(const struct finding *finding)
{
    static const char *const codes[] = {"DS201", "DS208", "DS214", "DS601"};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        if (strcmp(finding->kind->code, codes[i]) == 0)
            return true;
    }
    return false;
}

/* first_node returns which of the two nodes of a finding comes first in its key. */
static int first_node(const struct finding *finding)
{
    const struct ds_text a = finding_node(finding, 0), b = finding_node(finding, 1);
    const int order = a.len != 0 && b.len != 0 ? memcmp(a.data, b.data, a.len < b.len ? a.len : b.len) : 0;
    return is_of_a_pair(finding) && (order > 0 || (order == 0 && a.len > b.len && b.len != 0)) ? 1 : 0;
}

/* on_finding counts a finding. Notes and hygiene come and go, and affect nothing. */
static void on_finding(struct profile_gather *g, const struct finding *finding)
{
    struct ds_buffer *key = &g->key;
    if (finding->kind == NULL || finding->happening != HAPPENING_NONE ||
        (finding->severity != SEVERITY_ERROR && finding->severity != SEVERITY_WARNING) ||
        finding->kind->rank == RANK_HYGIENE)
        return;
    begin_key(g);
    ds_buffer_printf(key, "%s %s", finding->kind->code, finding->kind->title);
    const int first = first_node(finding);
    for (int i = 0; i < 2; i++) {
        const struct ds_text node = finding_node(finding, i ^ first);
        if (node.len == 0)
            continue;
        ds_buffer_add_text(key, i == 0 || finding_node(finding, first).len == 0 ? " " : ", ");
        node_roles_print(g->roles, node, key);
    }
    struct profile_entry *entry = get(g, PROFILE_FINDING);
    if (entry == NULL)
        return;
    profile_count(entry, profile_at(g->profile, finding->last_ns), 0);
    if (entry->frame == 0 && finding->num_evidence != 0) {
        entry->frame = finding->evidence[0].num != 0 ? finding->evidence[0].packet[0].frame : 0;
        entry->conn = finding->evidence[0].conn;
    }
}

void profile_gather_record(struct profile_gather *g, const struct record *record)
{
    if (record->finding != NULL)
        on_finding(g, record->finding);
    else if (record->call != NULL)
        on_call(g, record->call);
    else if (record->event != NULL && record->event->past)
        return; /* from before the capture */
    else if (record_is_message(record))
        on_message(g, record, profile_at(g->profile, record->event->ts_ns));
    else if (record->event != NULL && record->monitor == NULL && !record->link_facts)
        on_event(g, record->event);
}
