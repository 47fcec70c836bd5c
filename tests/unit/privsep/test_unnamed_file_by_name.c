/*
 * test_unnamed_file_by_name.c - the way of other systems, which this one has, too: all that
 * test_unnamed_file.c says is true of it.
 */
#define UNNAMED_FILE_BY_NAME
#include "privsep/unnamed_file.c"

#include "test_unnamed_file.c"
