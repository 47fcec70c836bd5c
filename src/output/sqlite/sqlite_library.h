/*
 * sqlite_library.h - SQLite, loaded only if -T sqlite asks for it (shared_library.h).
 */
#ifndef SRC_SQLITE_LIBRARY_H
#define SRC_SQLITE_LIBRARY_H

#include <sqlite3.h>
#include <stdbool.h>

struct sqlite_library {
#define SQLITE(name) __typeof__(sqlite3_##name) *name;
#include "output/sqlite/sqlite_library.def"
#undef SQLITE
};

/* sqlite_library is its functions; all are NULL before sqlite_library_load. */
extern struct sqlite_library sqlite_library;

/* sqlite_library_load loads it, while files can still be opened. False after a complaint. */
bool sqlite_library_load(void);

#endif
