/*
 * report_apps.c - which applications communicate, by the labels of their messages (apps.def): on
 * which nodes, how much, how many calls and failures, and what their messages are about: queues,
 * tables, topics, groups.
 *
 * What identifies a thing, by application:
 *     RabbitMQ  {resource, VHost, queue, Name} near the front of a message: a queue. A quorum queue is a
 *               raft cluster VHost_Name, a stream's replica asks osiris_replica_reader_sup for a reader
 *     raft      a cluster, as in --report raft
 *     mnesia    {Lock, Tid, {Table, Key}}: a lock of a table
 *     Phoenix   {forward_to_local, Topic, ...}
 *     pg        a join, {join, Scope, Group, Pids}
 */
#include "analyse/calls/raft.h"
#include "core/hash.h"
#include "core/heavy_hitters.h"
#include "core/printable.h"
#include "reports/report_table.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 128, NODE_LEN = 128, MAX_THINGS = 512, MAX_KINDS = 256, THING_LEN = 120, SHOWN = 6 };

/* app_find gets the name of the thing that a message is about; false: none. */
typedef bool (*app_find)(const struct record *record, const struct ds_term *said, struct ds_text *out);

static bool find_queue(const struct record *record, const struct ds_term *said, struct ds_text *out);
static bool find_locked_table(const struct record *record, const struct ds_term *said, struct ds_text *out);
static bool find_topic(const struct record *record, const struct ds_term *said, struct ds_text *out);
static bool find_group(const struct record *record, const struct ds_term *said, struct ds_text *out);

struct app_row {
    const char *name, *group, *label;
    size_t label_len;
    const char *things;
    app_find find; /* NULL: none */
};

#define NO_THINGS "about", NULL
#define APP(name, group, label, ...) {name, group, label, sizeof(label) - 1, __VA_ARGS__},
static const struct app_row rows[] = {
#include "reports/apps.def"
};
#undef APP
#undef NO_THINGS
enum { NUM_APPS = sizeof rows / sizeof rows[0] };

/* The kinds of RabbitMQ queues; the others may be classic ones, which cannot be recognised. */
enum queue_kind { QUEUE_OTHER, QUEUE_QUORUM, QUEUE_STREAM, NUM_QUEUE_KINDS };
static const char *const queue_kinds[NUM_QUEUE_KINDS] = {"other queues", "quorum queues", "streams"};

/* app_thing is a queue, table, topic or group, or a kind of message, of an application. */
struct app_thing {
    struct hitters_entry head;
    unsigned app;
    size_t len;
    char text[THING_LEN];
};

struct app_node {
    uint64_t key;
    size_t len;
    char name[NODE_LEN];
};

struct app {
    uint64_t messages, bytes, calls, failed, errors, warnings;
    uint64_t sent[MAX_NODES]; /* messages of each node */
    uint64_t num_nodes;
    const char *name, *status; /* set when it is shown */
};

struct app_table {
    struct report_text *text;
    struct app app[NUM_APPS]; /* at the index of the first row with the name */
    struct app_node node[MAX_NODES];
    unsigned num_nodes;
    bool is_full, failed;
    uint64_t other_calls, other_failed; /* of no known application */
    struct heavy_hitters things, kinds, streams;
    struct raft raft;
};

static void *open_table(struct report_text *text, const struct report_config *config)
{
    (void)config;
    struct app_table *t = calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    t->text = text;
    hitters_init(&t->things, sizeof(struct app_thing), MAX_THINGS, NULL);
    hitters_init(&t->kinds, sizeof(struct app_thing), MAX_KINDS, NULL);
    hitters_init(&t->streams, sizeof(struct app_thing), MAX_THINGS, NULL);
    raft_init(&t->raft);
    return t;
}

/* find_app returns the number of an application, -1: none. */
static int find_app(const char *group, const char *label)
{
    if (group == NULL || label == NULL)
        return -1;
    if (group[0] == '\0') /* users' own messages, or connections besides the distribution */
        group = "socket";
    for (int i = 0; i < NUM_APPS; i++) {
        if (strcmp(rows[i].group, group) != 0 || strncmp(rows[i].label, label, rows[i].label_len) != 0)
            continue;
        int first = i;
        while (first > 0 && strcmp(rows[first - 1].name, rows[i].name) == 0)
            first--;
        return first;
    }
    return -1;
}

static int find_node(struct app_table *t, struct ds_text name)
{
    const uint64_t key = hash_short(61, name);
    for (unsigned i = 0; i < t->num_nodes; i++) {
        if (t->node[i].key == key)
            return (int)i;
    }
    if (t->num_nodes == MAX_NODES) {
        t->is_full = true;
        return -1;
    }
    struct app_node *node = &t->node[t->num_nodes];
    node->key = key;
    node->len = name.len < NODE_LEN ? name.len : NODE_LEN;
    memcpy(node->name, name.data, node->len);
    return (int)t->num_nodes++;
}

/* --- what a message is about --- */

static void add_thing(struct app_table *t, struct heavy_hitters *hitters, int app, struct ds_text text)
{
    bool is_new;
    if (text.data == NULL || text.len == 0)
        return;
    struct app_thing *thing = hitters_add(hitters, hash_short(67 + (uint64_t)app, text), 1, &is_new);
    if (thing == NULL) {
        t->failed = true;
        return;
    }
    if (!is_new)
        return;
    thing->app = (unsigned)app;
    thing->len = text.len < THING_LEN ? text.len : THING_LEN;
    memcpy(thing->text, text.data, thing->len);
}

static bool is_word(const struct ds_term *term, const char *word)
{
    struct ds_text text;
    return ds_term_get_atom(term, &text) && text.len == strlen(word) &&
           memcmp(text.data, word, text.len) == 0;
}

static bool get_name(const struct ds_term *term, struct ds_text *out)
{
    return ds_term_get_binary(term, out) || ds_term_get_atom(term, out);
}

static bool get_queue(const struct ds_term *term, struct ds_text *out)
{
    struct ds_term part;
    return ds_term_get_element(term, 0, &part) && is_word(&part, "resource") &&
           ds_term_get_element(term, 2, &part) && is_word(&part, "queue") &&
           ds_term_get_element(term, 3, &part) && ds_term_get_binary(&part, out);
}

/* find_queue looks at the elements of a request, and one level deeper. */
static bool find_queue(const struct record *record, const struct ds_term *said, struct ds_text *out)
{
    struct ds_term part, below;
    (void)record;
    if (get_queue(said, out))
        return true;
    for (uint32_t i = 0; i < 4 && ds_term_get_element(said, i, &part); i++) {
        if (get_queue(&part, out))
            return true;
        for (uint32_t k = 0; k < 4 && ds_term_get_element(&part, k, &below); k++) {
            if (get_queue(&below, out))
                return true;
        }
    }
    return false;
}

/* find_locked_table reads a lock: {Lock, Tid, {Table, Key}}, or one within {From, Lock}. */
static bool find_locked_table(const struct record *record, const struct ds_term *said, struct ds_text *out)
{
    struct ds_term lock = *said, part, table;
    struct ds_text word;
    if (strcmp(record->note.label, "mnesia_locker") != 0 || record->note.role != NOTE_REQUEST ||
        !ds_term_get_element(&lock, 0, &part))
        return false;
    if (!ds_term_get_atom(&part, &word) && ds_term_get_element(said, 1, &part))
        lock = part;
    return ds_term_get_element(&lock, 2, &part) && ds_term_get_element(&part, 0, &table) &&
           ds_term_get_atom(&table, out);
}

static bool find_topic(const struct record *record, const struct ds_term *said, struct ds_text *out)
{
    struct ds_term part;
    (void)record;
    return ds_term_get_element(said, 1, &part) && get_name(&part, out);
}

static bool find_group(const struct record *record, const struct ds_term *said, struct ds_text *out)
{
    struct ds_term part;
    return strcmp(record->note.label, "pg:join") == 0 && ds_term_get_element(said, 2, &part) &&
           get_name(&part, out);
}

/* get_stream gets the name of the stream whose replica asks for its reader: {'$gen_call', From,
 * {start_child, #{start := {osiris_replica_reader, start_link, [#{reference := Queue}]}}}}. */
static bool get_stream(const struct ds_message *message, struct ds_text *out)
{
    struct ds_term request, spec, start, args, config, reference;
    struct ds_term_list list;
    return is_word(&message->role[DS_ROLE_TO], "osiris_replica_reader_sup") &&
           ds_term_get_element(&message->payload, 2, &request) && ds_term_get_element(&request, 1, &spec) &&
           ds_term_get_value(&spec, "start", &start) && ds_term_get_element(&start, 2, &args) &&
           ds_term_get_list(&args, &list) && ds_term_list_next(&list, &config) &&
           ds_term_get_value(&config, "reference", &reference) && get_queue(&reference, out);
}

/* --- records --- */

/* on_sent counts a message of an application, and its nodes. */
static void on_sent(struct app_table *t, int app, const struct ds_event *event, uint64_t bytes)
{
    struct app *a = &t->app[app];
    a->messages++;
    a->bytes += bytes;
    const struct ds_text names[2] = {event->conn->end[event->dir].node,
                                     event->conn->end[!event->dir].node};
    for (int i = 0; i < 2; i++) {
        const int node = names[i].data != NULL ? find_node(t, names[i]) : -1;
        if (node >= 0 && a->sent[node] == 0)
            a->num_nodes++;
        if (node >= 0)
            a->sent[node] += 1 + (i == 0);
    }
}

static void on_message(struct app_table *t, const struct record *record)
{
    const struct ds_event *event = record->event;
    const char *label = record->note.label;
    const int app = find_app(record->note.group, label);
    struct ds_text thing;
    if (label != NULL && strcmp(label, "supervisor:start_child") == 0 &&
        get_stream(&event->message, &thing))
        add_thing(t, &t->streams, find_app("rabbit", ""), thing);
    if (app < 0)
        return;
    on_sent(t, app, event, event->message.size);
    add_thing(t, &t->kinds, app, (struct ds_text){record->note.label, strlen(record->note.label)});
    if (raft_is_label(record->note.label))
        raft_message(&t->raft, record);
    const struct ds_term *said =
        record->note.body.data != NULL ? &record->note.body : &event->message.payload;
    if (rows[app].find != NULL && said->data != NULL && rows[app].find(record, said, &thing))
        add_thing(t, &t->things, app, thing);
}

static void on_call(struct app_table *t, const struct call *call)
{
    const int app = find_app(call->group, call->label);
    if (call->label != NULL && strcmp(call->label, "ra:vote") == 0)
        raft_call(&t->raft, call);
    if (app < 0) {
        t->other_calls++;
        t->other_failed += call_outcome_is_failure(call->outcome);
        return;
    }
    t->app[app].calls++;
    t->app[app].failed += call_outcome_is_failure(call->outcome);
}

/* on_piece counts data without terms on a connection besides the distribution. */
static void on_piece(struct app_table *t, const struct ds_event *event)
{
    const int app = find_app("socket", event->conn->proto);
    if (app < 0)
        return;
    on_sent(t, app, event, event->stream.bytes);
    add_thing(t, &t->kinds, app, (struct ds_text){event->stream.what, strlen(event->stream.what)});
}

static void on_record(void *state, const struct record *record)
{
    struct app_table *t = state;
    if (record->call != NULL)
        on_call(t, record->call);
    else if (record_is_message(record))
        on_message(t, record);
    else if (record->event->type == DS_EVENT_STREAM && !record->link_facts)
        on_piece(t, record->event);
}

/* --- the table --- */

/* kind_of returns the kind of a queue by its name. */
static enum queue_kind kind_of(const struct app_table *t, struct ds_text name)
{
    const struct app_thing *stream = table_oldest(&t->streams.table);
    for (; stream != NULL; stream = table_newer(&t->streams.table, stream)) {
        if (stream->len == name.len && memcmp(stream->text, name.data, name.len) == 0)
            return QUEUE_STREAM;
    }
    const struct raft_cluster *c = table_oldest(&t->raft.clusters);
    for (; c != NULL; c = table_newer(&t->raft.clusters, c)) {
        const struct ds_text cluster = raft_name(c);
        if (cluster.len > name.len && cluster.data[cluster.len - name.len - 1] == '_' &&
            memcmp(cluster.data + cluster.len - name.len, name.data, name.len) == 0)
            return QUEUE_QUORUM;
    }
    return QUEUE_OTHER;
}

/* queue_of gets the name of a raft cluster's queue: the text after "%2F_". False: it belongs to no
 * queue. */
static bool queue_of(const struct raft_cluster *c, struct ds_text *out)
{
    const struct ds_text name = raft_name(c);
    static const char root[] = "%2F_";
    enum { ROOT_LEN = sizeof root - 1 };
    if (name.len <= ROOT_LEN || memcmp(name.data, root, ROOT_LEN) != 0)
        return false;
    *out = (struct ds_text){name.data + ROOT_LEN, name.len - ROOT_LEN};
    return true;
}

static int most_first(const void *x, const void *y)
{
    const struct app_thing *a = *(void *const *)x, *b = *(void *const *)y;
    if (a->head.weight != b->head.weight)
        return a->head.weight < b->head.weight ? 1 : -1;
    const int order = memcmp(a->text, b->text, a->len < b->len ? a->len : b->len);
    return order != 0 ? order : a->len < b->len ? -1 : a->len > b->len;
}

/* by_bytes writes the numbers of the applications that were seen, by decreasing bytes. */
static unsigned by_bytes(const struct app_table *t, unsigned list[NUM_APPS])
{
    unsigned num = 0;
    for (unsigned i = 0; i < NUM_APPS; i++) {
        if (t->app[i].messages + t->app[i].calls == 0)
            continue;
        unsigned at = num++;
        while (at > 0 && t->app[list[at - 1]].bytes < t->app[i].bytes) {
            list[at] = list[at - 1];
            at--;
        }
        list[at] = i;
    }
    return num;
}

/* count_leaderless counts raft clusters without a leader. */
static uint64_t count_leaderless(const struct app_table *t)
{
    uint64_t num = 0;
    for (const struct raft_cluster *c = table_oldest(&t->raft.clusters); c != NULL;
         c = table_newer(&t->raft.clusters, c))
        num += c->leader < 0 || c->votes.rounds != 0;
    return num;
}

/* status_of returns an application's status, the first thing an operator looks at. */
static const char *status_of(const struct app_table *t, unsigned app)
{
    const struct app *a = &t->app[app];
    if (strcmp(rows[app].name, "raft (ra)") == 0 && count_leaderless(t) != 0)
        return "no leader";
    return a->failed != 0 && a->failed * 100 >= a->calls ? "failing" : "ok";
}

static void print_status(const void *row, const void *report, struct ds_buffer *out)
{
    (void)report;
    ds_buffer_add_text(out, ((const struct app *)row)->status);
}

static void write_status(const void *row, struct json_key key, struct json_writer *json)
{
    json_put_string(json, key, ((const struct app *)row)->status);
}

static void write_name(const void *row, struct json_key key, struct json_writer *json)
{
    json_put_string(json, key, ((const struct app *)row)->name);
}

#define AT(member) offsetof(struct app, member)
static const struct report_column app_columns[] = {
    {JSON_KEY_INIT("status"), "status", 'l', .print = print_status, .write_json = write_status},
    {JSON_KEY_INIT("what"), .write_json = write_name},
    {JSON_KEY_INIT("nodes"), "nodes", 'r', .at = AT(num_nodes)},
    {JSON_KEY_INIT("messages"), "messages", 'r', .at = AT(messages)},
    {JSON_KEY_INIT("bytes"), "bytes", 'r', .at = AT(bytes)},
    {JSON_KEY_INIT("calls"), "calls", 'r', .at = AT(calls)},
    {JSON_KEY_INIT("failed"), "failed", 'r', .at = AT(failed)},
};
#undef AT
static const struct report_table app_report = {
    .columns = app_columns, .num = sizeof app_columns / sizeof app_columns[0]};

/* row_of returns the row of an application, with the values that are only determined for output. */
static const struct app *row_of(struct app_table *t, unsigned app)
{
    t->app[app].name = rows[app].name;
    t->app[app].status = status_of(t, app);
    return &t->app[app];
}

static void print_nodes(const struct app_table *t, unsigned app, struct ds_buffer *out)
{
    unsigned num = 0;
    ds_buffer_printf(out, "%s\tnodes\t", rows[app].name);
    for (unsigned i = 0; i < t->num_nodes; i++) {
        if (t->app[app].sent[i] == 0)
            continue;
        if (num++ >= SHOWN)
            continue;
        ds_buffer_add_text(out, num == 1 ? "" : ", ");
        printable_text((struct ds_text){t->node[i].name, t->node[i].len}, out);
    }
    if (num > SHOWN)
        ds_buffer_printf(out, " and %u more", num - SHOWN);
    columns_end_line(out);
}

static void print_things(struct app_table *t, const struct heavy_hitters *hitters, unsigned app,
                         const char *what, struct ds_buffer *out)
{
    void **list = hitters->table.num != 0 ? hitters_list(hitters, most_first) : NULL;
    uint64_t num = 0;
    for (uint64_t i = 0; list != NULL && i < hitters->table.num; i++) {
        const struct app_thing *thing = list[i];
        if (thing->app != app)
            continue;
        if (num == 0)
            ds_buffer_printf(out, "%s\t%s\t", rows[app].name, what);
        if (num++ >= SHOWN)
            continue;
        ds_buffer_add_text(out, num == 1 ? "" : ", ");
        printable_text((struct ds_text){thing->text, thing->len}, out);
        ds_buffer_printf(out, " %" PRIu64 "%s", thing->head.weight,
                         thing->head.most_missing != 0 ? "+" : "");
    }
    if (num > SHOWN)
        ds_buffer_printf(out, " and %" PRIu64 " more", num - SHOWN);
    if (num != 0)
        columns_end_line(out);
    t->failed |= list == NULL && hitters->table.num != 0;
    free(list);
}

/* print_raft writes which node leads how many clusters. */
static void print_raft(struct app_table *t, unsigned app, struct ds_buffer *out)
{
    struct app_thing *leader = calloc(MAX_NODES, sizeof *leader);
    unsigned num = 0;
    const struct table *clusters = &t->raft.clusters;
    t->failed |= leader == NULL;
    ds_buffer_printf(out, "%s\tclusters\t%s, %" PRIu64 " without a leader", rows[app].name,
                     ds_counted(clusters->num, "clusters").text, count_leaderless(t));
    for (const struct raft_cluster *c = table_oldest(clusters); leader != NULL && c != NULL;
         c = table_newer(clusters, c)) {
        unsigned at = 0;
        if (c->leader < 0 || c->votes.rounds != 0)
            continue;
        const struct ds_text name = raft_node(c, c->leader);
        while (at < num &&
               (leader[at].len != name.len || memcmp(leader[at].text, name.data, name.len) != 0))
            at++;
        if (at == MAX_NODES || name.len > THING_LEN)
            continue;
        num += at == num;
        leader[at].len = name.len;
        memcpy(leader[at].text, name.data, name.len);
        leader[at].head.weight++;
    }
    for (unsigned i = 0; i < num; i++) {
        ds_buffer_add_text(out, i == 0 ? "; leaders: " : ", ");
        printable_text((struct ds_text){leader[i].text, leader[i].len}, out);
        ds_buffer_printf(out, " %" PRIu64, leader[i].head.weight);
    }
    columns_end_line(out);
    free(leader);
}

/* queue_list writes the queues of one kind, as text or JSON. */
struct queue_list {
    enum queue_kind kind;
    unsigned num;
    struct ds_buffer *out;    /* NULL: JSON */
    struct json_writer *json; /* NULL: text */
};

static void add_queue(struct queue_list *list, unsigned app, struct ds_text name)
{
    const bool is_first = list->num++ == 0;
    if (list->json != NULL) {
        json_item_open(list->json);
        json_put_string(list->json, JSON_KEY("kind"), queue_kinds[list->kind]);
        json_put_text(list->json, JSON_KEY("name"), name);
        json_put_close(list->json);
        return;
    }
    if (is_first)
        ds_buffer_printf(list->out, "%s\t%s\t", rows[app].name, queue_kinds[list->kind]);
    if (list->num > SHOWN)
        return;
    ds_buffer_add_text(list->out, is_first ? "" : ", ");
    printable_text(name, list->out);
}

/* add_queues adds the queues of the list's kind: raft clusters, streams, and others named in
 * messages. */
static void add_queues(struct app_table *t, unsigned app, struct queue_list *list)
{
    struct ds_text name;
    if (list->kind == QUEUE_QUORUM) {
        const struct raft_cluster *c = table_oldest(&t->raft.clusters);
        for (; c != NULL; c = table_newer(&t->raft.clusters, c)) {
            if (queue_of(c, &name))
                add_queue(list, app, name);
        }
        return;
    }
    const struct heavy_hitters *from = list->kind == QUEUE_STREAM ? &t->streams : &t->things;
    void **all = from->table.num != 0 ? hitters_list(from, most_first) : NULL;
    for (uint64_t i = 0; all != NULL && i < from->table.num; i++) {
        const struct app_thing *thing = all[i];
        name = (struct ds_text){thing->text, thing->len};
        if (thing->app == app && (list->kind == QUEUE_STREAM || kind_of(t, name) == QUEUE_OTHER))
            add_queue(list, app, name);
    }
    t->failed |= all == NULL && from->table.num != 0;
    free(all);
}

static void print_queues(struct app_table *t, unsigned app, struct ds_buffer *out)
{
    static const enum queue_kind kinds[] = {QUEUE_QUORUM, QUEUE_STREAM, QUEUE_OTHER};
    unsigned num_known = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i] == QUEUE_OTHER && num_known == 0) /* all queues, as none are listed yet */
            return;
        struct queue_list list = {.kind = kinds[i], .out = out};
        add_queues(t, app, &list);
        if (list.num > SHOWN)
            ds_buffer_printf(out, " and %u more", list.num - SHOWN);
        if (list.num != 0)
            columns_end_line(out);
        num_known += list.num;
    }
}

static void write_queues(struct app_table *t, unsigned app, struct json_writer *json)
{
    json_put_list(json, JSON_KEY("queues"));
    for (enum queue_kind kind = 0; kind < NUM_QUEUE_KINDS; kind++)
        add_queues(t, app, &(struct queue_list){.kind = kind, .json = json});
    json_put_list_end(json);
}

static void show_table(void *state)
{
    struct app_table *t = state;
    struct ds_buffer *out = &t->text->buffer;
    struct report_table table = app_report;
    struct columns columns, details = {.align = "ll"};
    struct ds_buffer lines = {0}, more = {0};
    unsigned list[NUM_APPS];
    const unsigned num = by_bytes(t, list);
    const struct ds_counted apps = ds_counted(num, "applications");
    ds_buffer_printf(out, "applications: %s on %s", apps.text, ds_counted(t->num_nodes, "nodes").text);
    if (t->other_calls != 0)
        ds_buffer_printf(out, "; %s %s to no application, %" PRIu64 " of them failed",
                         ds_counted(t->other_calls, "calls").text,
                         t->other_calls == 1 ? "belongs" : "belong", t->other_failed);
    ds_buffer_add_text(out, "\n");
    if (num == 0)
        return;
    report_table_columns(&table, &columns);
    report_table_heading(&table, "application", &lines);
    for (unsigned i = 0; i < num; i++) {
        report_table_row(&table, row_of(t, list[i]), rows[list[i]].name, &lines);
        print_nodes(t, list[i], &more);
        if (strcmp(rows[list[i]].name, "raft (ra)") == 0 && t->raft.clusters.num != 0)
            print_raft(t, list[i], &more);
        print_things(t, &t->things, list[i], rows[list[i]].things, &more);
        if (rows[list[i]].find == find_queue)
            print_queues(t, list[i], &more);
        print_things(t, &t->kinds, list[i], "messages", &more);
    }
    report_bound(t->text, &columns);
    report_bound(t->text, &details);
    columns_fit_all(&columns, &lines);
    columns_print_all(&columns, &lines, out);
    ds_buffer_add_text(out, "\n");
    columns_fit_all(&details, &more);
    columns_print_all(&details, &more, out);
    if (t->is_full)
        ds_buffer_printf(out, "more nodes than %d: others are not counted\n", MAX_NODES);
    if (t->failed || lines.failed || more.failed || t->raft.no_memory != 0)
        ds_buffer_add_text(out, "out of memory: some figures are missing\n");
    ds_buffer_free(&lines);
    ds_buffer_free(&more);
}

static void write_things(const struct heavy_hitters *hitters, unsigned app, struct json_key key,
                         struct json_writer *json)
{
    void **list = hitters->table.num != 0 ? hitters_list(hitters, most_first) : NULL;
    uint64_t num = 0;
    json_put_list(json, key);
    for (uint64_t i = 0; list != NULL && i < hitters->table.num && num < SHOWN; i++) {
        const struct app_thing *thing = list[i];
        if (thing->app != app)
            continue;
        num++;
        json_item_open(json);
        json_put_text(json, JSON_KEY("what"), (struct ds_text){thing->text, thing->len});
        json_put_unsigned(json, JSON_KEY("count"), thing->head.weight);
        json_put_close(json);
    }
    json_put_list_end(json);
    free(list);
}

static void write_table(void *state, struct json_writer *json)
{
    struct app_table *t = state;
    unsigned list[NUM_APPS];
    const unsigned num = by_bytes(t, list);
    json_put_list(json, JSON_KEY("rows"));
    for (unsigned i = 0; i < num; i++) {
        json_item_open(json);
        report_table_write(&app_report, row_of(t, list[i]), json);
        json_put_string(json, JSON_KEY("things"), rows[list[i]].things);
        write_things(&t->things, list[i], JSON_KEY("about"), json);
        write_things(&t->kinds, list[i], JSON_KEY("kinds"), json);
        if (rows[list[i]].find == find_queue)
            write_queues(t, list[i], json);
        json_put_close(json);
    }
    json_put_list_end(json);
}

static void end_table(void *state)
{
    struct app_table *t = state;
    hitters_free(&t->things);
    hitters_free(&t->kinds);
    hitters_free(&t->streams);
    raft_free(&t->raft);
    free(t);
}

const struct report_kind report_apps = {
    .open = open_table,
    .record = on_record,
    .takes = REPORT_TAKES_MESSAGES | REPORT_TAKES_CALLS | REPORT_TAKES_EVENTS,
    .show = show_table,
    .write_json = write_table,
    .end = end_table,
};
