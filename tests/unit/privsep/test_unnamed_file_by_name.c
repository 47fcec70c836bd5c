/*
 * test_unnamed_file_by_name.c - the variant for other systems, tested on this one: all of
 * test_unnamed_file.c is true of it.
 */
#define UNNAMED_FILE_BY_NAME
#include "privsep/unnamed_file.c"

#include "test_unnamed_file.c"
