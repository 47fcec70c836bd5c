/*
 * monitors.c - open monitors and links, see monitors.h.
 */
#include "analyse/calls/monitors.h"

struct conn_monitors {
    struct table_entry entry;
    uint64_t number;
    uint32_t monitors; /* head of a list */
};
TABLE_KEYED(struct conn_monitors, number);

void monitors_init(struct monitors *monitors, uint64_t max)
{
    *monitors = (struct monitors){0};
    table_init(&monitors->table, sizeof(struct monitor), max);
    table_init(&monitors->conns, sizeof(struct conn_monitors), max);
}

void monitors_free(struct monitors *monitors)
{
    table_free(&monitors->table);
    table_free(&monitors->conns);
}

void monitors_key_link(const struct pid_key *a, const struct pid_key *b, struct ref_key *out)
{
    if (memcmp(a, b, sizeof *a) > 0) {
        const struct pid_key *c = a;
        a = b;
        b = c;
    }
    *out = (struct ref_key){
        .node = a->node,
        .creation = a->creation,
        .word = {a->id, a->serial, b->node, b->creation, b->id},
        .more = b->serial << 3 | 6, /* no reference has six words */
    };
}

struct monitor *monitors_find(const struct monitors *monitors, const struct ref_key *key)
{
    struct monitor *m = monitors->table.num != 0
                            ? table_first(&monitors->table, hash_key(key, sizeof *key))
                            : NULL;
    while (m != NULL && !ref_key_equal(&m->key, key))
        m = table_next(&monitors->table, m);
    return m;
}

struct monitor *monitors_open(struct monitors *monitors, const struct ref_key *key, bool is_link,
                              const struct ds_event *event)
{
    if (monitors_find(monitors, key) != NULL)
        return NULL;
    if (table_is_full(&monitors->table)) {
        monitors->num_dropped++;
        monitors_end(monitors, table_oldest(&monitors->table),
                     &(struct monitor_cause){.outcome = MONITOR_UNKNOWN, .end_ns = event->ts_ns});
    }
    struct monitor *m = table_add(&monitors->table, hash_key(key, sizeof *key));
    struct conn_monitors *conn = table_find(&monitors->conns, event->conn->number);
    if (conn == NULL && m != NULL)
        conn = table_put(&monitors->conns, event->conn->number);
    if (m == NULL || conn == NULL) {
        monitors->no_memory++;
        if (m != NULL)
            table_remove(&monitors->table, m);
        return NULL;
    }
    monitors->num_started++;
    m->key = *key;
    m->is_link = is_link;
    m->began_before = event->past;
    m->is_part = !event_is_read_whole(event);
    m->conn = event->conn->number;
    m->start_ns = event->ts_ns;
    m->start_frame = event->frame;
    m->has_start_seq = event->has_seq;
    m->start_seq = event->end_seq;
    table_link(&monitors->table, offsetof(struct monitor, of_conn), &conn->monitors, m);
    return m;
}

void monitors_end(struct monitors *monitors, struct monitor *monitor, const struct monitor_cause *why)
{
    monitors->on_end(monitors->context, monitor, why);
    struct conn_monitors *conn = table_find(&monitors->conns, monitor->conn);
    if (conn != NULL) {
        table_unlink(&monitors->table, offsetof(struct monitor, of_conn), &conn->monitors,
                     monitor);
        if (conn->monitors == 0)
            table_remove(&monitors->conns, conn);
    }
    table_remove(&monitors->table, monitor);
}

void monitors_end_conn(struct monitors *monitors, uint64_t number, const struct monitor_cause *why)
{
    struct conn_monitors *conn;
    while ((conn = table_find(&monitors->conns, number)) != NULL)
        monitors_end(monitors, table_get(&monitors->table, conn->monitors), why);
}

void monitors_end_all(struct monitors *monitors, const struct monitor_cause *why)
{
    struct monitor *m;
    while ((m = table_oldest(&monitors->table)) != NULL)
        monitors_end(monitors, m, why);
}
