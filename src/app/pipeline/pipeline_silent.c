/*
 * pipeline_silent.c - capture points that have fallen silent, or are back: the first thread learns of them
 * and hands them to the correlation thread, which has the findings. See pipeline_parts.h.
 */
#include "app/pipeline/pipeline_parts.h"

void pipeline_silent(struct pipeline *s, const struct silent_point *point)
{
    struct silent_points *waiting = &s->silent;
    if (s->findings == NULL)
        return;
    if (s->events == NULL) {
        findings_silent(s->findings, point);
        return;
    }
    pthread_mutex_lock(&waiting->lock);
    if (waiting->num < MAX_SILENT_POINTS)
        waiting->points[waiting->num++] = *point;
    pthread_mutex_unlock(&waiting->lock);
    atomic_store(&s->silent_wanted, true);
    record_queue_wake(s->events);
}

void pipeline_silent_now(struct pipeline *s)
{
    struct silent_points *waiting = &s->silent;
    atomic_store(&s->silent_wanted, false);
    pthread_mutex_lock(&waiting->lock);
    for (size_t i = 0; i < waiting->num; i++)
        findings_silent(s->findings, &waiting->points[i]);
    waiting->num = 0;
    pthread_mutex_unlock(&waiting->lock);
}
