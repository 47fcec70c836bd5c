/*
 * column_width.h - how many columns of a terminal a character takes: two where it is written as wide
 * as Chinese and Japanese are, and most emoji, none where it only adds to the one before it. Terminals
 * agree on that by Unicode's tables alone. Some draw several characters as one picture and others do
 * not, and none says which it is: each counts by itself, the colour of a skin as well, and where they
 * are drawn as one there is room left. A flag is two characters of one column, as wide as it is drawn.
 * What would join characters is escaped.
 */
#ifndef SRC_COLUMN_WIDTH_H
#define SRC_COLUMN_WIDTH_H

#include <stdint.h>

/* column_width returns 0, 1 or 2; 1 of what Unicode does not know. */
unsigned column_width(uint32_t character);

#endif
