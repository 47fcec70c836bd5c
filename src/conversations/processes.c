/*
 * processes.c - names and work of processes, see processes.h.
 */
#include "processes.h"

#include "titles.h"

#include <stdlib.h>

enum { MAX_VOTES = 4, MAX_ANSWERED = 8, UNSHARED_AFTER = 32 };

/* binding is a registered name on a node. Which of several pids has it is decided as votes
 * are counted in one pass: each answer by the same pid adds one, each by another takes one
 * away, at none it goes over. A restarted server so takes its name along, a worker that
 * answers in place of its server now and then does not. */
struct binding {
    struct table_entry entry;
    uint32_t node, name;
    struct pid_key pid;
    uint32_t votes;
    struct pid_key answered[MAX_ANSWERED]; /* who has, the last one first */
    uint32_t in_turn;  /* times that the last one has answered in turn */
    bool is_shared;    /* several answer by turns: a pool */
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
    titles_init(p, max);
    nodes_init(&p->nodes, max);
}

void processes_free(struct processes *p)
{
    table_free(&p->table);
    table_free(&p->bindings);
    titles_free(p);
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

/* forget_known forgets what is known of a process. */
static void forget_known(struct processes *p, struct process *process)
{
    struct binding *b = find_binding(p, process->key.node, process->name);
    titles_drop(p, process);
    process->name = 0;
    if (b != NULL && pid_key_equal(&b->pid, &process->key))
        table_remove(&p->bindings, b);
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

static void set_name(struct processes *p, const struct pid_key *pid, uint32_t name)
{
    struct process *process = processes_find(p, pid);
    if (name != 0 && process == NULL && !table_is_full(&p->table))
        process = processes_add(p, pid);
    if (process == NULL)
        return;
    process->name = name;
    if (name != 0)
        processes_remember(p, process);
    else
        processes_release(p, process);
}

/* note_turn: who answers again after another did has not been replaced by it. */
static void note_turn(struct binding *b, const struct pid_key *pid)
{
    unsigned i = 0;
    if (pid_key_equal(&b->answered[0], pid)) {
        if (b->in_turn < UNSHARED_AFTER && ++b->in_turn == UNSHARED_AFTER)
            b->is_shared = false;
        return;
    }
    while (i < MAX_ANSWERED - 1 && !pid_key_equal(&b->answered[i], pid))
        i++;
    if (pid_key_equal(&b->answered[i], pid))
        b->is_shared = true;
    memmove(&b->answered[1], &b->answered[0], i * sizeof *pid);
    b->answered[0] = *pid;
    b->in_turn = 1;
}

void processes_learn(struct processes *p, uint32_t name, const struct pid_key *pid)
{
    struct binding *b = find_binding(p, pid->node, name);
    if (b == NULL) {
        if (table_is_full(&p->bindings)) {
            struct binding *oldest = table_oldest(&p->bindings);
            set_name(p, &oldest->pid, 0);
            table_remove(&p->bindings, oldest);
            p->num_dropped++;
        }
        b = table_add(&p->bindings, hash_name(pid->node, name));
        if (b == NULL)
            return;
        b->node = pid->node;
        b->name = name;
    }
    note_turn(b, pid);
    if (b->votes != 0 && pid_key_equal(&b->pid, pid)) {
        b->votes += b->votes < MAX_VOTES;
        return;
    }
    if (b->votes > 1 && b->pid.creation == pid->creation) {
        b->votes--;
        return;
    }
    if (b->votes != 0)
        set_name(p, &b->pid, 0);
    b->pid = *pid;
    b->votes = 1;
    set_name(p, pid, name);
}

/* forget forgets what is known of a process, and the process if no calls need it. */
static void forget(struct processes *p, struct process *process)
{
    forget_known(p, process);
    processes_release(p, process);
}

void processes_ended(struct processes *p, const struct pid_key *key)
{
    struct binding *b =
        key->serial == PID_KEY_NAMED ? find_binding(p, key->node, key->id) : NULL;
    struct process *process = processes_find(p, b != NULL ? &b->pid : key);
    if (process != NULL)
        forget(p, process);
    else if (b != NULL)
        table_remove(&p->bindings, b);
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
    if (b == NULL || b->is_shared || (creation != 0 && b->pid.creation != creation))
        return false;
    *out = b->pid;
    return true;
}

uint32_t processes_name(const struct processes *p, const struct pid_key *key)
{
    const struct process *process = processes_find(p, key);
    return process != NULL ? process->name : 0;
}
