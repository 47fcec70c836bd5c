/*
 * metrics_text.c - metrics in the text format of Prometheus ("Exposition formats", text-based
 * format 0.0.4): for each family a HELP line and a TYPE line, then its series.
 */
#include "analyse/metrics/metrics_parts.h"

#include <inttypes.h>
#include <string.h>

/* Series are reviewed at these intervals, and evicted after this time without activity. */
#define REVIEW_NS (60 * INT64_C(1000000000))
#define SILENT_NS (15 * 60 * INT64_C(1000000000))

static const struct ds_text other_label = {"_other", 6};

static const struct {
    const char *name, *type, *help;
} families[] = {
#define METRIC(id, name, type, help) {"distsniff_" name, type, help},
#include "analyse/metrics/metrics.def"
#undef METRIC
};

enum metric {
#define METRIC(id, name, type, help) METRIC_##id,
#include "analyse/metrics/metrics.def"
#undef METRIC
};

/* put_value writes a label's value. Different names get different values: a collector may refuse
 * all metrics if two series are alike. An invisible character becomes \x{2028}, an invalid byte
 * \xff, a backslash two; the format then doubles each backslash and escapes each double quote. */
static void put_value(struct ds_buffer *out, struct ds_text text)
{
    while (text.len != 0) {
        uint32_t code;
        const size_t used = ds_text_read_char(text, &code);
        if (used == 0)
            ds_buffer_printf(out, "\\\\x%02x", (unsigned char)text.data[0]);
        else if (code == '\\')
            ds_buffer_add_text(out, "\\\\\\\\");
        else if (!ds_char_is_shown(code))
            ds_buffer_printf(out, "\\\\x{%" PRIX32 "}", code);
        else if (code == '"')
            ds_buffer_add_text(out, "\\\"");
        else
            ds_buffer_add(out, text.data, used);
        text.data += used != 0 ? used : 1;
        text.len -= used != 0 ? used : 1;
    }
}

/* put_peer writes a label that a peer can influence: it cannot be confused with the label of the
 * others. */
static void put_peer(struct ds_buffer *out, const char *name, struct ds_text value)
{
    ds_buffer_printf(out, "%s=\"", name);
    if (value.len == other_label.len && memcmp(value.data, other_label.data, value.len) == 0)
        ds_buffer_add_text(out, "\\\\");
    put_value(out, value);
    ds_buffer_add(out, "\"", 1);
}

static void put_label(struct ds_buffer *out, const char *name, struct ds_text value)
{
    ds_buffer_printf(out, "%s=\"", name);
    put_value(out, value);
    ds_buffer_add(out, "\"", 1);
}

static struct ds_text text_of(const char *text)
{
    return (struct ds_text){text, strlen(text)};
}

static void put_family(struct ds_buffer *out, enum metric metric)
{
    ds_buffer_printf(out, "# HELP %s %s\n# TYPE %s %s\n", families[metric].name,
                     families[metric].help, families[metric].name, families[metric].type);
}

static void put_seconds(struct ds_buffer *out, int64_t ns)
{
    ds_buffer_printf(out, " %" PRId64 ".%09" PRId64 "\n", ns / 1000000000, ns % 1000000000);
}

/* put_one writes a count with one label, or none. */
static void put_one(struct ds_buffer *out, enum metric metric, const char *label, const char *value,
                    uint64_t count)
{
    ds_buffer_printf(out, "%s{", families[metric].name);
    put_label(out, label, text_of(value));
    ds_buffer_printf(out, "} %" PRIu64 "\n", count);
}

/* begin_pair writes a series of a pair, up to its other labels. */
static void begin_pair(const struct metrics *m, struct ds_buffer *out, enum metric metric,
                       const struct metrics_pair *pair)
{
    const bool is_other = pair == &m->other_pair;
    ds_buffer_printf(out, "%s{", families[metric].name);
    void (*const put)(struct ds_buffer *, const char *, struct ds_text) =
        is_other ? put_label : put_peer;
    put(out, "src", is_other ? other_label : series_label(&pair->series, 0));
    put(out, ",dst", is_other ? other_label : series_label(&pair->series, 1));
}

static struct metrics_pair *first_pair(struct metrics *m)
{
    return &m->other_pair;
}

/* next_pair iterates over the pair of the others, then all that have an entry. */
static struct metrics_pair *next_pair(struct metrics *m, struct metrics_pair *pair)
{
    return pair == &m->other_pair ? table_oldest(&m->pairs.table)
                                  : table_newer(&m->pairs.table, pair);
}

static void put_messages(struct metrics *m, struct ds_buffer *out)
{
    put_family(out, METRIC_MESSAGES);
    for (struct metrics_pair *p = first_pair(m); p != NULL; p = next_pair(m, p)) {
        for (unsigned i = 0; i < METRICS_OPS; i++) {
            const struct ds_op *op = ds_op_find((int64_t)i);
            if (p->messages[i] == 0)
                continue;
            begin_pair(m, out, METRIC_MESSAGES, p);
            put_label(out, ",op", text_of(i != 0 && op != NULL ? op->name : "unknown"));
            ds_buffer_printf(out, "} %" PRIu64 "\n", p->messages[i]);
        }
    }
    put_family(out, METRIC_MESSAGE_BYTES);
    for (struct metrics_pair *p = first_pair(m); p != NULL; p = next_pair(m, p)) {
        if (p->bytes == 0)
            continue;
        begin_pair(m, out, METRIC_MESSAGE_BYTES, p);
        ds_buffer_printf(out, "} %" PRIu64 "\n", p->bytes);
    }
}

/* put_duration writes a histogram; who: its labels except le. */
static void put_duration(struct ds_buffer *out, const struct duration *duration,
                         const struct ds_text labels[SERIES_LABELS], struct ds_buffer *who)
{
    static const char *const names[SERIES_LABELS] = {"src", ",dst", ",label", ",outcome"};
    const char *name = families[METRIC_CALL_DURATION].name;
    uint64_t sum = 0;
    who->len = 0;
    for (int i = 0; i < SERIES_LABELS; i++) {
        const bool is_peers = i < 2 && labels[i].data != other_label.data;
        (is_peers ? put_peer : put_label)(who, names[i], labels[i]);
    }
    const int len = (int)who->len;
    out->failed |= who->failed;
    if (who->failed)
        return;
    for (int i = 0; i < METRICS_BUCKETS; i++) {
        sum += duration->bucket[i];
        ds_buffer_printf(out, "%s_bucket{%.*s,le=\"%s\"} %" PRIu64 "\n", name, len, who->data,
                         metrics_buckets[i].seconds, sum);
    }
    ds_buffer_printf(out, "%s_sum{%.*s}", name, len, who->data);
    put_seconds(out, duration->sum_ns);
    ds_buffer_printf(out, "%s_count{%.*s} %" PRIu64 "\n", name, len, who->data, duration->count);
}

static void put_durations(struct metrics *m, struct ds_buffer *out)
{
    struct ds_buffer who = {0};
    struct ds_text labels[SERIES_LABELS];
    put_family(out, METRIC_CALL_DURATION);
    struct duration *d = table_oldest(&m->durations.table);
    for (; d != NULL; d = table_newer(&m->durations.table, d)) {
        for (unsigned i = 0; i < SERIES_LABELS; i++)
            labels[i] = series_label(&d->series, i);
        put_duration(out, d, labels, &who);
    }
    for (int i = 0; i < CALL_OUTCOME_COUNT; i++) {
        const struct ds_text others[SERIES_LABELS] = {
            other_label, other_label, other_label, text_of(call_outcome_name((enum call_outcome)i))};
        if (m->other_durations[i].count != 0)
            put_duration(out, &m->other_durations[i], others, &who);
    }
    ds_buffer_free(&who);
}

/* see_links counts the links of each pair, and finds its longest silence. */
static void see_links(struct metrics *m)
{
    for (struct metrics_pair *p = first_pair(m); p != NULL; p = next_pair(m, p)) {
        p->links = 0;
        memset(p->queue, 0, sizeof p->queue);
        p->gap_ns = -1;
    }
    struct metrics_link *link = table_oldest(&m->links);
    for (; link != NULL; link = table_newer(&m->links, link)) {
        for (unsigned dir = 0; dir < 2 && link->is_up; dir++) {
            struct metrics_pair *pair = metrics_pair(m, link, dir);
            const int64_t gap_ns = link->heard_ns[dir] != 0 ? m->now_ns - link->heard_ns[dir] : -1;
            pair->links++;
            pair->gap_ns = gap_ns > pair->gap_ns ? gap_ns : pair->gap_ns;
            pair->series.last_ns = m->now_ns;
            for (unsigned i = 0; i < METRICS_QUEUES; i++) {
                const struct metrics_socket *socket =
                    &link->socket[i == METRICS_SEND_QUEUE ? dir : 1 - dir];
                pair->queue[i].sockets += socket->asked_ns != 0;
                pair->queue[i].bytes += socket->queue[i];
            }
        }
    }
}

static void put_links(struct metrics *m, struct ds_buffer *out)
{
    put_family(out, METRIC_TICK_GAP);
    for (struct metrics_pair *p = first_pair(m); p != NULL; p = next_pair(m, p)) {
        if (p->links == 0 || p->gap_ns < 0)
            continue;
        begin_pair(m, out, METRIC_TICK_GAP, p);
        ds_buffer_add_text(out, "}");
        put_seconds(out, p->gap_ns);
    }
    put_family(out, METRIC_LINK_UP);
    for (struct metrics_pair *p = first_pair(m); p != NULL; p = next_pair(m, p)) {
        if (p == &m->other_pair && p->links == 0)
            continue;
        begin_pair(m, out, METRIC_LINK_UP, p);
        ds_buffer_printf(out, "} %" PRIu32 "\n", p->links);
    }
    if (!m->config->has_calls)
        return; /* nothing detects it */
    put_family(out, METRIC_ZERO_WINDOW);
    for (struct metrics_pair *p = first_pair(m); p != NULL; p = next_pair(m, p)) {
        if (p->stalled_ns == 0)
            continue;
        begin_pair(m, out, METRIC_ZERO_WINDOW, p);
        ds_buffer_add_text(out, "}");
        put_seconds(out, p->stalled_ns);
    }
}

static bool is_asked(const struct metrics_pair *pair)
{
    return pair->queue[METRICS_SEND_QUEUE].sockets != 0;
}

/* put_sockets writes what kernels reported, for the pairs whose kernels were asked. */
static void put_sockets(struct metrics *m, struct ds_buffer *out)
{
    static const char *const limits[METRICS_LIMITS] = {
        [METRICS_RECEIVE_WINDOW] = "receive_window", [METRICS_SEND_BUFFER] = "send_buffer"};
    static const enum metric queues[METRICS_QUEUES] = {
        [METRICS_SEND_QUEUE] = METRIC_SEND_QUEUE, [METRICS_RECEIVE_QUEUE] = METRIC_RECEIVE_QUEUE};
    for (int i = 0; i < METRICS_QUEUES; i++) {
        put_family(out, queues[i]);
        for (struct metrics_pair *p = first_pair(m); p != NULL; p = next_pair(m, p)) {
            if (p->queue[i].sockets == 0)
                continue;
            begin_pair(m, out, queues[i], p);
            ds_buffer_printf(out, "} %" PRIu64 "\n", p->queue[i].bytes);
        }
    }
    put_family(out, METRIC_LIMITED);
    for (struct metrics_pair *p = first_pair(m); p != NULL; p = next_pair(m, p)) {
        for (int i = 0; i < METRICS_LIMITS && (is_asked(p) || p->limited_ns[i] != 0); i++) {
            begin_pair(m, out, METRIC_LIMITED, p);
            put_label(out, ",by", text_of(limits[i]));
            ds_buffer_add_text(out, "}");
            put_seconds(out, p->limited_ns[i]);
        }
    }
    put_family(out, METRIC_RETRANSMITTED);
    for (struct metrics_pair *p = first_pair(m); p != NULL; p = next_pair(m, p)) {
        if (!is_asked(p) && p->retransmitted == 0)
            continue;
        begin_pair(m, out, METRIC_RETRANSMITTED, p);
        ds_buffer_printf(out, "} %" PRIu64 "\n", p->retransmitted);
    }
}

/* Small families are written from the start, so that their first event is an increase. */
static void put_ends(struct metrics *m, struct ds_buffer *out)
{
    static const char *const handshakes[] = {
#define HANDSHAKE_END(id, name) name,
#include "analyse/metrics/handshake_end.def"
#undef HANDSHAKE_END
    };
    put_family(out, METRIC_LINK_CLOSES);
    for (int i = DS_CLOSE_NOT; i < DS_CLOSE_CAPTURE; i++)
        put_one(out, METRIC_LINK_CLOSES, "reason",
                i == DS_CLOSE_NOT ? "unknown" : ds_close_name((enum ds_close)i), m->closes[i]);
    put_family(out, METRIC_HANDSHAKES);
    for (int i = 0; i < HANDSHAKE_END_COUNT; i++)
        put_one(out, METRIC_HANDSHAKES, "outcome", handshakes[i], m->handshakes[i]);
}

static void put_findings(struct metrics *m, struct ds_buffer *out)
{
    put_family(out, METRIC_FINDINGS);
    for (size_t i = 0; i < FINDING_CODE_COUNT; i++)
        put_one(out, METRIC_FINDINGS, "code", finding_kind_at(i)->code, m->findings[i]);
}

static void put_lost(struct metrics *m, struct ds_buffer *out)
{
    put_family(out, METRIC_LOST_PACKETS);
    for (int i = 0; i < LOSS_CAUSE_COUNT; i++)
        put_one(out, METRIC_LOST_PACKETS, "where", loss_cause_name((enum loss_cause)i), m->lost[i]);
}

static void review(struct metrics *m)
{
    if (m->review_ns == 0)
        m->review_ns = m->now_ns + REVIEW_NS;
    if (m->now_ns < m->review_ns)
        return;
    m->review_ns = m->now_ns + REVIEW_NS;
    series_review(&m->pairs, m->now_ns - SILENT_NS, m->now_ns);
    series_review(&m->durations, m->now_ns - SILENT_NS, m->now_ns);
}

void metrics_print(struct metrics *m, int64_t now_ns, struct ds_buffer *out)
{
    if (now_ns > m->now_ns)
        m->now_ns = now_ns;
    see_links(m); /* open links keep their series */
    review(m);
    see_links(m);
    put_family(out, METRIC_BUILD_INFO);
    put_one(out, METRIC_BUILD_INFO, "version", DISTSNIFF_VERSION, 1);
    put_messages(m, out);
    if (m->config->has_calls)
        put_durations(m, out);
    put_links(m, out);
    if (m->config->has_sockets)
        put_sockets(m, out);
    put_ends(m, out);
    if (m->config->has_calls)
        put_findings(m, out);
    put_lost(m, out);
}
