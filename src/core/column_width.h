/*
 * column_width.h - how many terminal columns a character occupies: two if it is as wide as Chinese and
 * Japanese characters, which includes most emoji; none if it only modifies the character before it.
 * Unicode's tables are all that terminals agree on. Some draw several characters as one picture and
 * others do not, and they cannot be asked: so each character counts by itself, skin tones too, and
 * terminals that draw one picture leave some columns empty. A flag is two characters of one column,
 * which is its width as a picture. Characters that would join others are escaped.
 */
#ifndef SRC_COLUMN_WIDTH_H
#define SRC_COLUMN_WIDTH_H

#include <stdint.h>

/* column_width returns 0, 1 or 2; 1 for characters that Unicode does not define. */
unsigned column_width(uint32_t character);

#endif
