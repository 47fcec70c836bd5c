/*
 * pipeline_reload.c - changes while events come: which records are selected, and which files the
 * outputs write. See pipeline_parts.h.
 *
 * In a live capture the selection belongs to the first thread, the outputs to the threads behind
 * the queue, which check their files when they next write.
 */
#include "app/pipeline/pipeline_parts.h"

#include "core/complain.h"
#include "select/filter.h"

bool pipeline_may_select(const struct pipeline *s, const struct selector_config *config)
{
    if (s->findings != NULL || !filter_asks_findings(config->filter))
        return true;
    complain("-Y asks for findings, which must be asked for at the start: restart the program");
    return false;
}

bool pipeline_select(struct pipeline *s, const struct selector_config *config)
{
    struct ds_stats stats = {0};
    struct selector *select = selector_new(config);
    if (select == NULL) {
        complain("out of memory");
        return false;
    }
    selector_add_stats(s->select, &stats);
    s->before.no_memory += stats.no_memory;
    s->before.num_given_up += selector_num_given_up(s->select);
    selector_free(s->select);
    s->select = select;
    pipeline_choose_way(s);
    return true;
}

void pipeline_reopen(struct pipeline *s)
{
    atomic_store(&s->outputs.reopen_wanted, true);
    s->is_reopen_due = true;
    pipeline_try_reopen(s);
}

/* Records in the queue belong to the old files, so the request follows them through the queue. */
void pipeline_try_reopen(struct pipeline *s)
{
    if (s->is_reopen_due && (s->queue == NULL || record_queue_try_wake(s->queue)))
        s->is_reopen_due = false;
}
