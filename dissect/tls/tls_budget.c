/*
 * tls_budget.c - limits the search for the keys of records: to a cost per second of the capture,
 * which the connections share equally, and, because a file may have any timestamps, to what the
 * bytes received allow.
 */
#include "tls/tls_conn.h"

enum {
    ALLOWED_A_BYTE = 2048,
    MAX_SHARES = 256, /* per second: further connections must wait for each other */
};

/* What may be spent in a second of the capture, in bytes: about a tenth of a second of a processor.
 * And what may be spent beyond ALLOWED_A_BYTE, because a file may have any timestamps. */
#define SEARCH_BUDGET (INT64_C(256) << 20)
#define SEARCH_ALLOWANCE (INT64_C(4) << 30)

void tls_budget_allow(struct tls_stage *stage, size_t len)
{
    stage->spent -= (int64_t)len * ALLOWED_A_BYTE;
    if (stage->spent < 0)
        stage->spent = 0;
}

static int64_t share_of(const struct tls_stage *stage, int64_t budget)
{
    const uint32_t num = stage->num_asked < MAX_SHARES ? stage->num_asked : (uint32_t)MAX_SHARES;
    return budget / (num != 0 ? num : 1);
}

/* begin_second gives each connection the same share, by the number of those that had one in the
 * second before, so that a busy one leaves some to the others. */
static void begin_second(struct tls *tls)
{
    struct tls_stage *stage = tls->stage;
    const int64_t now_ns = stage->now_ns;
    if (now_ns - stage->budget_ns >= TLS_SECOND_NS || now_ns < stage->budget_ns) {
        stage->budget_ns = now_ns;
        stage->budget = SEARCH_BUDGET;
        stage->num_asked = stage->num_asking;
        stage->num_asking = 0;
    }
    if (tls->share_ns != stage->budget_ns) {
        tls->share_ns = stage->budget_ns;
        tls->share = share_of(stage, SEARCH_BUDGET);
        stage->num_asking++;
    }
}

/* spend subtracts a cost, if at most reserve of the second is missing then. */
static bool spend(struct tls *tls, size_t cost, int64_t reserve)
{
    struct tls_stage *stage = tls->stage;
    begin_second(tls);
    if (stage->budget + reserve < (int64_t)cost ||
        tls->share + share_of(stage, reserve) < (int64_t)cost || stage->spent > SEARCH_ALLOWANCE)
        return false;
    stage->budget -= (int64_t)cost;
    tls->share -= (int64_t)cost;
    stage->spent += (int64_t)cost;
    return true;
}

bool tls_budget_spend(struct tls *tls, size_t cost)
{
    return spend(tls, cost, 0);
}

bool tls_budget_spend_reserve(struct tls *tls, size_t cost)
{
    return spend(tls, cost, SEARCH_BUDGET / 4);
}

bool tls_budget_is_spent(struct tls *tls)
{
    const int64_t least = TLS_KEY_COST + TLS_SMALL_RECORD + TLS_RECORD_COST;
    return !tls_budget_spend(tls, 0) || tls->stage->budget < least || tls->share < least;
}

bool tls_budget_spend_all(struct tls_stage *stage, size_t cost)
{
    if (stage->spent > SEARCH_ALLOWANCE)
        return false;
    stage->spent += (int64_t)cost;
    return true;
}
