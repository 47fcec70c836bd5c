/*
 * held_calls.c - see held_calls.h.
 */
#include "held_calls.h"

static void give(struct held_calls *held, size_t i)
{
    struct unpacked_record unpacked = {0};
    const struct record *record = copied_record_get(held->calls[i].copy, &unpacked);
    held->calls[i].number = 0;
    held->num_held--;
    held->emit(held->context, record);
    if (held->num_held == 0) {
        held->num = 0;
        record_block_clear(&held->block);
    }
}

bool held_calls_add(struct held_calls *held, const struct record *record, int64_t now_ns)
{
    if (held->num == HELD_CALLS_MAX)
        held_calls_give_old(held, INT64_MAX);
    enum copy_status status = record_block_add(&held->block, record);
    if (status == COPY_FULL) {
        held_calls_give_old(held, INT64_MAX);
        status = record_block_add(&held->block, record);
    }
    if (status != COPY_OK)
        return false;
    held->calls[held->num].number = record->call->number;
    held->calls[held->num].since_ns = now_ns;
    held->calls[held->num].copy = held->block.last;
    held->num++;
    held->num_held++;
    return true;
}

bool held_calls_give(struct held_calls *held, uint64_t number, uint64_t parent, bool ambiguous)
{
    for (size_t i = 0; i < held->num; i++) {
        if (held->calls[i].number != number)
            continue;
        held->calls[i].copy->call->parent = parent;
        held->calls[i].copy->call->parent_ambiguous = ambiguous;
        give(held, i);
        return true;
    }
    return false;
}

void held_calls_give_old(struct held_calls *held, int64_t before_ns)
{
    for (size_t i = 0; i < held->num; i++)
        if (held->calls[i].number != 0 && held->calls[i].since_ns < before_ns)
            give(held, i);
}

void held_calls_free(struct held_calls *held)
{
    record_block_free(&held->block);
}
