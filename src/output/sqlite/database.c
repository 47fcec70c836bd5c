/*
 * database.c - see database.h.
 */
#ifdef DISTSNIFF_SQLITE

#include "output/sqlite/database.h"

#include "core/complain.h"
#include "core/printable.h"
#include "output/sqlite/database_files.h"
#include "output/sqlite/sqlite_library.h"
#include "output/fixture/templates/templates.h"
#include "output/sqlite/text_numbers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows of one transaction; pages of the log above which it is moved into the database; cache, in
 * kB; how long to wait for another writer. */
#define ROWS_AT_ONCE 8192
#define LOG_PAGES "4096"
#define CACHE_KB "1024"
enum { PATIENCE_MS = 2000, MAX_VALUES = 48 };

enum row_how { ADD, UPDATE };

static const struct {
    const char *name, *what;
    enum row_how how;
} tables[] = {
#define TABLE(name, how, what) {#name, what, how},
#include "output/sqlite/columns.def"
};

static const struct {
    enum database_table table;
    const char *name, *type, *what;
    bool is_kept, is_word;
} columns[] = {
#define COLUMN(table, name, type, what) {TABLE_##table, #name, type, what, false, false},
#define KEPT(table, name, type, what) {TABLE_##table, #name, type, what, true, false},
#define WORD(table, name, what) {TABLE_##table, #name, "INTEGER", what, false, true},
#include "output/sqlite/columns.def"
};

static const struct {
    enum database_table table;
    const char *column, *kind;
} indexes[] = {
#define INDEX(table, column, kind) {TABLE_##table, #column, kind},
#include "output/sqlite/columns.def"
};

/* value is a value of the current row. Text without data is printed text, from at on: its address
 * is only final when the row ends. */
struct value {
    enum database_column column;
    bool is_text;
    const char *data;
    size_t at, len;
};

struct database {
    struct database_files *files;
    sqlite3 *sqlite;
    sqlite3_stmt *begin, *commit;
    sqlite3_stmt *rows[NUM_TABLES];
    enum database_column first[NUM_TABLES];
    struct ds_buffer *text;
    enum database_table table; /* of the current row */
    struct value values[MAX_VALUES];
    unsigned num_values;
    struct text_numbers *words;
    bool has_words[NUM_TABLES];
    unsigned num_rows; /* in the transaction, which is open if there are any */
    char trouble[256]; /* empty: none */
};

/* fail records the first error. */
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

/* rows_of returns the suffix for the name of the table behind a view. */
static const char *rows_of(const struct database *d, enum database_table table)
{
    return d->has_words[table] ? "_rows" : "";
}

static bool is_last(int column)
{
    return column + 1 == NUM_COLUMNS || columns[column + 1].table != columns[column].table;
}

static void add_what(const char *what, struct ds_buffer *sql)
{
    ds_buffer_printf(sql, "%s%s\n", what[0] != '\0' ? " -- " : "", what);
}

static void add_table(const struct database *d, enum database_table table, struct ds_buffer *sql)
{
    const char *end = "";
    ds_buffer_printf(sql, "CREATE TABLE %s%s (", tables[table].name, rows_of(d, table));
    add_what(tables[table].what, sql);
    for (int c = (int)d->first[table]; end[0] == '\0'; c++) {
        end = is_last(c) ? ");\n" : "";
        ds_buffer_printf(sql, "  %s %s%s", columns[c].name, columns[c].type, is_last(c) ? "" : ",");
        add_what(columns[c].is_word ? "a word" : columns[c].what, sql);
    }
    ds_buffer_add_text(sql, end);
}

/* add_view adds a view that replaces numbers of words by their texts. Only words in a query's
 * columns are looked up. */
static void add_view(const struct database *d, enum database_table table, struct ds_buffer *sql)
{
    const char *name = tables[table].name, *end = "";
    ds_buffer_printf(sql, "CREATE VIEW %s AS SELECT", name);
    add_what(tables[table].what, sql);
    for (int c = (int)d->first[table]; end[0] == '\0'; c++) {
        end = is_last(c) ? "FROM " : "";
        if (columns[c].is_word)
            ds_buffer_printf(sql, "  (SELECT text FROM word WHERE id = %s_rows.%s) AS ", name,
                             columns[c].name);
        else
            ds_buffer_add_text(sql, "  ");
        ds_buffer_printf(sql, "%s%s", columns[c].name, is_last(c) ? "" : ",");
        add_what(columns[c].what, sql);
    }
    ds_buffer_printf(sql, "%s%s_rows;\n", end, name);
}

static void add_indexes(const struct database *d, struct ds_buffer *sql)
{
    for (size_t i = 0; i < sizeof indexes / sizeof indexes[0]; i++) {
        const char *name = tables[indexes[i].table].name;
        ds_buffer_printf(sql, "CREATE INDEX %s_%s ON %s%s(%s) %s;\n", name, indexes[i].column, name,
                         rows_of(d, indexes[i].table), indexes[i].column, indexes[i].kind);
    }
}

/* add_row adds the statement that adds a row or, for some tables, updates one. */
static void add_row(const struct database *d, enum database_table table, struct ds_buffer *sql)
{
    const enum database_column first = d->first[table];
    ds_buffer_printf(sql, "INSERT INTO %s%s VALUES(", tables[table].name, rows_of(d, table));
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
        add_table(d, (enum database_table)table, &sql);
    for (int table = 0; table < NUM_TABLES; table++)
        if (d->has_words[table])
            add_view(d, (enum database_table)table, &sql);
    add_indexes(d, &sql);
    ds_buffer_add(&sql, template_views.bytes, template_views.len);
    ds_buffer_add(&sql, "", 1);
    bool ok = !sql.failed && run(d, sql.data);
    for (int table = 0; table < NUM_TABLES && ok; table++) {
        sql.len = 0;
        add_row(d, (enum database_table)table, &sql);
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
    /* Only after off, a write-ahead log can be switched on without opening another file. */
    if (status == SQLITE_OK &&
        run(d, "PRAGMA temp_store=memory; PRAGMA journal_mode=off; PRAGMA journal_mode=wal;"
               "PRAGMA synchronous=normal; PRAGMA wal_autocheckpoint=" LOG_PAGES ";"
               "PRAGMA cache_size=-" CACHE_KB "; PRAGMA user_version=2; BEGIN;") &&
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
    for (int c = NUM_COLUMNS - 1; c >= 0; c--) {
        d->first[columns[c].table] = (enum database_column)c;
        d->has_words[columns[c].table] |= columns[c].is_word;
    }
    d->words = text_numbers_new();
    if (d->words == NULL)
        complain("out of memory");
    if (d->words == NULL || !open_in(d, name)) {
        database_close(d);
        return NULL;
    }
    return d;
}

/* Rows */

static int place_of(const struct database *d, enum database_column column)
{
    return (int)column - (int)d->first[columns[column].table] + 1;
}

void database_row(struct database *d, enum database_table table)
{
    d->table = table;
    d->num_values = 0;
    d->text->len = 0;
}

void database_number(struct database *d, enum database_column column, int64_t number)
{
    sqlite_library.bind_int64(d->rows[d->table], place_of(d, column), number);
}

static void put(struct database *d, struct value value)
{
    if (d->num_values == MAX_VALUES)
        d->text->failed = true;
    else
        d->values[d->num_values++] = value;
}

void database_static(struct database *d, enum database_column column, struct ds_text text)
{
    if (text.data != NULL)
        put(d, (struct value){column, true, text.data, 0, text.len});
}

void database_word(struct database *d, enum database_column column, const char *word)
{
    if (word != NULL)
        put(d, (struct value){column, true, word, 0, strlen(word)});
}

void database_printed(struct database *d, enum database_column column, size_t at)
{
    put(d, (struct value){column, true, NULL, at, d->text->len - at});
}

void database_bytes(struct database *d, enum database_column column, size_t at)
{
    put(d, (struct value){column, false, NULL, at, d->text->len - at});
}

void database_escaped(struct database *d, enum database_column column, struct ds_text text)
{
    const size_t at = d->text->len;
    if (text.data == NULL)
        return;
    printable_text(text, d->text);
    database_printed(d, column, at);
}

static void bind_text(struct database *d, enum database_column column, struct ds_text text)
{
    sqlite_library.bind_text(d->rows[columns[column].table], place_of(d, column), text.data, (int)text.len,
                             SQLITE_STATIC);
}

/* bind_word binds the number of a text, which is added if it is not there yet. */
static void bind_word(struct database *d, enum database_column column, struct ds_text text)
{
    sqlite3_stmt *row = d->rows[TABLE_word];
    bool is_new;
    const int64_t number = text_numbers_get(d->words, text, &is_new);
    if (is_new) {
        sqlite_library.bind_int64(row, place_of(d, COLUMN_word_id), number);
        bind_text(d, COLUMN_word_text, text);
        step(d, row);
        sqlite_library.clear_bindings(row);
    }
    database_number(d, column, number);
}

static void bind_values(struct database *d)
{
    for (unsigned i = 0; i < d->num_values; i++) {
        const struct value *value = &d->values[i];
        const char *data = value->data != NULL ? value->data
                           : value->len != 0   ? d->text->data + value->at
                                               : "";
        const struct ds_text text = {data, value->len};
        if (columns[value->column].is_word)
            bind_word(d, value->column, text);
        else if (value->is_text)
            bind_text(d, value->column, text);
        else
            sqlite_library.bind_blob(d->rows[d->table], place_of(d, value->column), data,
                                     (int)value->len, SQLITE_STATIC);
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
        d->num_rows++;
        bind_values(d);
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

/* finalize frees the prepared statements: while there are any, the journal mode cannot change. */
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
    /* A current reader keeps the log; that reader's SQLite removes it. */
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
    text_numbers_free(d->words);
    free(d);
}

#endif
