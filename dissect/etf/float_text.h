/*
 * float_text.h - floats written as digits, as in FLOAT_EXT and in patterns.
 */
#ifndef DISSECT_FLOAT_TEXT_H
#define DISSECT_FLOAT_TEXT_H

#include "util/cursor.h"

enum { FLOAT_TEXT_LEN = 31 }; /* of FLOAT_EXT; the bytes after a NUL are arbitrary */

/* float_text_read checks a text and decodes it; false if it is not a finite number, or far longer
 * than FLOAT_TEXT_LEN. */
bool float_text_read(const struct cursor *text, double *out);

#endif
