/*
 * test_safe_open_by_name.c - the variant for other systems that walks folders by name, tested on
 * this one: all of test_safe_open.c is true of it.
 */
#define FOLDER_ENTRY_BY_NAME
#include "privsep/folder_entry.c"

#include "test_safe_open.c"
