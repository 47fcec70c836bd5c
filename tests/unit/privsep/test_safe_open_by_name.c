/*
 * test_safe_open_by_name.c - the way of other systems to go through folders, which this one has, too:
 * all that test_safe_open.c says is true of it.
 */
#define FOLDER_ENTRY_BY_NAME
#include "privsep/folder_entry.c"

#include "test_safe_open.c"
