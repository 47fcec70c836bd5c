/*
 * call_parent.c - see call_parent.h.
 */
#include "analyse/calls/call_parent.h"

#include "analyse/calls/calls_by_caller.h"

#include <stdlib.h>

static struct open_call *first_served(const struct calls *calls, const struct process *process)
{
    return table_get(&calls->table, process->serving);
}

static struct open_call *next_served(const struct calls *calls, const struct open_call *call)
{
    return table_get(&calls->table, call->of_callee.next);
}

/* note_unresolved counts a call among those on a node whose serving process is not known. */
static void note_unresolved(struct calls *calls, struct open_call *call, uint32_t name)
{
    struct node *node = calls_want_parents(calls) && call->unresolved == 0 && name != 0
                            ? nodes_add(&calls->processes.nodes, name)
                            : NULL;
    if (node == NULL)
        return;
    node->num_unresolved++;
    calls->num_unresolved++;
    call->unresolved = name;
}

static void note_resolved(struct calls *calls, struct open_call *call)
{
    struct node *node =
        call->unresolved != 0 ? nodes_find(&calls->processes.nodes, call->unresolved) : NULL;
    if (node == NULL)
        return;
    node->num_unresolved--;
    calls->num_unresolved--;
    call->unresolved = 0;
    nodes_release(&calls->processes.nodes, node);
}

static bool has_unresolved(const struct calls *calls, uint32_t name)
{
    const struct node *node =
        calls->num_unresolved != 0 ? nodes_find(&calls->processes.nodes, name) : NULL;
    return node != NULL && node->num_unresolved != 0;
}

bool call_parent_may_follow(const struct calls *calls, const struct open_call *call)
{
    return call->may_have_parent && (call->parent == 0 || call->parent_inferred) &&
           !call->parent_ambiguous &&
           has_unresolved(calls, call->caller.node);
}

/* find_parent_of finds the open call for which a call was made. NULL if it has ended. */
static struct open_call *find_parent_of(const struct calls *calls, const struct pid_key *caller,
                                        uint64_t number)
{
    enum { LOOKED_AT = 16 };
    const struct process *process = processes_find(&calls->processes, caller);
    struct open_call *c = process != NULL ? first_served(calls, process) : NULL;
    for (int i = 0; i < LOOKED_AT && c != NULL && c->number != number; i++)
        c = next_served(calls, c);
    return c != NULL && c->number == number ? c : NULL;
}

void call_parent_on_work(struct calls *calls, const struct open_call *call, int64_t end_ns)
{
    struct open_call *parent = calls_want_parents(calls) && call->parent != 0
                                   ? find_parent_of(calls, &call->caller, call->parent)
                                   : NULL;
    if (parent != NULL)
        parent->work_ns = end_ns;
    if (calls_want_parents(calls) && call->parent == 0 && call->caller.node != 0 &&
        !process_activity_on_work(&calls->activities, &call->caller, call->number, call->start_ns,
                                  end_ns))
        calls->no_memory++;
}

/* process_of returns the process that a message goes to, looked up by name if necessary. */
static struct pid_key process_of(const struct calls *calls, const struct pid_key *to)
{
    struct pid_key pid = *to;
    if (to->serial == PID_KEY_NAMED)
        processes_whereis(&calls->processes, to->node, to->id, 0, &pid);
    return pid;
}

void call_parent_on_cast(struct calls *calls, const struct pid_key *to, int64_t now_ns)
{
    if (!calls_want_parents(calls))
        return;
    const struct pid_key pid = process_of(calls, to);
    if (!process_activity_on_cast(&calls->activities, &pid, now_ns))
        calls->no_memory++;
}

void call_parent_on_message(struct calls *calls, const struct pid_key *to, int64_t now_ns)
{
    if (!calls_want_parents(calls))
        return;
    const struct pid_key pid = process_of(calls, to);
    struct process *process = processes_find(&calls->processes, &pid);
    if (process != NULL && process->num_serving != 0)
        process->told_ns = now_ns;
}

/* was_at_work says whether a process was waiting for the answer to a call, made for no known call,
 * when this call arrived. */
static bool was_at_work(const struct calls *calls, const struct pid_key *pid,
                        const struct process_activity *activity, const struct open_call *call)
{
    if (activity != NULL && activity->work_call != 0 && activity->work_call < call->number &&
        activity->work_end_ns > call->start_ns)
        return true;
    for (const struct open_call *c = calls_by_caller_first(calls, pid); c != NULL;
         c = calls_by_caller_next(calls, c))
        if (!c->given_up && c->parent == 0 && c->number < call->number)
            return true;
    return false;
}

/* unlink_process removes a call from the list of those that its process serves. */
static void unlink_process(struct calls *calls, struct open_call *call)
{
    struct process *process = table_get(&calls->processes.table, call->process);
    note_resolved(calls, call);
    call->process = 0;
    if (process == NULL)
        return;
    table_unlink(&calls->table, offsetof(struct open_call, of_callee), &process->serving, call);
    call->of_callee = (struct table_link){0, 0};
    process->num_serving--;
}

void call_parent_drop(void *context, struct process *process)
{
    struct calls *calls = context;
    while (process->serving != 0)
        unlink_process(calls, first_served(calls, process));
}

/* is_at_work says whether a process that gets a request is waiting, or was a moment ago, for an
 * answer to a call that it made for no call that we know of. */
static bool is_at_work(const struct calls *calls, const struct process *process,
                       const struct open_call *call)
{
    if (process->num_serving > 1) /* including this one: then the parent is ambiguous anyway */
        return false;
    const struct process_activity *activity = process_activity_find(&calls->activities,
                                                                    &process->key);
    return was_at_work(calls, &process->key, activity, call) ||
           process_activity_may_serve_cast(activity, call->start_ns) ||
           (activity != NULL && activity->work_call != 0 &&
            activity->work_end_ns <= call->start_ns &&
            call->start_ns - activity->work_end_ns < MAY_GO_ON_NS);
}

void call_parent_link(struct calls *calls, struct open_call *call)
{
    if (call->callee.serial == PID_KEY_NAMED)
        note_unresolved(calls, call, call->callee.node);
    else if (call->callee.node == 0 && call->answer_is_exit)
        note_unresolved(calls, call, call->answer_node);
    if (call->callee.node == 0)
        return;
    struct process *process = processes_add(&calls->processes, &call->callee);
    if (process == NULL) {
        calls->no_memory++;
        return;
    }
    table_link(&calls->table, offsetof(struct open_call, of_callee), &process->serving, call);
    process->num_serving++;
    call->process = process->entry.number;
    if (calls_want_parents(calls) && !call->answer_is_exit && is_at_work(calls, process, call))
        call->is_behind = true;
}

void call_parent_unlink(struct calls *calls, struct open_call *call)
{
    struct process *process = table_get(&calls->processes.table, call->process);
    unlink_process(calls, call);
    if (process != NULL)
        processes_release(&calls->processes, process);
}

static void add_child(struct calls *calls, struct open_call *parent, uint64_t number)
{
    if (parent->num_children == MAX_CHILDREN || parent->given_up)
        return;
    if ((parent->num_children & (parent->num_children - 1)) == 0) {
        const size_t room = parent->num_children != 0 ? (size_t)parent->num_children * 2 : 1;
        uint64_t *children = realloc(parent->children, room * sizeof *children);
        if (children == NULL) {
            calls->no_memory++;
            return;
        }
        parent->children = children;
    }
    parent->children[parent->num_children++] = number;
}

static void remove_child(struct open_call *parent, uint64_t number)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < parent->num_children; i++)
        if (parent->children[i] != number)
            parent->children[left++] = parent->children[i];
    parent->num_children = left;
}

/* family is what a call records about its parent. The call may be open or pending. */
struct family {
    uint64_t number;
    int64_t start_ns, end_ns; /* end_ns 0: still open */
    uint64_t *parent;
    bool *ambiguous, *inferred;
};

static struct family family_of(struct open_call *call)
{
    return (struct family){call->number,  call->start_ns,          0,
                           &call->parent, &call->parent_ambiguous, &call->parent_inferred};
}

static struct family family_of_held(const struct pending_call *held)
{
    struct call *call = held->copy->call;
    return (struct family){call->number,  call->start_ns,          call->end_ns,
                           &call->parent, &call->parent_ambiguous, &call->parent_inferred};
}

/* may_go_on says whether a process may still have been busy with something else when a call
 * arrived. A process that was spawned for the call is busy with nothing else. */
static bool may_go_on(const struct process_activity *activity, const struct open_call *call)
{
    return !call->answer_is_exit && process_activity_may_go_on(activity, call->start_ns);
}

/* is_asking says whether a call that a process made for its parent call is still open. */
static bool is_asking(const struct calls *calls, const struct pid_key *pid,
                      const struct open_call *parent, uint64_t before)
{
    for (const struct open_call *c = calls_by_caller_first(calls, pid); c != NULL;
         c = calls_by_caller_next(calls, c))
        if (!c->given_up && c->number < before && c->parent == parent->number)
            return true;
    return false;
}

/* may_be_aside says whether a process that makes a call may have put the parent call aside before:
 * it got another message, or did nothing for so long that an unseen process may have asked it. */
static bool may_be_aside(const struct calls *calls, const struct pid_key *pid,
                         const struct process_activity *activity, const struct open_call *parent,
                         const struct family *child)
{
    const struct process *process = table_get(&calls->processes.table, parent->process);
    int64_t since_ns = parent->start_ns > parent->work_ns ? parent->start_ns : parent->work_ns;
    if (parent->answer_is_exit)
        return false;
    if ((process != NULL && process->told_ns > parent->start_ns) ||
        (activity != NULL && activity->told_ns > parent->start_ns))
        return true;
    if (activity != NULL && activity->answered_ns > since_ns)
        since_ns = activity->answered_ns;
    return child->start_ns - since_ns >= IDLE_NS && !is_asking(calls, pid, parent, child->number);
}

static void set_parent(struct calls *calls, const struct pid_key *pid, const struct family *child,
                       struct open_call *parent)
{
    const struct process_activity *activity = process_activity_find(&calls->activities, pid);
    if (parent == NULL || parent->is_behind || may_be_aside(calls, pid, activity, parent, child)) {
        *child->ambiguous = true;
        return;
    }
    parent->work_ns = child->start_ns > parent->work_ns ? child->start_ns : parent->work_ns;
    if (child->end_ns > parent->work_ns)
        parent->work_ns = child->end_ns;
    *child->parent = parent->number;
    *child->inferred = !parent->answer_is_exit;
    add_child(calls, parent, child->number);
}

/* disown removes the parent of a call again. */
static void disown(struct open_call *parent, const struct family *child)
{
    if (*child->parent != parent->number)
        return;
    *child->parent = 0;
    *child->inferred = false;
    *child->ambiguous = true;
    remove_child(parent, child->number);
}

/* is_alone says whether a process that serves no known call certainly serves none. */
static bool is_alone(const struct calls *calls, const struct process *process,
                     const struct pid_key *pid)
{
    struct pid_key owner;
    return !has_unresolved(calls, pid->node) ||
           (process != NULL && process->name != 0 &&
            processes_whereis(&calls->processes, pid->node, process->name, 0, &owner) &&
            pid_key_equal(&owner, pid));
}

void call_parent_find(struct calls *calls, struct open_call *call)
{
    const struct process *caller = processes_find(&calls->processes, &call->caller);
    const uint32_t num_serving = caller != NULL ? caller->num_serving : 0;
    struct process_activity *activity = process_activity_find(&calls->activities, &call->caller);
    const struct family family = family_of(call);
    if (num_serving > 1) {
        call->parent_ambiguous = true;
    } else if (num_serving == 1) {
        struct open_call *parent = first_served(calls, caller);
        if (activity != NULL && !parent->is_behind)
            process_activity_on_served(activity, parent->start_ns);
        set_parent(calls, &call->caller, &family, may_go_on(activity, parent) ? NULL : parent);
        call->may_have_parent = call->parent_inferred && !is_alone(calls, caller, &call->caller);
    } else if (call->caller.node != 0) {
        call->may_have_parent = has_unresolved(calls, call->caller.node);
        if (activity != NULL && is_alone(calls, caller, &call->caller))
            process_activity_on_alone(activity, call->start_ns);
    }
}

/* find_served finds the call that a process was serving when it made call number. Candidates are
 * the calls that wait for named; with named NULL, only call. *several: there is more than one. */
static struct open_call *find_served(const struct calls *calls, const struct process *named,
                                     struct open_call *call, uint64_t number, bool *several)
{
    struct open_call *found = NULL;
    *several = false;
    if (named == NULL)
        return call->number < number ? call : NULL;
    for (struct open_call *c = first_served(calls, named); c != NULL; c = next_served(calls, c)) {
        if (c->number >= number)
            continue;
        *several = found != NULL;
        found = c;
        if (*several)
            break;
    }
    return found;
}

/* adopt_one sets the parent of a call that the process made. True when the parent is settled. */
static bool adopt_one(struct calls *calls, const struct pid_key *pid, const struct process *named,
                      struct open_call *call, const struct family *child)
{
    bool several;
    if (*child->ambiguous)
        return false;
    struct open_call *parent = find_served(calls, named, call, child->number, &several);
    if (parent == NULL)
        return false;
    if (*child->parent == 0) {
        set_parent(calls, pid, child, several ? NULL : parent);
        return true;
    }
    /* The process served two calls: one sent to its pid, and this one, sent to its name. */
    struct open_call *other = find_parent_of(calls, pid, *child->parent);
    if (other == NULL || other == parent || !*child->inferred)
        return false;
    disown(other, child);
    return true;
}

/* adopt sets the parent of the calls that a process has made so far, now that it is known to serve
 * call and everything else sent to named (NULL: nothing else). */
static void adopt(struct calls *calls, const struct pid_key *pid, const struct process *named,
                  struct open_call *call)
{
    struct process_activity *activity = process_activity_find(&calls->activities, pid);
    struct pending_call *next;
    call->is_behind |= !call->answer_is_exit && was_at_work(calls, pid, activity, call);
    if (activity != NULL && !call->is_behind && activity->work_call > call->number)
        process_activity_on_served(activity, call->start_ns);
    call->is_behind |= may_go_on(activity, call);
    for (struct open_call *c = calls_by_caller_first(calls, pid); c != NULL;
         c = calls_by_caller_next(calls, c)) {
        const struct family child = family_of(c);
        if (!c->given_up)
            adopt_one(calls, pid, named, call, &child);
    }
    for (struct pending_call *h = pending_calls_first(&calls->held, pid); h != NULL; h = next) {
        const struct family child = family_of_held(h);
        next = pending_calls_next(&calls->held, h);
        if ((h->waits & HELD_FOR_PARENT) != 0 && adopt_one(calls, pid, named, call, &child))
            pending_calls_settle(&calls->held, h, HELD_FOR_PARENT);
    }
}

/* disown_all removes a call as the parent of those made by a process that turned out not to serve
 * it. */
static void disown_all(struct calls *calls, struct open_call *call)
{
    for (struct open_call *c = calls_by_caller_first(calls, &call->callee); c != NULL;
         c = calls_by_caller_next(calls, c)) {
        const struct family child = family_of(c);
        disown(call, &child);
    }
    for (struct pending_call *h = pending_calls_first(&calls->held, &call->callee); h != NULL;
         h = pending_calls_next(&calls->held, h)) {
        const struct family child = family_of_held(h);
        disown(call, &child);
    }
}

static void move(struct calls *calls, struct open_call *call, const struct pid_key *pid)
{
    call_parent_unlink(calls, call);
    call->callee = *pid;
    call_parent_link(calls, call);
}

void call_parent_set_callee(struct calls *calls, struct open_call *call, const struct pid_key *pid,
                      bool learn)
{
    const bool was_pid = call->callee.node != 0 && call->callee.serial != PID_KEY_NAMED;
    struct pid_key owner = {0};
    if (learn && call->callee_name != 0 && call->callee.node == pid->node) {
        processes_learn(&calls->processes, call->callee_name, pid);
        processes_whereis(&calls->processes, pid->node, call->callee_name, pid->creation, &owner);
    }
    if (pid_key_equal(&call->callee, pid))
        return;
    if (was_pid)
        disown_all(calls, call);
    struct process *named =
        !was_pid && pid_key_equal(&owner, pid) ? table_get(&calls->processes.table, call->process)
                                               : NULL;
    if (calls_want_parents(calls))
        adopt(calls, pid, named, call);
    if (named == NULL) {
        move(calls, call, pid);
        return;
    }
    /* The other calls sent to the name wait for the same process. */
    const uint32_t number = named->entry.number;
    struct open_call *next;
    for (struct open_call *c = first_served(calls, named); c != NULL; c = next) {
        next = next_served(calls, c);
        if (c->process == number)
            move(calls, c, pid);
    }
}

void call_parent_resolve(struct calls *calls, struct open_call *call, uint32_t creation)
{
    call->callee_name = 0;
    if (call->callee.serial != PID_KEY_NAMED || call->callee.node == 0)
        return;
    call->callee_name = call->callee.id;
    processes_whereis(&calls->processes, call->callee.node, call->callee_name, creation,
                      &call->callee);
}

void call_parent_forward(struct calls *calls, struct open_call *call, const struct pid_key *to,
                   uint32_t node)
{
    call_parent_unlink(calls, call);
    call->answer_node = node;
    call->is_forwarded = true;
    call->is_behind = false;
    call->callee = *to;
    call_parent_resolve(calls, call, 0);
    call_parent_link(calls, call);
}

void call_parent_answered(struct calls *calls, struct open_call *call, int64_t now_ns)
{
    const struct process *process = table_get(&calls->processes.table, call->process);
    struct open_call *next;
    if (process == NULL || call->answer_is_exit)
        return;
    for (struct open_call *c = first_served(calls, process); c != NULL; c = next) {
        next = next_served(calls, c);
        if (c->number >= call->number)
            continue;
        if (c->given_up)
            unlink_process(calls, c);
        else if (!c->answer_is_exit)
            c->is_behind = true; /* messages are processed in order: the call was put aside */
    }
    if (!calls_want_parents(calls) || call->callee.serial == PID_KEY_NAMED)
        return;
    struct process_activity *activity = process_activity_on_answer(&calls->activities,
                                                                   &call->callee, now_ns);
    if (activity == NULL)
        calls->no_memory++;
    for (struct open_call *c = calls_by_caller_first(calls, &call->callee); c != NULL;
         c = calls_by_caller_next(calls, c)) {
        const struct family child = family_of(c);
        if (now_ns - c->start_ns >= CROSSING_NS || c->parent != call->number)
            continue;
        disown(call, &child);
        if (activity != NULL)
            process_activity_on_alone(activity, now_ns);
    }
}

void call_parent_ended(struct calls *calls, const struct pid_key *pid)
{
    struct process *process = processes_find(&calls->processes, pid);
    struct open_call *next;
    if (process == NULL)
        return;
    for (struct open_call *c = first_served(calls, process); c != NULL; c = next) {
        next = next_served(calls, c);
        if (c->given_up)
            unlink_process(calls, c);
    }
}
