/*
 * database_files.h - the files of a SQLite database, as SQLite asks for them (https://sqlite.org/vfs.html):
 * the database, its write-ahead log FILE-wal, and FILE-shm, the memory that those who have it open
 * share. SQLite opens files by name whenever it likes; here they are opened by the process that may
 * (file_helper.h), before anything is written, and each is a descriptor from then on.
 *
 * Locks are those of SQLite's own files on Unix, byte for byte, so that any program with SQLite reads
 * the database while it is written (https://sqlite.org/walformat.html):
 *
 *   FILE      1073741824       1 byte    somebody wants to write all of it, or write it alone
 *             1073741825       1         somebody will write
 *             1073741826       510       somebody reads
 *   FILE-shm  120              8         the log: write, checkpoint, recover, five readers
 *             128              1         somebody has it open
 */
#ifndef SRC_DATABASE_FILES_H
#define SRC_DATABASE_FILES_H

#include <sqlite3.h>
#include <stdbool.h>

struct database_files;

/* The names beside that of a database. */
#define DATABASE_LOG_ENDING "-wal"
#define DATABASE_MEMORY_ENDING "-shm"

/* database_files_open opens and empties the files of a database, and has SQLite know them, by the
 * name that database_files_name returns. NULL after a complaint: it cannot be opened, is no regular
 * file, or another program has it open. name stays. */
struct database_files *database_files_open(const char *name);
const char *database_files_name(const struct database_files *files);

/* database_files_error returns the errno of what failed last, 0: nothing did. */
int database_files_error(const struct database_files *files);

/* database_files_close closes them, once SQLite has. NULL is allowed. */
void database_files_close(struct database_files *files);

#endif
