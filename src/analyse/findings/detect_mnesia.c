/*
 * detect_mnesia.c - mnesia is split (DS601): two nodes lost each other, ran on, and are connected
 * again.
 *
 * Each of the two then asks the other one, by rpc, mnesia_monitor:has_remote_mnesia_down(Own). The
 * answer is {true, Other} if the other one has recorded that the mnesia of the asking node is down,
 * and {false, Other} if it has not. A node that gets true, and has recorded the same of the other
 * node, reports inconsistent_database. A node whose mnesia is just starting asks the same question,
 * right after mnesia_monitor:call({negotiate_protocol, ...}) and mnesia_lib:is_running(): its
 * mnesia has not run on separately. A negotiation is also how a split ends: one of the two has
 * restarted its mnesia.
 */
#include "analyse/findings/detect.h"

#include "core/hash.h"

#include <string.h>

#define SECOND INT64_C(1000000000)
#define NOTE_NS (SECOND / 10) /* how often it is recorded that nodes have heard each other */
#define OTHER_NS (2 * SECOND) /* by then the other node has asked as well */
#define STARTING_NS (10 * SECOND)
#define APART_NS (2 * SECOND) /* a write this long after they last heard each other is one-sided */

enum { RABBIT = 1, EJABBERD = 2 };

static const char rabbit_advice[] =
    "Choose the side whose data is kept. On each node of the other side run rabbitmqctl stop_app, then "
    "rabbitmqctl start_app: what only that side got is lost. rabbitmqctl cluster_status lists "
    "partitions. cluster_partition_handling (pause_minority, autoheal) in rabbitmq.conf says what is "
    "done the next time.";
static const char ejabberd_advice[] =
    "Choose the node whose tables are kept. On each node of the other side run ejabberdctl set_master "
    "NODE with its name, then ejabberdctl restart: what only that side wrote is lost.";

/* mnesia_node is a node from which a message of mnesia, or of a user of mnesia, came. */
struct mnesia_node {
    struct table_entry entry;
    uint64_t key;
    int64_t write_ns[2]; /* its latest write to tables, and one a second or more before */
    uint8_t apps;        /* bits defined in detect_mnesia.c */
    size_t with_len;
    char with[128]; /* the other node of its latest write */
};
TABLE_KEYED(struct mnesia_node, key);

/* mnesia_pair is two such nodes, ordered by name. */
struct mnesia_pair {
    struct table_entry entry;
    uint64_t key;
    uint64_t conn;          /* their latest link */
    int64_t heard_ns[2];    /* from either, on that link; 0: not yet */
    int64_t parted_ns;      /* when both were last heard on the previous link; 0: unknown */
    int64_t starting_ns[2]; /* when its mnesia last began to negotiate with the other's */
    uint64_t starting_conn[2]; /* the link of that negotiation */
    uint64_t finding;       /* the number of their split; 0: none, or it is over */
};
TABLE_KEYED(struct mnesia_pair, key);

/* mnesia_split is a split that one node has detected; the other one may still ask. */
enum { MAX_SPLITS = 8 };
struct mnesia_split {
    bool is_used, has[2]; /* has: that node got the answer that its mnesia counts as down */
    uint64_t key, conn, frame[2][2];
    int64_t ts_ns, since_ns;
    size_t len[2];
    char name[2][128];
};

enum { MAX_MNESIA_NODES = 256, MAX_MNESIA_PAIRS = 1024 };

struct mnesia_watch {
    struct table nodes, pairs;
    struct mnesia_split split[MAX_SPLITS];
};

const struct detect_family detect_mnesia_family = {
    sizeof(struct mnesia_watch),
    {{offsetof(struct mnesia_watch, nodes), sizeof(struct mnesia_node), MAX_MNESIA_NODES},
     {offsetof(struct mnesia_watch, pairs), sizeof(struct mnesia_pair), MAX_MNESIA_PAIRS}},
};

static struct ds_text text_part(const char *text, size_t len)
{
    return (struct ds_text){len != 0 ? text : NULL, len};
}

/* order returns which of two names comes first: 0 or 1. */
static int order(struct ds_text a, struct ds_text b)
{
    const int less = memcmp(a.data, b.data, a.len < b.len ? a.len : b.len);
    return less > 0 || (less == 0 && a.len > b.len);
}

static uint64_t key_of(struct ds_text a, struct ds_text b)
{
    return order(a, b) == 0 ? hash_short(hash_short(23, a), b) : hash_short(hash_short(23, b), a);
}

static struct mnesia_pair *find_pair(struct detect *d, struct ds_text a, struct ds_text b, bool makes)
{
    const uint64_t key = key_of(a, b);
    if (!makes)
        return table_find(&d->mnesia->pairs, key);
    struct mnesia_pair *pair = table_find_or_put(&d->mnesia->pairs, key);
    d->no_memory += pair == NULL;
    return pair;
}

static struct mnesia_node *find_node(struct detect *d, struct ds_text name, bool makes)
{
    const uint64_t key = hash_short(29, name);
    if (!makes)
        return table_find(&d->mnesia->nodes, key);
    struct mnesia_node *node = table_find_or_put(&d->mnesia->nodes, key);
    d->no_memory += node == NULL;
    return node;
}

/* --- state from messages --- */

/* begin_link starts a new link: the last message on the previous one shows when the nodes parted. */
static void begin_link(struct mnesia_pair *pair, uint64_t conn)
{
    if (conn == pair->conn)
        return;
    pair->parted_ns = pair->heard_ns[0] > pair->heard_ns[1] ? pair->heard_ns[0] : pair->heard_ns[1];
    pair->heard_ns[0] = pair->heard_ns[1] = 0;
    pair->conn = conn;
}

/* note_heard records that an end of a link sent something. */
static void note_heard(struct detect *d, const struct ds_event *event, bool makes)
{
    const struct ds_text from = event->conn->end[event->dir].node, to = event->conn->end[!event->dir].node;
    if (from.data == NULL || to.data == NULL)
        return;
    struct mnesia_pair *pair = find_pair(d, from, to, makes);
    if (pair == NULL || event->conn->number < pair->conn)
        return;
    begin_link(pair, event->conn->number);
    pair->heard_ns[order(from, to)] = event->ts_ns;
}

static void note_write(struct detect *d, const struct ds_event *event, int end)
{
    const struct ds_text name = event->conn->end[end].node, with = event->conn->end[!end].node;
    struct mnesia_node *node = name.data != NULL && with.data != NULL ? find_node(d, name, true) : NULL;
    if (node == NULL)
        return;
    if (event->ts_ns - node->write_ns[0] >= SECOND) {
        node->write_ns[1] = node->write_ns[0];
        node->write_ns[0] = event->ts_ns;
    }
    node->with_len = detect_keep(node->with, sizeof node->with, with);
}

static unsigned app_of(const char *group, const char *label)
{
    if (strcmp(group, "ejabberd") == 0)
        return EJABBERD;
    return strcmp(group, "rabbit") == 0 && strncmp(label, "rabbit", 6) == 0 ? RABBIT : 0;
}

static void note_app(struct detect *d, const struct ds_event *event, unsigned app)
{
    for (int end = 0; end < 2; end++) {
        const struct ds_text name = event->conn->end[end].node;
        struct mnesia_node *node = name.data != NULL ? find_node(d, name, true) : NULL;
        if (node != NULL)
            node->apps |= (uint8_t)app;
    }
}

void detect_mnesia_message(struct detect *d, const struct record *record)
{
    static const char *const writes[] = {"mnesia_tm:ask_commit", "mnesia_tm:sync_dirty",
                                         "mnesia_tm:async_dirty"};
    const struct ds_event *event = record->event;
    const struct note *note = &record->note;
    struct conn_watch *w = detect_watch(d, event->conn);
    if (w == NULL || note->label == NULL || strcmp(note->group, "elixir") == 0)
        return;
    const unsigned app = app_of(note->group, note->label);
    if ((app & ~w->apps) != 0)
        note_app(d, event, app);
    w->apps |= (uint8_t)app;
    const bool asks = note->role == NOTE_REQUEST || note->role == NOTE_CAST;
    for (size_t i = 0; asks && i < sizeof writes / sizeof writes[0]; i++) {
        if (event->ts_ns - w->table_write_ns < NOTE_NS || strcmp(note->label, writes[i]) != 0)
            continue;
        w->table_write_ns = event->ts_ns;
        note_write(d, event, 0);
        note_write(d, event, 1);
    }
    if (event->ts_ns - w->app_heard_ns[event->dir] < NOTE_NS)
        return;
    w->app_heard_ns[event->dir] = event->ts_ns;
    note_heard(d, event, true);
}

void detect_mnesia_tick(struct detect *d, const struct ds_event *event)
{
    struct conn_watch *w = detect_find_watched(d, event->conn->number);
    if (w != NULL)
        w->app_heard_ns[event->dir] = event->ts_ns;
    if (d->mnesia->pairs.num != 0)
        note_heard(d, event, false);
}

/* --- a split --- */

/* wrote says whether a node wrote, not just with the other one, while the two were apart. */
static bool wrote(const struct mnesia_node *node, const struct mnesia_pair *pair, struct ds_text other,
                  int64_t up_ns)
{
    if (node == NULL || pair->parted_ns == 0 ||
        (node->with_len == other.len && memcmp(node->with, other.data, other.len) == 0))
        return false;
    for (int i = 0; i < 2; i++) {
        if (node->write_ns[i] > pair->parted_ns + APART_NS && node->write_ns[i] < up_ns)
            return true;
    }
    return false;
}

static void add_writes(struct detect *d, struct finding *f, const struct mnesia_split *s,
                       const struct mnesia_pair *pair)
{
    const struct conn_watch *w = detect_find_watched(d, s->conn);
    const int64_t up_ns = w != NULL && w->up_ns != 0 ? w->up_ns : s->ts_ns;
    unsigned num = 0, wrote_last = 0;
    for (unsigned i = 0; i < 2; i++) {
        const struct ds_text name = text_part(s->name[i], s->len[i]);
        const struct mnesia_node *node = find_node(d, name, false);
        if (!wrote(node, pair, text_part(s->name[!i], s->len[!i]), up_ns))
            continue;
        wording_say(&f->detail, "{}{writers} wrote to tables with {writers}",
                    a_word(num++ == 0 ? "; in that time " : ", and "), a_node(name),
                    a_node(text_part(node->with, node->with_len)));
        wrote_last = i;
    }
    if (num == 1)
        wording_say(&f->detail, " (what {} wrote by itself is in no packet)",
                    a_node(text_part(s->name[!wrote_last], s->len[!wrote_last])));
}

/* find_app finds the application by its messages, else by the beginning of the node name, in the
 * usual form of each application. */
static unsigned find_app(struct detect *d, const struct mnesia_split *s)
{
    unsigned apps = 0;
    for (int i = 0; i < 2; i++) {
        const struct mnesia_node *node = find_node(d, text_part(s->name[i], s->len[i]), false);
        apps |= node != NULL ? node->apps : 0;
    }
    if (apps != 0)
        return apps;
    if (s->len[0] > 7 && memcmp(s->name[0], "rabbit@", 7) == 0)
        return RABBIT;
    return s->len[0] > 9 && memcmp(s->name[0], "ejabberd@", 9) == 0 ? EJABBERD : 0;
}

static void report(struct detect *d, struct mnesia_split *s)
{
    const struct ds_text a = text_part(s->name[0], s->len[0]), b = text_part(s->name[1], s->len[1]);
    struct mnesia_pair *pair = find_pair(d, a, b, true);
    const unsigned app = find_app(d, s);
    s->is_used = false;
    if (pair == NULL)
        return;
    begin_link(pair, s->conn);
    struct finding *f = detect_begin(d, FINDING_DS601, NULL);
    detect_since(d, s->since_ns);
    f->evidence[0].conn = s->conn;
    f->evidence[0].ts_ns = s->ts_ns;
    for (int i = 0; i < 2; i++)
        f->node[i].len = detect_keep(f->node[i].text, sizeof f->node[i].text, i == 0 ? a : b);
    wording_say(&f->sentence, "{node} and {peer} are connected again, and each counted the other's "
                "mnesia as down", a_node(a), a_node(b));
    wording_add(&f->detail, app == RABBIT     ? "RabbitMQ runs on them"
                            : app == EJABBERD ? "ejabberd runs on them"
                                              : "their tables may differ from now on");
    add_writes(d, f, s, pair);
    f->advice = app == RABBIT ? rabbit_advice : app == EJABBERD ? ejabberd_advice : NULL;
    for (int i = 0; i < 2; i++) {
        detect_frame(f, s->frame[i][0], "has_remote_mnesia_down");
        detect_frame(f, s->frame[i][1], "true");
    }
    if (!s->has[0] || !s->has[1])
        detect_unsure(f, CERTAINTY_LIKELY, "inconsistent_database in the log of either node");
    pair->finding = detect_commit(d);
}

static struct mnesia_split *find_split(struct detect *d, uint64_t key)
{
    struct mnesia_split *oldest = &d->mnesia->split[0];
    for (size_t i = 0; i < MAX_SPLITS; i++) {
        struct mnesia_split *s = &d->mnesia->split[i];
        if (s->is_used && s->key == key)
            return s;
        if (!s->is_used || (oldest->is_used && s->ts_ns < oldest->ts_ns))
            oldest = s;
    }
    if (oldest->is_used)
        report(d, oldest);
    *oldest = (struct mnesia_split){.key = key};
    return oldest;
}

static void on_down(struct detect *d, const struct call *call)
{
    const struct ds_text from = call->caller.node, to = call->callee.node;
    struct ds_term word;
    if (call->outcome != CALL_OK || !ds_term_get_element(&call->result, 0, &word) ||
        !detect_is_atom(&word, "true"))
        return;
    const int side = order(from, to);
    const struct mnesia_pair *pair = find_pair(d, from, to, false);
    if (pair != NULL && pair->starting_conn[side] == call->conn &&
        call->start_ns - pair->starting_ns[side] < STARTING_NS)
        return;
    struct mnesia_split *s = find_split(d, key_of(from, to));
    if (!s->is_used) {
        s->is_used = d->has_splits = true;
        s->since_ns = call->start_ns;
        s->conn = call->conn;
        s->len[side] = detect_keep(s->name[side], sizeof s->name[side], from);
        s->len[!side] = detect_keep(s->name[!side], sizeof s->name[!side], to);
    }
    s->ts_ns = call->end_ns;
    s->has[side] = true;
    s->frame[side][0] = call->start_frame;
    s->frame[side][1] = call->end_frame;
    if (s->has[0] && s->has[1])
        report(d, s);
}

/* on_negotiation records that the caller's mnesia starts. */
static void on_negotiation(struct detect *d, const struct call *call)
{
    struct mnesia_pair *pair = find_pair(d, call->caller.node, call->callee.node, true);
    if (pair == NULL)
        return;
    const int side = order(call->caller.node, call->callee.node);
    pair->starting_ns[side] = call->start_ns;
    pair->starting_conn[side] = call->conn;
    if (pair->finding != 0 && call->outcome == CALL_OK)
        detect_over(d, pair->finding);
    pair->finding = 0;
    for (size_t i = 0; i < MAX_SPLITS; i++) {
        if (d->mnesia->split[i].key == pair->key)
            d->mnesia->split[i].is_used = false;
    }
}

void detect_mnesia(struct detect *d, const struct call *call)
{
    if (call->caller.node.data == NULL || call->callee.node.data == NULL || call->fun.data == NULL ||
        !detect_is_atom(&call->mod, "mnesia_monitor"))
        return;
    if (detect_is_atom(&call->fun, "has_remote_mnesia_down"))
        on_down(d, call);
    else if (detect_is_atom(&call->fun, "call"))
        on_negotiation(d, call);
}

void detect_mnesia_time(struct detect *d, bool at_end)
{
    d->has_splits = false;
    for (size_t i = 0; i < MAX_SPLITS; i++) {
        struct mnesia_split *s = &d->mnesia->split[i];
        if (s->is_used && (at_end || d->now_ns - s->ts_ns >= OTHER_NS))
            report(d, s);
        d->has_splits |= s->is_used;
    }
}
