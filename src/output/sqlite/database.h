/*
 * database.h - a SQLite database that rows are added to: its tables are those of columns.def, its views
 * those of views.sql.
 *
 * Rows gather in a transaction, which ends with database_commit, or when it has many. The journal is a
 * write-ahead log: what is in the database is always whole, up to the last transaction, whatever ends
 * the program, and others read it meanwhile. When it is closed it is one file.
 *
 * Peers' text reaches SQLite as bound values alone.
 */
#ifndef SRC_DATABASE_H
#define SRC_DATABASE_H

#include <distsniff/term.h>

/* TABLE_message, and COLUMN_message_ts_ns of it. */
enum database_table {
#define TABLE(name, how, what) TABLE_##name,
#include "output/sqlite/columns.def"
    NUM_TABLES
};

enum database_column {
#define COLUMN(table, name, type, what) COLUMN_##table##_##name,
#include "output/sqlite/columns.def"
    NUM_COLUMNS
};

struct database;

/* database_open makes a database of that name, in the place of what was there. What is put into rows as
 * text is printed into text first, which belongs to the caller and is empty between two rows. NULL
 * after a complaint. name and text stay. */
struct database *database_open(const char *name, struct ds_buffer *text);

/* database_row begins a row of a table; what is not put into it is NULL. */
void database_row(struct database *database, enum database_table table);

void database_number(struct database *database, enum database_column column, int64_t number);

/* database_word puts a text that stays until the row has ended, and can be shown as it is; nothing for
 * NULL. database_static so with one that is not ended by a NUL. */
void database_word(struct database *database, enum database_column column, const char *word);
void database_static(struct database *database, enum database_column column, struct ds_text text);

/* database_printed puts what has been printed into text, from at on; database_bytes so, as it is no
 * text. */
void database_printed(struct database *database, enum database_column column, size_t at);
void database_bytes(struct database *database, enum database_column column, size_t at);

/* database_escaped puts what a peer sent, escaped; nothing where it is absent. */
void database_escaped(struct database *database, enum database_column column, struct ds_text text);

/* database_end_row adds the row, unless text has failed, and empties text. */
void database_end_row(struct database *database);

/* database_commit makes what was added so far seen by others. */
void database_commit(struct database *database);

/* database_trouble returns why something could not be added, NULL while all was. Nothing more is. */
const char *database_trouble(const struct database *database);

/* database_end commits, and makes one file of it; database_close releases it. NULL is allowed. */
void database_end(struct database *database);
void database_close(struct database *database);

#endif
