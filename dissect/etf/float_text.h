/*
 * float_text.h - floats written as digits: what FLOAT_EXT holds, and what patterns are written with.
 */
#ifndef DISSECT_FLOAT_TEXT_H
#define DISSECT_FLOAT_TEXT_H

#include "util/cursor.h"

enum { FLOAT_TEXT_LEN = 31 }; /* of FLOAT_EXT: behind a NUL there may be anything */

/* float_text_read checks a text and decodes it; false when it is no finite number, or far longer than
 * FLOAT_TEXT_LEN. */
bool float_text_read(const struct cursor *text, double *out);

#endif
