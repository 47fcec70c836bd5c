/*
 * novelty.c - see novelty.h.
 */
#include "compare/novelty.h"

#include <string.h>

/* With fewer windows it is unknown how much they vary. */
enum { LEAST_WINDOWS = 10 };

/* Minimum time to measure a rate: nodes that connect send many messages at first. */
static const double least_seconds = 60;

/* first_slice returns the slice in which an entry first occurred. */
static unsigned first_slice(const struct profile_entry *entry)
{
    unsigned i = 0;
    while (i < PROFILE_SLICES && entry->slices[i] == 0)
        i++;
    return i;
}

/* begins_late says whether an entry first occurred in the second half of a baseline. */
static bool begins_late(const struct profile *before, const struct profile_entry *entry)
{
    const unsigned first = first_slice(entry);
    return first < PROFILE_SLICES && first >= (profile_num_slices(before) + 1) / 2;
}

/* is_unnamed_to_the_end says whether a node was still without a name in the last quarter of a baseline:
 * it may be any node. */
static bool is_unnamed_to_the_end(const struct profile *before, const struct profile_entry *entry)
{
    const unsigned num = profile_num_slices(before);
    uint64_t count = 0;
    for (unsigned i = num - num / 4; i < num; i++)
        count += entry->slices[i];
    return entry->kind == PROFILE_NODE && entry->is_unnamed && count != 0;
}

void novelty_begin(struct novelty *n, const struct profile *before, const struct profile *now,
                   const double thresholds[static THRESHOLD_COUNT_OF], bool are_pseudonyms)
{
    *n = (struct novelty){
        .before = before, .now = now, .thresholds = thresholds, .are_pseudonyms = are_pseudonyms};
    for (int i = 0; i < PROFILE_KIND_COUNT; i++)
        n->least[i] = 1;
    for (const struct profile_entry *e = table_oldest(&before->entries); e != NULL;
         e = table_newer(&before->entries, e)) {
        if (e->kind != PROFILE_NODE && e->kind != PROFILE_LINK && begins_late(before, e))
            n->least[e->kind] = (uint64_t)thresholds[THRESHOLD_COUNT];
        if (is_unnamed_to_the_end(before, e))
            n->num_unnamed = before->num_unnamed;
    }
}

static enum unusual_kind kind_of(const struct profile_entry *entry)
{
    switch (entry->kind) {
    case PROFILE_NODE:
        return UNUSUAL_NODE;
    case PROFILE_LINK:
        return UNUSUAL_LINK;
    case PROFILE_FUNCTION:
        return UNUSUAL_FUNCTION;
    case PROFILE_NAME:
        return UNUSUAL_NAME;
    case PROFILE_CALL:
        return UNUSUAL_LATENCY;
    case PROFILE_MESSAGE:
        return UNUSUAL_SIZE;
    case PROFILE_SHAPE:
    case PROFILE_FINDING:
    case PROFILE_END:
    case PROFILE_PLACE:
    case PROFILE_KIND_COUNT:
        break;
    }
    return UNUSUAL_SHAPE;
}

/* unread_for returns how many messages of the baseline may have contained something of that kind
 * without it being known. A message between nodes without names was read, but its node is unknown; and
 * an answer calls no function. */
static uint64_t unread_for(const struct novelty *n, enum profile_kind kind)
{
    if (kind == PROFILE_NODE || kind == PROFILE_LINK)
        return n->num_unnamed;
    const bool is_request = kind == PROFILE_FUNCTION || kind == PROFILE_NAME;
    return n->before->num_unread - (is_request ? n->before->num_answers : 0);
}

/* report adds an entry to those that are reported. */
static void report(struct novelty *n, struct profile_entry *entry, uint64_t value, uint64_t most,
                   const struct novelty_source *from)
{
    const enum unusual_kind kind = kind_of(entry);
    entry->standing = STANDING_TOLD;
    if (n->num_told[kind] >= NOVELTY_MOST || n->num_waiting == NOVELTY_WAITING) {
        n->checks.num_more++;
        return;
    }
    struct unusual *out = &n->waiting[n->num_waiting];
    *out = (struct unusual){.kind = kind,
                            .what = entry->key,
                            .ts_ns = from->ts_ns,
                            .frame = from->frame,
                            .conn = from->conn,
                            .value = (double)value,
                            .most = (double)most,
                            .are_pseudonyms = n->are_pseudonyms,
                            .is_unsure = unread_for(n, entry->kind) != 0};
    for (int i = 0; i < 2; i++) {
        char *name = n->name[n->num_waiting][i];
        if (from->node[i].data == NULL || from->node[i].len > sizeof n->name[0][0])
            continue;
        memcpy(name, from->node[i].data, from->node[i].len);
        out->node[i] = (struct ds_text){name, from->node[i].len};
    }
    n->num_waiting++;
    n->num_told[kind]++;
    n->checks.num_told++;
}

/* may_be_unread says whether the baseline may have had this entry as often as now, among its unread
 * messages. */
static bool may_be_unread(const struct novelty *n, const struct profile_entry *entry)
{
    const uint64_t unread = unread_for(n, entry->kind);
    const double seconds = profile_seconds(n->now);
    const double rate =
        (double)profile_sum(entry).count / (seconds > least_seconds ? seconds : least_seconds);
    return unread != 0 &&
           rate * profile_seconds(n->before) <= (double)unread * n->thresholds[THRESHOLD_RATE];
}

/* find_out decides for the first time whether an entry is new. */
static void find_out(struct novelty *n, struct profile_entry *entry)
{
    const bool is_usual = entry->is_unnamed || n->before->num_left_out != 0 ||
                          profile_find(n->before, entry->kind, entry->key) != NULL;
    entry->standing = is_usual ? STANDING_USUAL : STANDING_NEW;
}

/* judge reports a new entry when it has occurred often enough. */
static void judge(struct novelty *n, struct profile_entry *entry, const struct novelty_source *from)
{
    if (profile_sum(entry).count < n->least[entry->kind] && entry->kind != PROFILE_NODE)
        return;
    if (may_be_unread(n, entry)) {
        n->checks.num_not_judged += entry->standing == STANDING_NEW;
        entry->standing = STANDING_DOUBTED;
        return;
    }
    n->checks.num_not_judged -= entry->standing == STANDING_DOUBTED;
    report(n, entry, 0, 0, from);
}

void novelty_look(struct novelty *n, struct profile_entry *entry, const struct novelty_source *from)
{
    if (entry == NULL || entry->standing >= STANDING_USUAL)
        return;
    if (entry->standing == STANDING_UNKNOWN)
        find_out(n, entry);
    if (entry->standing != STANDING_USUAL)
        judge(n, entry, from);
}

static bool is_usual(const struct profile_entry *entry)
{
    return entry != NULL && entry->standing == STANDING_USUAL;
}

void novelty_look_link(struct novelty *n, struct profile_entry *link, const struct profile_entry *a,
                       const struct profile_entry *b, const struct novelty_source *from)
{
    if (link == NULL || link->standing >= STANDING_USUAL)
        return;
    if (!is_usual(a) || !is_usual(b))
        link->standing = STANDING_USUAL; /* its node is reported, but not the link */
    else
        novelty_look(n, link, from);
}

void novelty_look_window(struct novelty *n, struct profile_entry *entry, uint64_t value,
                         const struct novelty_source *from)
{
    const bool is_call = entry->kind == PROFILE_CALL;
    const struct profile_entry *was = profile_find(n->before, entry->kind, entry->key);
    if (was == NULL || was->windows < LEAST_WINDOWS || (is_call && entry->is_unnamed))
        return; /* the baseline has one kind of calls for all nodes without names, but messages with
                   addresses */
    const double factor = n->thresholds[is_call ? THRESHOLD_NEW_LATENCY : THRESHOLD_SIZE];
    const double least =
        is_call ? n->thresholds[THRESHOLD_NEW_LATENCY_LEAST] * 1e9 : n->thresholds[THRESHOLD_SIZE_LEAST];
    const double most = (double)was->most;
    const bool is_beyond = (double)value >= most * factor && (double)value >= most + least;
    if (!is_beyond)
        entry->standing = STANDING_USUAL;
    else if (entry->standing != STANDING_TOLD)
        report(n, entry, value, was->most, from);
}

const struct unusual *novelty_next(struct novelty *n)
{
    if (n->next_waiting < n->num_waiting)
        return &n->waiting[n->next_waiting++];
    n->num_waiting = n->next_waiting = 0;
    return NULL;
}

struct baseline_checks novelty_check(const struct novelty *n)
{
    struct baseline_checks checks = n->checks;
    checks.is_incomplete = n->before->num_left_out != 0 || n->now->num_left_out != 0;
    return checks;
}
