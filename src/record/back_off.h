/*
 * back_off.h - how long to wait before something is tried again that did not work.
 */
#ifndef SRC_BACK_OFF_H
#define SRC_BACK_OFF_H

#include <stdint.h>

enum { BACK_OFF_LEAST_MS = 250, BACK_OFF_MOST_MS = 15000 };

/* back_off_begin makes the pauses of this process other ones than those of its like. */
void back_off_begin(void);

/* back_off_ms returns the pause behind so many attempts and one: longer each time, up to
 * BACK_OFF_MOST_MS, half of it by chance, so that many hosts do not come back at once. */
int64_t back_off_ms(int attempts);

#endif
