/*
 * processes.c - names and work of processes, see processes.h.
 */
#include "analyse/calls/processes.h"

#include "analyse/calls/processes.h"

#include <stdlib.h>

enum { MAX_ANSWERED = 8, UNSHARED_AFTER = 32, PROOF = 2 };

/* binding is a registered name on a node, and who answers for it. The first pid that answers is
 * assumed to have it. When another one answers, either may have it: the name may have moved, or a
 * worker answers in place of its server. A pid that answers again, in turn or as the only one that
 * comes back, has it. If several come back, none has it: it is a pool, and stays one until a single
 * pid answers for long. */
struct binding {
    struct table_entry entry;
    uint32_t node, name;
    struct pid_key pid; /* who has it, or had it last */
    bool is_known;      /* pid has it, and is the last one that answered */
    struct pid_key answered[MAX_ANSWERED]; /* who answered, the last one first */
    uint32_t in_turn;  /* consecutive answers of the last one */
    struct pid_key came_back; /* the first that answered again after another one */
    bool is_shared;    /* one has come back: who serves other calls is unknown */
    bool is_pool;      /* several have come back */
};

static uint32_t hash_name(uint32_t node, uint32_t name)
{
    const uint32_t key[2] = {node, name};
    return hash_key(key, sizeof key);
}

static struct binding *find_binding(const struct processes *p, uint32_t node, uint32_t name)
{
    struct binding *b = table_first(&p->bindings, hash_name(node, name));
    while (b != NULL && (b->node != node || b->name != name))
        b = table_next(&p->bindings, b);
    return b;
}

void processes_init(struct processes *p, struct intern *intern, uint64_t max,
                    void (*on_drop)(void *context, struct process *process), void *context)
{
    *p = (struct processes){.intern = intern, .on_drop = on_drop, .context = context};
    table_init(&p->table, sizeof(struct process), max);
    table_init(&p->bindings, sizeof(struct binding), max);
    table_init(&p->titles, sizeof(struct title), max);
    nodes_init(&p->nodes, max);
}

void processes_free(struct processes *p)
{
    table_free(&p->table);
    table_free(&p->bindings);
    for (struct title *t = table_oldest(&p->titles); t != NULL; t = table_newer(&p->titles, t))
        free(t->text);
    table_free(&p->titles);
    nodes_free(&p->nodes);
}

struct process *processes_find(const struct processes *p, const struct pid_key *key)
{
    struct process *e = table_first(&p->table, hash_key(key, sizeof *key));
    while (e != NULL && !pid_key_equal(&e->key, key))
        e = table_next(&p->table, e);
    return e;
}

void processes_remember(struct processes *p, struct process *process)
{
    if (process->node != 0)
        return;
    struct node *node = nodes_add(&p->nodes, process->key.node);
    if (node == NULL) {
        p->no_memory++;
        return;
    }
    process->node = node->entry.number;
    table_link(&p->table, offsetof(struct process, of_node), &node->known, process);
}

static void unlink_node(struct processes *p, struct process *process)
{
    struct node *node = table_get(&p->nodes.table, process->node);
    if (node == NULL)
        return;
    process->node = 0;
    table_unlink(&p->table, offsetof(struct process, of_node), &node->known, process);
    nodes_release(&p->nodes, node);
}

static void remove_process(struct processes *p, struct process *process)
{
    unlink_node(p, process);
    table_remove(&p->table, process);
}

/* disown removes a name from a process: it neither has it nor answers for it any more. */
static void disown(struct processes *p, const struct pid_key *pid, uint32_t name)
{
    struct process *process = pid->node != 0 ? processes_find(p, pid) : NULL;
    if (process == NULL || process->name == 0 || process->name != name)
        return;
    process->name = 0;
    process->is_for = false;
    processes_release(p, process);
}

/* forget_answers forgets who answered for a name, except for the last keep ones. */
static void forget_answers(struct processes *p, struct binding *b, unsigned keep)
{
    for (unsigned i = keep; i < MAX_ANSWERED; i++) {
        disown(p, &b->answered[i], b->name);
        b->answered[i] = (struct pid_key){0};
    }
    b->came_back = (struct pid_key){0};
    b->is_shared = b->is_pool = false;
}

static void remove_binding(struct processes *p, struct binding *b)
{
    forget_answers(p, b, 0);
    table_remove(&p->bindings, b);
}

void processes_remove_title(struct processes *p, struct title *title)
{
    struct process *process = table_get(&p->table, title->process);
    struct process *scope = table_get(&p->table, title->scope);
    table_unlink(&p->titles, offsetof(struct title, of_process), &process->titles, title);
    if (scope != NULL)
        table_unlink(&p->titles, offsetof(struct title, of_scope), &scope->given, title);
    free(title->text);
    table_remove(&p->titles, title);
    processes_release(p, process);
}

void processes_drop_given(struct processes *p, struct process *scope)
{
    while (scope->given != 0)
        processes_remove_title(p, table_get(&p->titles, scope->given));
}

/* drop_titles forgets the titles of a process, and those that it gave to others as a scope. */
static void drop_titles(struct processes *p, struct process *process)
{
    process->being_dropped = true;
    processes_drop_given(p, process);
    while (process->titles != 0)
        processes_remove_title(p, table_get(&p->titles, process->titles));
    process->is_scope = false;
    process->offers = 0;
    process->being_dropped = false;
}

/* forget_known forgets the names and titles of a process. */
static void forget_known(struct processes *p, struct process *process)
{
    struct binding *b = find_binding(p, process->key.node, process->name);
    drop_titles(p, process);
    process->name = 0;
    process->is_for = false;
    if (b != NULL && pid_key_equal(&b->pid, &process->key))
        remove_binding(p, b);
}

static void drop_oldest(struct processes *p)
{
    struct process *oldest = table_oldest(&p->table);
    p->num_dropped++;
    if (p->on_drop != NULL)
        p->on_drop(p->context, oldest);
    forget_known(p, oldest);
    remove_process(p, oldest);
}

struct process *processes_add(struct processes *p, const struct pid_key *key)
{
    struct process *process = processes_find(p, key);
    if (process != NULL)
        return process;
    if (table_is_full(&p->table))
        drop_oldest(p);
    process = table_add(&p->table, hash_key(key, sizeof *key));
    if (process != NULL)
        process->key = *key;
    return process;
}

void processes_release(struct processes *p, struct process *process)
{
    if (process->name != 0 || process->titles != 0 || process->is_scope ||
        process->offers != 0 || process->being_dropped)
        return;
    if (process->num_serving == 0)
        remove_process(p, process);
    else
        unlink_node(p, process);
}

/* set_name records that a process has a name, or answers for it. A process that has its own name
 * keeps it. */
static void set_name(struct processes *p, const struct pid_key *pid, uint32_t name, bool is_for)
{
    struct process *process = processes_find(p, pid);
    if (process == NULL && !table_is_full(&p->table))
        process = processes_add(p, pid);
    if (process == NULL)
        return;
    if (is_for && !process->is_for && process->name != 0 && process->name != name)
        return;
    process->name = name;
    process->is_for = is_for;
    processes_remember(p, process);
}

/* note_turn records an answer. A process that answers again after another one did was not replaced
 * by it. */
static void note_turn(struct processes *p, struct binding *b, const struct pid_key *pid)
{
    enum { OLDEST = MAX_ANSWERED - 1 };
    unsigned i = 0;
    if (pid_key_equal(&b->answered[0], pid)) {
        if (b->in_turn < UNSHARED_AFTER && ++b->in_turn == UNSHARED_AFTER)
            forget_answers(p, b, 1);
        return;
    }
    while (i < OLDEST && !pid_key_equal(&b->answered[i], pid))
        i++;
    if (pid_key_equal(&b->answered[i], pid)) {
        b->is_shared = true;
        if (b->came_back.node == 0)
            b->came_back = *pid;
        b->is_pool |= !pid_key_equal(&b->came_back, pid);
    } else {
        disown(p, &b->answered[OLDEST], b->name);
    }
    memmove(&b->answered[1], &b->answered[0], i * sizeof *pid);
    b->answered[0] = *pid;
    b->in_turn = 1;
}

static struct binding *add_binding(struct processes *p, uint32_t node, uint32_t name)
{
    if (table_is_full(&p->bindings)) {
        remove_binding(p, table_oldest(&p->bindings));
        p->num_dropped++;
    }
    struct binding *b = table_add(&p->bindings, hash_name(node, name));
    if (b != NULL) {
        b->node = node;
        b->name = name;
    }
    return b;
}

/* leave_old_name forgets the old name of a process: it has only one, so it has moved, and any
 * process may have the old name by now. */
static bool leave_old_name(struct processes *p, const struct pid_key *pid, uint32_t name)
{
    const struct process *process = processes_find(p, pid);
    if (process == NULL || process->is_for || process->name == 0 || process->name == name)
        return false;
    struct binding *old = find_binding(p, pid->node, process->name);
    if (old == NULL)
        return false;
    remove_binding(p, old);
    return true;
}

void processes_learn(struct processes *p, uint32_t name, const struct pid_key *pid)
{
    struct binding *b = find_binding(p, pid->node, name);
    const bool has_moved = (b == NULL || !b->is_pool) && leave_old_name(p, pid, name);
    if (b == NULL)
        b = add_binding(p, pid->node, name);
    if (b == NULL)
        return;
    if (has_moved || b->answered[0].creation != pid->creation) {
        forget_answers(p, b, 0);
        b->is_known = false;
    }
    const bool is_first = b->answered[0].node == 0;
    note_turn(p, b, pid);
    const bool is_proven =
        is_first ||
        (!b->is_pool && (b->in_turn >= PROOF || pid_key_equal(&b->came_back, pid)));
    if (b->is_known && is_proven && pid_key_equal(&b->pid, pid))
        return;
    if (b->is_known)
        set_name(p, &b->pid, name, true);
    b->is_known = is_proven;
    if (is_proven)
        b->pid = *pid;
    set_name(p, pid, name, !is_proven);
}

/* forget forgets the names and titles of a process, and the process itself if no calls need it. */
static void forget(struct processes *p, struct process *process)
{
    forget_known(p, process);
    processes_release(p, process);
}

void processes_ended(struct processes *p, const struct pid_key *key)
{
    struct binding *b =
        key->serial == PID_KEY_NAMED ? find_binding(p, key->node, key->id) : NULL;
    const bool is_unsure = b != NULL && !b->is_known;
    struct process *process =
        is_unsure ? NULL : processes_find(p, b != NULL ? &b->pid : key);
    if (process != NULL)
        forget(p, process);
    else if (b != NULL)
        remove_binding(p, b);
}

void processes_conn_up(struct processes *p, uint64_t conn, const uint32_t node[2])
{
    nodes_conn_up(&p->nodes, conn, node);
}

void processes_conn_ended(struct processes *p, uint64_t conn, const uint32_t node[2])
{
    nodes_conn_ended(&p->nodes, conn);
    for (int end = 0; end < 2; end++) {
        const struct node *known = nodes_find(&p->nodes, node[end]);
        while (known != NULL && known->num_conns == 0 && known->known != 0) {
            forget(p, table_get(&p->table, known->known));
            known = nodes_find(&p->nodes, node[end]);
        }
    }
}

bool processes_whereis(const struct processes *p, uint32_t node, uint32_t name,
                       uint32_t creation, struct pid_key *out)
{
    const struct binding *b = find_binding(p, node, name);
    if (b == NULL || !b->is_known || b->is_shared || (creation != 0 && b->pid.creation != creation))
        return false;
    *out = b->pid;
    return true;
}
