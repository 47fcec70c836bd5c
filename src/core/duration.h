/*
 * duration.h - spans of time, as they are told.
 */
#ifndef SRC_DURATION_H
#define SRC_DURATION_H

#include <distsniff/term.h>

/* duration_print appends one as people say it: "412 us", "3.2 ms", "5.00 s", "-1.5 min". */
void duration_print(int64_t ns, struct ds_buffer *out);

/* duration_print_fine appends one to the microsecond, or a tenth of it below a millisecond, as clocks are
 * compared: "0.4 us", "3.214 ms", "5.000012 s". */
void duration_print_fine(uint64_t ns, struct ds_buffer *out);

#endif
