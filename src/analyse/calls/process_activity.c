/*
 * process_activity.c - see process_activity.h.
 */
#include "analyse/calls/process_activity.h"

/* A still interval scores one point, plus one per millisecond. If a process goes on working after
 * its answers, the next request may arrive first more often than not, but hardly ever six times in
 * a row. A process that has once gone on must be still for long, and mostly, to be trusted again. */
enum { POINT_NS = 1000000, MAX_POINTS = 8, TRUSTED_AT = 6, TAKEN_BY_ONE = 64 };

/* From this count on, the counters are halved: old habits weigh less. */
enum { MUCH = 1024 };

void process_activity_init(struct table *activities)
{
    table_init(activities, sizeof(struct process_activity), MAX_HABITS);
}

struct process_activity *process_activity_find(const struct table *activities,
                                               const struct pid_key *pid)
{
    struct process_activity *h = table_first(activities, hash_key(pid, sizeof *pid));
    while (h != NULL && !pid_key_equal(&h->pid, pid))
        h = table_next(activities, h);
    return h;
}

/* touch finds or adds the entry of a process, and makes it the newest. */
static struct process_activity *touch(struct table *activities, const struct pid_key *pid)
{
    struct process_activity *h = process_activity_find(activities, pid);
    if (h != NULL) {
        table_renew(activities, h);
        return h;
    }
    h = table_add_forgetting(activities, hash_key(pid, sizeof *pid));
    if (h != NULL)
        h->pid = *pid;
    return h;
}

struct process_activity *process_activity_on_answer(struct table *activities,
                                                    const struct pid_key *pid, int64_t now_ns)
{
    struct process_activity *h = touch(activities, pid);
    if (h == NULL)
        return NULL;
    h->answered_ns = now_ns;
    h->has_asked = false;
    h->work_call = 0;
    return h;
}

bool process_activity_on_cast(struct table *activities, const struct pid_key *pid, int64_t now_ns)
{
    struct process_activity *h = touch(activities, pid);
    if (h == NULL)
        return false;
    h->told_ns = now_ns;
    h->has_asked = false;
    return true;
}

bool process_activity_on_work(struct table *activities, const struct pid_key *pid, uint64_t number,
                              int64_t start_ns, int64_t end_ns)
{
    struct process_activity *h = touch(activities, pid);
    if (h == NULL)
        return false;
    if (h->work_call == 0 || start_ns - h->work_end_ns >= MAY_GO_ON_NS)
        h->work_call = number;
    h->work_end_ns = end_ns;
    return true;
}

static void age(struct process_activity *activity)
{
    if (activity->still_points < MUCH && activity->went_on < MUCH)
        return;
    activity->went_on /= 2;
    activity->still_points /= 2;
}

/* is_first says whether this is the first call of a process after an answer or a cast: only that
 * one is evidence. */
static bool is_first(struct process_activity *activity)
{
    const bool is = !activity->has_asked;
    activity->has_asked = true;
    return is;
}

/* is_at_cast says whether a process may be working on the last cast: it has not answered since. */
static bool is_at_cast(const struct process_activity *activity, int64_t now_ns)
{
    return activity->told_ns > activity->answered_ns && now_ns - activity->told_ns < BEGUN_NS;
}

void process_activity_on_alone(struct process_activity *activity, int64_t now_ns)
{
    const bool is_own = is_at_cast(activity, now_ns) ||
                        (activity->answered_ns != 0 &&
                         now_ns - activity->answered_ns < MAY_GO_ON_NS);
    if (!is_first(activity) || !is_own)
        return;
    activity->went_on++;
    age(activity);
}

void process_activity_on_served(struct process_activity *activity, int64_t came_ns)
{
    const int64_t still_ns = came_ns - activity->answered_ns;
    /* If the request arrived before the answer, it is unknown what the process would have done. */
    if (!is_first(activity) || activity->answered_ns == 0 || still_ns <= 0)
        return;
    const int64_t points = 1 + still_ns / POINT_NS;
    activity->still_points += points < MAX_POINTS ? (uint32_t)points : MAX_POINTS;
    age(activity);
}

static bool is_trusted(const struct process_activity *activity)
{
    return activity->still_points >= TRUSTED_AT + TAKEN_BY_ONE * activity->went_on;
}

bool process_activity_may_serve_cast(const struct process_activity *activity, int64_t came_ns)
{
    return activity != NULL && is_at_cast(activity, came_ns) && !is_trusted(activity);
}

bool process_activity_may_go_on(const struct process_activity *activity, int64_t came_ns)
{
    return activity != NULL && activity->answered_ns != 0 &&
           came_ns - activity->answered_ns < MAY_GO_ON_NS && !is_trusted(activity);
}
