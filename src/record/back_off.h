/*
 * back_off.h - how long to wait before a failed attempt is repeated.
 */
#ifndef SRC_BACK_OFF_H
#define SRC_BACK_OFF_H

#include <stdint.h>

enum { BACK_OFF_LEAST_MS = 250, BACK_OFF_MOST_MS = 15000 };

/* back_off_begin seeds the pauses, so that they differ from those of other processes. */
void back_off_begin(void);

/* back_off_ms returns the pause after so many failed attempts: longer each time, up to
 * BACK_OFF_MOST_MS. Half of it is random, so that many hosts do not come back at once. */
int64_t back_off_ms(int attempts);

#endif
