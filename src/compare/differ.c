/*
 * differ.c - see differ.h.
 */
#include "compare/differ.h"

#include "compare/same_nodes.h"
#include "compare/significance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *words;
    bool is_worse[2]; /* is it worse if it has grown; if it has shrunk */
} measures[MEASURE_COUNT] = {
#define MEASURE(id, name, words, is_worse_grown, is_worse_shrunk) \
    {name, words, {is_worse_grown, is_worse_shrunk}},
#include "compare/measures.def"
#undef MEASURE
};

static const struct {
    const char *name;
    double value;
} defaults[THRESHOLD_COUNT_OF] = {
#define THRESHOLD(id, name, value, least, most, what) {name, value},
#include "compare/thresholds.def"
#undef THRESHOLD
};

enum judged_by { STEADY, ONCE, NOT };
static const enum judged_by presences[PROFILE_KIND_COUNT] = {
#define PROFILE_KIND(id, name, words, presence) presence,
#include "compare/profile_kinds.def"
#undef PROFILE_KIND
};

const char *change_name(enum change change)
{
    static const char *const names[CHANGE_COUNT] = {"appeared", "vanished", "grown", "shrunk"};
    return names[change];
}

const char *measure_name(enum measure measure)
{
    return measures[measure].name;
}

const char *measure_words(enum measure measure)
{
    return measures[measure].words;
}

void thresholds_init(double thresholds[static THRESHOLD_COUNT_OF])
{
    for (int i = 0; i < THRESHOLD_COUNT_OF; i++)
        thresholds[i] = defaults[i].value;
}

const char *threshold_name(enum threshold threshold)
{
    return defaults[threshold].name;
}

struct differ_state {
    const struct profile *profile[2]; /* before, after */
    const double *thresholds;
    struct differences *out;
};

/* differ_pair is one kind of things in both profiles; NULL: it is not in that one. */
struct differ_pair {
    const struct profile_entry *entry[2];
    struct profile_part sum[2];
};

static const struct profile_entry *any_of(const struct differ_pair *pair)
{
    return pair->entry[1] != NULL ? pair->entry[1] : pair->entry[0];
}

static bool is_bad_to_have(enum profile_kind kind)
{
    return kind == PROFILE_FINDING || kind == PROFILE_END;
}

static bool is_bad_to_lack(enum profile_kind kind)
{
    return kind == PROFILE_NODE || kind == PROFILE_LINK;
}

static bool is_worse(const struct difference *d)
{
    switch (d->change) {
    case CHANGE_APPEARED:
        return d->measure == MEASURE_FAILED ||
               (is_bad_to_have(d->kind) && d->measure == MEASURE_PRESENCE);
    case CHANGE_VANISHED:
        return is_bad_to_lack(d->kind) && d->measure == MEASURE_PRESENCE;
    case CHANGE_GROWN:
        return measures[d->measure].is_worse[0] ||
               (d->measure == MEASURE_RATE && is_bad_to_have(d->kind));
    case CHANGE_SHRUNK:
    case CHANGE_COUNT:
        break;
    }
    return measures[d->measure].is_worse[1];
}

static void add(struct differ_state *c, const struct differ_pair *pair, enum change change,
                enum measure measure, double before, double after)
{
    struct differences *out = c->out;
    if (out->num == out->cap) {
        const size_t cap = out->cap != 0 ? 2 * out->cap : 64;
        struct difference *rows = realloc(out->rows, cap * sizeof *rows);
        if (rows == NULL) {
            out->no_memory = true;
            return;
        }
        out->rows = rows;
        out->cap = cap;
    }
    const struct profile_entry *any = any_of(pair);
    struct difference *d = &out->rows[out->num++];
    *d = (struct difference){
        .change = change,
        .measure = measure,
        .kind = any->kind,
        .key = any->key,
        .before_value = before,
        .after_value = after,
        .before = pair->entry[0],
        .after = pair->entry[1],
    };
    d->is_worse = is_worse(d);
    out->is_worse |= d->is_worse;
}

static double rate_of(const struct differ_state *c, const struct differ_pair *pair, int side)
{
    const double seconds = profile_seconds(c->profile[side]);
    return seconds > 0 ? (double)pair->sum[side].count / seconds : 0;
}

/* get_rates sets rates to the number of events per second in each slice, for slices of width_ns, which
 * is the profile's width times a power of two. The last slice ends with the capture; it is left out if
 * it is shorter than half a slice, unless it is the only one. */
static unsigned get_rates(const struct profile *p, const struct profile_entry *entry, int64_t width_ns,
                          double rates[static PROFILE_SLICES])
{
    const double width = (double)width_ns / 1e9;
    const unsigned step =
        (unsigned)(width_ns / p->width_ns < PROFILE_SLICES ? width_ns / p->width_ns : PROFILE_SLICES);
    const unsigned num_own = profile_num_slices(p);
    unsigned num = 0;
    for (unsigned at = 0; at < num_own; at += step, num++) {
        const double left = profile_seconds(p) - (double)num * width;
        uint64_t sum = 0;
        if (num != 0 && left < width / 2)
            break;
        for (unsigned i = at; entry != NULL && i < at + step && i < num_own; i++)
            sum += entry->slices[i];
        rates[num] = (double)sum / (left < width && left > 0 ? left : width);
    }
    return num;
}

/* part_rates sets the rates in the parts of a capture, which are about equally long. */
static void part_rates(const struct differ_state *c, const struct differ_pair *pair, int side,
                       double rates[static PROFILE_PARTS])
{
    const double seconds = profile_seconds(c->profile[side]) / PROFILE_PARTS;
    for (int i = 0; i < PROFILE_PARTS; i++) {
        const struct profile_entry *entry = pair->entry[side];
        rates[i] = entry != NULL && seconds > 0 ? (double)entry->parts[i].count / seconds : 0;
    }
}

/* are_apart says whether all values of one sample are greater than all of the other one: 1 those of b
 * are, -1 those of a are, 0 neither. */
static int are_apart(const double *a, unsigned num_a, const double *b, unsigned num_b)
{
    bool above = num_a != 0 && num_b != 0, below = above;
    for (unsigned i = 0; i < num_a; i++) {
        for (unsigned j = 0; j < num_b; j++) {
            above = above && a[i] > b[j];
            below = below && a[i] < b[j];
        }
    }
    return below - above;
}

/* rate_direction says in which capture's slices something is more frequent, as are_apart does. 0: the
 * difference may be chance. */
static int rate_direction(const struct differ_state *c, const struct differ_pair *pair)
{
    const struct profile *const *profile = c->profile;
    const int64_t width_ns =
        profile[0]->width_ns > profile[1]->width_ns ? profile[0]->width_ns : profile[1]->width_ns;
    double rates[2][PROFILE_SLICES], parts[PROFILE_PARTS];
    unsigned num[2];
    for (int side = 0; side < 2; side++)
        num[side] = get_rates(profile[side], pair->entry[side], width_ns, rates[side]);
    if (rank_test_can_prove(num[0], num[1], c->thresholds[THRESHOLD_CHANCE])) {
        int direction;
        const double chance = rank_test(rates[0], num[0], rates[1], num[1], &direction);
        return chance <= c->thresholds[THRESHOLD_CHANCE] ? direction : 0;
    }
    const int brief = num[1] < num[0];
    part_rates(c, pair, brief, parts);
    const int direction = are_apart(rates[!brief], num[!brief], parts, PROFILE_PARTS);
    return brief == 1 ? direction : -direction;
}

/* is_in_all_parts says whether something is in every part of a capture. */
static bool is_in_all_parts(const struct profile_entry *entry)
{
    for (int i = 0; i < PROFILE_PARTS; i++) {
        if (entry->parts[i].count == 0)
            return false;
    }
    return true;
}

/* num_unread returns how many unread messages of a capture could be of that kind. */
static uint64_t num_unread(const struct differ_state *c, const struct differ_pair *pair, int side)
{
    const enum profile_kind kind = any_of(pair)->kind;
    const bool is_by_content = kind == PROFILE_MESSAGE || kind == PROFILE_CALL;
    return kind == PROFILE_FINDING
               ? 0
               : c->profile[side]->num_unnamed + (is_by_content ? c->profile[side]->num_unread : 0);
}

/* may_be_unread says whether what one side has less of may be among its unread messages. */
static bool may_be_unread(struct differ_state *c, const struct differ_pair *pair, int side)
{
    const double expected = rate_of(c, pair, !side) * profile_seconds(c->profile[side]);
    return (double)(num_unread(c, pair, side) + pair->sum[side].count) * c->thresholds[THRESHOLD_RATE] >
               expected &&
           num_unread(c, pair, side) != 0;
}

static bool is_of_tool(struct ds_text key)
{
    return memchr(key.data, '*', key.len) != NULL;
}

/* compare_presence compares something that only one side has. */
static void compare_presence(struct differ_state *c, const struct differ_pair *pair, int side)
{
    const struct profile_entry *entry = pair->entry[side];
    const enum change change = side == 1 ? CHANGE_APPEARED : CHANGE_VANISHED;
    const bool is_once = presences[entry->kind] == ONCE;
    const bool is_steady = is_in_all_parts(entry) && !is_of_tool(entry->key);
    const bool is_whole = entry->kind == PROFILE_NODE || entry->kind == PROFILE_LINK;
    if (!is_once && pair->sum[side].count < (uint64_t)c->thresholds[THRESHOLD_COUNT]) {
        c->out->num_too_thin++;
        return;
    }
    if (!is_once && !(is_whole && is_steady) && rate_direction(c, pair) != (side == 1 ? 1 : -1)) {
        c->out->num_too_thin++;
        return;
    }
    if (entry->is_unnamed || may_be_unread(c, pair, !side)) {
        c->out->num_not_judged++;
        return;
    }
    if (!c->out->is_incomplete)
        add(c, pair, change, MEASURE_PRESENCE, rate_of(c, pair, 0), rate_of(c, pair, 1));
}

/* differs_by says which of two values is greater, by a factor and by a minimum difference: 0 neither, 1
 * the second, -1 the first. */
static int differs_by(double before, double after, double factor, double least)
{
    if (fabs(after - before) < least)
        return 0;
    return after > before && after >= before * factor   ? 1
           : before > after && before >= after * factor ? -1
                                                        : 0;
}

static enum change change_of(int direction)
{
    return direction > 0 ? CHANGE_GROWN : CHANGE_SHRUNK;
}

static void compare_rate(struct differ_state *c, const struct differ_pair *pair)
{
    const double before = rate_of(c, pair, 0), after = rate_of(c, pair, 1);
    const int direction = differs_by(before, after, c->thresholds[THRESHOLD_RATE], 0);
    const int more = direction > 0;
    if (direction == 0 || pair->sum[more].count < (uint64_t)c->thresholds[THRESHOLD_COUNT] ||
        rate_direction(c, pair) != direction)
        return;
    if (may_be_unread(c, pair, !more))
        c->out->num_not_judged++;
    else
        add(c, pair, change_of(direction), MEASURE_RATE, before, after);
}

static double mean_size(const struct profile_part *part)
{
    return (double)part->bytes / (double)part->count;
}

static void compare_size(struct differ_state *c, const struct differ_pair *pair)
{
    enum { LEAST = 5 };
    double values[2][PROFILE_PARTS];
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < PROFILE_PARTS; i++) {
            const struct profile_part *part = &pair->entry[side]->parts[i];
            if (part->count < LEAST)
                return;
            values[side][i] = mean_size(part);
        }
    }
    const double before = mean_size(&pair->sum[0]), after = mean_size(&pair->sum[1]);
    const int direction =
        differs_by(before, after, c->thresholds[THRESHOLD_SIZE], c->thresholds[THRESHOLD_SIZE_LEAST]);
    if (direction != 0 && are_apart(values[0], PROFILE_PARTS, values[1], PROFILE_PARTS) == direction)
        add(c, pair, change_of(direction), MEASURE_SIZE, before, after);
}

/* whole_quantile sets a quantile of all parts together. Returns false when memory ran out. */
static bool whole_quantile(const struct profile_entry *entry, double percent, uint64_t *quantile)
{
    struct histogram all = {0};
    bool ok = true;
    for (int i = 0; i < PROFILE_PARTS; i++) {
        const struct histogram *spans = &entry->parts[i].spans;
        for (uint32_t j = 0; ok && j < spans->num; j++) {
            uint64_t value, num;
            histogram_piece(spans, j, &value, &num);
            ok = histogram_add_many(&all, value, num);
        }
    }
    *quantile = histogram_quantile(&all, percent);
    histogram_free(&all);
    return ok;
}

/* longer_by_chance returns the probability that by chance this many calls of one side last longer than
 * a quantile of the other side. */
static double longer_by_chance(const struct differ_pair *pair, int longer, uint64_t quantile)
{
    uint64_t hits[2] = {0}, num[2] = {0};
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < PROFILE_PARTS; i++) {
            const struct histogram *spans = &pair->entry[side]->parts[i].spans;
            hits[side] += histogram_count(spans, quantile + 1, UINT64_MAX);
            num[side] += spans->total;
        }
    }
    return share_test(hits[longer], num[longer], hits[!longer], num[!longer]);
}

/* compare_latency returns whether the latencies differ. */
static bool compare_latency(struct differ_state *c, const struct differ_pair *pair, enum measure measure,
                            double percent, uint64_t least)
{
    double values[2][PROFILE_PARTS];
    uint64_t whole[2];
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < PROFILE_PARTS; i++) {
            const struct histogram *spans = &pair->entry[side]->parts[i].spans;
            if (spans->total < least)
                return false;
            values[side][i] = (double)histogram_quantile(spans, percent) / 1e9;
        }
        if (!whole_quantile(pair->entry[side], percent, &whole[side])) {
            c->out->no_memory = true;
            return false;
        }
    }
    const double before = (double)whole[0] / 1e9, after = (double)whole[1] / 1e9;
    const int direction = differs_by(before, after, c->thresholds[THRESHOLD_LATENCY],
                                     c->thresholds[THRESHOLD_LATENCY_LEAST]);
    const int longer = direction > 0;
    if (direction == 0 || are_apart(values[0], PROFILE_PARTS, values[1], PROFILE_PARTS) != direction ||
        longer_by_chance(pair, longer, whole[!longer]) > c->thresholds[THRESHOLD_CHANCE])
        return false;
    add(c, pair, change_of(direction), measure, before, after);
    return true;
}

static void compare_failed(struct differ_state *c, const struct differ_pair *pair)
{
    const struct profile_part *sum = pair->sum;
    if (sum[0].count == 0 || sum[1].count == 0)
        return;
    const double before = (double)sum[0].failed / (double)sum[0].count;
    const double after = (double)sum[1].failed / (double)sum[1].count;
    const int more = after > before;
    if (fabs(after - before) < c->thresholds[THRESHOLD_FAILED] ||
        share_test(sum[more].failed, sum[more].count, sum[!more].failed, sum[!more].count) >
            c->thresholds[THRESHOLD_CHANCE])
        return;
    const enum change change = more ? (sum[0].failed == 0 ? CHANGE_APPEARED : CHANGE_GROWN)
                                    : (sum[1].failed == 0 ? CHANGE_VANISHED : CHANGE_SHRUNK);
    add(c, pair, change, MEASURE_FAILED, before, after);
}

static void compare_release(struct differ_state *c, const struct differ_pair *pair)
{
    const char *before = pair->entry[0]->value, *after = pair->entry[1]->value;
    if (before[0] != '\0' && after[0] != '\0' && strcmp(before, after) != 0)
        add(c, pair, CHANGE_APPEARED, MEASURE_RELEASE, 0, 0);
}

static void compare_pair(struct differ_state *c, const struct differ_pair *pair)
{
    enum { LEAST_P50 = 5, LEAST_P99 = 50 };
    const enum profile_kind kind = any_of(pair)->kind;
    if (presences[kind] == NOT)
        return;
    if (pair->sum[0].count == 0 || pair->sum[1].count == 0) {
        const int side = pair->sum[1].count != 0;
        if (pair->sum[side].count != 0)
            compare_presence(c, pair, side);
        return;
    }
    c->out->num_compared += !any_of(pair)->is_unnamed || kind == PROFILE_NODE || kind == PROFILE_LINK;
    if (presences[kind] == ONCE)
        return;
    compare_rate(c, pair);
    if (kind == PROFILE_NODE)
        compare_release(c, pair);
    if (kind == PROFILE_MESSAGE)
        compare_size(c, pair);
    if (kind == PROFILE_CALL) {
        compare_failed(c, pair);
        if (!compare_latency(c, pair, MEASURE_P50, 50, LEAST_P50))
            (void)compare_latency(c, pair, MEASURE_P99, 99, LEAST_P99);
    }
}

/* how_much returns the factor by which a value differs, to order rows. */
static double how_much(const struct difference *d)
{
    const double more = fmax(d->before_value, d->after_value),
                 less = fmin(d->before_value, d->after_value);
    return less > 0 ? more / less : more > 0 ? INFINITY : 1;
}

/* weight returns the number of events of both captures that a difference concerns. */
static uint64_t weight(const struct difference *d)
{
    return (d->before != NULL ? profile_sum(d->before).count : 0) +
           (d->after != NULL ? profile_sum(d->after).count : 0);
}

static const struct profile_entry *any_entry(const struct difference *d)
{
    return d->after != NULL ? d->after : d->before;
}

/* by_importance orders by part, then worse ones first, then by kind and measure, then by factor. */
static int by_importance(const void *a, const void *b)
{
    const struct difference *x = a, *y = b;
    if (x->change != y->change)
        return x->change < y->change ? -1 : 1;
    if (x->is_worse != y->is_worse)
        return x->is_worse ? -1 : 1;
    if (x->measure != y->measure)
        return x->measure < y->measure ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    const double much[2] = {how_much(x), how_much(y)};
    if (much[0] > much[1] || much[0] < much[1])
        return much[0] > much[1] ? -1 : 1;
    if (weight(x) != weight(y))
        return weight(x) > weight(y) ? -1 : 1;
    const size_t len = x->key.len < y->key.len ? x->key.len : y->key.len;
    const int order = memcmp(x->key.data, y->key.data, len);
    return order != 0 ? order : (x->key.len > y->key.len) - (x->key.len < y->key.len);
}

/* has_word says whether a key contains a word (a node, or two with " - " between them) as a whole word. */
static bool has_word(struct ds_text key, struct ds_text word)
{
    for (size_t at = 0; at + word.len <= key.len; at++) {
        const size_t end = at + word.len;
        if (memcmp(key.data + at, word.data, word.len) == 0 && (at == 0 || key.data[at - 1] == ' ') &&
            (end == key.len || key.data[end] == ' '))
            return true;
    }
    return false;
}

/* next_word removes the first word of a key and returns it. */
static struct ds_text next_word(struct ds_text *key)
{
    struct ds_text word = {key->data, 0};
    while (word.len < key->len && word.data[word.len] != ' ')
        word.len++;
    const size_t taken = word.len < key->len ? word.len + 1 : word.len;
    *key = (struct ds_text){key->data + taken, key->len - taken};
    return word;
}

static bool is_word(struct ds_text word, const char *wanted)
{
    return word.len == strlen(wanted) && memcmp(word.data, wanted, word.len) == 0;
}

/* has_label says whether the key of a message has that label, which is in brackets. */
static bool has_label(struct ds_text key, struct ds_text label)
{
    for (size_t at = 1; at + label.len < key.len; at++) {
        if (key.data[at - 1] == '(' && key.data[at + label.len] == ')' &&
            memcmp(key.data + at, label.data, label.len) == 0)
            return true;
    }
    return false;
}

/* belongs_to says whether messages may belong to calls: they go between the same nodes, have the same
 * label, and, if they have a name, it is the callee's. profile_gather.c makes both keys:
 *
 *   call      CALLER > CALLEE LABEL to NAME, or CALLER > CALLEE LABEL FUNCTION
 *   message   SENDER > RECEIVER ROLE SHAPE (LABEL), then to NAME or from NAME if it is known */
static bool belongs_to(struct ds_text message, struct ds_text call)
{
    struct ds_text rest = call;
    const struct ds_text caller = next_word(&rest);
    (void)next_word(&rest);
    const struct ds_text callee = next_word(&rest), label = next_word(&rest);
    if (!has_word(message, caller) || !has_word(message, callee) || !has_label(message, label))
        return false;
    const bool has_no_name = message.data[message.len - 1] == ')';
    return has_no_name || !is_word(next_word(&rest), "to") || has_word(message, rest);
}

static bool is_more(const struct difference *d)
{
    return d->change == CHANGE_APPEARED || d->change == CHANGE_GROWN;
}

/* is_of_callee says whether messages are sent by the node that is called. */
static bool is_of_callee(struct ds_text message, struct ds_text call)
{
    (void)next_word(&call);
    (void)next_word(&call);
    const struct ds_text callee = next_word(&call), sender = next_word(&message);
    return sender.len == callee.len && memcmp(sender.data, callee.data, callee.len) == 0;
}

/* follows_from_call says whether a difference d follows from a difference of calls: new calls cause new
 * messages, more calls cause more of the existing messages, and failing calls cause messages of the
 * callee that report failures. But a request of a new shape may be the reason why there are more calls,
 * or why they fail. */
static bool follows_from_call(const struct difference *d, const struct difference *by)
{
    if (d->kind != PROFILE_MESSAGE || !any_entry(d)->is_of_call || by->kind != PROFILE_CALL ||
        is_more(d) != is_more(by) || !belongs_to(d->key, by->key))
        return false;
    const bool is_presence = d->measure == MEASURE_PRESENCE, is_rate = d->measure == MEASURE_RATE;
    switch (by->measure) {
    case MEASURE_PRESENCE:
        return is_presence || is_rate;
    case MEASURE_RATE:
        return is_rate;
    case MEASURE_FAILED:
        return (is_presence || is_rate) && is_of_callee(d->key, by->key);
    default:
        return false;
    }
}

static bool follows_from_node(const struct difference *d, const struct difference *by)
{
    return by->kind == PROFILE_NODE && by->measure == MEASURE_PRESENCE &&
           d->measure == MEASURE_PRESENCE && d->change == by->change && d->kind != PROFILE_FINDING &&
           d->kind != PROFILE_NODE && has_word(d->key, by->key);
}

/* drop_implied removes differences that follow from another one. */
static void drop_implied(struct differences *out)
{
    size_t num = 0;
    for (size_t i = 0; i < out->num; i++) {
        struct difference *d = &out->rows[i];
        for (size_t j = 0; j < out->num && !d->is_implied; j++)
            d->is_implied =
                follows_from_node(d, &out->rows[j]) || follows_from_call(d, &out->rows[j]);
    }
    for (size_t i = 0; i < out->num; i++) {
        if (!out->rows[i].is_implied)
            out->rows[num++] = out->rows[i];
    }
    out->num_implied = out->num - num;
    out->num = num;
}

static void compare_entries(struct differ_state *c, const struct profile_entry *before,
                            const struct profile_entry *after)
{
    struct differ_pair pair = {.entry = {before, after}};
    for (int side = 0; side < 2; side++) {
        if (pair.entry[side] != NULL)
            pair.sum[side] = profile_sum(pair.entry[side]);
    }
    compare_pair(c, &pair);
}

void differ(const struct profile *before, const struct profile *after,
            const double thresholds[static THRESHOLD_COUNT_OF], struct differences *out)
{
    const struct profile *const given[2] = {before, after};
    *out = (struct differences){.is_incomplete = before->num_left_out != 0 || after->num_left_out != 0};
    out->is_joined = same_nodes_join(given, out->joined, &out->no_memory);
    if (out->is_joined) {
        before = &out->joined[0];
        after = &out->joined[1];
    }
    struct differ_state c = {.profile = {before, after}, .thresholds = thresholds, .out = out};
    for (const struct profile_entry *e = table_oldest(&after->entries); e != NULL;
         e = table_newer(&after->entries, e))
        compare_entries(&c, profile_find(before, e->kind, e->key), e);
    for (const struct profile_entry *e = table_oldest(&before->entries); e != NULL;
         e = table_newer(&before->entries, e)) {
        if (profile_find(after, e->kind, e->key) == NULL)
            compare_entries(&c, e, NULL);
    }
    drop_implied(out);
    if (out->num != 0)
        qsort(out->rows, out->num, sizeof *out->rows, by_importance);
}

void differences_free(struct differences *differences)
{
    free(differences->rows);
    if (differences->is_joined)
        same_nodes_free(differences->joined);
    *differences = (struct differences){0};
}
