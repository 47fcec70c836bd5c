/*
 * keylog_hints.h - how to make nodes write the secrets of their TLS connections:
 * --print-keylog-config.
 */
#ifndef SRC_KEYLOG_HINTS_H
#define SRC_KEYLOG_HINTS_H

#include <stdbool.h>
#include <stdio.h>

/* keylog_hints_release says whether text is an OTP release that can do that, and which: its number,
 * or 0 if text is NULL, for the newest way. */
bool keylog_hints_release(const char *text, int *release);

/* keylog_hints_print writes to out the contents for the file of -ssl_dist_optfile and, for releases
 * that need it, for a shell of the node; explanations go to stderr. */
void keylog_hints_print(int release, FILE *out);

#endif
