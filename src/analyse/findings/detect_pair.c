/*
 * detect_pair.c - pairs of nodes: their state across connections, and the tick interval of a node.
 * See detect.h.
 */
#include "analyse/findings/detect.h"

#include "core/hash.h"

#define LONGEST_TICK_NS INT64_C(86400000000000)

int64_t detect_tick_within(int64_t tick_ns)
{
    return tick_ns < LONGEST_TICK_NS ? tick_ns : LONGEST_TICK_NS;
}

int64_t detect_tick_of(const struct ds_tcp_stats *link, int end)
{
    const struct ds_tcp_side *side = &link->side[end];
    return side->tick_intervals != 0 ? detect_tick_within(side->tick_last_ns) : DETECT_TICK_NS;
}

bool detect_has_gaps(const struct ds_conn *conn)
{
    return conn->counters[0].gaps + conn->counters[1].gaps != 0;
}

bool detect_was_unread(const struct conn_watch *w, int64_t since_ns)
{
    return w != NULL && (w->unread[0].until_ns >= since_ns || w->unread[1].until_ns >= since_ns);
}

int64_t detect_heard_ns(const struct ds_tcp_side *side)
{
    return side->last_data_ns != 0 ? side->last_data_ns : side->first_ns;
}

static uint32_t hash_pair(uint32_t lower, uint32_t greater)
{
    const uint64_t key = (uint64_t)lower << 32 | greater;
    return hash_key(&key, sizeof key);
}

struct pair *detect_pair(const struct detect *d, uint32_t a, uint32_t b)
{
    const uint32_t lower = a < b ? a : b, greater = a < b ? b : a;
    struct pair *p = table_first(&d->pairs, hash_pair(lower, greater));
    while (p != NULL && (p->name_hash[0] != lower || p->name_hash[1] != greater))
        p = table_next(&d->pairs, p);
    return p;
}

struct pair *detect_find_pair(struct detect *d, const struct ds_conn *conn)
{
    uint32_t hash[2];
    for (int end = 0; end < 2; end++) {
        if (conn->end[end].node.data == NULL)
            return NULL;
        hash[end] = hash_text(conn->end[end].node);
    }
    const int lower = hash[0] > hash[1];
    struct pair *p = detect_pair(d, hash[0], hash[1]);
    if (p != NULL)
        return p;
    p = table_add_forgetting(&d->pairs, hash_pair(hash[lower], hash[!lower]));
    if (p == NULL) {
        d->no_memory++;
        return NULL;
    }
    p->name_hash[0] = hash[lower];
    p->name_hash[1] = hash[!lower];
    return p;
}
