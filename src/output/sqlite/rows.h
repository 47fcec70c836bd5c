/*
 * rows.h - converts records to database rows: rows_event.c events, rows_message.c messages,
 * rows_end.c ends and findings; rows_put.c has common parts.
 */
#ifndef SRC_ROWS_H
#define SRC_ROWS_H

#include "output/endpoint_cache.h"
#include "output/sqlite/database.h"
#include "record/loss.h"
#include "record/record.h"

struct rows {
    struct database *database;
    struct ds_buffer *text;       /* the database's */
    struct endpoint_cache *nodes; /* text printed by rows_print_node */
    struct ds_term_print_options limits; /* of terms */
    uint64_t max_row;             /* approximate bytes of a row's terms; 0: unlimited */
    bool etf;
};

/* rows_print_node prints the name of the node at an end of a connection, or its address. */
void rows_print_node(const struct ds_conn *conn, unsigned end, struct ds_buffer *out);

void rows_about(struct rows *rows, const char *name, const char *value);
void rows_record(struct rows *rows, const struct record *record);
void rows_lost(struct rows *rows, const struct loss *loss);

/* The parts of rows_record: each begins a row, and ends it. */
void rows_message(struct rows *rows, const struct ds_event *event, const struct note *note);
void rows_call(struct rows *rows, const struct call *call);
void rows_monitor(struct rows *rows, const struct monitor_end *monitor);
void rows_finding(struct rows *rows, const struct finding *finding);

/* These set values of the current row. */
void rows_put_term(struct rows *rows, enum database_column column, const struct ds_term *term);
void rows_put_nodes(struct rows *rows, const struct ds_event *event, enum database_column src,
                    enum database_column dst);

/* ROWS_PUT_EVENT sets the place and time of an event, ROWS_PUT_FAULT what was not decoded. */
#define ROWS_PUT_EVENT(rows, table, event)                                                         \
    do {                                                                                           \
        database_number((rows)->database, COLUMN_##table##_ts_ns, (event)->ts_ns);                 \
        database_number((rows)->database, COLUMN_##table##_frame, (int64_t)(event)->frame);        \
        database_number((rows)->database, COLUMN_##table##_conn, (int64_t)(event)->conn->number);  \
    } while (0)
#define ROWS_PUT_FAULT(rows, table, event)                                                         \
    rows_put_fault((rows), (event), COLUMN_##table##_fault, COLUMN_##table##_fault_offset,         \
                   COLUMN_##table##_fault_what)
void rows_put_fault(struct rows *rows, const struct ds_event *event, enum database_column kind,
                    enum database_column offset, enum database_column what);

#endif
