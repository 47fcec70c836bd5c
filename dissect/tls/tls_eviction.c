/*
 * tls_eviction.c - all connections that wait for their keys: one line of a key log, or several that
 * come at once, may be for many. Their waiting records are reported in the order in which they
 * came, across connections.
 */
#include "tls/tls_conn.h"

enum { LOOK_COST = 1024 }; /* cost of looking up the keys of a connection, in bytes decrypted */

/* meld: the connections being reported are a pairing heap by their next record; child is the first
 * of the later ones, which are linked as siblings. */

static struct tls *meld(struct tls *a, struct tls *b)
{
    if (a == NULL || b == NULL)
        return a != NULL ? a : b;
    struct tls *first = b->due.frame < a->due.frame ? b : a, *second = first == a ? b : a;
    second->sibling = first->child;
    first->child = second;
    return first;
}

/* pop_first removes the first, and returns the first of the rest. */
static struct tls *pop_first(struct tls *first)
{
    struct tls *left = first->child, *pairs = NULL, *all = NULL;
    first->child = NULL;
    while (left != NULL) {
        struct tls *a = left, *b = a->sibling;
        left = b != NULL ? b->sibling : NULL;
        a->sibling = NULL;
        if (b != NULL)
            b->sibling = NULL;
        struct tls *pair = meld(a, b);
        pair->sibling = pairs;
        pairs = pair;
    }
    while (pairs != NULL) {
        struct tls *next = pairs->sibling;
        pairs->sibling = NULL;
        all = meld(all, pairs);
        pairs = next;
    }
    return all;
}

/* finish ends the report of a connection, which may be freed by it. */
static void finish(struct tls *tls)
{
    const struct tls_events *events = tls->stage->events;
    void *context = tls->context;
    tls_late_finish(tls);
    events->leave(context);
}

static void tell(struct tls_stage *stage)
{
    struct tls *due = NULL;
    for (struct tls *tls = stage->oldest; tls != NULL; tls = tls->newer) {
        if (!tls_late_is_ready(tls))
            continue;
        tls_late_search(tls);
        stage->events->enter(tls->context);
        tls->child = tls->sibling = NULL;
        (void)tls_late_begin(tls); /* true: something waits, or it would not be ready */
        due = meld(due, tls);
    }
    while (due != NULL) {
        struct tls *tls = due;
        bool is_more;
        due = pop_first(tls);
        do {
            is_more = tls_late_step(tls, true);
        } while (is_more && (due == NULL || tls->due.frame <= due->due.frame));
        if (is_more)
            due = meld(due, tls);
        else
            finish(tls);
    }
}

bool tls_eviction_look(struct tls_stage *stage)
{
    const struct ds_keylog *keylog = stage->env->config.keylog;
    if (stage->keys_age == keylog_age(keylog) ||
        !tls_budget_spend_all(stage, stage->num_waiting * LOOK_COST))
        return false;
    stage->keys_age = keylog_age(keylog);
    for (struct tls *tls = stage->oldest; tls != NULL; tls = tls->newer) {
        tls_keys_look(tls);
        /* No later record can be tried, or a waiting one is that of the nonce. */
        if ((tls->is_closed && tls->client < 0) || tls_write_keys_exist(tls))
            tls_late_search(tls);
    }
    tell(stage);
    return true;
}

void tls_eviction_expire(struct tls_stage *stage)
{
    while (stage->oldest != NULL && tls_late_is_over(stage->oldest))
        tls_late_abandon(stage->oldest);
}

void tls_stage_time(struct tls_stage *stage, int64_t now_ns)
{
    if (stage->oldest == NULL)
        return;
    stage->now_ns = now_ns;
    (void)tls_eviction_look(stage);
    tls_eviction_expire(stage);
}

void tls_stage_end(struct tls_stage *stage)
{
    stage->is_ending = true;
    if (stage->oldest == NULL)
        return;
    keylog_ask(stage->env);
    (void)tls_eviction_look(stage);
    for (struct tls *tls = stage->oldest, *newer; tls != NULL; tls = newer) {
        newer = tls->newer;
        if (tls->is_closed)
            tls_late_abandon(tls);
    }
}
