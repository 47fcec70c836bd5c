/*
 * nats_states.c - see nats_states.h.
 */
#ifdef DISTSNIFF_NATS

#include "send/nats/nats_states.h"

#include "core/clock.h"
#include "send/nats/packet_json.h"

#include <string.h>

/* If a clock is slower than this, records are shown from later on. */
#define MOST_SLOW_NS (INT64_C(86400) * 1000000000)

static size_t find(const struct nats_states *states, struct ds_text host)
{
    size_t i = 0;
    while (i < states->num && (strlen(states->hosts[i].host) != host.len ||
                               memcmp(states->hosts[i].host, host.data, host.len) != 0))
        i++;
    return i;
}

static void take(struct nats_states *states, struct ds_text host, uint64_t number, int64_t slow_ns)
{
    const size_t i = find(states, host);
    if (i == NATS_STATES_HOSTS || host.len >= sizeof states->hosts[i].host)
        return;
    if (i == states->num) {
        memcpy(states->hosts[i].host, host.data, host.len);
        states->hosts[i].slow_ns = slow_ns;
        states->num++;
    }
    /* A state that needed long to reach the servers looks like one of a slow clock: the minimum is
     * the best estimate. */
    if (slow_ns < states->hosts[i].slow_ns)
        states->hosts[i].slow_ns = slow_ns;
    states->hosts[i].number = number;
}

/* slowness_of returns by how much the time of a state is before the servers' time: the clock of its
 * host is slow. 0: it is not, or the state has no time. */
static int64_t slowness_of(const struct nats_pull *pull, natsMsg *message)
{
    const int len = nats.natsMsg_GetDataLength(message);
    const struct ds_text text = {nats.natsMsg_GetData(message), len > 0 ? (size_t)len : 0};
    int64_t ts_ns, slow_ns;
    if (!packet_json_time(text, &ts_ns) ||
        __builtin_sub_overflow(nats_pull_stored_ns(pull), ts_ns, &slow_ns))
        return 0;
    return slow_ns < 0 ? 0 : slow_ns < MOST_SLOW_NS ? slow_ns : MOST_SLOW_NS;
}

bool nats_states_find(struct nats_states *states, const struct nats_url *url,
                      natsConnection *connection, jsCtx *context)
{
    struct nats_url asked = *url;
    struct nats_pull pull;
    natsMsg *message;
    int64_t slow_ns = 0;
    *states = (struct nats_states){
        .from_ns = url->since_ns != 0 ? url->since_ns : clock_since_1970_ns()};
    if (url->since_ns == 0 && !url->follows)
        return true; /* the whole stream is read */
    asked.since_ns = states->from_ns - NATS_STATE_NS - NATS_STATE_SLACK_NS;
    asked.since_ns = asked.since_ns > 0 ? asked.since_ns : 1;
    asked.until_ns = states->from_ns;
    asked.follows = false;
    if (!nats_pull_begin(&pull, &asked, NATS_STATE, 0, connection, context))
        return false;
    while ((message = nats_pull_next(&pull)) != NULL) {
        if (nats_pull_stored_ns(&pull) < states->from_ns)
            take(states, nats_pull_host(message), pull.position, slowness_of(&pull, message));
        nats.natsMsg_Destroy(message);
    }
    nats_pull_end(&pull);
    for (size_t i = 0; i < states->num; i++)
        slow_ns = states->hosts[i].slow_ns > slow_ns ? states->hosts[i].slow_ns : slow_ns;
    states->from_ns -= slow_ns;
    return true;
}

uint64_t nats_states_first(const struct nats_states *states)
{
    uint64_t first = 0;
    for (size_t i = 0; i < states->num; i++) {
        if (first == 0 || states->hosts[i].number < first)
            first = states->hosts[i].number;
    }
    return first;
}

bool nats_states_accept(const struct nats_states *states, struct ds_text host, uint64_t number)
{
    const size_t i = find(states, host);
    return i == states->num || number > states->hosts[i].number;
}

#endif
