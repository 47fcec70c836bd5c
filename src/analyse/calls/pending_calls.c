/*
 * pending_calls.c - see pending_calls.h.
 */
#include "analyse/calls/pending_calls.h"

void pending_calls_init(struct pending_calls *held, record_fn emit, void *context)
{
    *held = (struct pending_calls){.emit = emit, .context = context};
    for (int i = 0; i < 2; i++)
        held->blocks[i].block.first_cap = HELD_BLOCK_LEN;
    table_init(&held->table, sizeof(struct pending_call), PENDING_CALLS_MAX);
}

static void count(struct pending_calls *held, unsigned waits, uint32_t by)
{
    held->num_for_parent += (waits & HELD_FOR_PARENT) != 0 ? by : 0;
    held->num_for_answer += (waits & HELD_FOR_ANSWER) != 0 ? by : 0;
    held->num_for_death += (waits & HELD_FOR_DEATH) != 0 ? by : 0;
    held->num_for_crossing += (waits & HELD_FOR_CROSSING) != 0 ? by : 0;
}

static void give(struct pending_calls *held, struct pending_call *call)
{
    struct record_view view = {0};
    const struct record *record = copied_record_get(call->copy, &view);
    struct pending_block *block = &held->blocks[call->block];
    count(held, call->waits, UINT32_MAX);
    table_remove(&held->table, call);
    held->emit(held->context, record);
    if (--block->num == 0)
        record_block_clear(&block->block);
}

/* turn_over switches to the other block, after emitting the records in it. */
static void turn_over(struct pending_calls *held)
{
    struct pending_call *next;
    held->filling = 1 - held->filling;
    for (struct pending_call *c = table_oldest(&held->table);
         c != NULL && held->blocks[held->filling].num != 0; c = next) {
        next = table_newer(&held->table, c);
        if (c->block == held->filling)
            give(held, c);
    }
}

/* patience returns how long a record waits for that. */
static int64_t patience(unsigned waits)
{
    return waits == HELD_FOR_DEATH ? DEATH_NS : waits == HELD_FOR_CROSSING ? CROSSED_NS
           : PENDING_CALLS_NS;
}

struct pending_call *pending_calls_add(struct pending_calls *held, const struct record *record,
                                       const struct pid_key *caller, unsigned waits, int64_t now_ns)
{
    if (table_is_full(&held->table))
        give(held, table_oldest(&held->table));
    enum copy_status status = record_block_add(&held->blocks[held->filling].block, record);
    if (status == COPY_FULL) {
        turn_over(held);
        status = record_block_add(&held->blocks[held->filling].block, record);
    }
    struct pending_block *block = &held->blocks[held->filling];
    struct pending_call *call =
        status == COPY_OK ? table_add(&held->table, hash_key(caller, sizeof *caller)) : NULL;
    if (call == NULL) {
        if (block->num == 0)
            record_block_clear(&block->block);
        return NULL;
    }
    block->num++;
    call->caller = *caller;
    call->number = record->call->number;
    call->since_ns = now_ns - PENDING_CALLS_NS + patience(waits);
    call->waits = waits;
    call->block = held->filling;
    call->copy = block->block.last;
    count(held, waits, 1);
    return call;
}

static struct pending_call *find(const struct pending_calls *held, struct pending_call *call,
                                 const struct pid_key *caller)
{
    while (call != NULL && !pid_key_equal(&call->caller, caller))
        call = table_next(&held->table, call);
    return call;
}

struct pending_call *pending_calls_first(const struct pending_calls *held, const struct pid_key *caller)
{
    if (held->table.num == 0)
        return NULL;
    return find(held, table_first(&held->table, hash_key(caller, sizeof *caller)), caller);
}

struct pending_call *pending_calls_next(const struct pending_calls *held,
                                        const struct pending_call *call)
{
    return find(held, table_next(&held->table, call), &call->caller);
}

void pending_calls_settle(struct pending_calls *held, struct pending_call *call, enum pending_for what)
{
    pending_calls_wait(held, call, call->waits & ~(unsigned)what);
}

void pending_calls_wait(struct pending_calls *held, struct pending_call *call, unsigned waits)
{
    if (waits == 0) {
        give(held, call);
        return;
    }
    count(held, call->waits, UINT32_MAX);
    count(held, waits, 1);
    call->waits = waits;
}

void pending_calls_release_old(struct pending_calls *held, int64_t before_ns)
{
    struct pending_call *oldest;
    while ((oldest = table_oldest(&held->table)) != NULL && oldest->since_ns < before_ns)
        give(held, oldest);
}

void pending_calls_release_orphans(struct pending_calls *held)
{
    struct pending_call *next;
    for (struct pending_call *c = table_oldest(&held->table);
         c != NULL && held->num_for_parent != 0;
         c = next) {
        next = table_newer(&held->table, c);
        pending_calls_settle(held, c, HELD_FOR_PARENT);
    }
}

void pending_calls_free(struct pending_calls *held)
{
    table_free(&held->table);
    for (unsigned i = 0; i < 2; i++)
        record_block_free(&held->blocks[i].block);
}
