/*
 * database.h - writes a SQLite database: its tables come from columns.def, its views from
 * views.sql.
 *
 * Rows are collected in a transaction, which ends with database_commit, or when it has many. The
 * journal is a write-ahead log: the database is consistent up to the last transaction, however the
 * program ends, and others can read it in the meantime. After it is closed it is a single file.
 *
 * Peers' text reaches SQLite only as bound values.
 */
#ifndef SRC_DATABASE_H
#define SRC_DATABASE_H

#include <distsniff/term.h>

/* TABLE_message, and its column COLUMN_message_ts_ns. */
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

/* database_open creates a database of that name, replacing an existing one. Text for rows is first
 * printed into text, which belongs to the caller and is empty between two rows. NULL after a
 * complaint. name and text must stay valid. */
struct database *database_open(const char *name, struct ds_buffer *text);

/* database_row begins a row of a table; columns that are not set are NULL. */
void database_row(struct database *database, enum database_table table);

void database_number(struct database *database, enum database_column column, int64_t number);

/* database_word sets a text that stays valid until the row has ended, and needs no escaping;
 * nothing for NULL. database_static does so for a text without a NUL at its end. */
void database_word(struct database *database, enum database_column column, const char *word);
void database_static(struct database *database, enum database_column column, struct ds_text text);

/* database_printed sets what was printed into text, from at on; database_bytes does so for a blob. */
void database_printed(struct database *database, enum database_column column, size_t at);
void database_bytes(struct database *database, enum database_column column, size_t at);

/* database_escaped sets text from a peer, escaped; nothing if it is absent. */
void database_escaped(struct database *database, enum database_column column, struct ds_text text);

/* database_end_row adds the row, unless text has failed, and empties text. */
void database_end_row(struct database *database);

/* database_commit makes the rows so far visible to others. */
void database_commit(struct database *database);

/* database_trouble returns why something could not be added, else NULL. After that, nothing more is
 * added. */
const char *database_trouble(const struct database *database);

/* database_end commits, and makes it a single file; database_close releases it. NULL is allowed. */
void database_end(struct database *database);
void database_close(struct database *database);

#endif
