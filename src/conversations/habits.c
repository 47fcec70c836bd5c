/*
 * habits.c - see habits.h.
 */
#include "habits.h"

/* Stillness has points, one, and one more for each millisecond of it. A process that goes on after
 * its answers may be overtaken by the next request more often than not, six times in turn hardly
 * ever. What has once gone on must be still for long, and mostly, to be trusted again. */
enum { POINT_NS = 1000000, MAX_POINTS = 8, TRUSTED_AT = 6, TAKEN_BY_ONE = 64 };

/* From there on old habits count for less. */
enum { MUCH = 1024 };

void habits_init(struct table *habits)
{
    table_init(habits, sizeof(struct habit), MAX_HABITS);
}

struct habit *habits_find(const struct table *habits, const struct pid_key *pid)
{
    struct habit *h = table_first(habits, hash_key(pid, sizeof *pid));
    while (h != NULL && !pid_key_equal(&h->pid, pid))
        h = table_next(habits, h);
    return h;
}

/* touch finds or makes the entry of a process, and makes it the newest. */
static struct habit *touch(struct table *habits, const struct pid_key *pid)
{
    struct habit *h = habits_find(habits, pid);
    if (h != NULL) {
        table_renew(habits, h);
        return h;
    }
    h = table_add_forgetting(habits, hash_key(pid, sizeof *pid));
    if (h != NULL)
        h->pid = *pid;
    return h;
}

struct habit *habits_note_answer(struct table *habits, const struct pid_key *pid, int64_t now_ns)
{
    struct habit *h = touch(habits, pid);
    if (h == NULL)
        return NULL;
    h->answered_ns = now_ns;
    h->has_asked = false;
    h->work_call = 0;
    return h;
}

bool habits_note_cast(struct table *habits, const struct pid_key *pid, int64_t now_ns)
{
    struct habit *h = touch(habits, pid);
    if (h == NULL)
        return false;
    h->told_ns = now_ns;
    h->has_asked = false;
    return true;
}

bool habits_note_work(struct table *habits, const struct pid_key *pid, uint64_t number,
                      int64_t start_ns, int64_t end_ns)
{
    struct habit *h = touch(habits, pid);
    if (h == NULL)
        return false;
    if (h->work_call == 0 || start_ns - h->work_end_ns >= MAY_GO_ON_NS)
        h->work_call = number;
    h->work_end_ns = end_ns;
    return true;
}

static void age(struct habit *habit)
{
    if (habit->still_points < MUCH && habit->went_on < MUCH)
        return;
    habit->went_on /= 2;
    habit->still_points /= 2;
}

/* is_first: only the first thing that a process asks after an answer or a cast tells something. */
static bool is_first(struct habit *habit)
{
    const bool is = !habit->has_asked;
    habit->has_asked = true;
    return is;
}

/* is_at_cast says whether a process may be at what the last cast asked for: it has not answered
 * since. */
static bool is_at_cast(const struct habit *habit, int64_t now_ns)
{
    return habit->told_ns > habit->answered_ns && now_ns - habit->told_ns < BEGUN_NS;
}

void habits_note_alone(struct habit *habit, int64_t now_ns)
{
    const bool is_own = is_at_cast(habit, now_ns) ||
                        (habit->answered_ns != 0 && now_ns - habit->answered_ns < MAY_GO_ON_NS);
    if (!is_first(habit) || !is_own)
        return;
    habit->went_on++;
    age(habit);
}

void habits_note_served(struct habit *habit, int64_t came_ns)
{
    const int64_t still_ns = came_ns - habit->answered_ns;
    /* What the process would have done, had it not come before its answer, can't be told. */
    if (!is_first(habit) || habit->answered_ns == 0 || still_ns <= 0)
        return;
    const int64_t points = 1 + still_ns / POINT_NS;
    habit->still_points += points < MAX_POINTS ? (uint32_t)points : MAX_POINTS;
    age(habit);
}

static bool is_trusted(const struct habit *habit)
{
    return habit->still_points >= TRUSTED_AT + TAKEN_BY_ONE * habit->went_on;
}

bool habits_is_told(const struct habit *habit, int64_t came_ns)
{
    return habit != NULL && is_at_cast(habit, came_ns) && !is_trusted(habit);
}

bool habits_may_go_on(const struct habit *habit, int64_t came_ns)
{
    return habit != NULL && habit->answered_ns != 0 &&
           came_ns - habit->answered_ns < MAY_GO_ON_NS && !is_trusted(habit);
}
