/*
 * sink_sqlite.c - -T sqlite=FILE: records as rows of a SQLite database, for questions that no
 * report answers. columns.def lists the tables, rows_*.c convert the records.
 */
#include "core/complain.h"
#include "output/sink.h"

#ifdef DISTSNIFF_SQLITE

#include "output/sqlite/rows.h"
#include "output/sqlite/sqlite_library.h"

#include <stdlib.h>

static bool sqlite_check(const char *file)
{
    if (file == NULL) {
        complain("-T sqlite needs a file: -T sqlite=FILE");
        return false;
    }
    return sqlite_library_load();
}

static void sqlite_close(struct sink *sink)
{
    struct rows *rows = sink->state;
    database_close(rows->database);
    endpoint_cache_free(rows->nodes);
    free(rows);
    sink->state = NULL;
}

static bool sqlite_open(struct sink *sink, const char *file)
{
    struct rows *rows = calloc(1, sizeof *rows);
    sink->output = (struct output_file){.name = file, .fd = -1};
    sink->state = rows;
    if (rows == NULL || (rows->nodes = endpoint_cache_new(rows_print_node)) == NULL) {
        complain("out of memory");
        free(rows);
        return false;
    }
    const uint64_t max_depth = sink->config->limits[DS_LIMIT_DEPTH];
    rows->limits.max_depth = max_depth < UINT32_MAX ? (uint32_t)max_depth : UINT32_MAX;
    rows->max_row = sink->config->limits[DS_LIMIT_TEXT];
    rows->etf = sink->config->etf;
    rows->text = &sink->output.buffer;
    rows->database = database_open(file, rows->text);
    if (rows->database == NULL) {
        sqlite_close(sink);
        return false;
    }
    rows_about(rows, "distsniff", DISTSNIFF_VERSION);
    rows_about(rows, "redacted", sink->config->redacted ? "yes" : "no");
    return true;
}

/* record_trouble records an error. Printed text is in the database by now, or lost. */
static void record_trouble(struct sink *sink)
{
    const struct rows *rows = sink->state;
    const char *trouble = database_trouble(rows->database);
    if (!sink->output.buffer.failed)
        output_file_forget(&sink->output);
    if (trouble != NULL)
        output_file_fail(&sink->output, trouble);
}

static void sqlite_record(struct sink *sink, const struct record *record)
{
    rows_record(sink->state, record);
    record_trouble(sink);
}

static void sqlite_lost(struct sink *sink, const struct loss *loss)
{
    rows_lost(sink->state, loss);
    record_trouble(sink);
}

static void sqlite_flush(struct sink *sink)
{
    const struct rows *rows = sink->state;
    database_commit(rows->database);
    record_trouble(sink);
}

static void sqlite_end(struct sink *sink)
{
    const struct rows *rows = sink->state;
    database_end(rows->database);
    record_trouble(sink);
}

#else

static bool sqlite_check(const char *file)
{
    (void)file;
    complain("this distsniff was built without -T sqlite: build it with -DDISTSNIFF_SQLITE=ON, which "
             "needs SQLite (Debian: libsqlite3-dev)");
    return false;
}

#define sqlite_open NULL
#define sqlite_record NULL
#define sqlite_lost NULL
#define sqlite_flush NULL
#define sqlite_end NULL
#define sqlite_close NULL

#endif

const struct sink_kind sink_sqlite = {
    .name = "sqlite",
    .help = "a database, with views for the questions of doctor, links, traffic, calls",
    .open_by_itself = sqlite_open,
    .record = sqlite_record,
    .lost = sqlite_lost,
    .flush = sqlite_flush,
    .end = sqlite_end,
    .close = sqlite_close,
    .check = sqlite_check,
    .also_writes = {"-wal", "-shm"},
    .takes_links = true,
    .takes_monitors = true,
    .wants_findings = true,
};
