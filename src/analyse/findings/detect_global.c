/*
 * detect_global.c - findings from messages of Erlang/OTP's global: locks that are never released,
 * names that two processes have, links that global cuts so that partitions do not overlap.
 */
#include "analyse/findings/detect.h"

#include "core/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
#define STUCK_NS (5 * SECOND)
#define LOST_NS (60 * SECOND) /* a cut after this time has another cause */

enum { STUCK_TIMES = 5, NAME_LEN = 200, MAX_NAMES = 1000 };

/* locked is a lock of global on one node. */
struct locked {
    struct table_entry entry;
    uint64_t key;
    unsigned refused; /* in a row */
    int64_t refused_ns; /* of the first of these */
    uint64_t frame;
    size_t holder_len;
    char holder[128];
};
TABLE_KEYED(struct locked, key);

/* listed is a name registered with global, as a node sent it over a connection. */
struct listed {
    struct table_entry entry;
    uint64_t key, pid; /* hashes: of connection and name, and of the named process */
    uint64_t frame;
    uint8_t dir;
};
TABLE_KEYED(struct listed, key);

/* lost_link is a link that global reported as lost. */
enum { MAX_LOST_LINKS = 8 };
struct lost_link {
    int64_t ts_ns; /* of the first report */
    uint64_t frame;
    size_t len[2];
    char name[2][128]; /* the node that reports it, and the node that it lost */
};

enum { MAX_LOCKS = 256, MAX_LISTED = 4096 };

struct global_watch {
    struct table locks, listed;
    struct lost_link lost[MAX_LOST_LINKS]; /* the latest ones */
    unsigned num_lost;                     /* how many in all */
};

const struct detect_family detect_global_family = {
    sizeof(struct global_watch),
    {{offsetof(struct global_watch, locks), sizeof(struct locked), MAX_LOCKS},
     {offsetof(struct global_watch, listed), sizeof(struct listed), MAX_LISTED}},
};

static bool text_is(struct ds_text text, const char *word)
{
    return text.data != NULL && text.len == strlen(word) && memcmp(text.data, word, text.len) == 0;
}

/* hash_term hashes the printed form of a term, which does not depend on the numbers of its atoms. */
static uint64_t hash_term(uint64_t hash, const struct ds_term *term)
{
    const struct ds_term_print_options options = {.max_bytes = NAME_LEN, .max_len = NAME_LEN};
    struct ds_buffer text = {0};
    if (ds_term_print(term, &options, &text))
        hash = hash_more(hash, text.data, text.len);
    ds_buffer_free(&text);
    return hash;
}

/* --- locks --- */

static struct locked *find_lock(struct detect *d, const struct call *call,
                                const struct ds_term *resource)
{
    uint64_t key = hash_more(7, call->callee.node.data, call->callee.node.len);
    key = hash_term(key, resource);
    struct locked *lock = table_find_or_put(&d->global->locks, key);
    d->no_memory += lock == NULL;
    return lock;
}

static void report_lock(struct detect *d, const struct call *call, const struct ds_term *resource,
                        const struct locked *lock)
{
    struct finding *f = detect_begin_call(d, FINDING_DS303, call);
    detect_since(d, lock->refused_ns);
    struct ds_text atom;
    wording_say(&f->sentence, "{caller} repeatedly asks for ", a_party(&call->caller));
    if (ds_term_get_atom(resource, &atom)) {
        wording_say(&f->sentence, "the global lock {lock}", an_atom(atom));
    } else {
        wording_add(&f->sentence, "a global lock");
    }
    if (lock->holder_len != 0)
        wording_say(&f->sentence, ", which {holder} holds",
                    a_node(text_of(lock->holder, lock->holder_len)));
    wording_say(&f->detail, "refused {times} times in a row by {process} in {within}",
                a_number(lock->refused), a_party(&call->callee),
                a_span(call->end_ns - lock->refused_ns));
    if (lock->holder_len == 0)
        wording_add(&f->detail, "; its holder was not seen");
    detect_frame(f, lock->frame, "the first refusal");
    detect_frame(f, call->end_frame, "the latest");
    detect_unsure(f, CERTAINTY_LIKELY, "ets:tab2list(global_locks) on the node that refuses");
    detect_commit(d);
}

static void on_lock(struct detect *d, const struct call *call)
{
    struct ds_term lock_term, resource;
    struct ds_text answer;
    if (call->callee.node.data == NULL || call->request.data == NULL ||
        !ds_term_get_element(&call->request, 1, &lock_term) ||
        !ds_term_get_element(&lock_term, 0, &resource))
        return;
    const bool sets = strcmp(call->label, "global:set_lock") == 0;
    struct locked *lock = find_lock(d, call, &resource);
    if (lock == NULL)
        return;
    if (!sets) {
        lock->refused = 0;
        lock->holder_len = 0;
    } else if (ds_term_get_atom(&call->result, &answer) && text_is(answer, "true")) {
        lock->refused = 0;
        lock->holder_len = detect_keep(lock->holder, sizeof lock->holder, call->caller.node);
    } else if (ds_term_get_atom(&call->result, &answer) && text_is(answer, "false")) {
        if (lock->refused++ == 0) {
            lock->refused_ns = call->end_ns;
            lock->frame = call->end_frame;
        }
        if (lock->refused >= STUCK_TIMES && call->end_ns - lock->refused_ns >= STUCK_NS)
            report_lock(d, call, &resource, lock);
    }
}

/* --- names --- */

static void report_conflict(struct detect *d, const struct ds_event *event,
                            const struct ds_term *name, uint64_t frame)
{
    struct finding *f = detect_begin(d, FINDING_DS304, event);
    struct ds_text atom;
    wording_say(&f->sentence, "{node} and {peer} have different processes under the same global name",
                an_end(&event->conn->end[event->dir]), an_end(&event->conn->end[!event->dir]));
    if (ds_term_get_atom(name, &atom))
        wording_say(&f->sentence, ": {name}", an_atom(atom));
    detect_frame(f, frame, "the names of the first");
    detect_frame(f, event->frame, "the names of the second");
    detect_commit(d);
}

/* on_name compares a name with what the peer sent about it, over the same connection. */
static void on_name(struct detect *d, const struct ds_event *event, const struct ds_term *entry)
{
    struct ds_term name, pid;
    struct ds_identity who;
    if (!ds_term_get_element(entry, 0, &name) || !ds_term_get_element(entry, 1, &pid) ||
        !ds_term_get_identity(&pid, &who) || who.node.data == NULL)
        return;
    const uint64_t key = hash_term(event->conn->number, &name);
    const uint32_t words[] = {who.creation, who.word[0], who.word[1]};
    const uint64_t id = hash_more(hash_more(8, who.node.data, who.node.len), words, sizeof words);
    struct listed *listed = table_find(&d->global->listed, key);
    if (listed != NULL && listed->dir != event->dir && listed->pid != id)
        report_conflict(d, event, &name, listed->frame);
    if (listed == NULL)
        listed = table_find_or_put(&d->global->listed, key);
    if (listed == NULL) {
        d->no_memory++;
        return;
    }
    listed->pid = id;
    listed->dir = event->dir;
    listed->frame = event->frame;
}

static void on_names(struct detect *d, const struct ds_event *event, const struct ds_term *said)
{
    struct ds_term names, entry;
    struct ds_term_list list;
    if (!ds_term_get_element(said, 2, &names) || !ds_term_get_list(&names, &list))
        return;
    for (unsigned i = 0; i < MAX_NAMES && ds_term_list_next(&list, &entry); i++)
        on_name(d, event, &entry);
}

/* --- links that are cut --- */

static struct ds_text lost_name(const struct lost_link *lost, int i)
{
    return text_of(lost->name[i], lost->len[i]);
}

static bool is_lost_name(const struct lost_link *lost, int i, struct ds_text name)
{
    return name.data != NULL && lost->len[i] == name.len && memcmp(lost->name[i], name.data, name.len) == 0;
}

static unsigned num_kept(const struct detect *d)
{
    return d->global->num_lost < MAX_LOST_LINKS ? d->global->num_lost : MAX_LOST_LINKS;
}

/* note_lost records links reported as lost: {lost_connection, Node, _, _, OtherNode}. Nodes pass
 * these reports on to each other. */
static void note_lost(struct detect *d, const struct ds_event *event, const struct ds_term *said)
{
    struct ds_term node[2];
    struct ds_text name[2];
    if (!ds_term_get_element(said, 1, &node[0]) || !ds_term_get_element(said, 4, &node[1]) ||
        !ds_term_get_atom(&node[0], &name[0]) || !ds_term_get_atom(&node[1], &name[1]))
        return;
    for (unsigned i = 0; i < num_kept(d); i++) {
        const struct lost_link *known = &d->global->lost[i];
        if (event->ts_ns - known->ts_ns < LOST_NS && is_lost_name(known, 0, name[0]) &&
            is_lost_name(known, 1, name[1]))
            return;
    }
    struct lost_link *lost = &d->global->lost[d->global->num_lost++ % MAX_LOST_LINKS];
    lost->ts_ns = event->ts_ns;
    lost->frame = event->frame;
    for (int i = 0; i < 2; i++)
        lost->len[i] = detect_keep(lost->name[i], sizeof lost->name[i], name[i]);
}

/* find_lost finds the link whose loss makes global cut one to a node: the first lost link of that
 * node, or the first of any. NULL: none is known. */
static const struct lost_link *find_lost(const struct detect *d, int64_t ts_ns, struct ds_text node)
{
    const struct lost_link *first[2] = {NULL, NULL}; /* of any node, of this node */
    for (unsigned i = 0; i < num_kept(d); i++) {
        const struct lost_link *one = &d->global->lost[i];
        if (ts_ns - one->ts_ns >= LOST_NS)
            continue;
        const int is_of_node = is_lost_name(one, 0, node) || is_lost_name(one, 1, node);
        for (int k = 0; k <= is_of_node; k++) {
            if (first[k] == NULL || one->ts_ns < first[k]->ts_ns)
                first[k] = one;
        }
    }
    return first[1] != NULL ? first[1] : first[0];
}

/* is_of_one_host says whether two nodes are on one host: no network can part them. */
static bool is_of_one_host(struct ds_text a, struct ds_text b)
{
    const char *host_a = memchr(a.data, '@', a.len), *host_b = memchr(b.data, '@', b.len);
    if (host_a == NULL || host_b == NULL)
        return false;
    const size_t len = a.len - (size_t)(host_a - a.data);
    return len == b.len - (size_t)(host_b - b.data) && memcmp(host_a, host_b, len) == 0;
}

static void on_cut(struct detect *d, const struct ds_event *event)
{
    const struct lost_link *lost = find_lost(d, event->ts_ns, event->conn->end[!event->dir].node);
    const bool has_lost = lost != NULL;
    const struct ds_text one = has_lost ? lost_name(lost, 0) : text_of("", 0);
    const struct ds_text other = has_lost ? lost_name(lost, 1) : text_of("", 0);
    const uint32_t gone = hash_text(other);
    const struct pair *pair = has_lost ? detect_pair(d, hash_text(one), gone) : NULL;
    const bool has_end = pair != NULL && pair->has_ended;
    const bool has_seen = has_end || (has_lost && detect_is_fading(d, one, other));
    if ((has_end && pair->ended_by == gone) || (!has_seen && is_of_one_host(one, other)))
        return; /* it ended in order: its other links end as well */
    struct finding *f = detect_begin(d, FINDING_DS210, event);
    wording_say(&f->sentence, "global on {node} disconnected {peer} although their link was healthy",
                an_end(&event->conn->end[event->dir]), an_end(&event->conn->end[!event->dir]));
    if (has_lost) {
        wording_say(&f->detail, "{lost_by} had lost its link with {third} first", a_node(one),
                    a_node(other));
        detect_frame(f, lost->frame, "the report of the loss");
    } else {
        wording_add(&f->detail, "no message says which link was lost first");
    }
    detect_frame(f, event->frame, "remove_connection");
    if (!has_seen) {
        f->severity = SEVERITY_WARNING;
        detect_unsure(f, CERTAINTY_POSSIBLE,
                      "the end of the link that was lost first (a node that shuts down looks the "
                      "same)");
    }
    detect_commit(d);
}

void detect_global(struct detect *d, const struct record *record)
{
    const char *label = record->call != NULL ? record->call->label : record->note.label;
    if (!detect_is_of_global(label))
        return;
    if (record->call != NULL) {
        if (strcmp(label, "global:set_lock") == 0 || strcmp(label, "global:del_lock") == 0)
            on_lock(d, record->call);
        return;
    }
    if (record->monitor != NULL || !record_is_message(record))
        return;
    const struct ds_term *said =
        record->note.body.data != NULL ? &record->note.body : &record->event->message.payload;
    if (strcmp(label, "global:init_connect") == 0)
        detect_mesh_greeting(d, record->event);
    else if (strcmp(label, "global:exchange") == 0)
        on_names(d, record->event, said);
    else if (strcmp(label, "global:lost_connection") == 0)
        note_lost(d, record->event, said);
    else if (strcmp(label, "global:remove_connection") == 0)
        on_cut(d, record->event);
}
