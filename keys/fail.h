/*
 * fail.h - what the program says, on standard error.
 */
#ifndef KEYS_FAIL_H
#define KEYS_FAIL_H

/* fail_say writes a line. */
void fail_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
