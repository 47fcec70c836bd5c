/*
 * calls_by_caller.c - see calls_by_caller.h.
 */
#include "analyse/calls/calls_by_caller.h"

static struct asker *find(const struct calls *calls, const struct pid_key *key)
{
    struct asker *a = table_first(&calls->askers, hash_key(key, sizeof *key));
    while (a != NULL && !pid_key_equal(&a->key, key))
        a = table_next(&calls->askers, a);
    return a;
}

void calls_by_caller_link(struct calls *calls, struct open_call *call)
{
    if (call->caller.node == 0)
        return;
    struct asker *asker = find(calls, &call->caller);
    if (asker == NULL) {
        asker = table_add(&calls->askers, hash_key(&call->caller, sizeof call->caller));
        if (asker == NULL) {
            calls->no_memory++;
            return;
        }
        asker->key = call->caller;
    }
    table_link(&calls->table, offsetof(struct open_call, of_caller), &asker->calls, call);
    call->asker = asker->entry.number;
    call->num_heard = asker->num_heard;
}

void calls_by_caller_unlink(struct calls *calls, struct open_call *call)
{
    struct asker *asker = table_get(&calls->askers, call->asker);
    if (asker == NULL)
        return;
    table_unlink(&calls->table, offsetof(struct open_call, of_caller), &asker->calls, call);
    call->asker = 0;
    if (asker->calls == 0)
        table_remove(&calls->askers, asker);
}

void calls_by_caller_hears(struct calls *calls, const struct pid_key *caller, int64_t now_ns)
{
    struct asker *asker = find(calls, caller);
    if (asker == NULL)
        return;
    asker->num_heard++;
    asker->heard_ns = now_ns;
}

bool calls_by_caller_reacts(const struct calls *calls, const struct open_call *call, int64_t now_ns)
{
    /* A process is scheduled within REACTS_NS even on a busy machine. A reaction is no coincidence
     * only if messages come RARE times less often than that. */
    enum { REACTS_NS = 10000000, RARE = 20 };
    const struct asker *asker = table_get(&calls->askers, call->asker);
    const uint32_t num = asker != NULL ? asker->num_heard - call->num_heard : 0;
    return num != 0 && now_ns - asker->heard_ns <= REACTS_NS &&
           (int64_t)num * REACTS_NS * RARE <= now_ns - call->start_ns;
}

struct open_call *calls_by_caller_first(const struct calls *calls, const struct pid_key *caller)
{
    const struct asker *asker = find(calls, caller);
    return asker != NULL ? table_get(&calls->table, asker->calls) : NULL;
}

struct open_call *calls_by_caller_next(const struct calls *calls, const struct open_call *call)
{
    return table_get(&calls->table, call->of_caller.next);
}
