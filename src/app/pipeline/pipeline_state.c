/*
 * pipeline_state.c - whether the pipeline goes on, or why not: any thread may set that. See
 * pipeline.h.
 */
#include "app/pipeline/pipeline_parts.h"

void pipeline_set_state(struct pipeline *s, enum pipeline_state state)
{
    int now = atomic_load(&s->state);
    while (now < (int)state && !atomic_compare_exchange_weak(&s->state, &now, (int)state))
        ;
}

enum pipeline_state pipeline_get_state(const struct pipeline *s)
{
    return (enum pipeline_state)atomic_load_explicit(&s->state, memory_order_relaxed);
}

void pipeline_set_reports_status(struct pipeline *s, enum reports_status status)
{
    if (status != REPORTS_OK)
        pipeline_set_state(s, status == REPORTS_FAILED ? PIPELINE_FAILED : PIPELINE_NO_OUTPUT);
}
