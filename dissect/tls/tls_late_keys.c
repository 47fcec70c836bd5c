/*
 * tls_late_keys.c - records that come before their keys: they wait for a while and are then
 * reported as if the keys had been there, each with the time at which it came, both directions in
 * the order in which they were sent. While one direction waits, so does the other, even if it has
 * keys.
 */
#include "tls/tls_conn.h"
#include "tls/tls_record.h"

#include <openssl/crypto.h>

bool tls_late_may_wait(const struct tls *tls)
{
    const struct dissect_ctx *env = tls->stage->env;
    return keylog_is_of_use(env) && !tls->is_told &&
           (keylog_grows(env) || !tls->has_client_random || !tls->has_server_random ||
            tls_write_keys_exist(tls));
}

/* is_over says whether a record that came at then_ns has waited long enough. */
static bool is_over(const struct tls *tls, int64_t then_ns)
{
    const int64_t now_ns = tls->stage->now_ns;
    return now_ns > then_ns && (uint64_t)now_ns - (uint64_t)then_ns > (uint64_t)DS_KEYS_WAIT_NS;
}

bool tls_late_is_over(const struct tls *tls)
{
    struct tls_waiting_at at = tls_waiting_begin(&tls->waiting);
    struct tls_waiter oldest;
    struct cursor bytes;
    return tls_waiting_next(&at, &oldest, &bytes) && is_over(tls, oldest.ts_ns);
}

static struct tls_waiter make_waiter(const struct tls *tls, int dir, enum tls_waiting_kind kind,
                                     uint64_t len)
{
    const struct tcp_conn_view *tcp = tls->tcp;
    return (struct tls_waiter){
        .ts_ns = tcp->now_ns,
        .frame = tcp->frame,
        .len = len,
        .next_seq = {tcp->next_seq[0], tcp->next_seq[1]},
        .kind = (uint8_t)kind,
        .dir = (uint8_t)dir,
        .past = (uint8_t)tls->stage->env->past,
    };
}

static bool add(struct tls *tls, const struct tls_waiter *waiter, struct cursor bytes)
{
    struct dissect_ctx *env = tls->stage->env;
    return tls_waiting_add(&tls->waiting, env, waiter, bytes, env->config.limits[DS_LIMIT_BUFFER]);
}

/* join appends a connection to the list of waiting ones. */
static void join(struct tls *tls)
{
    struct tls_stage *stage = tls->stage;
    tls->is_listed = true;
    tls->older = stage->newest;
    tls->newer = NULL;
    if (stage->newest != NULL)
        stage->newest->newer = tls;
    else
        stage->oldest = tls;
    stage->newest = tls;
    stage->num_waiting++;
}

void tls_late_leave(struct tls *tls)
{
    struct tls_stage *stage = tls->stage;
    if (!tls->is_listed)
        return;
    *(tls->older != NULL ? &tls->older->newer : &stage->oldest) = tls->newer;
    *(tls->newer != NULL ? &tls->newer->older : &stage->newest) = tls->older;
    tls->older = tls->newer = NULL;
    tls->is_listed = false;
    stage->num_waiting--;
}

bool tls_late_hold(struct tls *tls, int dir, struct cursor sent)
{
    struct tcp_analysis *facts = tls->tcp->facts;
    struct tcp_analysis_then then = {0};
    struct tls_waiter waiter = make_waiter(tls, dir, TLS_WAITS_RECORD, cursor_left(&sent));
    if (!tls_late_may_wait(tls) || tls_late_is_over(tls))
        return false;
    if (facts != NULL)
        then = tcp_analysis_leave(facts, dir);
    waiter.next_seq[dir] -= (uint32_t)tls->dirs[dir].rest;
    waiter.run_ns = then.run_ns;
    waiter.tick_is_late = then.tick_is_late;
    if (!add(tls, &waiter, sent)) {
        if (facts != NULL)
            tcp_analysis_enter(facts, dir, then);
        return false;
    }
    if (!tls->has_waited)
        tls->waits_age = keylog_age(tls->stage->env->config.keylog);
    tls->has_waited = true;
    if (!tls->is_listed) {
        join(tls);
        keylog_ask(tls->stage->env);
    }
    return true;
}

/* --- reports of TCP --- */

void tls_late_on_loss(struct tls *tls, int dir, uint64_t len, enum tcp_gap why)
{
    struct tls_waiter waiter = make_waiter(tls, dir, TLS_WAITS_GAP, len);
    waiter.why = (uint8_t)why;
    if (tls_waits(tls) && add(tls, &waiter, cursor_make(NULL, 0)))
        return;
    tls_late_abandon(tls);
    tls_sealed_on_loss(tls, dir, len, why);
}

/* note queues something after the waiting records; false if none wait any more. */
static bool note(struct tls *tls, int dir, enum tls_waiting_kind kind, struct cursor bytes)
{
    const struct tls_waiter waiter = make_waiter(tls, dir, kind, cursor_left(&bytes));
    if (tls_waits(tls) && add(tls, &waiter, bytes))
        return true;
    tls_late_abandon(tls);
    return false;
}

void tls_on_stall(struct tls *tls, int dir, const struct ds_stall *stall)
{
    if (!note(tls, dir, TLS_WAITS_STALL, cursor_make(stall, sizeof *stall)))
        tls->stage->events->stall(tls->context, dir, stall);
}

void tls_on_icmp(struct tls *tls, int dir)
{
    if (!note(tls, dir, TLS_WAITS_ICMP, cursor_make(NULL, 0)))
        tls->stage->events->icmp(tls->context, dir);
}

void tls_on_end(struct tls *tls, int dir)
{
    if (!note(tls, dir, TLS_WAITS_END, cursor_make(NULL, 0)))
        tls->stage->events->end(tls->context, dir);
}

bool tls_late_close(struct tls *tls, enum tcp_close why)
{
    struct tls_waiter waiter = make_waiter(tls, 0, TLS_WAITS_CLOSE, 0);
    waiter.why = (uint8_t)why;
    tls->is_closed = tls_waits(tls) && keylog_grows(tls->stage->env) && !tls->stage->is_ending &&
                     tls_late_may_wait(tls) && !tls_late_is_over(tls) &&
                     add(tls, &waiter, cursor_make(NULL, 0));
    return tls->is_closed;
}

/* --- the numbers of records whose predecessors were not captured --- */

/* number_back computes the number of the first waiting record from a decrypted one: records precede
 * that one in the queue, and up to slack are missing between them. */
static void number_back(struct tls_dir *d, uint64_t records, uint64_t slack)
{
    const uint64_t seq = d->seq - 1, last = seq > records ? seq - records : 0;
    d->seq = last > slack ? last - slack : 0;
    d->slack = last - d->seq;
    d->tried = 0;
}

/* place finds the number of the first waiting record of a direction, from any of them that
 * decrypts. */
static void place(struct tls *tls, int dir)
{
    struct tls_dir *d = &tls->dirs[dir];
    struct tls_waiting_at at = tls_waiting_begin(&tls->waiting);
    struct tls_waiter waiter;
    struct tls_record record;
    struct cursor bytes;
    uint64_t records = 0, slack = 0;
    const unsigned num_wrong = d->num_wrong;
    while (tls_waiting_next(&at, &waiter, &bytes)) {
        size_t len = 0;
        uint8_t type;
        if (waiter.dir != dir || waiter.kind > TLS_WAITS_GAP)
            continue;
        if (waiter.kind == TLS_WAITS_GAP) {
            slack += tls_sealed_slack(waiter.len);
        } else if (tls_record_read(&bytes, &record) &&
                   tls_keys_open(tls, dir, &record, &len, &type)) {
            OPENSSL_cleanse(tls->stage->text, len);
            tls_write_keys_learn(tls, dir, records);
            number_back(d, records, slack);
            break;
        } else {
            records++;
            d->num_wrong++;
        }
    }
    d->num_wrong = num_wrong;
}

/* slack_of returns how many records may be missing between the waiting ones. */
static uint64_t slack_of(const struct tls *tls, int dir)
{
    struct tls_waiting_at at = tls_waiting_begin(&tls->waiting);
    struct tls_waiter waiter;
    struct cursor bytes;
    uint64_t slack = 0;
    while (tls_waiting_next(&at, &waiter, &bytes)) {
        if (waiter.dir == dir && waiter.kind == TLS_WAITS_GAP)
            slack += tls_sealed_slack(waiter.len);
    }
    return slack;
}

void tls_late_look(struct tls *tls, int dir, const struct tls_record *record)
{
    struct tls_dir *d = &tls->dirs[dir];
    size_t len = 0;
    uint8_t type;
    const bool may_be_any = tls->client < 0 || tls_write_keys_exist(tls);
    const bool is_placed = d->cipher.suite != NULL && (tls->client >= 0 || tls_write_keys_are_of(d));
    if (!may_be_any || is_placed || !tls_keys_open(tls, dir, record, &len, &type))
        return;
    OPENSSL_cleanse(tls->stage->text, len);
    tls_write_keys_learn(tls, dir, tls->waiting.records[dir]);
    number_back(d, tls->waiting.records[dir], slack_of(tls, dir));
    tls_late_deliver(tls);
}

/* --- reporting --- */

/* tell reports one item; false if it must wait on. */
static bool tell(struct tls *tls, const struct tls_waiter *waiter, struct cursor bytes, bool may_wait)
{
    const struct tls_events *events = tls->stage->events;
    struct tls_dir *d = &tls->dirs[waiter->dir];
    struct tls_record record;
    struct ds_stall stall;
    const size_t len = cursor_left(&bytes);
    switch ((enum tls_waiting_kind)waiter->kind) {
    case TLS_WAITS_RECORD:
        return !tls_record_read(&bytes, &record) ||
               tls_sealed_open(tls, waiter->dir, &record, len, may_wait);
    case TLS_WAITS_GAP:
        stream_buffer_free(&d->handshake, tls->stage->env);
        d->skip = 0;
        tls_sealed_on_loss(tls, waiter->dir, waiter->len, (enum tcp_gap)waiter->why);
        break;
    case TLS_WAITS_STALL:
        if (cursor_read_bytes(&bytes, (uint8_t *)&stall, sizeof stall))
            events->stall(tls->context, waiter->dir, &stall);
        break;
    case TLS_WAITS_ICMP:
        events->icmp(tls->context, waiter->dir);
        break;
    case TLS_WAITS_END:
        events->end(tls->context, waiter->dir);
        break;
    case TLS_WAITS_CLOSE:
        events->close(tls->context, (enum tcp_close)waiter->why);
        break;
    }
    return true;
}

/* go_back sets the view of TCP to what it was then. */
static void go_back(struct tls *tls, const struct tls_waiter *waiter)
{
    struct tcp_conn_view *then = &tls->then;
    then->now_ns = waiter->ts_ns;
    then->frame = waiter->frame;
    memcpy(then->next_seq, waiter->next_seq, sizeof then->next_seq);
    if (then->facts != NULL && waiter->kind == TLS_WAITS_RECORD)
        tcp_analysis_enter(then->facts, waiter->dir,
                           (struct tcp_analysis_then){waiter->run_ns, waiter->tick_is_late});
}

static bool read_due(struct tls *tls)
{
    return tls_waiting_next(&tls->next, &tls->due, &tls->due_bytes);
}

bool tls_late_begin(struct tls *tls)
{
    struct tcp_analysis *facts = tls->tcp->facts;
    tls->then = *tls->tcp;
    tls->at = &tls->then;
    for (int dir = 0; dir < 2; dir++) {
        tls->rest_now[dir] = tls->dirs[dir].rest;
        tls->dirs[dir].rest = 0;
        if (facts != NULL)
            tls->facts_now[dir] = tcp_analysis_leave(facts, dir);
    }
    tls->next = tls->told = tls_waiting_begin(&tls->waiting);
    return read_due(tls);
}

bool tls_late_step(struct tls *tls, bool may_wait)
{
    struct dissect_ctx *env = tls->stage->env;
    const enum ds_snapshot_kind past = env->past;
    may_wait = may_wait && tls_late_may_wait(tls) && !is_over(tls, tls->due.ts_ns);
    go_back(tls, &tls->due);
    env->past = (enum ds_snapshot_kind)tls->due.past;
    const bool is_told = tell(tls, &tls->due, tls->due_bytes, may_wait);
    env->past = past;
    if (!is_told)
        return false;
    tls->told = tls->next;
    return read_due(tls);
}

void tls_late_finish(struct tls *tls)
{
    struct tcp_analysis *facts = tls->tcp->facts;
    for (int dir = 0; dir < 2; dir++) {
        tls->dirs[dir].rest = tls->rest_now[dir];
        if (facts != NULL)
            tcp_analysis_enter(facts, dir, tls->facts_now[dir]);
    }
    tls->at = tls->tcp;
    tls_waiting_drop(&tls->waiting, tls->stage->env, &tls->told);
    tls_late_leave(tls);
    if (tls_waits(tls)) /* since later than others by now */
        join(tls);
}

/* flush_waiting reports the waiting items, up to one that may wait on for its keys. */
static void flush_waiting(struct tls *tls, bool may_wait)
{
    const struct tls_events *events = tls->stage->events;
    void *context = tls->context;
    events->enter(context);
    for (bool is_more = tls_late_begin(tls); is_more;)
        is_more = tls_late_step(tls, may_wait);
    tls_late_finish(tls);
    events->leave(context);
}

bool tls_late_is_ready(struct tls *tls)
{
    for (int dir = 0; dir < 2; dir++) {
        if (tls->waiting.records[dir] != 0 && !tls_keys_find(tls, dir))
            return false;
    }
    return tls_waits(tls);
}

void tls_late_search(struct tls *tls)
{
    for (int dir = 0; dir < 2; dir++) {
        const struct tls_dir *d = &tls->dirs[dir];
        const bool is_late = tls->client < 0 || d->slack >= TLS_MAX_UNKNOWN_SEQ || d->cipher.suite == NULL;
        if (tls->waiting.records[dir] != 0 && is_late)
            place(tls, dir);
    }
}

void tls_late_deliver(struct tls *tls)
{
    if (!tls_late_is_ready(tls))
        return;
    tls_late_search(tls);
    flush_waiting(tls, true);
}

void tls_late_abandon(struct tls *tls)
{
    if (!tls_waits(tls))
        return;
    if (tls_write_keys_exist(tls)) /* a later record than the first may be that of a nonce */
        tls_late_search(tls);
    flush_waiting(tls, false);
}
