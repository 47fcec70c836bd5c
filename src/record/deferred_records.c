/*
 * deferred_records.c - see deferred_records.h.
 */
#include "record/deferred_records.h"

#include "record/record_copy.h"

#include <stdlib.h>
#include <string.h>

struct held_record {
    struct held_record *next;
    struct record_block block; /* contains this record alone */
};

struct held_conn {
    struct table_entry entry;
    uint64_t number;
    struct held_record *first, *last;
};
TABLE_KEYED(struct held_conn, number);

struct shown_conn {
    struct table_entry entry;
    uint64_t number;
};
TABLE_KEYED(struct shown_conn, number);

void deferred_records_init(struct deferred_records *held, uint64_t max_conns, uint64_t max_bytes)
{
    *held = (struct deferred_records){.max_bytes = max_bytes};
    table_init(&held->held, sizeof(struct held_conn), max_conns);
    table_init(&held->shown, sizeof(struct shown_conn), max_conns);
}

static void drop(struct deferred_records *held, struct held_conn *conn)
{
    struct held_record *next;
    for (struct held_record *record = conn->first; record != NULL; record = next) {
        next = record->next;
        held->bytes -= record->block.cap;
        record_block_free(&record->block);
        free(record);
    }
    table_remove(&held->held, conn);
}

void deferred_records_free(struct deferred_records *held)
{
    while (table_oldest(&held->held) != NULL)
        drop(held, table_oldest(&held->held));
    table_free(&held->held);
    table_free(&held->shown);
}

bool deferred_records_is_shown(const struct deferred_records *held, uint64_t conn)
{
    return table_find(&held->shown, conn) != NULL;
}

static void record_shown(struct deferred_records *held, uint64_t number)
{
    held->no_memory += table_find_or_put(&held->shown, number) == NULL;
}

/* record_exchange remembers the port that an exchange with EPMD is about. A node that registers is
 * on EPMD's host. */
static void record_exchange(struct deferred_records *held, const struct ds_event *event)
{
    const struct ds_epmd *epmd = &event->epmd;
    const bool is_answer = epmd->op == DS_EPMD_PORT2_RESP;
    if (event->type != DS_EVENT_EPMD || epmd->port == 0 ||
        (!is_answer && epmd->op != DS_EPMD_ALIVE2_REQ))
        return;
    held->told[held->num_told++ % DEFERRED_RECORDS_TOLD] = (struct deferred_records_told){
        .conn = event->conn->number,
        .port = epmd->port,
        .is_near = !is_answer,
        .addr = event->conn->end[event->dir].addr,
    };
}

/* make_room evicts the oldest connections until that many bytes fit. */
static bool make_room(struct deferred_records *held, uint64_t bytes)
{
    while (table_oldest(&held->held) != NULL &&
           (held->bytes + bytes > held->max_bytes || table_is_full(&held->held))) {
        drop(held, table_oldest(&held->held));
        held->num_dropped++;
    }
    return held->bytes + bytes <= held->max_bytes && !table_is_full(&held->held);
}

/* copy makes a copy in as little memory as possible; NULL when memory ran out. */
static struct held_record *copy(const struct record *record)
{
    struct held_record *held = calloc(1, sizeof *held);
    struct record_block measure = {0};
    bool ok = held != NULL && record_block_add(&measure, record) == COPY_OK;
    if (ok) {
        held->block.cap = measure.len;
        held->block.data = malloc(measure.len);
        ok = held->block.data != NULL && record_block_add(&held->block, record) == COPY_OK;
    }
    record_block_free(&measure);
    if (ok)
        return held;
    if (held != NULL)
        record_block_free(&held->block);
    free(held);
    return NULL;
}

bool deferred_records_add(struct deferred_records *held, const struct record *record)
{
    const struct ds_event *event = record->event;
    const uint64_t number = event->conn->number;
    record_exchange(held, event);
    struct shown_conn *shown = table_find(&held->shown, number);
    if (shown != NULL) {
        if (event->type == DS_EVENT_CONN && event->change.final)
            table_remove(&held->shown, shown);
        return false;
    }
    struct held_record *one = copy(record);
    if (one == NULL) {
        held->no_memory++;
        return false;
    }
    const bool fits = make_room(held, one->block.cap);
    struct held_conn *conn = fits ? table_find(&held->held, number) : NULL;
    if (fits && conn == NULL)
        conn = table_put(&held->held, number);
    if (conn == NULL) {
        held->num_dropped++;
        record_block_free(&one->block);
        free(one);
        return true;
    }
    *(conn->last != NULL ? &conn->last->next : &conn->first) = one;
    conn->last = one;
    held->bytes += one->block.cap;
    return true;
}

static void emit_all(struct deferred_records *held, struct held_conn *conn, record_fn give,
                     void *context)
{
    struct record_view view = {0};
    for (const struct held_record *record = conn->first; record != NULL; record = record->next)
        give(context, copied_record_get(record->block.first, &view));
    drop(held, conn);
}

/* led_to says whether an exchange with EPMD was about the port of a connection. */
static bool led_to(const struct deferred_records_told *told, const struct ds_conn *conn)
{
    for (int end = 0; end < 2; end++) {
        if (told->port == conn->end[end].port &&
            (told->is_near || memcmp(&told->addr, &conn->end[end].addr, sizeof told->addr) == 0))
            return true;
    }
    return false;
}

/* emit_exchanges passes on the records of the latest question for a connection's port, and of the latest
 * registration of that port. Nodes may have asked often. */
static void emit_exchanges(struct deferred_records *held, const struct ds_conn *conn, record_fn give,
                           void *context)
{
    const uint64_t num = held->num_told < DEFERRED_RECORDS_TOLD ? held->num_told
                         : DEFERRED_RECORDS_TOLD;
    uint64_t found[2] = {0, 0}; /* numbers of connections to EPMD, the latest first */
    size_t num_found = 0;
    bool had[2] = {false, false};
    for (uint64_t i = 1; i <= num && num_found < 2; i++) {
        const struct deferred_records_told *told =
            &held->told[(held->num_told - i) % DEFERRED_RECORDS_TOLD];
        if (had[told->is_near] || !led_to(told, conn) || table_find(&held->held, told->conn) == NULL)
            continue;
        had[told->is_near] = true;
        found[num_found++] = told->conn;
    }
    while (num_found > 0) {
        struct held_conn *epmd = table_find(&held->held, found[--num_found]);
        if (epmd == NULL)
            continue; /* one EPMD connection had both */
        record_shown(held, epmd->number);
        emit_all(held, epmd, give, context);
    }
}

void deferred_records_release(struct deferred_records *held, const struct ds_conn *conn, record_fn give,
                              void *context)
{
    if (table_find(&held->shown, conn->number) != NULL)
        return;
    record_shown(held, conn->number);
    emit_exchanges(held, conn, give, context);
    struct held_conn *own = table_find(&held->held, conn->number);
    if (own != NULL)
        emit_all(held, own, give, context);
}

void deferred_records_end(struct deferred_records *held, uint64_t max_conns, record_fn give,
                          void *context)
{
    for (uint64_t i = 0; i < max_conns && table_oldest(&held->held) != NULL; i++)
        emit_all(held, table_oldest(&held->held), give, context);
}
