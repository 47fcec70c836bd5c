/*
 * serving.c - see serving.h.
 */
#include "serving.h"

#include <stdlib.h>

static struct open_call *first_served(const struct calls *calls, const struct process *process)
{
    return table_get(&calls->table, process->serving);
}

static struct open_call *next_served(const struct calls *calls, const struct open_call *call)
{
    return table_get(&calls->table, call->of_callee.next);
}

/* count_unresolved counts open calls to names of processes that are not known. */
static void count_unresolved(struct calls *calls, const struct open_call *call, int more)
{
    if (call->callee.serial != PID_KEY_NAMED)
        return;
    struct nodes *nodes = &calls->processes.nodes;
    struct node *node = more > 0 ? nodes_add(nodes, call->callee.node)
                                 : nodes_find(nodes, call->callee.node);
    if (node == NULL || (more < 0 && node->num_unresolved == 0))
        return; /* there was no room for it */
    node->num_unresolved += (uint32_t)more;
    calls->num_unresolved += (uint64_t)more;
    nodes_release(nodes, node);
}

static bool has_unresolved(const struct calls *calls, uint32_t name)
{
    const struct node *node =
        calls->num_unresolved != 0 ? nodes_find(&calls->processes.nodes, name) : NULL;
    return node != NULL && node->num_unresolved != 0;
}

bool serving_may_follow(const struct calls *calls, const struct open_call *call)
{
    return call->may_have_parent && call->parent == 0 && !call->parent_ambiguous &&
           has_unresolved(calls, call->caller.node);
}

void serving_drop(void *context, struct process *process)
{
    struct calls *calls = context;
    struct open_call *next;
    for (struct open_call *c = first_served(calls, process); c != NULL; c = next) {
        next = next_served(calls, c);
        count_unresolved(calls, c, -1);
        c->process = 0;
        c->of_callee = (struct table_link){0, 0};
    }
}

void serving_link(struct calls *calls, struct open_call *call)
{
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
    count_unresolved(calls, call, 1);
}

void serving_unlink(struct calls *calls, struct open_call *call)
{
    struct process *process = table_get(&calls->processes.table, call->process);
    if (process == NULL)
        return;
    table_unlink(&calls->table, offsetof(struct open_call, of_callee), &process->serving, call);
    process->num_serving--;
    count_unresolved(calls, call, -1);
    call->process = 0;
    processes_release(&calls->processes, process);
}

static void add_child(struct calls *calls, struct open_call *parent, uint64_t number)
{
    if (parent->num_children == MAX_CHILDREN)
        return;
    if ((parent->num_children & (parent->num_children - 1)) == 0) {
        size_t cap = parent->num_children == 0 ? 1 : (size_t)parent->num_children * 2;
        uint64_t *children = realloc(parent->children, cap * sizeof *children);
        if (children == NULL) {
            calls->no_memory++;
            return;
        }
        parent->children = children;
    }
    parent->children[parent->num_children++] = number;
}

void serving_find_parent(struct calls *calls, struct open_call *call)
{
    struct process *caller = processes_find(&calls->processes, &call->caller);
    if (caller != NULL && caller->num_serving == 1) {
        struct open_call *parent = first_served(calls, caller);
        call->parent = parent->number;
        add_child(calls, parent, call->number);
        return;
    }
    if (caller != NULL && caller->num_serving > 1) {
        call->parent_ambiguous = true;
        return;
    }
    if (call->caller.node == 0 || !has_unresolved(calls, call->caller.node))
        return;
    if (caller == NULL)
        caller = processes_add(&calls->processes, &call->caller);
    if (caller == NULL)
        return;
    if (caller->made == NULL)
        caller->made = malloc(MAX_MADE * sizeof *caller->made);
    if (caller->made == NULL) {
        calls->no_memory++;
        processes_release(&calls->processes, caller);
        return;
    }
    if (caller->num_made == MAX_MADE) {
        memmove(&caller->made[0], &caller->made[1], (MAX_MADE - 1) * sizeof *caller->made);
        caller->num_made--;
    }
    caller->made[caller->num_made++] =
        (struct made_call){call->number, call->start_ns, call->entry.number};
    call->may_have_parent = true;
}

/* adopt gives the calls that process made so far their parent, now that it is known to
 * have been serving those of the list beginning with first (and call, which is in it). */
static void adopt(struct calls *calls, struct process *process, const struct process *named,
                  struct open_call *call)
{
    for (uint32_t i = 0; i < process->num_made; i++) {
        const struct made_call *made = &process->made[i];
        struct open_call *child = table_get(&calls->table, made->call);
        struct open_call *parent = NULL;
        unsigned num = 0;
        if (named == NULL) {
            num = call->number < made->number;
            parent = call;
        } else {
            for (struct open_call *c = first_served(calls, named); c != NULL;
                 c = next_served(calls, c)) {
                if (c->number < made->number) {
                    num++;
                    parent = c;
                }
            }
        }
        if (num == 0)
            continue;
        if (num == 1)
            add_child(calls, parent, made->number);
        if (child == NULL || child->number != made->number) {
            held_calls_give(&calls->held, made->number, num == 1 ? parent->number : 0, num > 1);
            continue;
        }
        if (child->parent != 0)
            continue;
        if (num == 1)
            child->parent = parent->number;
        else
            child->parent_ambiguous = true;
    }
    process->num_made = 0;
}

void calls_set_callee(struct calls *calls, struct open_call *call, const struct pid_key *pid,
                      bool learn)
{
    if (learn && call->callee_name != 0 && call->callee.node == pid->node)
        processes_learn(&calls->processes, call->callee_name, pid);
    if (pid_key_equal(&call->callee, pid))
        return;
    const bool was_named = call->callee.serial == PID_KEY_NAMED && call->callee.node == pid->node;
    struct process *process = processes_find(&calls->processes, pid);
    struct process *named = table_get(&calls->processes.table, call->process);
    if (process != NULL && was_named && named != NULL)
        adopt(calls, process, learn ? named : NULL, call);
    if (was_named && learn && named != NULL) {
        /* The others that were sent to the name wait for the same process. */
        struct open_call *next;
        const uint32_t number = named->entry.number;
        for (struct open_call *c = first_served(calls, named); c != NULL; c = next) {
            next = next_served(calls, c);
            if (c->process != number)
                continue;
            serving_unlink(calls, c);
            c->callee = *pid;
            serving_link(calls, c);
        }
        return;
    }
    serving_unlink(calls, call);
    call->callee = *pid;
    serving_link(calls, call);
}
