/*
 * duration.h - time spans as text.
 */
#ifndef SRC_DURATION_H
#define SRC_DURATION_H

#include <distsniff/term.h>

/* duration_print appends a time span as people write it: "412 us", "3.2 ms", "5.00 s", "-1.5 min". */
void duration_print(int64_t ns, struct ds_buffer *out);

/* duration_print_fine appends a time span to the microsecond, below a millisecond to a tenth of one,
 * for comparing clocks: "0.4 us", "3.214 ms", "5.000012 s". */
void duration_print_fine(uint64_t ns, struct ds_buffer *out);

#endif
