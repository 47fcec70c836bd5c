/*
 * dist_close.c - explains why a distribution connection ended, from its last message and the flags
 * and digests of its peers.
 */
#include "dist/dist_conn.h"
#include "dist/flags.h"

/* when_text says when the connection was closed, for "closed by NODE ...". */
static const char *when_text(struct dissect_ctx *env, const struct dist *dist)
{
    if (dist->last_step == DS_STEP_UNKNOWN)
        return "before the first message";
    return env_print(env, "after %s", ds_handshake_step_name(dist->last_step));
}

/* missing_text names the mandatory flags that a peer sent these flags would miss. */
static const char *missing_text(struct dissect_ctx *env, const struct dist_dir *d)
{
    static const unsigned releases_with_more[] = {25, 26};
    if (!d->has_flags)
        return NULL;
    for (size_t i = 0; i < sizeof releases_with_more / sizeof releases_with_more[0]; i++) {
        unsigned release = releases_with_more[i];
        uint64_t missing = flags_missing(d->flags, release);
        if (missing != 0) {
            const char *names = flags_print(missing, &env->arena);
            return names != NULL ? env_print(env, "%s, mandatory since OTP %u", names, release)
                                 : NULL;
        }
    }
    return NULL;
}

/* closing is a handshake that one end closed, and the words for that end and for how it closed. */
struct closing {
    const struct dist *dist;
    int initiator, closed_by;
    const char *how, *init, *acc, *by;
};

/* explain_refusal explains a status that refused the connection; NULL if there was none. */
static const char *explain_refusal(struct dissect_ctx *env, const struct closing *c)
{
    const char *init = c->init, *acc = c->acc;
    switch (c->dist->refusal) {
    case REFUSAL_NOK:
        return env_print(
            env, "simultaneous connect: %s answered nok, it is connecting to %s itself", acc, init);
    case REFUSAL_NOT_ALLOWED:
        return env_print(env, "refused: %s answered not_allowed to %s", acc, init);
    case REFUSAL_ALIVE:
        return env_print(env,
                         "%s by %s after %s answered alive: it has a connection with %s already",
                         c->how, c->by, acc, init);
    case REFUSAL_ALIVE_FALSE:
        return env_print(env, "abandoned by %s: %s has a connection with it already (alive, false)",
                         init, acc);
    case REFUSAL_NONE:
        break;
    }
    return NULL;
}

/* explain_step explains a close after the last step; NULL if that step has no particular meaning. */
static const char *explain_step(struct dissect_ctx *env, const struct closing *c)
{
    const struct dist_dir *i = &c->dist->dirs[c->initiator], *a = &c->dist->dirs[1 - c->initiator];
    const char *how = c->how, *init = c->init, *acc = c->acc;
    const char *missing;
    switch (c->dist->last_step) {
    case DS_STEP_SEND_NAME:
        if (c->closed_by == c->initiator)
            break;
        if (i->version == 5)
            return env_print(
                env,
                "%s by %s upon an old send_name (n): OTP 25 and later take only the new "
                "one (N)",
                how, acc);
        missing = missing_text(env, i);
        if (missing != NULL)
            return env_print(env, "%s by %s after send_name: %s lacks %s", how, acc, init, missing);
        break;
    case DS_STEP_CHALLENGE:
        if (c->closed_by != c->initiator)
            break;
        missing = missing_text(env, a);
        if (missing != NULL)
            return env_print(env, "%s by %s after challenge: %s lacks %s", how, init, acc, missing);
        break;
    case DS_STEP_CHALLENGE_REPLY:
        if (c->closed_by == c->initiator)
            break;
        switch (i->cookie) {
        case DS_COOKIE_WRONG:
            return env_print(env, "wrong cookie: %s by %s, the digest of %s was made with another",
                             how, acc, init);
        case DS_COOKIE_OK:
            return env_print(env,
                             "wrong cookie: %s by %s, although the digest of %s was made with the "
                             "cookie given",
                             how, acc, init);
        case DS_COOKIE_UNCHECKED:
            return env_print(env, "%s by %s after challenge_reply: most likely a wrong cookie", how,
                             acc);
        }
        break;
    case DS_STEP_CHALLENGE_ACK:
        if (a->cookie == DS_COOKIE_WRONG)
            return env_print(env, "wrong cookie: %s by %s, the digest of %s was made with another",
                             how, c->by, acc);
        break;
    default:
        break;
    }
    return NULL;
}

/* explain says what most likely ended a handshake that the end closed_by closed. */
static const char *explain(struct dissect_ctx *env, struct conn *conn, int closed_by, const char *how)
{
    const struct dist *dist = conn->state;
    const int initiator = dist->initiator >= 0 ? dist->initiator : 0;
    const char *init = conn_end_text(env, conn, initiator);
    const char *acc = conn_end_text(env, conn, 1 - initiator);
    const char *by = closed_by == initiator ? init : acc;
    const struct closing closing = {dist, initiator, closed_by, how, init, acc, by};
    const char *why = explain_refusal(env, &closing);
    if (why != NULL)
        return why;
    if (dist->nonsense)
        return env_print(env, "%s by %s: no handshake", how, by);
    why = explain_step(env, &closing);
    const char *when = why == NULL ? when_text(env, dist) : NULL;
    return when != NULL ? env_print(env, "%s by %s %s", how, by, when) : why;
}

/* A node that hears nothing for long enough, although it sends ticks, gives up. A silence is
 * reported if the other end sent so many ticks during it, or if it was very long. */
enum { SILENT_TICKS = 2 };
#define SHORT_SILENCE_NS (2 * INT64_C(1000000000))
#define LONG_SILENCE_NS (45 * INT64_C(1000000000))

/* measure_silence returns how long the end that did not close had been silent; 0 if that is not
 * remarkable. */
static int64_t measure_silence(const struct conn *conn, int closed_by)
{
    const struct dist *dist = conn->state;
    const struct dist_dir *silent = &dist->dirs[1 - closed_by];
    const int64_t silence_ns = conn->tcp->now_ns - silent->heard_ns;
    const uint64_t ticks = conn->view.counters[closed_by].ticks - silent->unheard_ticks;
    const bool remarkable = silence_ns >= LONG_SILENCE_NS ||
                            (silence_ns >= SHORT_SILENCE_NS && ticks >= SILENT_TICKS);
    return silent->heard_ns != 0 && remarkable ? silence_ns : 0;
}

/* alert_text says why TLS gave up; NULL if it did not. */
static const char *alert_text(struct dissect_ctx *env, struct conn *conn)
{
    enum { CLOSE_NOTIFY = 0 };
    const struct ds_tls *tls = conn->view.tls;
    for (int dir = 0; tls != NULL && dir < 2; dir++) {
        if (!tls->has_alert[dir] || tls->alert_code[dir] == CLOSE_NOTIFY)
            continue;
        const char *by = conn_end_text(env, conn, dir);
        if (tls->alert[dir] != NULL)
            return env_print(env, "TLS alert %s of %s", tls->alert[dir], by);
        return env_print(env, "TLS alert %u of %s", (unsigned)tls->alert_code[dir], by);
    }
    return NULL;
}

/* closed_text explains a FIN or RST of that end. */
static const char *closed_text(struct dissect_ctx *env, struct conn *conn, int dir, const char *how)
{
    const struct dist *dist = conn->state;
    const int64_t silence_ns = dist->closed_by >= 0 ? dist->silence_ns : measure_silence(conn, dir);
    if (!dist->up && !dist->tls && conn->view.tls == NULL)
        return explain(env, conn, dir, how);
    const char *by = conn_end_text(env, conn, dir);
    const char *alert = alert_text(env, conn);
    if (alert != NULL)
        return env_print(env, "%s by %s after %s", how, by, alert);
    if (silence_ns == 0)
        return env_print(env, "%s by %s", how, by);
    return env_print(env, "%s by %s after %.1f s of silence from %s", how, by,
                     (double)silence_ns / 1e9, conn_end_text(env, conn, 1 - dir));
}

void dist_report_half_close(struct dissect_ctx *env, struct conn *conn, int dir)
{
    struct dist *dist = conn->state;
    dist->silence_ns = measure_silence(conn, dir);
    conn_emit_change(env, conn, dir,
                     (struct ds_conn_change){.state = DS_CONN_HALF_CLOSED,
                                             .reason = closed_text(env, conn, dir, "closed")});
}

/* closed_end explains a connection that one of the ends closed. */
static void closed_end(struct dissect_ctx *env, struct conn *conn, enum tcp_close why, int *dir,
                       struct ds_conn_change *change)
{
    const struct dist *dist = conn->state;
    const bool reset = why == TCP_CLOSE_RESET && dist->closed_by < 0;

    if (reset)
        *dir = conn->tcp->reset_dir;
    else if (dist->closed_by >= 0)
        *dir = dist->closed_by;
    change->state = dist->up || dist->tls ? DS_CONN_CLOSED : DS_CONN_FAILED;
    change->unfollowed = false;
    change->reason = closed_text(env, conn, *dir, reset ? "reset" : "closed");
    if (conn_goes_on(why) && change->reason != NULL)
        change->reason = env_print(env, "%s; nothing followed from %s", change->reason,
                                   conn_end_text(env, conn, 1 - *dir));
}

void dist_report_close(struct dissect_ctx *env, struct conn *conn, enum tcp_close why)
{
    const struct dist *dist = conn->state;
    const bool goes_on = conn_goes_on(why);
    int dir = dist->initiator >= 0 ? dist->initiator : 0;
    struct ds_conn_change change = {
        .state = goes_on ? DS_CONN_OPEN_AT_END : DS_CONN_CLOSED,
        .final = true,
        .unfollowed = goes_on,
    };

    if (!dist->opened && conn_explain_failure(env, conn, why, &dir, &change)) {
        /* there is no more to report */
    } else if (why == TCP_CLOSE_FIN || why == TCP_CLOSE_RESET || dist->closed_by >= 0) {
        closed_end(env, conn, why, &dir, &change);
    } else if (why == TCP_CLOSE_REUSED) {
        change.reason = "a new connection took its ports";
    } else if (why == TCP_CLOSE_EVICTED) {
        change.reason = "no longer followed: there are too many connections";
    } else if (why == TCP_CLOSE_CAPTURE_RESTART) {
        change.reason = "packets are missing until it is continued";
    } else if (!dist->up && !dist->tls && dist->last_step != DS_STEP_UNKNOWN) {
        change.reason = env_print(env, "in the handshake, after %s",
                                  ds_handshake_step_name(dist->last_step));
    }
    conn_emit_change(env, conn, dir, change);
}
