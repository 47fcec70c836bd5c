/*
 * keylog_hints.h - how nodes write down the secrets of their TLS connections:
 * --print-keylog-config.
 */
#ifndef SRC_KEYLOG_HINTS_H
#define SRC_KEYLOG_HINTS_H

#include <stdbool.h>
#include <stdio.h>

/* keylog_hints_release says whether text is a release that can, and which: its number, or 0 where
 * text is NULL, for the newest way. */
bool keylog_hints_release(const char *text, int *release);

/* keylog_hints_print writes to out what goes into the file of -ssl_dist_optfile and, for releases
 * that need it, into a shell of the node; what it means to stderr. */
void keylog_hints_print(int release, FILE *out);

#endif
