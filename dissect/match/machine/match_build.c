/*
 * match_build.c - builds terms in a guard: rows of views. See match_view.h.
 */
#include "match/machine/match_program.h"

/* put adds a pair to a map of *num pairs. An existing key gets the new value; if is_replaced, the
 * key must exist. */
static bool put(struct run *run, struct view *row, uint64_t *num, const struct view *pair,
                bool is_replaced)
{
    const struct view pairs = {.kind = VIEW_ROW, .row = row};
    struct view value;
    bool found;
    if (!view_find_key(run, &pairs, *num, &pair[0], &value, &found))
        return false;
    if (is_replaced && !found)
        return run_fail(run, RUN_BAD);
    uint64_t at = *num;
    if (found)
        at = (uint64_t)(value.row - row) / 2;
    else
        ++*num;
    row[2 * at] = pair[0];
    row[2 * at + 1] = pair[1];
    return true;
}

bool build_term(struct run *run, enum step_kind step, const struct view *parts, uint32_t num_parts,
                struct view *out)
{
    if (!run_step(run, num_parts))
        return false;
    struct view *row = arena_alloc(&run->arena, num_parts * sizeof *row);
    if (row == NULL)
        return run_fail(run, RUN_NO_MEMORY);
    *out = (struct view){.kind = VIEW_TUPLE, .num = num_parts, .row = row};
    if (step == STEP_MAP) {
        out->kind = VIEW_MAP;
        out->num = 0;
        for (uint32_t i = 0; i < num_parts; i += 2)
            if (!put(run, row, &out->num, &parts[i], false))
                return false;
        return true;
    }
    memcpy(row, parts, num_parts * sizeof *row);
    if (step == STEP_LIST) {
        out->kind = VIEW_CONS;
        out->num = num_parts - 1;
    }
    return true;
}

bool build_put(struct run *run, const struct view *args, bool is_replaced, struct view *out)
{
    struct head map;
    if (!view_read(run, &args[0], &map))
        return false;
    if (map.order != ORDER_MAP)
        return run_fail(run, RUN_BAD);
    /* A view needs more memory than most terms. */
    if (!run_step(run, map.num_parts * 4))
        return false;
    struct view *row = arena_alloc(&run->arena, (size_t)(map.num_parts + 2) * sizeof *row);
    if (row == NULL)
        return run_fail(run, RUN_NO_MEMORY);
    struct view part = view_parts(&map);
    for (uint64_t i = 0; i < map.num_parts; i++) {
        row[i] = part;
        if (!view_skip(run, &part, 1))
            return false;
    }
    *out = (struct view){.kind = VIEW_MAP, .num = map.num_parts / 2, .row = row};
    return put(run, row, &out->num, &args[1], is_replaced);
}
