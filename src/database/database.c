/*
 * database.c - see database.h.
 */
#ifdef DISTSNIFF_SQLITE

#include "database.h"

#include "complain.h"
#include "database_files.h"
#include "printable.h"
#include "sqlite_library.h"
#include "templates/templates.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows of one transaction; of a log that is larger the rest is moved into the database; memory for pages,
 * in kB. One who writes besides is waited for, and not long. */
#define ROWS_AT_ONCE 8192
#define LOG_PAGES "4096"
#define CACHE_KB "4096"
enum { PATIENCE_MS = 2000, MAX_PRINTED = 48 };

enum row_how { ADD, UPDATE };

static const struct {
    const char *name, *what;
    enum row_how how;
} tables[] = {
#define TABLE(name, how, what) {#name, what, how},
#include "columns.def"
};

static const struct {
    enum database_table table;
    const char *name, *type, *what;
    bool is_kept;
} columns[] = {
#define COLUMN(table, name, type, what) {TABLE_##table, #name, type, what, false},
#define KEPT(table, name, type, what) {TABLE_##table, #name, type, what, true},
#include "columns.def"
};

static const char indexes[] =
#define INDEX(table, column, kind)                                                                 \
    "CREATE INDEX " #table "_" #column " ON " #table "(" #column ") " kind ";\n"
#include "columns.def"
    ;

struct printed {
    enum database_column column;
    bool is_text;
    size_t at, len;
};

struct database {
    struct database_files *files;
    sqlite3 *sqlite;
    sqlite3_stmt *begin, *commit;
    sqlite3_stmt *rows[NUM_TABLES];
    enum database_column first[NUM_TABLES];
    struct ds_buffer *text;
    enum database_table table; /* of the row at hand */
    struct printed printed[MAX_PRINTED];
    unsigned num_printed;
    unsigned num_rows; /* in the transaction, which is open if there are any */
    char trouble[256]; /* empty: none */
};

/* fail notes the first trouble. */
static void fail(struct database *d, int status)
{
    const int error = database_files_error(d->files);
    if (d->trouble[0] != '\0')
        return;
    if ((status & 0xFF) == SQLITE_NOMEM)
        snprintf(d->trouble, sizeof d->trouble, "out of memory");
    else if ((status & 0xFF) == SQLITE_BUSY)
        snprintf(d->trouble, sizeof d->trouble, "another program writes it");
    else if (((status & 0xFF) == SQLITE_FULL || (status & 0xFF) == SQLITE_IOERR) && error != 0)
        snprintf(d->trouble, sizeof d->trouble, "%s", strerror(error));
    else
        snprintf(d->trouble, sizeof d->trouble, "%s", sqlite_library.errmsg(d->sqlite));
}

static bool run(struct database *d, const char *sql)
{
    const int status = sqlite_library.exec(d->sqlite, sql, NULL, NULL, NULL);
    if (status != SQLITE_OK)
        fail(d, status);
    return status == SQLITE_OK;
}

static bool prepare(struct database *d, const char *sql, sqlite3_stmt **statement)
{
    const int status =
        sqlite_library.prepare_v3(d->sqlite, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
    if (status != SQLITE_OK)
        fail(d, status);
    return status == SQLITE_OK;
}

static bool step(struct database *d, sqlite3_stmt *statement)
{
    const int status = sqlite_library.step(statement);
    if (status != SQLITE_DONE)
        fail(d, status);
    sqlite_library.reset(statement);
    return status == SQLITE_DONE;
}

/* The schema */

static void add_table(enum database_table table, enum database_column first, struct ds_buffer *sql)
{
    ds_buffer_printf(sql, "CREATE TABLE %s (%s%s\n", tables[table].name,
                     tables[table].what[0] != '\0' ? " -- " : "", tables[table].what);
    for (int c = (int)first; c < NUM_COLUMNS && columns[c].table == table; c++) {
        const bool is_last = c + 1 == NUM_COLUMNS || columns[c + 1].table != table;
        ds_buffer_printf(sql, "  %s %s%s%s%s\n", columns[c].name, columns[c].type, is_last ? "" : ",",
                         columns[c].what[0] != '\0' ? " -- " : "", columns[c].what);
    }
    ds_buffer_add_text(sql, ");\n");
}

/* add_row adds what adds a row, and of some tables what brings one up to date. */
static void add_row(enum database_table table, enum database_column first, struct ds_buffer *sql)
{
    ds_buffer_printf(sql, "INSERT INTO %s VALUES(", tables[table].name);
    for (int c = (int)first; c < NUM_COLUMNS && columns[c].table == table; c++)
        ds_buffer_add_text(sql, c == (int)first ? "?" : ",?");
    ds_buffer_add_text(sql, ")");
    for (int c = (int)first + 1;
         tables[table].how == UPDATE && c < NUM_COLUMNS && columns[c].table == table; c++) {
        const char *name = columns[c].name;
        ds_buffer_add_text(sql, c == (int)first + 1 ? " ON CONFLICT DO UPDATE SET " : ", ");
        if (columns[c].is_kept)
            ds_buffer_printf(sql, "%s=coalesce(%s,excluded.%s)", name, name, name);
        else
            ds_buffer_printf(sql, "%s=coalesce(excluded.%s,%s)", name, name, name);
    }
    ds_buffer_add(sql, "", 1);
}

static bool make_schema(struct database *d)
{
    struct ds_buffer sql = {0};
    for (int table = 0; table < NUM_TABLES; table++)
        add_table((enum database_table)table, d->first[table], &sql);
    ds_buffer_add_text(&sql, indexes);
    ds_buffer_add(&sql, template_views.bytes, template_views.len);
    ds_buffer_add(&sql, "", 1);
    bool ok = !sql.failed && run(d, sql.data);
    for (int table = 0; table < NUM_TABLES && ok; table++) {
        sql.len = 0;
        add_row((enum database_table)table, d->first[table], &sql);
        ok = !sql.failed && prepare(d, sql.data, &d->rows[table]);
    }
    if (sql.failed)
        fail(d, SQLITE_NOMEM);
    ds_buffer_free(&sql);
    return ok;
}

static bool open_in(struct database *d, const char *name)
{
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
                      SQLITE_OPEN_PRIVATECACHE;
    d->files = database_files_open(name);
    if (d->files == NULL)
        return false;
    const int status = sqlite_library.open_v2("database", &d->sqlite, flags,
                                              database_files_name(d->files));
    if (status != SQLITE_OK)
        fail(d, status);
    else
        sqlite_library.busy_timeout(d->sqlite, PATIENCE_MS);
    /* Only from off is there a way to a write-ahead log that asks for no other file. */
    if (status == SQLITE_OK &&
        run(d, "PRAGMA temp_store=memory; PRAGMA journal_mode=off; PRAGMA journal_mode=wal;"
               "PRAGMA synchronous=normal; PRAGMA wal_autocheckpoint=" LOG_PAGES ";"
               "PRAGMA cache_size=-" CACHE_KB "; PRAGMA user_version=1; BEGIN;") &&
        make_schema(d) && run(d, "COMMIT") && prepare(d, "BEGIN IMMEDIATE", &d->begin) &&
        prepare(d, "COMMIT", &d->commit))
        return true;
    complain("cannot write %s: %s", name, d->trouble);
    return false;
}

struct database *database_open(const char *name, struct ds_buffer *text)
{
    struct database *d = calloc(1, sizeof *d);
    if (d == NULL) {
        complain("out of memory");
        return NULL;
    }
    d->text = text;
    for (int c = NUM_COLUMNS - 1; c >= 0; c--)
        d->first[columns[c].table] = (enum database_column)c;
    if (!open_in(d, name)) {
        database_close(d);
        return NULL;
    }
    return d;
}

/* Rows */

static int place_of(const struct database *d, enum database_column column)
{
    return (int)column - (int)d->first[d->table] + 1;
}

void database_row(struct database *d, enum database_table table)
{
    d->table = table;
    d->num_printed = 0;
    d->text->len = 0;
}

void database_number(struct database *d, enum database_column column, int64_t number)
{
    sqlite_library.bind_int64(d->rows[d->table], place_of(d, column), number);
}

void database_static(struct database *d, enum database_column column, struct ds_text text)
{
    if (text.data != NULL)
        sqlite_library.bind_text(d->rows[d->table], place_of(d, column), text.data, (int)text.len,
                                 SQLITE_STATIC);
}

void database_word(struct database *d, enum database_column column, const char *word)
{
    if (word != NULL)
        sqlite_library.bind_text(d->rows[d->table], place_of(d, column), word, -1, SQLITE_STATIC);
}

static void put_printed(struct database *d, enum database_column column, size_t at, bool is_text)
{
    if (d->num_printed == MAX_PRINTED) {
        d->text->failed = true;
        return;
    }
    d->printed[d->num_printed++] = (struct printed){column, is_text, at, d->text->len - at};
}

void database_printed(struct database *d, enum database_column column, size_t at)
{
    put_printed(d, column, at, true);
}

void database_bytes(struct database *d, enum database_column column, size_t at)
{
    put_printed(d, column, at, false);
}

void database_escaped(struct database *d, enum database_column column, struct ds_text text)
{
    const size_t at = d->text->len;
    if (text.data == NULL)
        return;
    printable_text(text, d->text);
    database_printed(d, column, at);
}

/* bind_printed: only now does text stay where it is. */
static void bind_printed(struct database *d)
{
    for (unsigned i = 0; i < d->num_printed; i++) {
        const struct printed *printed = &d->printed[i];
        const char *bytes = printed->len != 0 ? d->text->data + printed->at : "";
        if (printed->is_text)
            sqlite_library.bind_text(d->rows[d->table], place_of(d, printed->column), bytes,
                                     (int)printed->len, SQLITE_STATIC);
        else
            sqlite_library.bind_blob(d->rows[d->table], place_of(d, printed->column), bytes,
                                     (int)printed->len, SQLITE_STATIC);
    }
}

static bool begin(struct database *d)
{
    return d->trouble[0] == '\0' && (d->num_rows != 0 || step(d, d->begin));
}

void database_end_row(struct database *d)
{
    sqlite3_stmt *row = d->rows[d->table];
    if (!d->text->failed && begin(d)) {
        bind_printed(d);
        d->num_rows++;
        step(d, row);
    }
    sqlite_library.clear_bindings(row);
    d->text->len = 0;
    if (d->num_rows >= ROWS_AT_ONCE)
        database_commit(d);
}

void database_commit(struct database *d)
{
    if (d->num_rows == 0 || d->trouble[0] != '\0')
        return;
    d->num_rows = 0;
    step(d, d->commit);
}

const char *database_trouble(const struct database *d)
{
    return d->trouble[0] != '\0' ? d->trouble : NULL;
}

/* finalize gives up what was prepared: while there is any of it, the journal stays as it is. */
static void finalize(struct database *d)
{
    for (int table = 0; table < NUM_TABLES; table++) {
        sqlite_library.finalize(d->rows[table]);
        d->rows[table] = NULL;
    }
    sqlite_library.finalize(d->begin);
    sqlite_library.finalize(d->commit);
    d->begin = d->commit = NULL;
}

void database_end(struct database *d)
{
    database_commit(d);
    finalize(d);
    if (d->trouble[0] != '\0')
        return;
    /* Whoever reads it now keeps the log, which that one's SQLite ends. */
    if (sqlite_library.exec(d->sqlite, "PRAGMA journal_mode=off", NULL, NULL, NULL) != SQLITE_OK &&
        (sqlite_library.extended_errcode(d->sqlite) & 0xFF) != SQLITE_BUSY)
        fail(d, sqlite_library.extended_errcode(d->sqlite));
}

void database_close(struct database *d)
{
    if (d == NULL)
        return;
    if (d->sqlite != NULL) {
        finalize(d);
        sqlite_library.close_v2(d->sqlite);
    }
    database_files_close(d->files);
    free(d);
}

#endif
