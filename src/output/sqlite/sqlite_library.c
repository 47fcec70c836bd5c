/*
 * sqlite_library.c - see sqlite_library.h.
 */
#ifdef DISTSNIFF_SQLITE

#include "output/sqlite/sqlite_library.h"

#include "core/complain.h"
#include "core/shared_library.h"

struct sqlite_library sqlite_library;

/* The first version with ON CONFLICT ... DO UPDATE without a target, and the rest of what is used. */
enum { OLDEST_VERSION = 3035000 };

bool sqlite_library_load(void)
{
    const struct shared_library_function functions[] = {
#define SQLITE(name) {"sqlite3_" #name, &sqlite_library.name},
#include "output/sqlite/sqlite_library.def"
#undef SQLITE
    };
    if (!shared_library_load("-T sqlite", SQLITE_LIBRARY, "libsqlite3-0", functions,
                             sizeof functions / sizeof functions[0]))
        return false;
    /* One thread at a time uses it, and its statistics are not needed. A failure only makes it
     * slower. */
    (void)sqlite_library.config(SQLITE_CONFIG_SINGLETHREAD);
    (void)sqlite_library.config(SQLITE_CONFIG_MEMSTATUS, 0);
    if (sqlite_library.libversion_number() >= OLDEST_VERSION)
        return true;
    complain("-T sqlite: %s is older than 3.35", SQLITE_LIBRARY);
    return false;
}

#endif
