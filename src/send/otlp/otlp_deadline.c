/*
 * otlp_deadline.c - see otlp_deadline.h.
 */
#include "send/otlp/otlp_deadline.h"

void otlp_deadline_begin(struct otlp_deadline *p, bool is_live, int64_t now_ns)
{
    *p = (struct otlp_deadline){.is_live = is_live, .progress_ns = now_ns};
}

void otlp_deadline_end(struct otlp_deadline *p, int64_t now_ns)
{
    p->is_ending = true;
    if (p->is_live)
        otlp_deadline_progress(p, now_ns);
}

void otlp_deadline_progress(struct otlp_deadline *p, int64_t now_ns)
{
    p->progress_ns = now_ns;
    p->asked_ns = 0;
}

void otlp_deadline_ask(struct otlp_deadline *p, int64_t wait_ns)
{
    p->is_met = true;
    p->asked_ns = wait_ns < OTLP_MOST_ASKED_NS - p->asked_ns ? p->asked_ns + wait_ns : OTLP_MOST_ASKED_NS;
}

bool otlp_deadline_is_over(const struct otlp_deadline *p, int64_t now_ns)
{
    const int64_t patience_ns = (p->is_met ? OTLP_DEADLINE_NS : OTLP_GREETING_NS) + p->asked_ns;
    return (p->is_ending || !p->is_live) && now_ns - p->progress_ns > patience_ns;
}
