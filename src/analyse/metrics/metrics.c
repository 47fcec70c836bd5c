/*
 * metrics.c - see metrics.h. A message costs a comparison with the link of the one before, and an
 * addition: names are only looked up again if they have changed.
 */
#include "analyse/metrics/metrics_parts.h"

#include "core/span_sum.h"

#include <stdlib.h>
#include <string.h>

#define SECOND_NS INT64_C(1000000000)

const struct metrics_bucket metrics_buckets[METRICS_BUCKETS] = {
    {50000, "5e-05"},        {100000, "0.0001"},       {250000, "0.00025"},
    {500000, "0.0005"},      {1000000, "0.001"},       {2500000, "0.0025"},
    {5000000, "0.005"},      {10000000, "0.01"},       {25000000, "0.025"},
    {50000000, "0.05"},      {100000000, "0.1"},       {250000000, "0.25"},
    {500000000, "0.5"},      {SECOND_NS, "1"},         {5 * SECOND_NS / 2, "2.5"},
    {5 * SECOND_NS, "5"},    {10 * SECOND_NS, "10"},   {INT64_MAX, "+Inf"},
};

bool metrics_wanted(const struct metrics_config *config)
{
    return config->file != NULL || config->address.len != 0;
}

struct metrics *metrics_new(const struct metrics_config *config)
{
    struct metrics *m = calloc(1, sizeof *m);
    if (m == NULL)
        return NULL;
    m->config = config;
    series_init(&m->pairs, sizeof(struct metrics_pair), 2, config->limits[DS_LIMIT_SERIES]);
    series_init(&m->durations, sizeof(struct duration), 4, config->limits[DS_LIMIT_SERIES]);
    table_init(&m->links, sizeof(struct metrics_link), config->limits[DS_LIMIT_CONNECTIONS]);
    return m;
}

void metrics_free(struct metrics *m)
{
    if (m == NULL)
        return;
    struct metrics_link *link = table_oldest(&m->links);
    for (; link != NULL; link = table_newer(&m->links, link))
        free(link->names);
    table_free(&m->links);
    series_free(&m->pairs);
    series_free(&m->durations);
    free(m);
}

static void drop_link(struct metrics *m, struct metrics_link *link)
{
    free(link->names);
    table_remove(&m->links, link);
    m->latest = NULL;
}

static struct metrics_link *find_link(struct metrics *m, uint64_t number)
{
    if (m->latest != NULL && m->latest->number == number)
        return m->latest;
    struct metrics_link *link = table_find(&m->links, number);
    if (link == NULL && table_is_full(&m->links))
        drop_link(m, table_oldest(&m->links));
    if (link == NULL && (link = table_put(&m->links, number)) != NULL)
        link->trouble = HANDSHAKE_FAILED;
    m->no_memory += link == NULL;
    m->latest = link;
    return link;
}

static bool is_named(const struct metrics_link *link, unsigned end, const struct ds_endpoint *endpoint)
{
    if (endpoint->node.data == NULL)
        return !link->has_name[end];
    const size_t len = endpoint->node.len < SERIES_LABEL_LEN ? endpoint->node.len
                                                             : SERIES_LABEL_LEN;
    return link->has_name[end] && link->len[end] == len &&
           memcmp(link->names + (end == 0 ? 0 : link->len[0]), endpoint->node.data, len) == 0;
}

/* name_ends records the names of a connection's ends; an end without a name gets its address. */
static void name_ends(struct metrics *m, struct metrics_link *link, const struct ds_conn *conn)
{
    char addr[2][DS_ADDR_LEN];
    struct ds_text name[2];
    for (unsigned i = 0; i < 2; i++) {
        name[i] = conn->end[i].node;
        link->has_name[i] = name[i].data != NULL;
        if (name[i].data == NULL) {
            ds_addr_print(&conn->end[i].addr, addr[i]);
            name[i] = (struct ds_text){addr[i], strlen(addr[i])};
        }
        if (name[i].len > SERIES_LABEL_LEN)
            name[i].len = SERIES_LABEL_LEN;
    }
    char *names = malloc(name[0].len + name[1].len + 1);
    m->no_memory += names == NULL;
    free(link->names);
    link->names = names;
    link->generation = 0;
    for (unsigned i = 0; i < 2; i++) {
        link->len[i] = names != NULL ? (uint8_t)name[i].len : 0;
        if (names != NULL && name[i].len != 0)
            memcpy(names + (i == 0 ? 0 : link->len[0]), name[i].data, name[i].len);
    }
}

static void get_labels(const struct metrics_link *link, unsigned dir, struct ds_text labels[2])
{
    const struct ds_text names[2] = {
        {link->names, link->len[0]},
        {link->names != NULL ? link->names + link->len[0] : NULL, link->len[1]},
    };
    labels[0] = names[dir];
    labels[1] = names[1 - dir];
}

struct metrics_pair *metrics_pair(struct metrics *m, struct metrics_link *link, unsigned dir)
{
    struct ds_text labels[2];
    if (link->names == NULL)
        return &m->other_pair;
    if (link->generation != m->pairs.generation) {
        for (unsigned i = 0; i < 2; i++) {
            get_labels(link, i, labels);
            link->pair[i] = series_get(&m->pairs, labels);
        }
        link->generation = m->pairs.generation;
    }
    return link->pair[dir] != NULL ? link->pair[dir] : &m->other_pair;
}

/* get_pair returns the pair that an event counts for, and records that it is active. */
static struct metrics_pair *get_pair(struct metrics *m, struct metrics_link *link,
                                     const struct ds_event *event)
{
    if (link->names == NULL || !is_named(link, 0, &event->conn->end[0]) ||
        !is_named(link, 1, &event->conn->end[1]))
        name_ends(m, link, event->conn);
    struct metrics_pair *pair = metrics_pair(m, link, event->dir);
    if (event->ts_ns > pair->series.last_ns)
        pair->series.last_ns = event->ts_ns;
    return pair;
}

static void count_message(struct metrics *m, struct metrics_link *link, const struct ds_event *event)
{
    const struct ds_message *message = &event->message;
    struct metrics_pair *pair = get_pair(m, link, event);
    const unsigned op = message->op != NULL && message->op->code < METRICS_OPS ? message->op->code : 0;
    pair->messages[op]++;
    pair->bytes += message->size;
    pair->series.recent++;
    link->is_up = true;
    if (pair == &m->other_pair && link->names != NULL) {
        struct ds_text labels[2];
        get_labels(link, event->dir, labels);
        series_weigh_other(&m->pairs, labels, 1);
    }
}

static void note_handshake(struct metrics_link *link, const struct ds_handshake *handshake)
{
    static const struct {
        const char *status;
        enum handshake_end end;
    } ends[] = {
        {"nok", HANDSHAKE_NOK},
        {"not_allowed", HANDSHAKE_NOT_ALLOWED},
        {"alive", HANDSHAKE_ALIVE},
    };
    link->is_shaking = true;
    if (handshake->cookie == DS_COOKIE_WRONG)
        link->trouble = HANDSHAKE_WRONG_COOKIE;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0] && handshake->status.data != NULL; i++) {
        if (handshake->status.len == strlen(ends[i].status) &&
            memcmp(handshake->status.data, ends[i].status, handshake->status.len) == 0)
            link->trouble = ends[i].end;
    }
}

static void note_change(struct metrics *m, struct metrics_link *link, const struct ds_event *event)
{
    const struct ds_conn_change *change = &event->change;
    const bool was_up = link->is_up;
    if (change->state == DS_CONN_UP) {
        m->handshakes[HANDSHAKE_OK]++;
        link->is_shaking = false;
        link->is_up = true;
        link->heard_ns[0] = link->heard_ns[1] = event->ts_ns;
        (void)get_pair(m, link, event);
    }
    if (!change->final)
        return;
    if (link->is_shaking && !change->unfollowed)
        m->handshakes[link->trouble]++;
    if (was_up && !change->unfollowed)
        m->closes[event->conn->link != NULL ? event->conn->link->close : DS_CLOSE_NOT]++;
    drop_link(m, link);
}

static void note_stall(struct metrics *m, struct metrics_link *link, const struct ds_event *event)
{
    if (!event->stall.is_over || event->stall.why != DS_STALL_ZERO_WINDOW)
        return;
    int64_t *stalled_ns = &get_pair(m, link, event)->stalled_ns;
    *stalled_ns = span_sum(*stalled_ns, event->stall.duration_ns);
}

/* add_socket adds what has changed since the kernel's previous answer. The kernel's totals begin
 * with the connection, ours with the first answer. */
static void add_socket(struct metrics_pair *pair, struct metrics_socket *before,
                       const struct metrics_socket *now)
{
    for (int i = 0; i < METRICS_LIMITS && before->asked_ns != 0; i++) {
        if (now->limited_ns[i] > before->limited_ns[i])
            pair->limited_ns[i] =
                span_sum(pair->limited_ns[i], now->limited_ns[i] - before->limited_ns[i]);
    }
    if (before->asked_ns != 0 && now->retransmitted > before->retransmitted)
        pair->retransmitted += now->retransmitted - before->retransmitted;
    *before = *now;
}

static void note_sockets(struct metrics *m, struct metrics_link *link, const struct ds_event *event)
{
    for (unsigned end = 0; end < 2; end++) {
        const struct ds_socket *socket = &event->conn->link->side[end].socket;
        const struct metrics_socket now = {
            .asked_ns = socket->asked_ns,
            .queue = {[METRICS_SEND_QUEUE] = socket->send_queue,
                      [METRICS_RECEIVE_QUEUE] = socket->recv_queue},
            .limited_ns = {[METRICS_RECEIVE_WINDOW] = socket->rwnd_limited_ns,
                           [METRICS_SEND_BUFFER] = socket->sndbuf_limited_ns},
            .retransmitted = socket->retransmitted,
        };
        if (now.asked_ns != link->socket[end].asked_ns)
            add_socket(metrics_pair(m, link, end), &link->socket[end], &now);
    }
}

void metrics_event(struct metrics *m, const struct ds_event *event)
{
    struct metrics_link *link = find_link(m, event->conn->number);
    if (event->ts_ns > m->now_ns)
        m->now_ns = event->ts_ns;
    if (link == NULL)
        return;
    if (link->is_up && event->conn->link != NULL)
        note_sockets(m, link, event);
    switch (event->type) {
    case DS_EVENT_MESSAGE:
        link->heard_ns[event->dir] = event->ts_ns;
        count_message(m, link, event);
        break;
    case DS_EVENT_TICK:
        link->heard_ns[event->dir] = event->ts_ns;
        link->is_up = true;
        (void)get_pair(m, link, event);
        break;
    case DS_EVENT_HANDSHAKE:
        note_handshake(link, &event->handshake);
        break;
    case DS_EVENT_CONN:
        note_change(m, link, event);
        break;
    case DS_EVENT_STALL:
        note_stall(m, link, event);
        break;
    default:
        break;
    }
}

static void count_duration(struct duration *duration, const struct call *call)
{
    const int64_t ns = call->end_ns > call->start_ns ? call->end_ns - call->start_ns : 0;
    int i = 0;
    while (ns > metrics_buckets[i].ns)
        i++;
    duration->bucket[i]++;
    duration->count++;
    duration->sum_ns = span_sum(duration->sum_ns, ns);
}

static struct ds_text node_of(const struct party *party)
{
    return party->node.data != NULL ? party->node : (struct ds_text){"", 0};
}

static void on_call(struct metrics *m, const struct call *call)
{
    const char *outcome = call_outcome_name(call->outcome);
    const struct ds_text labels[SERIES_LABELS] = {
        node_of(&call->caller),
        node_of(&call->callee),
        {call->label, strlen(call->label)},
        {outcome, strlen(outcome)},
    };
    if (!call_has_end(call))
        return;
    struct duration *duration = series_get(&m->durations, labels);
    if (duration == NULL) {
        duration = &m->other_durations[call->outcome];
        series_weigh_other(&m->durations, labels, 1);
    }
    duration->series.recent++;
    if (call->end_ns > duration->series.last_ns)
        duration->series.last_ns = call->end_ns;
    count_duration(duration, call);
}

static void on_finding(struct metrics *m, const struct finding *finding)
{
    if (finding->kind != NULL)
        m->findings[finding->kind - finding_kind_at(0)]++;
}

void metrics_record(struct metrics *m, const struct record *record)
{
    if (record->finding != NULL)
        on_finding(m, record->finding);
    else if (record->call != NULL)
        on_call(m, record->call);
    else if (record->monitor == NULL)
        metrics_event(m, record->event);
}

void metrics_lost(struct metrics *m, enum loss_cause cause, uint64_t count)
{
    m->lost[cause] = count;
}

void metrics_add_stats(const struct metrics *m, struct ds_stats *stats)
{
    stats->no_memory += m->no_memory + m->pairs.no_memory + m->durations.no_memory;
}
