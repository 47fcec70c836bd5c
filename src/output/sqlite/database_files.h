/*
 * database_files.h - the files of a SQLite database, through SQLite's interface
 * (https://sqlite.org/vfs.html): the database, its write-ahead log FILE-wal, and FILE-shm, memory
 * shared by all programs that have it open. SQLite opens files by name at any time; here the file
 * helper process opens them (file_helper.h) before anything is written, and each is a descriptor
 * from then on.
 *
 * Locks are the same as SQLite's on Unix, byte for byte, so that any program with SQLite can read
 * the database while it is written (https://sqlite.org/walformat.html):
 *
 *   FILE      1073741824       1 byte    a program wants to write all of it, or write it alone
 *             1073741825       1         a program will write
 *             1073741826       510       a program reads
 *   FILE-shm  120              8         the log: write, checkpoint, recover, five readers
 *             128              1         a program has it open
 */
#ifndef SRC_DATABASE_FILES_H
#define SRC_DATABASE_FILES_H

#include <sqlite3.h>
#include <stdbool.h>

struct database_files;

/* The names of the files beside a database. */
#define DATABASE_LOG_ENDING "-wal"
#define DATABASE_MEMORY_ENDING "-shm"

/* database_files_open opens and empties the files of a database, and registers them with SQLite,
 * under the name that database_files_name returns. NULL after a complaint: the database cannot be
 * opened, is not a regular file, or another program has it open. name must stay valid. */
struct database_files *database_files_open(const char *name);
const char *database_files_name(const struct database_files *files);

/* database_files_error returns the errno of the latest failure; 0: none. */
int database_files_error(const struct database_files *files);

/* database_files_close closes them, after SQLite has. NULL is allowed. */
void database_files_close(struct database_files *files);

#endif
